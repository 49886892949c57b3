"""Chart of the sparsity path: how well a model predicts held-out words, against its sparsity.

The same parameter, values and cross-validation are used as in `laconic.tune`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.pipeline_steps import laconic_step
from laconic.models import MODELS
from laconic.plots.labels import fit_labels
from laconic.plots.layout import Field
from laconic.plots.style import styled
from laconic.plots.topic_view import rounded

if TYPE_CHECKING:
    from laconic.tuning.penalty_path import PenaltyPath
    from laconic.tuning.sparsity import Step

SAMPLE, FOLDS = 1_000, 3
FIELD = Field(520, 300)
POINT = 5.0  # radius of a data point, in points
NONZERO_TITLES = {  # maps the part of the model that a parameter makes sparse to the axis title
    "weights of topics": "words per topic",
    "codes of documents": "topics per document",
    "keywords of documents": "keywords per document",
}


def penalty_path(
    model: Any, corpus: Any, *, sample: int = SAMPLE, folds: int = FOLDS, random_state: int = 0
) -> Any:
    """Draw how well a model predicts held-out words as it is made sparser step by step.

    Clones of the model are fitted with different values of the parameter that makes it sparse. This
    parameter is ``words_per_topic`` for slsa, ``smoothing`` for plsa, ``topics_per_document`` for
    sctm, stc and medstc, and ``keywords_per_document`` for pcp.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model. The clones have the same values of all other parameters.
    corpus : Corpus, sparse matrix or array of counts, or list of texts
        The documents, with labels if the model is a classifier.
    sample : int, default=1000
        Maximum number of documents to use.
    folds : int, default=3
        Number of cross-validation folds.
    random_state : int, default=0
        Seed for drawing the sample and the folds.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 40, 2, words_per_topic=8)
    >>> model = laconic.SparseLSA(2).fit(corpus)
    >>> chart = penalty_path(model, corpus, folds=2)
    >>> type(chart).__name__
    'LayerChart'
    """
    from laconic.tuning.penalty_path import refit_path

    name = _name(laconic_step(model))
    path = refit_path(model, name, corpus, sample=sample, folds=folds, random_state=random_state)
    return styled(_chart(path))


def can_be_sparser(estimator: Any) -> bool:
    """Return whether the model has a sparsity path."""
    return type(estimator) in MODELS.values() and getattr(estimator, "solver", "") != "exact"


def _name(estimator: Any) -> str:
    name = next((name for name, kind in MODELS.items() if type(estimator) is kind), None)
    if name is None:
        raise LaconicError(
            f"{type(estimator).__name__} has no sparsity path; use one of {', '.join(MODELS)}."
        )
    if not can_be_sparser(estimator):
        raise LaconicError(
            "PCP with solver='exact' has no sparsity path; fit the model with solver='factored'."
        )
    return name


def _row(step: Step, n_dense: float) -> dict[str, Any]:
    from laconic.tuning.result import format_setting

    trial = step.trial
    return {
        "setting": format_setting(step.value),
        "nonzero": rounded(n_dense * (1 - trial.zeros)),
        "zeros": rounded(trial.zeros),
        "metric": rounded(trial.metric),
        "low": rounded(trial.metric - trial.standard_error),
        "high": rounded(trial.metric + trial.standard_error),
    }


def _chart(path: PenaltyPath) -> Any:
    alt = require("altair")
    sparsity, n_nonzero = path.sparsity, path.n_nonzero
    rows = [_row(step, path.n_dense) for step in path.steps]
    x_title = NONZERO_TITLES[sparsity.zeros_in]
    y_title = "accuracy" if path.is_classifier else "explained share"
    best = max(rows, key=lambda row: row["metric"])
    drawn = [row for row in rows if row["nonzero"] > 0]  # a logarithmic axis cannot show zero
    scales = _domains(drawn, n_nonzero)
    x = alt.X(
        "nonzero:Q",
        title=f"{x_title} (sparser to the left)",
        scale=alt.Scale(type="log", domain=scales[0], nice=False),
        axis=alt.Axis(format="~g", tickCount=6, grid=False),
    )
    up = {
        "title": y_title,
        "scale": alt.Scale(domain=scales[1], nice=False),
        "axis": alt.Axis(format="~%", tickCount=5, domain=False),
    }
    y = alt.Y("metric:Q", **up)
    base = alt.Chart(alt.Data(values=_with_labels(drawn, *scales))).encode(x=x)
    tooltip = [
        alt.Tooltip("setting:N", title=sparsity.parameter),
        alt.Tooltip("nonzero:Q", title=x_title, format=".3g"),
        alt.Tooltip("zeros:Q", title=f"zeros in the {sparsity.zeros_in}", format=".1%"),
        alt.Tooltip("metric:Q", title=y_title, format=".2%"),
    ]
    beside = {name: alt.ExprRef(f"datum.{name}") for name in ("dx", "dy", "align")}
    layers = [
        _limit(alt, best, up),
        _model_line(alt, n_nonzero, x) if n_nonzero > 0 else None,
        base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", **up), y2="high:Q"),
        base.mark_line(opacity=0.5).encode(y=y, order="zeros:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(y=y, tooltip=tooltip),
        base.mark_text(style="halo", **beside).encode(y=y, text="label:N"),
        base.mark_text(**beside).encode(y=y, text="label:N"),
    ]
    return alt.layer(*(layer for layer in layers if layer is not None)).properties(
        width=FIELD.width,
        height=FIELD.height,
        title=alt.Title(
            f"Sparsity path over {sparsity.parameter}",
            subtitle=[
                f"{path.n_topics} topics, measured on held-out documents",
                "Dashed: one standard error below the best; vertical: the model as fitted",
            ],
        ),
        description=f"{y_title} of the model over {x_title}",
    )


def _domains(rows: list[dict[str, Any]], n_nonzero: float) -> tuple[list[float], list[float]]:
    """Return the ends of the x axis and of the y axis, with a margin around the data."""
    across = [value for value in (n_nonzero, *(row["nonzero"] for row in rows)) if value > 0]
    up = [row[end] for row in rows for end in ("low", "high")]
    margin = 0.06 * max(max(up) - min(up), 1e-3)
    return [min(across) / 1.2, max(across) * 1.2], [min(up) - margin, max(up) + margin]


def _with_labels(
    rows: list[dict[str, Any]], across: list[float], up: list[float]
) -> list[dict[str, Any]]:
    """Add a label and its position to each data point; labels that would overlap are empty."""
    nonzero, metric = (np.array([row[name] for row in rows]) for name in ("nonzero", "metric"))
    x = np.log(nonzero / across[0]) / np.log(across[1] / across[0]) * FIELD.width
    y = (metric - up[0]) / (up[1] - up[0]) * FIELD.height
    centres = np.stack([x, y], axis=1)
    names = [[row["setting"]] for row in rows]
    hidden = {"label": "", "dx": 0.0, "dy": 0.0, "align": "left"}
    labelled = [{**row, **hidden} for row in rows]
    for label in fit_labels(centres, np.full(len(rows), POINT), names, FIELD, across=False):
        labelled[label.circle] |= {
            "label": label.lines[0],
            "dx": round(label.x - x[label.circle], 1),
            "dy": round(y[label.circle] - label.y, 1),
            "align": label.align,
        }
    return labelled


def _limit(alt: Any, best: dict[str, Any], up: dict[str, Any]) -> Any:
    return (
        alt.Chart(alt.Data(values=[{"limit": best["low"]}]))
        .mark_rule(strokeDash=[4, 4])
        .encode(y=alt.Y("limit:Q", **up))
    )


def _model_line(alt: Any, n_nonzero: float, x: Any) -> Any:
    """Draw a vertical line at the sparsity of the fitted model."""
    values = [{"nonzero": rounded(n_nonzero)}]
    return alt.Chart(alt.Data(values=values)).mark_rule(style="chosen", strokeWidth=1.5).encode(x=x)
