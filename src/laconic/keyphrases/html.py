"""HTML page with the keywords highlighted in the texts of documents.

The page is a single file without external resources. All text from the documents is escaped, and
the security policy of the page allows only its own script (``page.js``), which shows the documents
in pages and searches them. If scripts are switched off, the documents are in groups that can be
opened and closed.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from laconic.text.passages import split_at
from laconic.text.words import strip_accents_in_place
from laconic.wording import plural

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.keyphrases.keyword import Keyword
    from laconic.keyphrases.keywords import KeywordPart

MOST = 10_000  # maximum number of documents on the page, so that a browser can show it
BATCH = 50  # number of documents in a group; page.js shows as many documents at once
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
    """Yield the page in pieces, one per document; it shows at most `MOST` documents."""
    yield _head(n_documents)
    n_shown = min(n_documents, MOST)
    documents = chain.from_iterable(map(_documents, parts))
    for row, (id_, title, text, words) in enumerate(islice(documents, n_shown)):
        if row % BATCH == 0:
            yield _start_of_batch(row, n_shown)
        yield _article(id_, title, text, words)
        if row % BATCH == BATCH - 1 or row == n_shown - 1:
            yield "</details>\n"
    yield f"</main>\n{_PAGES}\n<script>{_file('page.js')}</script>\n</body></html>\n"


def _documents(part: KeywordPart) -> Iterator[tuple[str, str, Any, list[Keyword]]]:
    """Yield the id, title, text and keywords of each document."""
    texts = [None] * len(part.documents) if part.documents.texts is None else part.documents.texts
    for (id_, title), text, words in zip(names(part.documents), texts, part.keywords, strict=True):
        yield id_, title, text, words


_PAGES = (
    '<nav class="pages" aria-label="Pages" hidden>'
    '<button type="button" data-step="-1">Previous</button> <span></span> '
    '<button type="button" data-step="1">Next</button></nav>'
)


def _head(n_documents: int) -> str:
    """Return everything before the first document."""
    digest = base64.b64encode(hashlib.sha256(_file("page.js").encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Keywords</title>\n<style>{_file('page.css')}</style></head>\n<body>\n"
        f'<h1>Keywords</h1>\n<p class="about">{_count(n_documents)}. '
        "Stronger keywords have a stronger colour; hover over a keyword to see its evidence.</p>\n"
        '<form class="tools" role="search" hidden><label>Search '
        '<input type="search" autocomplete="off" placeholder="words in titles, keywords and texts"'
        f' aria-keyshortcuts="/"></label>\n{_PAGES}\n<output aria-live="polite"></output></form>\n'
        '<main tabindex="-1">\n'
    )


def _count(n_documents: int) -> str:
    shown = f"The first {MOST:,} of " if n_documents > MOST else ""
    return shown + plural(n_documents, "document")


def _start_of_batch(row: int, n_documents: int) -> str:
    last = min(row + BATCH, n_documents)
    is_open = " open" if row == 0 else ""
    return f'<details class="batch"{is_open}><summary>Documents {row + 1:,} to {last:,}</summary>\n'


@cache
def _file(name: str) -> str:
    """Return the style sheet or the script of the page."""
    return (files("laconic.keyphrases") / name).read_text(encoding="utf-8")


def names(corpus: Corpus) -> list[tuple[str, str]]:
    """Return the id and title of each document; if there are no ids, rows are used."""
    ids = range(len(corpus)) if corpus.ids is None else corpus.ids
    titles = [""] * len(corpus) if corpus.titles is None else corpus.titles
    return [(str(id_), str(title or "")) for id_, title in zip(ids, titles, strict=True)]


def _article(id_: str, title: str, text: str | None, words: Sequence[Keyword]) -> str:
    strongest = max((word.score for word in words), default=1.0) or 1.0
    marks = {
        word.word: f'<mark style="--strength:{word.score / strongest:.2f}" '
        f'title="{escape(word.why())}">'
        for word in words
    }
    small = f' <span class="id">{escape(id_)}</span>' if title else ""
    items = "".join(f"<li>{mark}{escape(word)}</mark></li>" for word, mark in marks.items())
    listed = f"<ul>{items}</ul>\n" if words else '<p class="about">No keywords.</p>\n'
    body = "" if text is None else f'<p class="text">{_marked(str(text), marks)}</p>\n'
    return (
        f"<article>\n<h2>{escape(title or id_)}{small}</h2>\n{listed}{body}{_table(words)}"
        "</article>\n"
    )


def _marked(text: str, marks: dict[str, str]) -> str:
    """Escape the text and mark every keyword; phrases take precedence over single words."""
    if not marks:
        return escape(text)
    spellings = sorted(marks, key=len, reverse=True)
    choices = "|".join(f"({_pattern(word)})" for word in spellings)
    plain = strip_accents_in_place(text)  # words may have been counted without accents
    spans = [
        (*match.span(), marks[spellings[match.lastindex - 1]])  # type: ignore[operator]
        for match in re.finditer(rf"(?<!\w)(?:{choices})(?!\w)", plain, re.IGNORECASE)
    ]
    return "".join(
        f"{mark}{escape(piece)}</mark>" if mark else escape(piece)
        for piece, mark in split_at(text, spans, "")
    )


def _pattern(word: str) -> str:
    return r"[\s-]+".join(map(re.escape, strip_accents_in_place(word).split()))


def _table(words: Sequence[Keyword]) -> str:
    """Return the table of evidence, which is collapsed at first."""
    if not words:
        return ""
    columns = [name for name in HEADINGS if any(getattr(word, name) is not None for word in words)]
    head = "".join(f"<th>{HEADINGS[name]}</th>" for name in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_cell(word, name)}</td>' for name in columns)}</tr>" for word in words
    )
    return (
        '<details><summary>Evidence</summary><div class="scroll"><table>'
        f"<tr>{head}</tr>{rows}</table></div></details>\n"
    )


def _cell(word: Keyword, name: str) -> str:
    value = getattr(word, name)
    if value is None:
        return ""
    if name == "position":
        return str(value + 1)
    return escape(value) if isinstance(value, str) else f"{value:.3g}"
