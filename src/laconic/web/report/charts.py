"""Charts of `laconic.plots` as inline SVG for the report."""

from __future__ import annotations

from typing import Any, NamedTuple

import laconic.plots
from laconic.errors import LaconicError
from laconic.web import views
from laconic.web.report.html import Html, h
from laconic.web.report.svg import InlineChart, dark_rules, inline_chart

TITLES = {
    "map": "Map of topics",
    "matrix": "Topic–{term} matrix",
    "word-groups": "Groups of {terms}",
    "groups": "Topics by class",
    "graph": "Topic graph",
    "convergence": "Convergence",
}
MATRIX_WORDS = 45  # maximum number of words in the matrix, so that the words are legible on paper
NARROW = 320  # width in pixels of the map of topics on a phone
LEGIBLE = 200  # maximum number of topics of a map of this width
LARGEST = 600_000  # maximum number of characters of the SVG; a message replaces larger charts


class ReportChart(NamedTuple):
    """The heading of a chart, the chart or an error message, and the CSS of the dark theme."""

    title: str
    content: Html
    dark: str = ""


def report_charts(page_data: Any, overview: dict[str, Any]) -> dict[str, ReportChart]:
    """Return the charts of a model by name."""
    themes = views.themes()
    available = {chart["name"]: chart["about"] for chart in overview["charts"]}
    return {
        name: _report_chart(page_data, name, page_data.nouns.fill(title), available[name], themes)
        for name, title in titles_of(overview).items()
        if name in available
    }


def titles_of(overview: dict[str, Any]) -> dict[str, str]:
    """Return the headings of the charts; the heading of "groups" names classes or time."""
    over_time = {"groups": "Topics over time"} if overview["has"]["groups"] == "time" else {}
    return {**TITLES, **over_time}


def _report_chart(
    page_data: Any, name: str, title: str, about: str, themes: dict[str, Any]
) -> ReportChart:
    try:
        spec, narrow = _spec(page_data, name), _narrow(page_data, name, themes)
        caption = caption_of(spec.pop("title", None)) or about
        svg, changes = inline_chart(spec, themes, name, spec.get("description") or about)
    except LaconicError as error:
        return ReportChart(title, h("p", str(error), class_="quiet"))
    if len(svg) > LARGEST:
        return ReportChart(title, h("p", "This chart is too large for the report.", class_="quiet"))
    figure_id = f"picture-{name}"
    drawing = h("div", svg, class_="drawing" if narrow is None else "drawing wide", tabindex="0")
    phone = None if narrow is None else h("div", narrow.svg, class_="drawing narrow")
    figure = h("figure", drawing, phone, h("figcaption", caption), id=figure_id)
    changes = {**changes, **({} if narrow is None else narrow.changes)}
    return ReportChart(title, figure, dark_rules(figure_id, changes))


def _narrow(page_data: Any, name: str, themes: dict[str, Any]) -> InlineChart | None:
    """Return a second map of topics, which is shown on phones; other charts scroll."""
    if name != "map" or page_data.n_topics > LEGIBLE:
        return None
    spec = views.chart(page_data, name, width=NARROW)
    spec.pop("title", None)
    return inline_chart(spec, themes, f"{name}-narrow", spec.get("description") or "")


def _spec(page_data: Any, name: str) -> dict[str, Any]:
    if name != "matrix":
        return views.chart(page_data, name)
    chart = laconic.plots.topic_word_matrix(page_data.model, n_words=MATRIX_WORDS)
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    return spec


def caption_of(title: Any) -> str:
    """Return the subtitle of a chart as a sentence.

    Examples
    --------
    >>> caption_of({"text": "Map", "subtitle": ["40 topics", "near is alike"]})
    '40 topics; near is alike.'
    """
    subtitle = title.get("subtitle") if isinstance(title, dict) else None
    text = "; ".join(subtitle) if isinstance(subtitle, list) else subtitle or ""
    return text if not text or text.endswith((".", "…")) else f"{text}."
