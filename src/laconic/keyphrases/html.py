"""HTML page with the keywords highlighted in the texts of documents.

The page is a single file without external resources. All text from the documents is escaped, and
the security policy of the page allows only its own script (``page.js``). The first documents are
HTML, which a browser shows at once, even if scripts are switched off. All documents are also data
(JSON), from which the script shows one page at a time, searches and makes files to download.
Therefore, a page of many thousands of documents opens as fast as a page of fifty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from laconic.identity.document import end_of, start_of
from laconic.text.passages import split_at
from laconic.text.words import strip_accents_in_place
from laconic.wording import plural

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.keyphrases.keyword import Keyword
    from laconic.keyphrases.keywords import KeywordPart

MOST = 30_000  # maximum number of documents on the page
BATCH = 50  # number of documents that are shown at once
MOST_CHARACTERS = 24_000_000  # approximate size of all texts; longer texts are cut
LONG = 50_000  # a text of this length is so rare that the page does not mention the cut
SHORTEST_CUT = 500  # texts are not cut to fewer characters
HEADINGS = {
    "word": "keyword",
    "count": "count",
    "expected": "expected",
    "position": "first position",
    "documents": "other documents",
    "burst": "mean count there",
    "residual": "PCP residual",
    "score": "score",
}


def page(parts: Iterable[KeywordPart], n_documents: int) -> Iterator[str]:
    """Yield the page in pieces; it shows at most `MOST` documents.

    If there are so many documents that their texts would make the page too large for a browser,
    only the beginning of each text is on the page.
    """
    n_shown = min(n_documents, MOST)
    room = max(MOST_CHARACTERS // max(n_shown, 1) // 100 * 100, SHORTEST_CUT)
    documents = islice(chain.from_iterable(map(_documents, parts)), n_shown)
    shown = (_Document(row, *document, room) for row, document in enumerate(documents))
    first = list(islice(shown, BATCH))
    yield _head(n_documents, room)
    yield from (document.html() for document in first)
    yield "</main>\n"
    if n_shown > BATCH:
        yield f'<p class="about unscripted">Switch on scripts to see all {n_shown:,} documents.</p>'
    yield _PAGES.replace("Pages", "Pages, below the documents", 1) + "\n"
    batch = first
    while batch:
        data = ",\n".join(document.data() for document in batch)
        yield f'<script type="application/json" class="batch">[{data}]</script>\n'
        batch = list(islice(shown, BATCH))
    yield end_of(_file("page.js"))


def _documents(part: KeywordPart) -> Iterator[tuple[str, str, Any, list[Keyword]]]:
    """Yield the id, title, text and keywords of each document."""
    texts = [None] * len(part.documents) if part.documents.texts is None else part.documents.texts
    for (id_, title), text, words in zip(names(part.documents), texts, part.keywords, strict=True):
        yield id_, title, text, words


_PAGES = (
    '<nav class="pages" aria-label="Pages" hidden>'
    '<button type="button" class="button" data-step="-1">Previous</button> <span></span> '
    '<button type="button" class="button" data-step="1">Next</button></nav>'
)


def _head(n_documents: int, room: int) -> str:
    """Return everything before the first document."""
    return (
        start_of("Keywords", style=_file("page.css"), script=_file("page.js"))
        + f'<header><h1>Keywords</h1>\n<p class="about">{_count(n_documents, room)} '
        "Stronger keywords have a stronger colour; hover over a keyword to see its evidence.</p>"
        '</header>\n<form class="tools" role="search" hidden><label>Search <input type="search" '
        'autocomplete="off" placeholder="words in titles, keywords and texts" '
        f'aria-keyshortcuts="/"></label>\n{_PAGES}\n<div class="downloads">Download '
        '<a class="button" href="#csv" data-download="csv">CSV</a> '
        '<a class="button" href="#json" data-download="json">JSON</a></div>\n'
        '<output aria-live="polite"></output></form>\n<main tabindex="-1">\n'
    )


def _count(n_documents: int, room: int) -> str:
    first = f"The first {MOST:,} of " if n_documents > MOST else ""
    cut = f" Texts longer than {room:,} characters are cut." if room < LONG else ""
    return f"{first}{plural(n_documents, 'document')}.{cut}"


@cache
def _file(name: str) -> str:
    """Return the style sheet or the script of the page."""
    return (files("laconic.keyphrases") / name).read_text(encoding="utf-8")


def names(corpus: Corpus) -> list[tuple[str, str]]:
    """Return the id and title of each document; if there are no ids, rows are used."""
    ids = range(len(corpus)) if corpus.ids is None else corpus.ids
    titles = [""] * len(corpus) if corpus.titles is None else corpus.titles
    return [(str(id_), str(title or "")) for id_, title in zip(ids, titles, strict=True)]


class _Document:
    """A document of the page, of whose text at most `room` characters are shown."""

    def __init__(
        self, row: int, id_: str, title: str, text: Any, words: Sequence[Keyword], room: int
    ) -> None:
        self.row, self.id, self.title, self.words = row, id_, title, words
        self.strongest = max((word.score for word in words), default=1.0) or 1.0
        self.pieces = None if text is None else list(_pieces(str(text), words, room))

    def html(self) -> str:
        """Return the document as HTML; page.js makes the same elements from `data`."""
        marks = [
            f'<mark style="--strength:{self._strength(word):.2f}" title="{escape(word.why())}">'
            for word in self.words
        ]
        small = f' <span class="id">{escape(self.id)}</span>' if self.title else ""
        link = f'<a href="#d={self.row + 1}">{escape(self.title or self.id)}</a>'
        items = "".join(
            f"<li>{mark}{escape(word.word)}</mark></li>"
            for word, mark in zip(self.words, marks, strict=True)
        )
        listed = f"<ul>{items}</ul>\n" if self.words else '<p class="about">No keywords.</p>\n'
        body = ""
        if self.pieces is not None:
            text = "".join(
                escape(piece) if number is None else f"{marks[number]}{escape(piece)}</mark>"
                for piece, number in self.pieces
            )
            body = f'<p class="text">{text}</p>\n'
        return f"<article>\n<h2>{link}{small}</h2>\n{listed}{body}{_table(self.words)}</article>\n"

    def data(self) -> str:
        """Return the document as JSON, in which ``</script>`` cannot occur."""
        words = [
            [word.word, round(self._strength(word), 2), word.why(), *map(_rounded, _values(word))]
            for word in self.words
        ]
        text: list[Any] | None = None
        if self.pieces is not None:
            text = [piece if number is None else [piece, number] for piece, number in self.pieces]
        record = [self.id, self.title, text, words]
        return json.dumps(record, ensure_ascii=False).replace("<", "\\u003c")

    def _strength(self, word: Keyword) -> float:
        return word.score / self.strongest


def _values(word: Keyword) -> list[Any]:
    return [getattr(word, name) for name in HEADINGS if name != "word"]


def _rounded(value: Any) -> Any:
    """Round a float to six digits, which makes the page smaller."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _pieces(text: str, words: Sequence[Keyword], room: int) -> Iterator[tuple[str, int | None]]:
    """Yield the pieces of a text with the number of the keyword, or None between keywords.

    Phrases take precedence over single words.
    """
    if len(text) > room:
        text = text[:room].rstrip() + "…"
    if not words:
        yield text, None
        return
    order = sorted(range(len(words)), key=lambda number: -len(words[number].word))
    choices = "|".join(f"({_pattern(words[number].word)})" for number in order)
    plain = strip_accents_in_place(text)  # words may have been counted without accents
    spans = [
        (*match.span(), order[match.lastindex - 1])  # type: ignore[operator]
        for match in re.finditer(rf"(?<!\w)(?:{choices})(?!\w)", plain, re.IGNORECASE)
    ]
    yield from split_at(text, spans, None)


def _pattern(word: str) -> str:
    return r"[\s-]+".join(map(re.escape, strip_accents_in_place(word).split()))


def _table(words: Sequence[Keyword]) -> str:
    """Return the table of evidence, which is collapsed at first."""
    if not words:
        return ""
    columns = [name for name in HEADINGS if any(getattr(word, name) is not None for word in words)]
    head = "".join(f'<th scope="col">{HEADINGS[name]}</th>' for name in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_cell(word, name)}</td>' for name in columns)}</tr>" for word in words
    )
    return (
        '<details><summary>Evidence</summary><div class="scroll" tabindex="0"><table class="table">'
        f"<tr>{head}</tr>{rows}</table></div></details>\n"
    )


def _cell(word: Keyword, name: str) -> str:
    value = getattr(word, name)
    if value is None:
        return ""
    if name == "position":
        return str(value + 1)
    return escape(value) if isinstance(value, str) else f"{value:.3g}"
