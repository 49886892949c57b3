"""From dense to sparse: what is left of a model, and how well it still tells unseen words.

The parameter and its values are those that `laconic.tune` tries; clones of the model are fitted to
parts of the documents and judged by the parts that were left out, as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.pipeline_steps import encoding_step
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
POINT = 5.0  # radius
LEFT = {  # of what is sparse -> what is left of it
    "weights of topics": "words per topic",
    "codes of documents": "topics per document",
    "keywords of documents": "keywords per document",
}


def penalty_path(
    model: Any, corpus: Any, *, sample: int = SAMPLE, folds: int = FOLDS, random_state: int = 0
) -> Any:
    """How well documents are explained by a model that is made sparser step by step.

    Clones of the model are fitted over a range of the parameter that makes it sparse:
    ``words_per_topic`` of slsa, ``smoothing`` of plsa, ``topics_per_document`` of sctm, stc and
    medstc, ``keywords_per_document`` of pcp.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted; its other parameters are those of the clones.
    corpus : Corpus, sparse matrix or array of counts, or list of texts
        With labels where the model learns classes.
    sample : int, default=1000
        Most documents that are looked at.
    folds : int, default=3
        Parts of them, each left out of a fit.
    random_state : int, default=0
        Seed of the sample and of its parts.

    Returns
    -------
    altair.LayerChart
    """
    from laconic.tuning.penalty_path import refit_path

    name = _name(encoding_step(model))
    found = refit_path(model, name, corpus, sample=sample, folds=folds, random_state=random_state)
    return styled(_chart(found))


def can_be_sparser(estimator: Any) -> bool:
    """Whether there is a path for such a model."""
    return type(estimator) in MODELS.values() and getattr(estimator, "solver", "") != "exact"


def _name(estimator: Any) -> str:
    name = next((name for name, kind in MODELS.items() if type(estimator) is kind), None)
    if name is None:
        raise LaconicError(f"{type(estimator).__name__} has no parameter that makes it sparser.")
    if not can_be_sparser(estimator):
        raise LaconicError(
            "The exact problem of PCP is not refitted over a range of penalties; use "
            "solver='factored'."
        )
    return name


def _row(step: Step, full: float) -> dict[str, Any]:
    from laconic.tuning.result import shown

    trial = step.trial
    return {
        "setting": shown(step.value),
        "left": rounded(full * (1 - trial.zeros)),
        "zeros": rounded(trial.zeros),
        "measure": rounded(trial.measure),
        "low": rounded(trial.measure - trial.standard_error),
        "high": rounded(trial.measure + trial.standard_error),
    }


def _chart(found: PenaltyPath) -> Any:
    alt = require("altair")
    path, own = found.sparsity, found.own
    rows = [_row(step, found.full) for step in found.steps]
    left, measure = LEFT[path.of], "accuracy" if found.is_classifier else "foretold share"
    best = max(rows, key=lambda row: row["measure"])
    drawn = [row for row in rows if row["left"] > 0]  # a logarithm has no place for nothing
    scales = _ends(drawn, own)
    x = alt.X(
        "left:Q",
        title=f"{left} (few to the left)",
        scale=alt.Scale(type="log", domain=scales[0], nice=False),
        axis=alt.Axis(format="~g", tickCount=6, grid=False),
    )
    up = {
        "title": measure,
        "scale": alt.Scale(domain=scales[1], nice=False),
        "axis": alt.Axis(format="~%", tickCount=5, domain=False),
    }
    y = alt.Y("measure:Q", **up)
    base = alt.Chart(alt.Data(values=_with_labels(drawn, *scales))).encode(x=x)
    tooltip = [
        alt.Tooltip("setting:N", title=path.parameter),
        alt.Tooltip("left:Q", title=left, format=".3g"),
        alt.Tooltip("zeros:Q", title=f"zeros in the {path.of}", format=".1%"),
        alt.Tooltip("measure:Q", title=measure, format=".2%"),
    ]
    beside = {name: alt.ExprRef(f"datum.{name}") for name in ("dx", "dy", "align")}
    layers = [
        _limit(alt, best, up),
        _own_line(alt, own, x) if own > 0 else None,
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
            f"Made sparser by {path.parameter}",
            subtitle=[
                f"{found.n_topics} topics, measured on documents that were left out of the fits",
                "Dashed: one standard error below the best; upright: the model as it is",
            ],
        ),
        description=f"{measure} of the model over {left}",
    )


def _ends(rows: list[dict[str, Any]], own: float) -> tuple[list[float], list[float]]:
    """Ends of both axes, with some room beside all that is drawn."""
    across = [value for value in (own, *(row["left"] for row in rows)) if value > 0]
    up = [row[end] for row in rows for end in ("low", "high")]
    margin = 0.06 * max(max(up) - min(up), 1e-3)
    return [min(across) / 1.2, max(across) * 1.2], [min(up) - margin, max(up) + margin]


def _with_labels(
    rows: list[dict[str, Any]], across: list[float], up: list[float]
) -> list[dict[str, Any]]:
    """Rows with the setting beside its point, where it covers no other."""
    left, measure = (np.array([row[name] for row in rows]) for name in ("left", "measure"))
    x = np.log(left / across[0]) / np.log(across[1] / across[0]) * FIELD.width
    y = (measure - up[0]) / (up[1] - up[0]) * FIELD.height
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


def _own_line(alt: Any, own: float, x: Any) -> Any:
    values = [{"left": rounded(own)}]
    return alt.Chart(alt.Data(values=values)).mark_rule(style="chosen", strokeWidth=1.5).encode(x=x)
