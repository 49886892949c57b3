"""Report sections about the model as a whole: facts, table of topics, figures, parameters."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic import __version__
from laconic.fitted.pipeline_steps import steps_of
from laconic.fitted.support import FEW_ITEMS
from laconic.web.report.html import Html, between, h, percent
from laconic.wording import Nouns, plural

WORDS = 8  # number of words per topic in the table of topics
UNNAMED = "model"  # title of a model that was never saved
Overview = dict[str, Any]
NAME_WORDS = 3  # number of words in the label of a topic without a name
ALL = 200  # maximum number of topics that are shown in full
FEW = 25  # if a topic has at most this many words, all of them are shown
BEST = 15  # number of words shown if a topic has more than `FEW` words
BEST_OF_MANY = 10  # number of words shown per topic if there are more than `ALL` topics
# Number of words per topic in the index: for models with at most `ALL` topics, and for models with
# more topics
INDEXED, INDEXED_OF_MANY = 8, 4
# Parameters that do not affect the topics
SILENT = {"verbose", "n_jobs", "engine", "sparse_output", "callbacks"}
LONGEST = 80  # maximum number of characters shown of a parameter value
STABILITY = (
    "Stability: how well refits to resampled documents find the topic again, from 0 to 1, where 1 "
    "means the same top words every time."
)


def heading_of(overview: Overview, title: str | None) -> str:
    """Return the title of the report."""
    if title:
        return title
    name = overview["title"].removesuffix(".model")
    return "Topics" if name in ("", UNNAMED) else f"Topics of {name}"


def opening(overview: Overview, heading: str, nouns: Nouns) -> Html:
    """Return the header: the title, and facts about the model and the documents."""
    facts = [plural(overview["n_topics"], "topic"), nouns.n_terms(overview["n_words"])]
    if overview["n_documents"]:
        facts.append(nouns.n_items(overview["n_documents"]))
    return h(
        "header",
        h("h1", heading),
        h("p", " · ".join(facts), " · model: ", overview["class"], class_="lead"),
        _classes(overview["classes"]),
    )


def _classes(classes: dict[str, Any] | None) -> Html | None:
    """Return a line with the largest classes of documents, or with the first and the last date."""
    if classes is None:
        return None
    rows = classes["rows"]
    if classes["kind"] == "time":
        text = (
            f"From {rows[0][0]} to {rows[-1][0]}." if len(rows) > 1 else f"All from {rows[0][0]}."
        )
    else:
        names = ", ".join(f"{name} ({size:,})" for name, size in rows)
        end = ", …" if classes["n"] > len(rows) else "."
        text = f"{plural(classes['n'], 'class', 'classes')}: {names}{end}"
    return h("p", text, class_="quiet")


def contents(sections: list[tuple[str, str]]) -> Html:
    """Return links to the sections of the report."""
    links = [h("a", text, href=f"#{id_}") for id_, text in sections]
    return h("nav", between(links, " "), aria_label="Contents", class_="contents")


def table(topics: list[dict[str, Any]], nouns: Nouns, about_share: str | None = None) -> Html:
    """Return the table of topics, largest first, and the definition of a share.

    Examples
    --------
    >>> table([], Nouns(), "Its part of all words.")[20:66]
    '<p class="quiet">Share: its part of all words.'
    """
    largest = max((topic["share"] for topic in topics), default=0) or 1.0
    measured = any(topic.get("stability") is not None for topic in topics)
    columns = [*_columns(nouns), *([("stability", "count")] if measured else [])]
    head = h("tr", [h("th", text, scope="col", class_=kind) for text, kind in columns])
    rows = [_row(topic, largest, nouns, measured) for topic in topics]
    return h(
        "div",
        h("p", "Share: ", about_share[0].lower(), about_share[1:], class_="quiet")
        if about_share
        else None,
        h("p", STABILITY, class_="quiet") if measured else None,
        h("table", h("thead", head), h("tbody", rows)),
        class_="scroll",
    )


def _columns(nouns: Nouns) -> list[tuple[str, str]]:
    return [
        ("topic", "number"),
        (f"name or {nouns.terms}", "name"),
        ("share", "share"),
        (nouns.terms, "count"),
    ]


def _row(topic: dict[str, Any], largest: float, nouns: Nouns, with_stability: bool) -> Html:
    name = shown_name(topic)
    words = ", ".join(word_of(word) for word in topic["words"][:WORDS])
    return h(
        "tr",
        h("td", topic["topic"], class_="number"),
        h(
            "td",
            link_to(topic, name or words or name_of(topic)),
            h("span", words, class_="quiet") if name else None,
            h("span", nouns.fill(FEW_ITEMS), class_="quiet") if topic["weak"] else None,
            class_="name",
        ),
        h(
            "td",
            h("i", style=f"--w:{max(topic['share'], 0) / largest:.3g}"),
            h("span", percent(topic["share"])),
            class_="share",
        ),
        h("td", f"{topic['n_words']:,}", class_="count"),
        h("td", _stability(topic), class_="count") if with_stability else None,
        data_topic=topic["topic"],
        data_group=topic["group"],
    )


def _stability(topic: dict[str, Any]) -> str:
    value = topic["stability"]
    return "" if value is None else f"{value:.2f}"


def hidden_line(n_hidden: int) -> Html | None:
    """Return the number of hidden topics as a line of text."""
    if not n_hidden:
        return None
    verb = "is" if n_hidden == 1 else "are"
    return h("p", f"{plural(n_hidden, 'hidden topic')} {verb} not shown.", class_="quiet")


def tools(relevance: float, limits: Limits, nouns: Nouns) -> Html:
    """Return the toolbar with filter, sort order, slider and fold button.

    The toolbar is hidden until the script of the report shows it, because it needs the script.
    """
    orders = {
        "share": "share",
        "number": "topic number",
        "words": f"number of {nouns.terms}",
        "name": "name",
    }
    filtered = f"{nouns.terms}, titles"
    choices = [h("option", text, value=value) for value, text in orders.items()]
    slider = h(
        "label",
        nouns.fill("{Terms}"),
        h("span", "distinctive", class_="quiet"),
        h("input", id="relevance", type="range", min=0, max=1, step=0.1, value=relevance),
        h("span", "frequent", class_="quiet"),
    )
    fold = h("button", f"Fold {nouns.items}", id="fold", type="button", data_items=nouns.items)
    return h(
        "div",
        h("label", "Filter", h("input", id="filter", type="search", placeholder=filtered)),
        h("output", id="found", for_="filter", class_="quiet"),
        h("label", "Sort", h("select", choices, id="sort")),
        slider if limits.slider else None,
        fold if limits.n_documents else None,
        h("a", "All topics", href="#topics"),
        class_="tools",
        hidden=True,
    )


# --- names of topics ------------------------------------------------------------------------------


def shown_name(topic: dict[str, Any]) -> str | None:
    """Return the name that a user gave to a topic, or else its automatic name.

    Examples
    --------
    >>> shown_name({"name": None, "automatic": "sorting"}), shown_name({"name": "order"})
    ('sorting', 'order')
    """
    return topic["name"] or topic.get("automatic") or None


def name_of(topic: dict[str, Any], n_words: int = NAME_WORDS) -> str:
    """Return the name that a user gave to a topic; by default, the first words of the topic.

    Examples
    --------
    >>> name_of({"topic": 4, "name": "sorting", "words": ["sort", "order"]})
    'sorting'
    >>> name_of({"topic": 4, "name": None, "words": [["sort", 0.8], ["order", 0.4]]})
    'sort, order'
    >>> name_of({"topic": 4, "name": None, "words": []})
    'no words'
    """
    if name := shown_name(topic):
        return name
    return ", ".join(word_of(word) for word in topic["words"][:n_words]) or "no words"


def word_of(word: Any) -> str:
    """Return the word, with a minus sign if its weight is negative."""
    if isinstance(word, str):
        return word
    return ("\u2212" if word[1] < 0 else "") + str(word[0])


def link_to(topic: dict[str, Any], *children: Any, **attributes: Any) -> Html:
    """Return a link to the section of a topic."""
    return h("a", *children, href=f"#topic-{topic['topic']}", **attributes)


# --- how much is shown ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """Limits on the content of the report, which depend on the number of topics.

    Examples
    --------
    >>> Limits(n_topics=100, n_documents=5).documents(rank=100)
    5
    >>> Limits(n_topics=1000, n_documents=5).documents(rank=201)
    1
    """

    n_topics: int
    n_documents: int

    @property
    def many(self) -> bool:
        """Whether there are too many topics to show all of them in full."""
        return self.n_topics > ALL

    @property
    def slider(self) -> bool:
        """Whether the report has a slider that orders the words of a topic by relevance."""
        return not self.many

    @property
    def indexed(self) -> int:
        """Number of words per topic in the word index."""
        return INDEXED_OF_MANY if self.many else INDEXED

    def words(self, n_words: int) -> int:
        """Return how many words are shown of a topic that has `n_words` words."""
        if self.many:
            return BEST_OF_MANY
        return n_words if n_words <= FEW else BEST

    def documents(self, rank: int) -> int:
        """Return how many documents are shown for the topic with this rank by share."""
        return self.n_documents if rank <= ALL else min(1, self.n_documents)

    def excerpts(self, rank: int) -> bool:
        """Tell whether passages of documents are shown for the topic with this rank by share."""
        return rank <= ALL

    def left_out(self, nouns: Nouns) -> str | None:
        """Return a note on the content that the report omits, or None if nothing is omitted."""
        if not self.many:
            return None
        documents = (
            f" Only the {ALL} largest topics show {nouns.items} with passages; the others show the "
            f"title of their top {nouns.item}."
            if self.n_documents
            else ""
        )
        return (
            f"With {self.n_topics:,} topics, this report shows at most {BEST_OF_MANY} "
            f"{nouns.terms} of each, {INDEXED_OF_MANY} of them in the index.{documents}"
        )


# --- how the model was fitted ---------------------------------------------------------------------


def fitting(model: Any, overview: Overview) -> Html:
    """Return a summary of the fit, figures, and tables of parameters (other than default: bold)."""
    steps = steps_of(model)
    figures = [
        h("div", h("dt", label), h("dd", value, class_="value"), h("dd", about, class_="quiet"))
        for label, value, about in overview["figures"]
    ]
    return h(
        "div",
        h("p", _summary(steps[-1])),
        h("dl", figures, class_="figures") if figures else None,
        [_parameters(step) for step in reversed(steps)],
        h("p", f"Written by laconic {__version__}.", class_="quiet"),
        class_="fitting",
    )


def _summary(estimator: Any) -> str:
    """Return a sentence on how the fit ended."""
    name = type(estimator).__name__
    n_iter = getattr(estimator, "n_iter_", None)
    if n_iter is None:
        return f"{name}."
    ended = "converged after" if getattr(estimator, "converged_", False) else "stopped after"
    objective = np.atleast_1d(getattr(estimator, "objective_", np.array([])))
    value = f", with a final objective of {objective[-1]:.6g}" if objective.size else ""
    return f"{name} {ended} {plural(int(n_iter), 'pass', 'passes')}{value}."


def _parameters(estimator: Any) -> Html | None:
    defaults = inspect.signature(type(estimator).__init__).parameters
    rows = []
    for key, value in sorted(settings_of(estimator).items()):
        if key in SILENT:
            continue
        default = defaults[key].default if key in defaults else inspect.Parameter.empty
        kind = None if _same(value, default) else "set"
        rows.append(h("tr", h("th", key, scope="row"), h("td", format_value(value)), class_=kind))
    if not rows:
        return None
    return h("table", h("caption", type(estimator).__name__), h("tbody", rows))


def settings_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters; a vectoriser's settings may have been copied from a corpus."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    used = getattr(estimator, "settings_", None) or {}
    return {key: used.get(key, value) for key, value in parameters.items()}


def format_value(value: Any) -> str:
    """Format a parameter value as a short text.

    Examples
    --------
    >>> format_value(None), format_value(0.1), format_value(["a"] * 300), format_value((1, 2))
    ('none', '0.1', 'list of 300', '1, 2')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    if isinstance(value, (list, tuple, set, frozenset, dict, np.ndarray)) and len(text) > LONGEST:
        return f"{type(value).__name__} of {len(value):,}"
    if callable(value):
        text = getattr(value, "__qualname__", type(value).__name__)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _same(value: Any, default: Any) -> bool:
    """Tell whether a parameter has its default value."""
    if isinstance(value, (list, tuple)) and isinstance(default, (list, tuple)):
        return list(value) == list(default)  # a tuple that was saved as JSON is loaded as a list
    try:
        return bool(value is default or value == default)
    except ValueError:  # arrays
        return False
