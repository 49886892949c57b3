"""Convergence chart: the objective of a fit after each pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.pipeline_steps import laconic_step
from laconic.plots.labels import HELVETICA, UNMEASURED
from laconic.plots.style import PADDING, styled, wrap
from laconic.plots.topic_view import check_letters, check_width, rounded

FEW = 60  # if there are at most this many passes, each pass is marked with a point
WIDE, FOR_NUMBERS = 520, 60  # width in points of the curve, and of the numbers beside the curve


def convergence(model: Any, *, width: int | None = None, letters: int = UNMEASURED) -> Any:
    """Draw the objective after each pass of the fit.

    Parameters
    ----------
    model : estimator or Pipeline
        A model fitted with two or more passes.
    width : int, optional
        Maximum width of the chart in points, for example to fit the screen of a phone.
    letters : int, default=120
        Width of the letters in percent of their width in Helvetica; see `topic_map`.

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
    estimator = laconic_step(model)
    values = passes_of(estimator)
    if len(values) < 2:
        raise LaconicError(
            "The fit recorded the objective of fewer than two passes, so there is no curve to draw."
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
            description="Objective of the fit after each pass",
        )
    )


def passes_of(estimator: Any) -> list[dict[str, Any]]:
    """Return a row of chart data for each pass whose objective is finite.

    A fit that restarts (SCTM with ``correlated=True``) stores only the objective of its last
    passes.
    """
    objective = np.asarray(getattr(estimator, "objective_", ()), dtype=np.float64)
    skipped = max(int(getattr(estimator, "n_iter_", 0)) - len(objective), 0)
    return [
        {"pass": skipped + number, "objective": rounded(value, 12)}
        for number, value in enumerate(objective.tolist(), 1)
        if np.isfinite(value)
    ]


def _wide(width: int | None, letters: int) -> int:
    """Return the width of the curve, without the numbers on the vertical axis."""
    if width is None:
        return WIDE
    return max(min(WIDE, width - 2 * PADDING - FOR_NUMBERS * letters // HELVETICA), 100)


def _ticks(rows: list[dict[str, Any]]) -> list[int]:
    """Return at most twelve integer ticks for the axis of passes."""
    first, last = rows[0]["pass"], rows[-1]["pass"]
    return list(range(first, last + 1, (last - first) // 12 + 1))


def _subtitle(estimator: Any, n: int) -> str:
    end = "converged" if getattr(estimator, "converged_", False) else "did not converge"
    n_all = int(getattr(estimator, "n_iter_", n))
    which = f"{n:,} passes" if n >= n_all else f"the last {n:,} of {n_all:,} passes"
    return f"Objective after each of {which}; the fit {end}"
