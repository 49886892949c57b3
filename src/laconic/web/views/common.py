"""Helpers shared by all views: rounding, paging, and summaries of topics and documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.automatic import AutomaticFacts
from laconic.web.page_data import PageData

LARGEST_PAGE = 100  # maximum number of entries on a page
# A run of punctuation that serves as a line, for example under a heading
RULE = re.compile(r"(?<!\w)[-=~*_#^+.]{4,}+(?!\w)")


class NotFoundError(LaconicError):
    """The requested topic, document, word or chart does not exist (HTTP status 404)."""


def rounded(number: float) -> float:
    """Round to five significant digits to keep responses small.

    Examples
    --------
    >>> rounded(0.123456789), rounded(-3.0)
    (0.12346, -3.0)
    """
    return float(f"{number:.5g}")


def check_topic(page_data: PageData, topic: int) -> int:
    if not 0 <= topic < page_data.n_topics:
        last = page_data.n_topics - 1
        raise NotFoundError(f"There is no topic {topic}; topics are numbered 0 to {last}.")
    return topic


def check_document(page_data: PageData, row: int) -> int:
    if page_data.documents is None:
        raise NotFoundError("No documents were saved with this model; pass them with --corpus.")
    if not 0 <= row < len(page_data.documents):
        last = len(page_data.documents) - 1
        raise NotFoundError(f"There is no document {row}; documents are numbered 0 to {last}.")
    return row


def check_page(page: int, size: int, total: int) -> slice:
    """Return the slice of entries on a page; raise if the page does not exist."""
    if not 1 <= size <= LARGEST_PAGE:
        raise LaconicError(f"size must be from 1 to {LARGEST_PAGE}; got {size}.")
    pages = max(1, -(-total // size))
    if not 0 <= page < pages:
        raise NotFoundError(f"There is no page {page}; pages are numbered 0 to {pages - 1}.")
    return slice(page * size, page * size + size)


def topic_stub(page_data: PageData, topic: int) -> dict[str, Any]:
    """Return the fields that identify a topic, such as its number, name and first words."""
    note = page_data.note_of(topic)
    words = page_data.stub_words[topic]
    return {
        "topic": topic,
        "name": note.name,
        "automatic": automatic_name(page_data, topic),
        "hidden": note.hidden,
        "words": words,
    }


def automatic_name(page_data: PageData, topic: int) -> str | None:
    """Return the automatic name of a topic, which is shown if no user gave it a name."""
    return page_data.facts.get(topic, AutomaticFacts()).name


def stability(page_data: PageData, topic: int) -> float | None:
    """Return how well refits find a topic again, if it was measured."""
    value = page_data.facts.get(topic, AutomaticFacts()).stability
    return None if value is None else rounded(value)


def document_stub(page_data: PageData, row: int) -> dict[str, Any]:
    """Return the fields that identify a document: row, id, title and label."""
    documents = page_data.documents
    assert documents is not None
    return {
        "document": row,
        "id": documents.id(row),
        "title": documents.title(row),
        "label": documents.label(row),
    }


def excerpt(page_data: PageData, row: int, length: int = 220) -> str | None:
    """Return the beginning of a document's text as one line, or None if it has no text."""
    text = None if page_data.texts is None else page_data.texts[row]
    if text is None:
        return None
    start = " ".join(RULE.sub(" ", text[: 4 * length]).split())
    return start if len(start) <= length else start[:length].rsplit(" ", 1)[0] + "…"


def passage(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pieces of a passage without lines of punctuation, such as those under headings."""
    cleaned = ((RULE.sub(" ", text) if not kind else text, kind) for text, kind in pieces)
    return [(text, kind) for text, kind in cleaned if text]
