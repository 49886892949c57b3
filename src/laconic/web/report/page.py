"""The HTML report: its sections in order, the style sheet and the script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from laconic.identity import style_sheet
from laconic.web import views
from laconic.web.report.charts import ReportChart, report_charts
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
from laconic.web.report.topics import section, topic_content
from laconic.web.report.tree import topic_tree
from laconic.web.report.word_index import word_index
from laconic.wording import Nouns

READING = (
    "Each topic is shown with its top {terms} and top {items}; percentages are the topic's "
    "shares of the {items}. In passages, {terms} of the topic are marked (strongly if the topic "
    "contributes much to the {term}) and keywords of the {item} are bold."
)
Progress = Callable[[int, int], None]
READ = 200  # approximate number of documents that are tokenised per batch
TITLES = {
    "topics": "All topics",
    "tree": "Tree of topics",
    "details": "Topic by topic",
    "words": "{Term} index",
    "fitted": "How the model was fitted",
}


def report_page(
    page_data: Any,
    n_documents: int = 5,
    title: str | None = None,
    progress: Progress | None = None,
) -> str:
    """Return the report as HTML.

    Parameters
    ----------
    page_data : PageData
        The model and its documents.
    n_documents : int, default=5
        Number of documents per topic.
    title : str, optional
        Title of the report. Default: the name of the model.
    progress : callable, optional
        Called with the number of finished topics and the total number of topics.
    """
    overview = views.overview(page_data)
    heading = heading_of(overview, title)
    charts = report_charts(page_data, overview)
    topics = [topic for topic in overview["topics"] if not topic["hidden"]]
    limits = Limits(len(topics), n_documents if overview["has"]["documents"] else 0)
    cards = _cards(page_data, [topic["topic"] for topic in topics], limits, progress)
    all_parts = _parts(page_data, overview, topics, charts, limits, h("div", cards, id="cards"))
    parts = {name: part for name, part in all_parts.items() if part}
    nouns = page_data.nouns
    titles = {name: nouns.fill(text) for name, text in TITLES.items()}
    titles |= {name: chart.title for name, chart in charts.items()}
    sections = [h("section", h("h2", titles[name]), part, id=name) for name, part in parts.items()]
    body = [
        opening(overview, heading, nouns),
        contents([(name, titles[name]) for name in parts]),
        h("main", sections),
    ]
    return _document(heading, body, "\n".join(chart.dark for chart in charts.values()))


def _parts(
    page_data: Any,
    overview: dict[str, Any],
    topics: list[dict[str, Any]],
    charts: dict[str, ReportChart],
    limits: Limits,
    cards: Html,
) -> dict[str, Any]:
    """Return the sections of the report in order; the caller omits empty sections."""
    hidden = hidden_line(len(overview["topics"]) - len(topics))
    return {
        "map": _chart(charts, "map"),
        "topics": [hidden, table(topics, page_data.nouns, overview.get("about_share"))],
        "tree": topic_tree(page_data, {topic["topic"] for topic in topics}),
        **{name: _chart(charts, name) for name in ("matrix", "word-groups", "groups", "graph")},
        "details": [
            tools(page_data.relevance, limits, page_data.nouns),
            *_reading(limits, page_data.nouns),
            cards,
        ],
        "words": word_index(topics, limits.indexed),
        "fitted": [fitting(page_data.model, overview), _chart(charts, "convergence")],
    }


def _chart(charts: dict[str, ReportChart], name: str) -> Html | None:
    return charts[name].content if name in charts else None


def _reading(limits: Limits, nouns: Nouns) -> list[Html]:
    """Return the notes that explain how to read the topics and which content is omitted."""
    notes = (nouns.fill(READING), limits.left_out(nouns))
    return [h("p", text, class_="quiet") for text in notes if text]


def _cards(
    page_data: Any, topics: list[int], limits: Limits, progress: Progress | None
) -> Iterator[Html]:
    """Yield the section of each topic; the documents of several topics are tokenised together."""
    visible = set(topics)
    batch_size = max(1, READ // max(1, limits.n_documents))
    for start in range(0, len(topics), batch_size):
        batch = topics[start : start + batch_size]
        contents_of = [topic_content(page_data, topic, limits) for topic in batch]
        passages = Passages(page_data, (row for content in contents_of for row in content.rows))
        for content in contents_of:
            yield section(content, passages, limits, visible)
        if progress is not None:
            progress(start + len(batch), len(topics))


# --- head ----------------------------------------------------------------------------------------


def _document(heading: str, body: list[Any], dark: str) -> str:
    """Return the complete HTML document."""
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
        f"{style_sheet()}\n{_file('page.css')}\n{running}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
    )


@cache
def _file(name: str) -> str:
    return files("laconic.web.report").joinpath(name).read_text(encoding="utf-8")
