"""The report as one page of HTML: all parts in their order, the style and the only script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from laconic.web import views
from laconic.web.report.charts import Drawn, drawn_charts
from laconic.web.report.html import Html, css_string, h
from laconic.web.report.overview import (
    Limits,
    contents,
    fitting,
    heading_of,
    hidden_line,
    opening,
    table,
    tools,
)
from laconic.web.report.passages import Passages
from laconic.web.report.topics import look_up, section
from laconic.web.report.word_index import word_index
from laconic.web.views.topics import all_together

READING = (
    "Each topic has its strongest words and the documents that have most of it, with the share of "
    "each that is the topic's. In a passage the words of the topic are marked, the deeper the more "
    "they stand for it there; the keywords of the document are bold."
)
Progress = Callable[[int, int], None]
READ = 200  # documents that are read at once
TITLES = {
    "topics": "All topics",
    "details": "Topic by topic",
    "words": "Index of words",
    "fitted": "How the model was fitted",
}


def report_page(
    material: Any,
    n_documents: int = 5,
    title: str | None = None,
    progress: Progress | None = None,
) -> str:
    """The page.

    Parameters
    ----------
    material : PageData
        The model and its documents.
    n_documents : int, default=5
        Documents of each topic.
    title : str, optional
        By default the name of the model.
    progress : callable, optional
        Called with how many topics are done, and of how many.
    """
    overview = views.overview(material)
    heading = heading_of(overview, title)
    charts = drawn_charts(material, overview)
    topics = [topic for topic in overview["topics"] if not topic["hidden"]]
    limits = Limits(len(topics), n_documents if overview["has"]["documents"] else 0)
    cards = _cards(material, [topic["topic"] for topic in topics], limits, progress)
    made = _parts(material, overview, topics, charts, limits, h("div", cards, id="cards"))
    parts = {name: part for name, part in made.items() if part}
    titles = {**TITLES, **{name: chart.title for name, chart in charts.items()}}
    shown = [h("section", h("h2", titles[name]), part, id=name) for name, part in parts.items()]
    body = [
        opening(overview, heading),
        contents([(name, titles[name]) for name in parts]),
        h("main", shown),
    ]
    return _document(heading, body, "\n".join(chart.dark for chart in charts.values()))


def _parts(
    material: Any,
    overview: dict[str, Any],
    topics: list[dict[str, Any]],
    charts: dict[str, Drawn],
    limits: Limits,
    cards: Html,
) -> dict[str, Any]:
    """The sections of the page in their order; empty ones are left out by whoever shows them."""
    hidden = hidden_line(len(overview["topics"]) - len(topics))
    return {
        "map": _chart(charts, "map"),
        "topics": [hidden, table(topics, overview.get("about_share"))],
        **{name: _chart(charts, name) for name in ("matrix", "groups", "graph")},
        "details": [tools(material.relevance, limits), *_reading(limits), cards],
        "words": word_index(topics, limits.indexed),
        "fitted": [fitting(material.model), _chart(charts, "convergence")],
    }


def _chart(charts: dict[str, Drawn], name: str) -> Html | None:
    return charts[name].content if name in charts else None


def _reading(limits: Limits) -> list[Html]:
    """How to read the cards, and what is missing."""
    said = (READING, limits.left_out())
    return [h("p", text, class_="quiet") for text in said if text]


def _cards(
    material: Any, topics: list[int], limits: Limits, progress: Progress | None
) -> Iterator[Html]:
    """A card for each topic; the documents of some topics are read together."""
    together = all_together(material)
    shown = set(topics)
    at_once = max(1, READ // max(1, limits.n_documents))
    for start in range(0, len(topics), at_once):
        part = topics[start : start + at_once]
        found = [look_up(material, topic, limits, together[topic]) for topic in part]
        passages = Passages(material, (row for one in found for row in one.rows))
        for one in found:
            yield section(one, passages, limits, shown)
        if progress is not None:
            progress(start + len(part), len(topics))


# --- head ----------------------------------------------------------------------------------------


def _document(heading: str, body: list[Any], dark: str) -> str:
    """The whole file."""
    script = _file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = [
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=policy),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("title", heading),
        h("style", Html(_style(heading, dark))),
    ]
    page = h("html", h("head", head), h("body", body, h("script", Html(script))), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _style(heading: str, dark: str) -> str:
    running = f"@page {{ @bottom-left {{ content: {css_string(heading)}; }} }}"
    return (
        f"{_file('page.css')}\n{running}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
    )


@cache
def _file(name: str) -> str:
    return files("laconic.web.report").joinpath(name).read_text(encoding="utf-8")
