"""Chart and page of a parameter search: metrics by number of topics, and the sparsity path."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from laconic.extras import require
from laconic.plots.page import figure
from laconic.plots.style import styled
from laconic.tuning.result import RULES

if TYPE_CHECKING:
    from laconic.tuning.result import Tuning

# The panel in which the rule of the choice is written next to the chosen point
PANEL_OF_RULE = {"peak": "score", "knee": "explained", "accuracy": "accuracy"}
LABEL_OF_RULE = {"peak": "highest score", "knee": "knee", "accuracy": "fewest topics"}
WIDTH, HEIGHT = 460, 130


def tuning_chart(tuning: Tuning) -> Any:
    """Draw the metrics over the number of topics and, on the right, over the share of zeros."""
    alt = require("altair")
    columns = [_curve(alt, tuning)]
    if tuning.path is not None and len(tuning.path) > 1:
        columns.append(_path(alt, tuning))
    title = alt.Title(
        f"{tuning.name}: {tuning.n_components} topics",
        subtitle="Measured on held-out documents; the vertical line marks the choice: "
        f"{RULES[tuning.rule]}",
    )
    return styled(alt.hconcat(*columns, spacing=40).properties(title=title))


def tuning_body(tuning: Tuning) -> str:
    """Return the body of the HTML page: the choice, the reasons, the chart and the table."""
    reasons = "".join(f"<li>{escape(sentence)}</li>" for sentence in tuning.why)
    return (
        f"<h1>{escape(tuning.name)}: {escape(tuning.settings())}</h1>\n"
        f'<p class="about">Chosen by laconic tune: {RULES[tuning.rule]}.</p>\n'
        f"<ul>{reasons}</ul>\n{figure('chart')}\n{_table(tuning)}"
    )


def _table(tuning: Tuning) -> str:
    """Return the curve as an HTML table, in which the chosen row is marked."""
    columns = {
        "n_components": ("topics", "{:d}"),
        "accuracy": ("accuracy", "{:.1%}"),
        "explained": ("explained share", "{:.2%}"),
        "standard_error": ("standard error", "{:.2%}"),
        "recurrence": ("recurrence", "{:.2f}"),
        "score": ("score", "{:.4f}"),
        "zeros": ("zeros", "{:.1%}"),
    }
    shown = {name: column for name, column in columns.items() if name in tuning.curve.columns}
    head = "".join(f"<th>{heading}</th>" for heading, _ in shown.values())
    rows = []
    for row in tuning.curve.iter_rows(named=True):
        kind = ' class="best"' if row["n_components"] == tuning.n_components else ""
        cells = "".join(
            f"<td{kind}>{text.format(row[name])}</td>" for name, (_, text) in shown.items()
        )
        mark = escape(tuning.mark(row["n_components"]))
        rows.append(f'<tr>{cells}<td class="words">{mark}</td></tr>')
    return (
        '<h2>Numbers of topics tried</h2>\n<div class="scroll"><table>\n'
        f"<tr>{head}<th></th></tr>\n{''.join(rows)}</table></div>"
    )


def _curve(alt: Any, tuning: Tuning) -> Any:
    is_classifier = "accuracy" in tuning.curve.columns
    panels = (
        [_panel(alt, tuning, "accuracy", "accuracy", "accuracy_error")] if is_classifier else []
    )
    panels += [
        _panel(alt, tuning, "explained", "explained share", "standard_error"),
        _panel(alt, tuning, "recurrence", "recurrence", None),
    ]
    if not is_classifier:
        panels.append(_panel(alt, tuning, "score", "score", None))
    return alt.vconcat(*panels, spacing=12)


def _panel(alt: Any, tuning: Tuning, name: str, title: str, error: str | None) -> Any:
    """Draw a metric over the number of topics, with a band of one standard error on each side."""
    values = []
    for row in tuning.curve.iter_rows(named=True):
        width = 0.0 if error is None else row[error]
        point = {"topics": row["n_components"], "value": row[name]}
        chosen = row["n_components"] == tuning.n_components
        values.append(
            {
                **point,
                "low": max(row[name] - width, min(row[name], 0.0)),
                "high": row[name] + width,
                "chosen": chosen,
            }
        )
    base = alt.Chart(alt.Data(values=values), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("topics:Q", title="topics", scale=alt.Scale(type="log", nice=False))
    )
    y = alt.Y("value:Q", title=title, axis=alt.Axis(format="~g", tickCount=4))
    tooltip = [alt.Tooltip("topics:Q"), alt.Tooltip("value:Q", title=title, format=".4f")]
    layers = [
        base.mark_rule(style="chosen", strokeWidth=1.5).transform_filter("datum.chosen"),
        base.mark_line().encode(y=y),
        base.mark_point(filled=True, size=36).encode(y=y, tooltip=tooltip),
        base.mark_point(style="chosen", filled=True, size=90)
        .encode(y=y, tooltip=tooltip)
        .transform_filter("datum.chosen"),
    ]
    if PANEL_OF_RULE[tuning.rule] == name:
        label = base.mark_text(align="left", dx=8, dy=12, style="chosen", fontWeight="bold")
        text = alt.value(LABEL_OF_RULE[tuning.rule])
        layers.append(label.encode(y=y, text=text).transform_filter("datum.chosen"))
    if error is not None:
        band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
        layers.insert(0, band)
    return alt.layer(*layers)


def _path(alt: Any, tuning: Tuning) -> Any:
    """Draw the metric over the share of zeros.

    The dashed line is one standard error below the best value.
    """
    assert tuning.path is not None
    rows = tuning.path.to_dicts()
    chosen = tuning.best_params.get(f"model__{tuning.parameter}")
    label = "default" if chosen is None else f"{chosen:g}"
    values = [
        {
            "setting": row["value"],
            "zeros": row["zeros"],
            "metric": row["metric"],
            "low": row["metric"] - row["standard_error"],
            "high": row["metric"] + row["standard_error"],
            "chosen": row["value"] == label,
            "labelled": row["value"] in (label, rows[0]["value"], rows[-1]["value"]),
        }
        for row in rows
    ]
    best = max(rows, key=lambda row: row["metric"])
    title = "accuracy" if "accuracy" in tuning.curve.columns else "explained share"
    base = alt.Chart(
        alt.Data(values=values),
        width=0.75 * WIDTH,
        height=2 * HEIGHT,
        title=alt.Title(f"{tuning.n_components} topics, made sparser by {tuning.parameter}"),
    ).encode(
        x=alt.X(
            "zeros:Q",
            title=f"zeros in the {tuning.zeros_of}",
            axis=alt.Axis(format="~%"),
            scale=alt.Scale(domain=_domain([row["zeros"] for row in rows]), nice=False),
        )
    )
    y = alt.Y("metric:Q", title=title, scale=alt.Scale(zero=False, padding=12))
    tooltip = [
        alt.Tooltip("setting:N", title=tuning.parameter),
        "zeros:Q",
        alt.Tooltip("metric:Q", title=title),
    ]
    limit = alt.Chart(alt.Data(values=[{"limit": best["metric"] - best["standard_error"]}]))
    return alt.layer(
        limit.mark_rule(strokeDash=[4, 4]).encode(y=alt.Y("limit:Q", title=title)),
        base.mark_rule(opacity=0.4).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(opacity=0.5).encode(y=y, order="zeros:Q"),
        base.mark_point(filled=True, size=70).encode(
            y=y,
            tooltip=tooltip,
            color=alt.Color("chosen:N", legend=None, scale=alt.Scale(domain=[False, True])),
        ),
        base.mark_text(dy=-12, fontSize=10, style="quiet")
        .encode(y=y, text="setting:N")
        .transform_filter("datum.labelled"),
    )


def _domain(shares: list[float]) -> list[float]:
    """Return the ends of an axis for shares, with a margin, but not beyond -0.02 and 1.02."""
    margin = 0.08 * max(max(shares) - min(shares), 0.05)
    return [max(min(shares) - margin, -0.02), min(max(shares) + margin, 1.02)]
