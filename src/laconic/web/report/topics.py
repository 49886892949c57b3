"""Report sections on single topics: words, documents, related topics, classes or times."""

from __future__ import annotations

import json
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

from laconic.fitted.support import FEW_ITEMS
from laconic.fitted.word_groups import has_groups, selected_groups
from laconic.web import views
from laconic.web.report.html import Html, between, decimals_for, h, percent, weight
from laconic.web.report.overview import Limits, link_to, name_of
from laconic.web.report.passages import Passages
from laconic.wording import Nouns, plural

RELATED = 5
WORD_GROUPS = 8  # maximum number of groups of words that are named per topic
MARKED = 50  # number of top words of a topic that are marked in passages
GROUPS = 5
SLIDER = 30  # maximum number of words shown at each position of the relevance slider
Topic = dict[str, Any]
FEW = 5  # minimum number of documents for a reliable mean
WIDEST = 150  # maximum number of columns of a chart over time, including empty columns


class TopicContent(NamedTuple):
    """The data of a topic, its top documents, and the labels of its groups of words."""

    view: Topic
    documents: list[Topic]
    with_passages: bool
    word_groups: list[str]
    nouns: Nouns

    @property
    def rows(self) -> list[int]:
        """The rows of the documents that are shown with a passage."""
        return [document["document"] for document in self.documents if self.with_passages]


def topic_content(page_data: Any, topic: int, limits: Limits) -> TopicContent:
    """Return the data of a topic."""
    view = views.topic(page_data, topic)
    n = limits.documents(view["rank"]) if view["n_documents"] else 0
    documents = views.topic_documents(page_data, topic, 0, n)["documents"] if n else []
    groups = selected_groups(page_data, topic) if has_groups(page_data.model) else []
    labels = [group.label(page_data.nouns) for group in groups]
    return TopicContent(view, documents, limits.excerpts(view["rank"]), labels, page_data.nouns)


def section(content: TopicContent, passages: Passages, limits: Limits, visible: set[int]) -> Html:
    """Return the section of a topic, with links only to the topics in `visible`."""
    view, nouns = content.view, content.nouns
    topic = view["topic"]
    words = by_relevance(view["words"], view["relevance"])
    documents = _documents(content, passages, {word[0] for word in words[:MARKED]})
    return h(
        "article",
        _heading({**view, "words": view["called"]}, nouns),
        h("p", view["note"], class_="note") if view["note"] else None,
        h(
            "div",
            _words(view, words, limits, nouns),
            documents,
            class_="pair" if documents else "pair alone",
        ),
        _word_groups(content.word_groups),
        _related(view, visible, nouns),
        _groups(view, nouns),
        id=f"topic-{topic}",
        class_="topic",
        data_topic=topic,
        data_name=name_of({**view, "words": view["called"]}),
        data_words=view["n_words"],
    )


def by_relevance(words: list[Any], relevance: float) -> list[Any]:
    """Sort words by weight if `relevance` is 1, by distinctiveness if it is 0, else by a mix."""
    exponent = 1 - relevance
    return sorted(words, key=lambda word: -abs(word[1]) / max(word[2], 1e-300) ** exponent)


def _heading(view: Topic, nouns: Nouns) -> list[Html]:
    facts = [
        f"share {percent(view['share'])}",
        f"rank {view['rank']:,} of {view['n_topics']:,}",
    ]
    facts.append(nouns.n_terms(view["n_words"]))
    if view["n_documents"]:
        facts.append(f"in {nouns.n_items(view['n_documents'])}")
    if view["weak"]:
        facts.append(nouns.fill(FEW_ITEMS))
    if view["stability"] is not None:
        facts.append(f"stability {view['stability']:.2f}")
    number = h("span", view["topic"], class_="number")
    return [h("h3", number, " ", name_of(view)), h("p", " · ".join(facts), class_="facts")]


# --- words ---------------------------------------------------------------------------------------


def _words(view: Topic, words: list[Any], limits: Limits, nouns: Nouns) -> Html:
    n_shown = limits.words(view["n_words"])
    best = words[:n_shown]
    if not best:
        empty = nouns.fill("This topic has no {terms}.")
        return h("div", h("p", empty, class_="quiet"), class_="words")
    longest = max(abs(word[1]) for word in best) or 1.0
    decimals = decimals_for(longest)
    n_omitted = view["n_words"] - len(best)
    return h(
        "div",
        h(
            "ol",
            [_bar(word, longest, decimals) for word in best],
            data_all=_for_slider(words, n_shown, limits),
        ),
        h("p", f"and {nouns.n_terms(n_omitted, 'more ')}", class_="quiet") if n_omitted else None,
        class_="words",
    )


def _bar(word: Any, longest: float, decimals: int) -> Html:
    name, value = word[0], word[1]
    return h(
        "li",
        h("span", name),
        h("i", weight(value, decimals)),
        class_="against" if value < 0 else None,
        style=f"--w:{abs(value) / longest:.2f}".replace("0.", "."),
    )


def _for_slider(words: list[Any], n_shown: int, limits: Limits) -> str | None:
    """Return JSON for the script with all words that any position of the slider can show."""
    if not limits.slider or len(words) <= 1:
        return None
    selected: dict[str, Any] = {}
    for step in range(11):
        best = by_relevance(words, step / 10)
        selected.update({word[0]: _short(word) for word in best[: min(n_shown, SLIDER)]})
    return json.dumps(list(selected.values()), ensure_ascii=False, separators=(",", ":"))


def _short(word: Any) -> list[Any]:
    """Return a word, its weight in the topic and its mean weight, rounded to three digits."""
    return [word[0], *(float(f"{value:.3g}") for value in word[1:3])]


# --- documents -----------------------------------------------------------------------------------


def _documents(content: TopicContent, passages: Passages, marked: set[str]) -> Html | None:
    if not content.documents:
        return None
    topic = content.view["topic"]
    items = [
        _document(
            document,
            passages.passage(document["document"], topic, marked)
            if content.with_passages
            else None,
        )
        for document in content.documents
    ]
    summary = content.nouns.fill("Top {item}" if len(items) == 1 else "Top {items}")
    return h("details", h("summary", summary), h("ol", items), class_="documents", open=True)


def _document(document: Topic, passage: Html | None) -> Html:
    title = document["title"] or document["id"]
    more = [] if title == document["id"] else [document["id"]]
    label = document["label"]
    if label and not any(text.startswith(label) for text in (title, document["id"])):
        more.append(label)
    return h(
        "li",
        h(
            "p",
            h("span", percent(document["share"]), class_="share"),
            h("cite", title),
            h("span", " ", " · ".join(more), class_="quiet") if more else None,
        ),
        h("p", passage, class_="text") if passage else None,
    )


# --- related topics and classes ------------------------------------------------------------------


def _word_groups(labels: list[str]) -> Html | None:
    """Return the strongest groups of words, with the number of their words in the data."""
    if not labels:
        return None
    n_more = len(labels) - WORD_GROUPS
    more = [plural(n_more, "more group")] if n_more > 0 else []
    names = between([h("span", label) for label in [*labels[:WORD_GROUPS], *more]], " · ")
    return h("p", h("strong", "Groups"), " ", names, class_="groups")


def _related(view: Topic, visible: set[int], nouns: Nouns) -> Html | None:
    related = [other for other in view["related"] if other["topic"] in visible][:RELATED]
    if not related:
        return None
    links = [link_to(other, _reference(other), title=_why(other, nouns)) for other in related]
    return h("p", h("strong", "Related"), " ", between(links, " · "), class_="related")


def _reference(other: Topic) -> list[Any]:
    return [h("span", other["topic"], class_="number"), " ", name_of(other)]


def _why(other: Topic, nouns: Nouns) -> str:
    """Return a tooltip that explains how two topics are related."""
    reasons = {
        "likeness": f"{nouns.term} similarity",
        "together": f"correlation over {nouns.items}",
        "edge": "edge in the topic graph",
    }
    values = [(text, other.get(key)) for key, text in reasons.items()]
    return ", ".join(
        f"{text} {weight(round(value, 2))}" for text, value in values if value is not None
    )


def _groups(view: Topic, nouns: Nouns) -> Html | None:
    groups = view["groups"]
    if not groups or not groups["rows"]:
        return None
    if groups["kind"] == "time":
        return over_time(groups["rows"], nouns)
    rows = [row for row in groups["rows"] if row[1] > 0][:GROUPS]
    if not rows:
        return None
    classes = [_group(name, share, size, nouns) for name, share, size in rows]
    return h("p", h("strong", "Top classes"), " ", between(classes, " · "), class_="groups")


def _group(name: str, share: float, size: int, nouns: Nouns) -> Html:
    """Return the name and mean share of a class; for small classes also the number of documents."""
    number = f"of {nouns.n_items(size)}"
    if size < FEW:
        return h("span", name, " ", h("b", percent(share), " ", number))
    return h("span", name, " ", h("b", percent(share)), title=number)


# --- over time ------------------------------------------------------------------------------------


def over_time(rows: list[Any], nouns: Nouns) -> Html:
    """Return a column chart over time; times with fewer than `FEW` documents are pale."""
    most = max(row[1] for row in rows) or 1.0
    columns = [
        h(
            "i",
            style=f"--h:{max(share, 0) / most:.3g}" + (f";--g:{gap}" if gap else ""),
            class_="few" if size < FEW else None,
            title=f"{name}: {percent(max(share, 0))} of {nouns.n_items(size)}",
        )
        for (name, share, size), gap in zip(rows, gaps([row[0] for row in rows]), strict=True)
    ]
    label = f"Share over time, from {rows[0][0]} to {rows[-1][0]}, at most {percent(most)}"
    return h(
        "div",
        h("strong", "Over time"),
        h("span", rows[0][0], class_="quiet"),
        h("span", columns, class_="columns", role="img", aria_label=label),
        h("span", f"{rows[-1][0]}, at most {percent(most)}", class_="quiet"),
        class_="time",
    )


def gaps(times: list[str]) -> list[int]:
    """Return the number of empty columns before each date, so that the time axis is to scale.

    Examples
    --------
    >>> gaps(["1990", "1995", "2000", "2010"]), gaps(["2021-03-05", "2021-03-08", "2021-03-09"])
    ([0, 0, 0, 1], [0, 2, 0])
    """
    positions = [_position(time) for time in times]
    steps = [later - sooner for sooner, later in pairwise(positions)]
    unit = min(steps, default=1)
    if unit < 1 or sum(steps) > WIDEST * unit:
        return [0] * len(times)
    return [0, *(round(step / unit) - 1 for step in steps)]


def _position(time: str) -> int:
    """Convert a year, month or date to a number of years, months or days."""
    parts = [int(part) for part in time.split("-")]
    if len(parts) == 3:
        return date(*parts).toordinal()
    return parts[0] if len(parts) == 1 else 12 * parts[0] + parts[1]
