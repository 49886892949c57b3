"""Charts and HTML report of a model comparison: speed against quality, metrics, topics."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.errors import LaconicError
from laconic.evaluation.columns import COLUMNS, best, cell, shown
from laconic.extras import require
from laconic.models import MODELS
from laconic.plots.page import figure, page
from laconic.plots.style import styled

if TYPE_CHECKING:
    from laconic.evaluation.compare import Comparison, Row

QUALITIES = ("c_v", "npmi", "accuracy")
PANELS_IN_A_ROW = 3
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
    panels = [_scatter(alt, comparison, name) for name in names]
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


def _scatter(alt: Any, comparison: Comparison, name: str) -> Any:
    last = {row.model: row.n_components for row in comparison.rows if row.error is None}
    values = [
        {
            "model": row.model,
            "topics": row.n_components,
            "seconds": row.seconds,
            "quality": getattr(row, name),
            "whose": _whose(row),
            "label": row.model if row.n_components == last[row.model] else "",
        }
        for row in comparison.rows
        if row.seconds is not None and getattr(row, name) is not None
    ]
    axis = alt.Axis(format="~g", tickCount=4)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "seconds:Q",
            title="seconds to fit",
            scale=alt.Scale(type="log", padding=28),
            axis=axis,
        ),
        y=alt.Y("quality:Q", title=COLUMNS[name].heading, scale=alt.Scale(zero=False, padding=16)),
    )
    trails = base.mark_line(strokeWidth=1, opacity=0.4).encode(
        detail="model:N", order="topics:Q", color=_colour(alt)
    )
    points = base.mark_point(filled=True, opacity=0.9).encode(
        color=_colour(alt),
        shape=alt.Shape("whose:N", legend=None, scale=alt.Scale(domain=list(WHOSE))),
        size=alt.Size("topics:Q", legend=None, scale=alt.Scale(range=[40, 120])),
        tooltip=["model:N", "topics:Q", "seconds:Q", alt.Tooltip("quality:Q", title=name)],
    )
    labels = base.mark_text(align="left", dx=8, dy=-6, fontSize=11).encode(text="label:N")
    return (trails + points + labels).properties(width=285, height=280)


def metric_panels(comparison: Comparison) -> Any:
    """Draw a panel for each metric, with a line for each model."""
    alt = require("altair")
    panels = [_panel(alt, comparison, name) for name in shown(comparison.rows)]
    rows = [
        alt.hconcat(*panels[start : start + PANELS_IN_A_ROW])
        for start in range(0, len(panels), PANELS_IN_A_ROW)
    ]
    return styled(alt.vconcat(*rows).properties(title="All metrics"))


def _panel(alt: Any, comparison: Comparison, name: str) -> Any:
    column = COLUMNS[name]
    values = [
        {
            "model": row.model,
            "topics": f"{row.n_components} topics",
            "value": getattr(row, name),
            "text": cell(row, name),
            "whose": _whose(row),
        }
        for row in comparison.rows
        if getattr(row, name) is not None and getattr(row, name) != float("inf")
    ]
    order = list(dict.fromkeys(row.model for row in comparison.rows))
    is_log = column.logarithmic and _needs_log([value["value"] for value in values])
    scale = alt.Scale(type="log") if is_log else alt.Scale(zero=False)
    better = f"; {column.better} is better" if column.better else ""
    axis = alt.Axis(format=column.ticks, tickCount=5)
    return (
        alt.Chart(alt.Data(values=values))
        .mark_point(filled=True, size=80, opacity=0.85)
        .encode(
            x=alt.X("value:Q", title=None, scale=scale, axis=axis),
            y=alt.Y("model:N", sort=order, title=None, axis=alt.Axis(grid=True)),
            color=_colour(alt),
            shape=alt.Shape("topics:N", title=None, sort=None),
            tooltip=["model:N", "topics:N", alt.Tooltip("text:N", title=column.heading)],
        )
        .properties(
            width=250,
            height=22 * len(order),
            title=alt.Title(column.heading, subtitle=column.about + better, fontSize=12),
        )
    )


def _needs_log(values: list[float]) -> bool:
    """Return whether the values need a logarithmic scale: the largest is over 5 x the smallest."""
    return bool(values) and min(values) > 0 and max(values) > 5 * min(values)


def _colour(alt: Any) -> Any:
    return alt.Color("whose:N", title=None, scale=alt.Scale(domain=list(WHOSE)))


def _whose(row: Row) -> str:
    return WHOSE[0] if row.model in MODELS else WHOSE[1]


# --- HTML report ---------------------------------------------------------------------------------


def comparison_page(comparison: Comparison) -> str:
    """Return an HTML report with the table, the charts and the topics of every model."""
    charts = {}
    if set(QUALITIES) & set(shown(comparison.rows)):
        charts["speed"] = speed_against_quality(comparison)
    if shown(comparison.rows):
        charts["metrics"] = metric_panels(comparison)
    about = comparison.about
    classes = f", {about['classes']:,} classes" if about["classes"] else ""
    body = [
        "<h1>Topic models compared</h1>",
        f'<p class="about">{about["documents"]:,} documents x {about["words"]:,} words{classes}. '
        f"Fitted to {about['fitted_to']:,} documents; accuracy, perplexity, zeros in codes and "
        f"topics per document are measured on the other {about['unseen']:,}. "
        "Co-occurrences are counted in "
        f"{'windows of the texts' if about['window'] == 'texts' else 'whole documents'}; top "
        f"{about['words_of_a_topic']} words per topic; seed {about['random_state']}. "
        "The best value for each number of topics is highlighted.</p>",
        _table(comparison),
        *(figure(name) for name in charts),
        "<h2>Topics</h2>",
        *(_topics(row) for row in comparison.rows if row.words),
    ]
    return page("Topic models compared", charts, "\n".join(body))


def _table(comparison: Comparison) -> str:
    names = shown(comparison.rows)
    leaders = {name: best(comparison.rows, name) for name in names}
    head = "".join(
        f'<th title="{escape(COLUMNS[name].about)}">{escape(COLUMNS[name].heading)}</th>'
        for name in names
    )
    lines = []
    for row in comparison.rows:
        first = f"<td>{escape(row.model)}</td><td>{row.n_components}</td>"
        if row.error is not None:
            lines.append(
                f'<tr>{first}<td class="words" colspan="{len(names)}">{escape(row.error)}</td></tr>'
            )
            continue
        cells = "".join(_cell(row, name, leaders[name]) for name in names)
        lines.append(f"<tr>{first}{cells}</tr>")
    return (
        f'<div class="scroll"><table><tr><th>model</th><th>topics</th>{head}</tr>'
        f"{''.join(lines)}</table></div>"
    )


def _cell(row: Row, name: str, leaders: dict[int, float]) -> str:
    value = getattr(row, name)
    leads = value is not None and value == leaders.get(row.n_components)
    kind = ' class="best"' if leads else ""
    return f"<td{kind}>{escape(cell(row, name))}</td>"


def _topics(row: Row) -> str:
    lines = "".join(
        f'<tr><td>{number}</td><td class="words">{escape(", ".join(words))}</td></tr>'
        for number, words in enumerate(row.words)
    )
    return (
        f"<details><summary>{escape(row.model)}, {row.n_components} topics</summary>"
        f'<div class="scroll"><table>{lines}</table></div></details>'
    )
