"""Charts of a parameter search: metrics by number of topics, and the sparsity path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.extras import require
from laconic.plots.labels import fit_labels, width_of
from laconic.plots.layout import Field
from laconic.plots.style import styled
from laconic.tuning.result import RULES, format_setting

if TYPE_CHECKING:
    from laconic.tuning.result import Tuning

# The panel in which the rule of the choice is written next to the chosen point
PANEL_OF_RULE = {"peak": "score", "knee": "explained", "accuracy": "accuracy"}
LABEL_OF_RULE = {"peak": "highest score", "knee": "knee", "accuracy": "fewest topics"}
WIDTH, HEIGHT = 290, 180  # a panel is legible on a phone
GAP = 6  # minimum distance between the numbers of an axis, in points
COLUMNS = 2  # panels side by side in a picture
PERCENT = ".2~%"


class Curve(NamedTuple):
    """A metric over the number of topics: heading, column of the error, number format, meaning."""

    heading: str
    error: str | None
    ticks: str
    about: str


CURVES = {
    "accuracy": Curve(
        "Accuracy", "accuracy_error", PERCENT, "of the predicted classes of held-out documents"
    ),
    "explained": Curve(
        "Explained share", "standard_error", PERCENT, "of the variance of held-out words"
    ),
    "recurrence": Curve("Recurrence", None, "~g", "similarity of the topics of different fits"),
    "score": Curve("Score", None, PERCENT, "explained share × recurrence"),
}


def tuning_chart(tuning: Tuning) -> Any:
    """Draw the metrics over the number of topics, and the metric over the share of zeros."""
    alt = require("altair")
    panels = [
        curve_panel(tuning, name).properties(title=CURVES[name].heading) for name in shown(tuning)
    ]
    if has_path(tuning):
        panels.append(path_panel(tuning).properties(title=path_title(tuning)))
    title = alt.Title(
        f"{tuning.name}: {tuning.n_components} topics",
        subtitle="Measured on held-out documents; the vertical line marks the choice: "
        f"{RULES[tuning.rule]}",
    )
    return styled(alt.concat(*panels, columns=COLUMNS, spacing=30).properties(title=title))


def shown(tuning: Tuning) -> list[str]:
    """Return the metrics that are drawn; the score of a classifier does not affect the choice."""
    if "accuracy" in tuning.curve.columns:
        return ["accuracy", "explained", "recurrence"]
    return ["explained", "recurrence", "score"]


def has_path(tuning: Tuning) -> bool:
    return tuning.path is not None and len(tuning.path) > 1


def path_title(tuning: Tuning) -> str:
    return f"{tuning.n_components} topics, made sparser by {tuning.parameter}"


def curve_panel(tuning: Tuning, name: str) -> Any:
    """Draw a metric over the number of topics, with a band of one standard error on each side."""
    alt = require("altair")
    curve = CURVES[name]
    values = []
    for row in tuning.curve.iter_rows(named=True):
        width = 0.0 if curve.error is None else row[curve.error]
        values.append(
            {
                "topics": row["n_components"],
                "value": row[name],
                "low": max(row[name] - width, min(row[name], 0.0)),
                "high": row[name] + width,
                "chosen": row["n_components"] == tuning.n_components,
            }
        )
    sizes = [value["topics"] for value in values]
    ends = ends_of_sizes(sizes)
    base = alt.Chart(alt.Data(values=values), width=WIDTH, height=HEIGHT).encode(
        x=alt.X(
            "topics:Q",
            title="topics",
            scale=alt.Scale(type="log", domain=ends, nice=False),
            axis=alt.Axis(values=legible(sizes, ends), format=",d"),
        )
    )
    highest = max(value["high"] for value in values)
    lowest = min(0.0, *(value["low"] for value in values))
    scale = alt.Scale(domain=[lowest, 1.08 * highest if highest > 0 else 1.0], nice=False)
    axis = alt.Axis(format=curve.ticks, tickCount=5)
    y = alt.Y("value:Q", title=None, scale=scale, axis=axis)
    tooltip = [alt.Tooltip("topics:Q"), alt.Tooltip("value:Q", title=name, format=".4f")]
    chosen = "datum.chosen"
    layers = [
        base.mark_rule(style="chosen", strokeWidth=1.5).transform_filter(chosen),
        base.mark_line().encode(y=y),
        base.mark_point(filled=True, size=36, opacity=1).encode(y=y, tooltip=tooltip),
        base.mark_point(style="chosen", filled=True, size=90, opacity=1)
        .encode(y=y, tooltip=tooltip)
        .transform_filter(chosen),
    ]
    if curve.error is not None:
        low = alt.Y("low:Q", title=None, scale=scale, axis=axis)
        layers.insert(0, base.mark_area(opacity=0.18).encode(y=low, y2="high:Q"))
    if PANEL_OF_RULE[tuning.rule] == name:
        # the label is at the bottom, where no curve of these metrics runs
        is_right = position(tuning.n_components, ends) > 0.6
        label = base.mark_text(
            align="right" if is_right else "left",
            dx=-6 if is_right else 6,
            style="chosen",
            fontWeight="bold",
        )
        text = alt.value(LABEL_OF_RULE[tuning.rule])
        label = label.encode(y=alt.value(HEIGHT - 10), text=text)
        layers.append(label.transform_filter(chosen))
    return alt.layer(*layers)


def path_panel(tuning: Tuning) -> Any:
    """Draw the metric over the share of zeros.

    The dashed line is one standard error below the best value.
    """
    alt = require("altair")
    assert tuning.path is not None
    chosen = format_setting(tuning.best_params.get(f"model__{tuning.parameter}"))
    values = [
        {
            "setting": row["value"],
            "zeros": row["zeros"],
            "metric": row["metric"],
            "low": max(row["metric"] - row["standard_error"], min(row["metric"], 0.0)),
            "high": row["metric"] + row["standard_error"],
            "chosen": row["value"] == chosen,
        }
        for row in tuning.path.iter_rows(named=True)
    ]
    best = max(tuning.path.iter_rows(named=True), key=lambda row: row["metric"])
    limit = best["metric"] - best["standard_error"]
    title = "accuracy" if "accuracy" in tuning.curve.columns else "explained share"
    x_ends = _domain([value["zeros"] for value in values])
    y_ends = _between([value["low"] for value in values], [value["high"] for value in values])
    base = alt.Chart(alt.Data(values=values), width=WIDTH, height=HEIGHT).encode(
        x=alt.X(
            "zeros:Q",
            title=f"zeros in the {tuning.zeros_of}",
            axis=alt.Axis(format="~%", tickCount=5),
            scale=alt.Scale(domain=x_ends, nice=False),
        )
    )
    scale = alt.Scale(domain=y_ends, nice=False, zero=False)
    axis = alt.Axis(format=PERCENT, tickCount=5)
    y = alt.Y("metric:Q", title=title, scale=scale, axis=axis)
    low = alt.Y("low:Q", title=title, scale=scale, axis=axis)
    tooltip = [
        alt.Tooltip("setting:N", title=tuning.parameter),
        "zeros:Q",
        alt.Tooltip("metric:Q", title=title),
    ]
    dashed = alt.Chart(alt.Data(values=[{"limit": limit}]))
    return alt.layer(
        dashed.mark_rule(strokeDash=[4, 4]).encode(
            y=alt.Y("limit:Q", title=title, scale=scale, axis=axis)
        ),
        base.mark_rule(opacity=0.4).encode(y=low, y2="high:Q"),
        base.mark_line(opacity=0.5).encode(y=y, order="zeros:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=y,
            tooltip=tooltip,
            color=alt.Color("chosen:N", legend=None, scale=alt.Scale(domain=[False, True])),
        ),
        *_setting_labels(alt, values, x_ends, y_ends),
    )


def _setting_labels(
    alt: Any, values: Sequence[dict[str, Any]], x_ends: list[float], y_ends: list[float]
) -> list[Any]:
    """Write each setting beside its point where there is room; the chosen setting comes first."""
    order = sorted(values, key=lambda value: not value["chosen"])
    across = np.interp([value["zeros"] for value in order], x_ends, [0, WIDTH])
    down = np.interp([value["metric"] for value in order], y_ends, [HEIGHT, 0])
    placed = fit_labels(
        np.column_stack([across, down]),
        np.full(len(order), 6.0),
        [[value["setting"]] for value in order],
        Field(WIDTH, HEIGHT),
        across=False,
    )
    return [
        alt.Chart(alt.Data(values=[{"text": label.lines[0]}]))
        .mark_text(align=label.align, fontSize=11, style=style)
        .encode(x=alt.value(label.x), y=alt.value(label.y), text="text:N")
        for style in ("halo", "quiet")  # the halo keeps a label legible on top of a line
        for label in placed
    ]


# --- axes ----------------------------------------------------------------------------------------


def ends_of_sizes(sizes: Sequence[int]) -> list[float]:
    """Return the ends of the logarithmic axis, with a margin so that no point is on its edge."""
    margin = max(sizes) / min(sizes) if len(sizes) > 1 else 4.0
    return [min(sizes) / margin**0.05, max(sizes) * margin**0.05]


def position(size: float, ends: Sequence[float]) -> float:
    """Return the position of a number of topics on the logarithmic axis, from 0 to 1."""
    return math.log(size / ends[0]) / math.log(ends[1] / ends[0])


def legible(sizes: Sequence[int], ends: Sequence[float]) -> list[int]:
    """Return the sizes that can be written below the axis without touching each other.

    Examples
    --------
    >>> legible([2, 100, 101, 200], [1.8, 220])
    [2, 100, 200]
    """
    shown: list[int] = []
    right = -math.inf
    for size in sorted(set(sizes)):
        centre, half = position(size, ends) * WIDTH, width_of(f"{size:,}") / 2
        if centre - half > right + GAP:
            shown.append(size)
            right = centre + half
    return shown


def _between(lows: Sequence[float], highs: Sequence[float]) -> list[float]:
    """Return the ends of an axis with a margin; it is not below zero if no value is."""
    low, high = min(lows), max(highs)
    margin = 0.12 * (high - low) or 0.05 * abs(high) or 0.05
    return [low - margin if low < 0 else max(low - margin, 0.0), high + margin]


def _domain(shares: Sequence[float]) -> list[float]:
    """Return the ends of an axis for shares, with a margin, but not beyond -0.02 and 1.02."""
    margin = 0.08 * max(max(shares) - min(shares), 0.05)
    return [max(min(shares) - margin, -0.02), min(max(shares) + margin, 1.02)]
