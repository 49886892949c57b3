"""The beginning of the report: what was read, how sparse the model is, and the list of topics."""

from __future__ import annotations

from typing import Any

from laconic.web.report.html import Html, between, h, percent
from laconic.web.report.limits import Limits
from laconic.web.report.naming import link_to, name_of, word_of
from laconic.wording import plural

WORDS = 8  # of a topic in the table
UNNAMED = "model"  # what a model that was never saved is called
Overview = dict[str, Any]


def heading_of(overview: Overview, title: str | None) -> str:
    """The title of the report."""
    if title:
        return title
    name = overview["title"].removesuffix(".model")
    return "Topics" if name in ("", UNNAMED) else f"Topics of {name}"


def opening(overview: Overview, heading: str) -> Html:
    """Title, facts and figures."""
    facts = [plural(overview["n_topics"], "topic"), plural(overview["n_words"], "word")]
    if overview["n_documents"]:
        facts.append(plural(overview["n_documents"], "document"))
    figures = [
        h("div", h("dt", label), h("dd", value, class_="value"), h("dd", about, class_="quiet"))
        for label, value, about in overview["figures"]
    ]
    return h(
        "header",
        h("h1", heading),
        h("p", " · ".join(facts), " · found by ", overview["class"], class_="lead"),
        h("dl", figures, class_="figures") if figures else None,
    )


def contents(sections: list[tuple[str, str]]) -> Html:
    """Links to the parts of the page."""
    links = [h("a", text, href=f"#{id_}") for id_, text in sections]
    return h("nav", between(links, " "), aria_label="Contents", class_="contents")


def table(topics: list[dict[str, Any]], about_share: str | None = None) -> Html:
    """All topics, the largest first, with links to their sections; and what a share is.

    Examples
    --------
    >>> table([], "Its part of all words.")[20:82]
    '<p class="quiet">The share of a topic is its part of all words'
    """
    largest = max((topic["share"] for topic in topics), default=0) or 1.0
    head = h(
        "tr",
        [h("th", text, scope="col", class_=kind) for text, kind in _columns()],
    )
    return h(
        "div",
        h("p", "The share of a topic is ", about_share[0].lower(), about_share[1:], class_="quiet")
        if about_share
        else None,
        h("table", h("thead", head), h("tbody", [_row(topic, largest) for topic in topics])),
        class_="scroll",
    )


def _columns() -> list[tuple[str, str]]:
    return [("topic", "number"), ("name or words", "name"), ("share", "share"), ("words", "count")]


def _row(topic: dict[str, Any], largest: float) -> Html:
    named = topic["name"] is not None and topic["name"] != ""
    words = ", ".join(word_of(word) for word in topic["words"][:WORDS])
    return h(
        "tr",
        h("td", topic["topic"], class_="number"),
        h(
            "td",
            link_to(topic, topic["name"] if named else words or name_of(topic)),
            h("span", words, class_="quiet") if named else None,
            class_="name",
        ),
        h(
            "td",
            h("i", style=f"--w:{max(topic['share'], 0) / largest:.3g}"),
            h("span", percent(topic["share"])),
            class_="share",
        ),
        h("td", f"{topic['n_words']:,}", class_="count"),
        data_topic=topic["topic"],
    )


def hidden_line(n_hidden: int) -> Html | None:
    """That some topics are not shown, in one line."""
    if not n_hidden:
        return None
    verb = "is" if n_hidden == 1 else "are"
    return h("p", f"{plural(n_hidden, 'topic')} {verb} hidden and left out.", class_="quiet")


def tools(relevance: float, limits: Limits) -> Html:
    """What the script shows: a filter, an order, and what else there is to change."""
    orders = {"share": "share", "number": "number", "words": "number of words", "name": "name"}
    choices = [h("option", text, value=value) for value, text in orders.items()]
    slider = h(
        "label",
        "Words",
        h("span", "telling", class_="quiet"),
        h("input", id="relevance", type="range", min=0, max=1, step=0.1, value=relevance),
        h("span", "frequent", class_="quiet"),
    )
    return h(
        "div",
        h("label", "Filter", h("input", id="filter", type="search", placeholder="words, titles")),
        h("output", id="found", for_="filter", class_="quiet"),
        h("label", "Sort", h("select", choices, id="sort")),
        slider if limits.slider else None,
        h("button", "Fold documents", id="fold", type="button") if limits.n_documents else None,
        h("a", "All topics", href="#topics"),
        class_="tools",
        hidden=True,
    )
