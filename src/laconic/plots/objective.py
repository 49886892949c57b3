"""The objective of a fit, pass after pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.pipeline_steps import encoding_step
from laconic.plots.labels import HELVETICA, UNMEASURED
from laconic.plots.style import PADDING, styled, wrap
from laconic.plots.topic_view import check_letters, check_width, rounded

FEW = 60  # passes that get a point each
WIDE, FOR_NUMBERS = 520, 60  # points for the curve, and beside it for its axis


def convergence(model: Any, *, width: int | None = None, letters: int = UNMEASURED) -> Any:
    """The objective after each pass of the fit.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, in two passes or more.
    width : int, optional
        Points that the chart may be wide, such as those of a telephone.
    letters : int, default=120
        Width of letters in percent of Helvetica's, as of `topic_map`.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> model = laconic.PLSA(4).fit(corpus)
    >>> len(convergence(model).to_dict()["data"]["values"]) == model.n_iter_
    True
    """
    check_width(width)
    check_letters(letters)
    estimator = encoding_step(model)
    values = passes_of(estimator)
    if len(values) < 2:
        raise LaconicError(
            "The fit took a single pass, so there is no curve of its objective to draw."
        )
    alt = require("altair")
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "pass:Q", title="pass", axis=alt.Axis(format="d", values=_ticks(values), grid=False)
        ),
        y=alt.Y(
            "objective:Q",
            title="objective",
            scale=alt.Scale(zero=False, nice=False, padding=12),
            axis=alt.Axis(format="~s", tickCount=5, domain=False),
        ),
        tooltip=[alt.Tooltip("pass:Q", format="d"), alt.Tooltip("objective:Q", format=".6g")],
    )
    layers = [base.mark_line()]
    if len(values) <= FEW:
        layers.append(base.mark_point(filled=True, size=36, opacity=1))
    chart = alt.layer(*layers, data=alt.Data(values=values))
    return styled(
        chart.properties(
            width=_wide(width, letters),
            height=260,
            title=alt.Title(
                "Convergence", subtitle=wrap(_subtitle(estimator, len(values)), width, letters)
            ),
            description="The objective of the fit after each pass",
        )
    )


def passes_of(estimator: Any) -> list[dict[str, Any]]:
    """A row of data for each pass; one whose objective is no number is left out.

    A fit that begins anew on its way, as a correlated one does, has kept the last passes only.
    """
    objective = np.asarray(getattr(estimator, "objective_", ()), dtype=np.float64)
    before = max(int(getattr(estimator, "n_iter_", 0)) - len(objective), 0)
    return [
        {"pass": before + number, "objective": rounded(value, 12)}
        for number, value in enumerate(objective.tolist(), 1)
        if np.isfinite(value)
    ]


def _wide(width: int | None, letters: int) -> int:
    """Width of the curve, beside which numbers stand."""
    if width is None:
        return WIDE
    return max(min(WIDE, width - 2 * PADDING - FOR_NUMBERS * letters // HELVETICA), 100)


def _ticks(rows: list[dict[str, Any]]) -> list[int]:
    """A dozen whole numbers at most."""
    first, last = rows[0]["pass"], rows[-1]["pass"]
    return list(range(first, last + 1, (last - first) // 12 + 1))


def _subtitle(estimator: Any, n: int) -> str:
    end = "converged" if getattr(estimator, "converged_", False) else "ended before it converged"
    n_all = int(getattr(estimator, "n_iter_", n))
    which = f"{n:,} passes" if n >= n_all else f"the last {n:,} of {n_all:,} passes"
    return f"The objective after each of {which}; the fit {end}"
