"""Charts of a comparison of models: speed against quality."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.errors import LaconicError
from laconic.evaluation.columns import COLUMNS, shown
from laconic.extras import require
from laconic.models import MODELS
from laconic.plots.labels import fit_labels
from laconic.plots.layout import Field
from laconic.plots.style import styled

if TYPE_CHECKING:
    from laconic.evaluation.compare import Comparison, Row

QUALITIES = ("c_v", "npmi", "accuracy")
PANEL = (285, 240)  # width and height of a panel
WHOSE = ("laconic", "peer")


def speed_against_quality(comparison: Comparison) -> Any:
    """Plot coherence and accuracy against fitting time; points in the upper left are best.

    Parameters
    ----------
    comparison : Comparison
        A comparison from `laconic.compare` or `read_comparison`.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 120, 4)
    >>> comparison = laconic.compare(corpus, ["slsa", "lsa"], 4)
    >>> speed_against_quality(comparison).to_dict()["title"]["text"]
    'Speed against quality'
    """
    alt = require("altair")
    names = [name for name in QUALITIES if name in shown(comparison.rows)]
    if not names or "seconds" not in shown(comparison.rows):
        raise LaconicError(
            "The chart needs the fitting time and at least one quality metric "
            f"({', '.join(QUALITIES)}); the comparison does not have both."
        )
    panels = [quality_panel(comparison, name) for name in names]
    return styled(
        alt.hconcat(*panels).properties(
            title=alt.Title(
                "Speed against quality",
                subtitle="Up and to the left is better; lines join fits of the same model",
            ),
            description="Seconds to fit against quality metrics, a point for each model",
        )
    )


def read_comparison(path: str | Path) -> Comparison:
    """Read a comparison from a file that contains the output of ``laconic compare --json``."""
    from laconic.evaluation.compare import Comparison, Row

    try:
        tree = json.loads(Path(path).read_text(encoding="utf-8"))
        return Comparison([Row(**row) for row in tree["rows"]], dict(tree["about"]))
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
    except (ValueError, KeyError, TypeError):
        problem = "is not a comparison"
    raise LaconicError(f"{path}: {problem}; create one with: laconic compare INPUT --json > FILE")


def quality_panel(comparison: Comparison, name: str) -> Any:
    """Plot one quality metric against the fitting time, with a label for each model."""
    alt = require("altair")
    rows = [row for row in comparison.rows if _is_drawn(row, name)]
    values = [
        {
            "model": row.model,
            "topics": row.n_components,
            "seconds": row.seconds,
            "quality": getattr(row, name),
            "whose": whose(row),
        }
        for row in rows
    ]
    x, y = _domains(values)
    models = list(dict.fromkeys(row.model for row in comparison.rows if row.error is None))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "seconds:Q",
            title="seconds to fit",
            scale=alt.Scale(type="log", domain=x, nice=False),
            axis=alt.Axis(format="~g", values=ticks(*x, logarithmic=True)),
        ),
        y=alt.Y(
            "quality:Q",
            title=COLUMNS[name].heading,
            scale=alt.Scale(zero=False, domain=y, nice=False),
            axis=alt.Axis(format="~g", tickCount=5),
        ),
    )
    trails = base.mark_line(strokeWidth=1, opacity=0.4).encode(
        detail="model:N", order="topics:Q", color=_colour(alt.Color, alt, models)
    )
    points = base.mark_point(filled=False, opacity=0.9, size=70).encode(
        stroke=_colour(alt.Stroke, alt, models),
        fill=_colour(alt.Fill, alt, models),
        fillOpacity=alt.FillOpacity(  # the points of other libraries are hollow
            "whose:N", legend=None, scale=alt.Scale(domain=list(WHOSE), range=[1, 0])
        ),
        shape=alt.Shape("model:N", legend=None, scale=alt.Scale(domain=models)),
        tooltip=["model:N", "topics:Q", "seconds:Q", alt.Tooltip("quality:Q", title=name)],
    )
    layers = [trails, points, *_labels(alt, values, x, y)]
    return alt.layer(*layers).properties(width=PANEL[0], height=PANEL[1])


def _is_drawn(row: Row, name: str) -> bool:
    return row.seconds is not None and row.seconds > 0 and getattr(row, name) is not None


def _domains(values: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Return the ends of both axes, with room around the points for their labels."""
    seconds = [math.log(value["seconds"]) for value in values]
    qualities = [value["quality"] for value in values]
    x = _widened(min(seconds), max(seconds), 0.7)
    y = _widened(min(qualities), max(qualities), 0.01)
    return [math.exp(end) for end in x], y


def _widened(low: float, high: float, least: float) -> list[float]:
    margin = max(0.16 * (high - low), least)
    return [low - margin, high + margin]


def _labels(alt: Any, values: list[dict[str, Any]], x: list[float], y: list[float]) -> list[Any]:
    """Write the name of each model beside its last point, so that no names overlap."""
    last = {value["model"]: number for number, value in enumerate(values)}
    width, height = PANEL
    across = [math.log(value["seconds"] / x[0]) / math.log(x[1] / x[0]) for value in values]
    up = [(value["quality"] - y[0]) / (y[1] - y[0]) for value in values]
    centres = np.column_stack([np.array(across) * width, (1 - np.array(up)) * height])
    shown = sorted(last.values())
    placed = fit_labels(
        centres[shown],
        np.full(len(shown), 5.0),
        [[values[number]["model"]] for number in shown],
        Field(width, height),
    )
    return [
        alt.Chart(alt.Data(values=[{"text": label.lines[0]}]))
        .mark_text(align=label.align, fontSize=11)
        .encode(x=alt.value(label.x), y=alt.value(label.y), text="text:N")
        for label in placed
    ]


def ticks(low: float, high: float, *, logarithmic: bool = False) -> list[float]:
    """Return round numbers between two ends of an axis, as positions of ticks.

    Examples
    --------
    >>> ticks(0.03, 0.21), ticks(0.05, 30, logarithmic=True), ticks(2, 4, logarithmic=True)
    ([0.05, 0.1, 0.15, 0.2], [0.1, 1.0, 10.0], [2.0, 2.5, 3.0, 3.5, 4.0])
    """
    if logarithmic:
        decades = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        if len(decades) > 1:
            every = math.ceil(len(decades) / 5)
            return [float(f"1e{power}") for power in decades[::every]]
    if high <= low:
        return [low]
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [float(f"{(first + number) * step:.10g}") for number in range(count)]


def _colour(channel: Any, alt: Any, models: list[str]) -> Any:
    """Give each model its own colour, the same as in the tables of the page."""
    return channel("model:O", legend=None, scale=alt.Scale(domain=models))


def whose(row: Row) -> str:
    return WHOSE[0] if row.model in MODELS else WHOSE[1]
