"""Routes of the explorer and their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.convertors import PathConvertor, register_url_convertor

from laconic.web import views
from laconic.web.server.requests import Integer, ParameterType, Text
from laconic.web.views import tables
from laconic.web.views.common import LARGEST_PAGE
from laconic.web.views.search import LONGEST_QUERY
from laconic.web.views.tables import Table


class AnyPath(PathConvertor):
    """Path convertor that matches any text, including slashes and line breaks."""

    regex = "(?s:.*)"


LONGEST_LABEL = 20_000  # maximum number of characters of a label; fits into the head of a request
LONGEST_WORD = 2000
LONGEST_LEVELS = 200
WIDTHS = (240, 1200)  # minimum and maximum width of a chart in pixels
LETTERS = (100, 200)  # minimum and maximum text width in percent of the width in Helvetica
PAGES = {"page": Integer(), "size": Integer(1, LARGEST_PAGE)}
CONDITIONS: dict[str, ParameterType] = {
    "label": Text(LONGEST_LABEL),
    "topic": Integer(),
    "since": Text(),
    "until": Text(),
}
FIRST_PAGE = {"page": 0, "size": 20}
register_url_convertor("anything", AnyPath())
PathParameters = tuple[tuple[str, ParameterType], ...]


@dataclass(frozen=True)
class ApiRoute:
    """An API route: a view, and the parameters that it takes from the URL."""

    view: Callable[..., dict[str, Any]]
    path: PathParameters = ()  # same order as the positional parameters of the view
    query: Mapping[str, ParameterType] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    slow: bool = False
    table: Table | None = None  # turns the response into the rows of a CSV file
    grows: bool = False  # whether values are missing until all documents were read
    headers: Mapping[str, str] = field(default_factory=dict)


OVERVIEW = "/api/overview"
MAP = "/api/map"
CHART = "/api/charts/{name}"
LETTER_WIDTHS = "/api/letters"
TOPIC = (("topic", Integer()),)
DOCUMENT = (("document", Integer()),)
WORD = (("word", Text(LONGEST_WORD, least=1)),)
API_ROUTES = {
    OVERVIEW: ApiRoute(views.overview, grows=True, table=tables.topics_table),
    "/api/topics": ApiRoute(
        lambda page_data, having: views.topics_with_word(page_data, having),
        query={"having": Text(least=1)},
        required=("having",),
    ),
    "/api/tree": ApiRoute(views.tree, query={"levels": Text(LONGEST_LEVELS)}, slow=True),
    "/api/intrusion": ApiRoute(views.intrusion),
    "/api/topics/{topic}": ApiRoute(views.topic, TOPIC, table=tables.words_table),
    "/api/topics/{topic}/words": ApiRoute(views.topic_words, TOPIC),
    "/api/topics/{topic}/documents": ApiRoute(
        views.topic_documents, TOPIC, PAGES, FIRST_PAGE, table=tables.topic_documents_table
    ),
    "/api/documents": ApiRoute(
        views.documents, query={**PAGES, **CONDITIONS, "sort": Text()}, defaults=FIRST_PAGE
    ),
    "/api/documents/some": ApiRoute(
        lambda page_data, rows: views.some_documents(page_data, rows),
        query={"rows": Text(10 * LARGEST_PAGE)},
        required=("rows",),
    ),
    "/api/documents/{document}": ApiRoute(
        views.document, DOCUMENT, {"part": Integer()}, table=tables.document_table
    ),
    "/api/documents/{document}/similar": ApiRoute(views.similar_documents, DOCUMENT),
    "/api/words": ApiRoute(
        lambda page_data, like: views.words_like(page_data, like),
        query={"like": Text()},
        required=("like",),
    ),
    "/api/words/{word:anything}": ApiRoute(views.word, WORD, table=tables.senses_table),
    "/api/search": ApiRoute(
        lambda page_data, q, k, **conditions: views.search_results(page_data, q, k, **conditions),
        query={"q": Text(LONGEST_QUERY), "k": Integer(1, LARGEST_PAGE), **CONDITIONS},
        defaults={"k": 10},
        required=("q",),
        table=tables.hits_table,
    ),
    MAP: ApiRoute(views.topic_map, query={"width": Integer(*WIDTHS)}, slow=True),
    "/api/document-map": ApiRoute(views.document_map, slow=True, table=tables.points_table),
    "/api/compare": ApiRoute(views.comparison, grows=True, table=tables.pairs_table),
    CHART: ApiRoute(
        views.chart,
        (("name", Text()),),
        {
            "topic": Integer(),
            "word": Text(),
            "width": Integer(*WIDTHS),
            "letters": Integer(*LETTERS),
        },
        slow=True,
    ),
    LETTER_WIDTHS: ApiRoute(views.letters),
    "/api/themes": ApiRoute(lambda page_data: views.themes()),
    "/api/notes": ApiRoute(
        views.all_notes,
        headers={"Content-Disposition": 'attachment; filename="notes.json"'},
    ),
}
# Exports all documents that meet the conditions, not only one page of them
DOCUMENTS_FILE = "/api/documents.csv"
DOCUMENTS_QUERY = {**CONDITIONS, "sort": Text()}
NOTES = "/api/topics/{topic}/notes"
ANSWERS = "/api/topics/{topic}/intrusion"
EDITS = "/api/edits"
PREVIEW = "/api/edits/preview"
# All these routes return index.html, whose script renders the page that belongs to the URL
PAGE_ROUTES: dict[str, PathParameters] = {
    "/": (),
    "/topics/{topic}": TOPIC,
    "/documents": (),
    "/documents/{document}": DOCUMENT,
    "/words/{word:anything}": WORD,
    "/search": (),
    "/compare": (),
    "/map": (),
    "/tree": (),
    "/intrusion": (),
    "/pictures": (),
}
