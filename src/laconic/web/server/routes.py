"""The addresses of the explorer, and what may stand in each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.convertors import PathConvertor, register_url_convertor

from laconic.web import views
from laconic.web.server.requests import Kind, Text, Whole
from laconic.web.views.common import LARGEST_PAGE
from laconic.web.views.search import LONGEST_QUERY


class Anything(PathConvertor):
    """A part of an address that may hold everything, also slashes and ends of lines."""

    regex = "(?s:.*)"


LONGEST_LABEL = 20_000  # whatever the head of a request can hold
LONGEST_WORD = 2000
WIDTHS = (240, 1200)  # dots of a chart
LETTERS = (100, 200)  # percent of the width of Helvetica's
PAGES = {"page": Whole(), "size": Whole(1, LARGEST_PAGE)}
FIRST_PAGE = {"page": 0, "size": 20}
register_url_convertor("anything", Anything())
PathKinds = tuple[tuple[str, Kind], ...]


@dataclass(frozen=True)
class Question:
    """What an address asks for: a view, and the parameters that it takes from the address."""

    view: Callable[..., dict[str, Any]]
    path: PathKinds = ()  # in the order in which the view takes them
    query: Mapping[str, Kind] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    slow: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


FIRST = "/api/overview"
CHART = "/api/charts/{name}"
LETTER_WIDTHS = "/api/letters"
TOPIC = (("topic", Whole()),)
DOCUMENT = (("document", Whole()),)
WORD = (("word", Text(LONGEST_WORD, least=1)),)
QUESTIONS = {
    FIRST: Question(views.overview),
    "/api/topics": Question(
        views.topics_having, query={"having": Text(least=1)}, needs=("having",)
    ),
    "/api/topics/{topic}": Question(views.topic, TOPIC),
    "/api/topics/{topic}/documents": Question(views.topic_documents, TOPIC, PAGES, FIRST_PAGE),
    "/api/documents": Question(
        views.documents, query={**PAGES, "label": Text(LONGEST_LABEL)}, defaults=FIRST_PAGE
    ),
    "/api/documents/{document}": Question(views.document, DOCUMENT, {"part": Whole()}),
    "/api/documents/{document}/similar": Question(views.similar_documents, DOCUMENT),
    "/api/words": Question(
        lambda material, like: views.words_like(material, like),
        query={"like": Text()},
        needs=("like",),
    ),
    "/api/words/{word:anything}": Question(views.word, WORD),
    "/api/search": Question(
        lambda material, q, k: views.found(material, q, k),
        query={"q": Text(LONGEST_QUERY), "k": Whole(1, LARGEST_PAGE)},
        defaults={"k": 10},
        needs=("q",),
    ),
    "/api/compare": Question(views.compared),
    CHART: Question(
        views.chart,
        (("name", Text()),),
        {
            "topic": Whole(),
            "word": Text(),
            "width": Whole(*WIDTHS),
            "letters": Whole(*LETTERS),
        },
        slow=True,
    ),
    LETTER_WIDTHS: Question(views.letters),
    "/api/themes": Question(lambda material: views.themes()),
    "/api/notes": Question(
        views.all_notes,
        headers={"Content-Disposition": 'attachment; filename="notes.json"'},
    ),
}
NOTES = "/api/topics/{topic}/notes"
PAGE_ADDRESSES: dict[str, PathKinds] = {  # the page is the same, and shows what its address says
    "/": (),
    "/topics/{topic}": TOPIC,
    "/documents": (),
    "/documents/{document}": DOCUMENT,
    "/words/{word:anything}": WORD,
    "/search": (),
    "/compare": (),
    "/pictures": (),
}
