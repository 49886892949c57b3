"""HTML page of a parameter search: the choice, its reasons, the charts and the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from laconic.identity.document import document
from laconic.plots.inline import inline_chart
from laconic.plots.tuning import CURVES, curve_panel, has_path, path_panel, path_title, shown
from laconic.tuning.result import RULES, format_setting

if TYPE_CHECKING:
    from laconic.tuning.result import Tuning

CURVE_COLUMNS = {  # column of the curve: heading and number format
    "n_components": ("topics", "{:,d}"),
    "accuracy": ("accuracy", "{:.1%}"),
    "accuracy_error": ("± accuracy", "{:.1%}"),
    "explained": ("explained share", "{:.2%}"),
    "standard_error": ("± explained", "{:.2%}"),
    "recurrence": ("recurrence", "{:.2f}"),
    "score": ("score", "{:.2%}"),
    "zeros": ("zeros", "{:.1%}"),
}
PATH_COLUMNS = {
    "value": ("", "{}"),  # the heading is the name of the parameter
    "zeros": ("zeros", "{:.1%}"),
    "metric": ("explained share", "{:.2%}"),
    "standard_error": ("±", "{:.2%}"),
    "recurrence": ("recurrence", "{:.2f}"),
}
MEASURED = (
    "Measured on held-out documents. The vertical line marks the choice; a band or a vertical "
    "stroke extends one standard error to each side."
)
PATH_ABOUT = (
    "The sparsest setting above the dashed line is chosen; the line is one standard error below "
    "the best value."
)


def tuning_page(tuning: Tuning) -> str:
    """Return the page as HTML."""
    title = f"{tuning.name}: {tuning.settings()}"
    reasons = "".join(f"<li>{escape(sentence)}</li>" for sentence in tuning.why)
    body = [
        f'<header><h1>{escape(title)}</h1>\n<p class="about">Chosen by laconic tune: '
        f"{RULES[tuning.rule]}.</p></header>\n<main>",
        '<section class="card"><h2>Why this choice?</h2>'
        f'<ul class="points">{reasons}</ul></section>',
        f'<section><h2>Charts</h2><p class="about">{MEASURED}</p>'
        f'<div class="grid wide">{_figures(tuning)}</div></section>',
        _curve_table(tuning),
        _path_table(tuning) if has_path(tuning) else "",
        "</main>",
    ]
    return document(title, "\n".join(body), style=STYLE)


STYLE = """
figure h3 { margin: .2rem .4rem 0; }
figure .meta { margin: 0 .4rem .6rem; min-height: 1.3rem; }
"""


def _figures(tuning: Tuning) -> str:
    figures = [
        _figure(CURVES[name].heading, CURVES[name].about, curve_panel(tuning, name), name)
        for name in shown(tuning)
    ]
    if has_path(tuning):
        figures.append(_figure(path_title(tuning), PATH_ABOUT, path_panel(tuning), "path"))
    return "".join(figures)


def _figure(heading: str, about: str, chart: Any, name: str) -> str:
    picture = inline_chart(chart, name, f"{heading}: {about}")
    return (
        f'<figure><h3>{escape(heading)}</h3><p class="meta">{escape(about)}</p>{picture}</figure>'
    )


def _curve_table(tuning: Tuning) -> str:
    names = [name for name in CURVE_COLUMNS if name in tuning.curve.columns]
    rows = tuning.curve.to_dicts()
    marks = [tuning.mark(row["n_components"]) for row in rows]
    best = [row["n_components"] == tuning.n_components for row in rows]
    columns = {name: CURVE_COLUMNS[name] for name in names}
    return _table("Numbers of topics tried", columns, rows, marks, best)


def _path_table(tuning: Tuning) -> str:
    assert tuning.path is not None
    chosen = format_setting(tuning.best_params.get(f"model__{tuning.parameter}"))
    rows = tuning.path.to_dicts()
    metric = "accuracy" if "accuracy" in tuning.curve.columns else "explained share"
    columns = {
        **PATH_COLUMNS,
        "value": (str(tuning.parameter), "{}"),
        "metric": (metric, "{:.2%}"),
        "zeros": (f"zeros in the {tuning.zeros_of}", "{:.1%}"),
    }
    best = [row["value"] == chosen for row in rows]
    marks = ["← chosen" if is_best else "" for is_best in best]
    return _table("Settings tried", columns, rows, marks, best)


def _table(
    heading: str,
    columns: Mapping[str, tuple[str, str]],
    rows: Sequence[Mapping[str, Any]],
    marks: Sequence[str],
    best: Sequence[bool],
) -> str:
    """Return a table in which the chosen row is highlighted; on a phone, each row is a card."""
    first, *others = columns
    head = "".join(
        f'<th scope="col" class="number">{escape(title)}</th>' for title, _ in columns.values()
    )
    lines = []
    for row, mark, is_best in zip(rows, marks, best, strict=True):
        start = columns[first][1].format(row[first])
        cells = "".join(
            f'<td class="number" data-label="{escape(columns[name][0])}">'
            f"{columns[name][1].format(row[name])}</td>"
            for name in others
        )
        kind = ' class="best"' if is_best else ""
        lines.append(
            f'<tr{kind}><th scope="row" class="number">{escape(start)}'
            f'<span class="unseen"> {escape(columns[first][0])}</span></th>{cells}'
            f"<td>{escape(mark)}</td></tr>"
        )
    return (
        f'<section><h2>{escape(heading)}</h2>\n<div class="scroll"><table class="table rows">'
        f"<thead><tr>{head}<td></td></tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        "</section>"
    )
