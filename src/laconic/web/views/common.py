"""What all views have in common: numbers, pages, and how topics and documents are named."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.notes import TopicNote
from laconic.web.page_data import PageData

LARGEST_PAGE = 100  # entries
RULE = re.compile(r"(?<!\w)[-=~*_#^+.]{4,}+(?!\w)")  # drawn by letters, as under a heading


class Missing(LaconicError):  # noqa: N818, it reads as what it means
    """What an address names is not there."""


def rounded(number: float) -> float:
    """Five digits: more cannot be seen, and they fill the wire.

    Examples
    --------
    >>> rounded(0.123456789), rounded(-3.0)
    (0.12346, -3.0)
    """
    return float(f"{number:.5g}")


def check_topic(material: PageData, topic: int) -> int:
    if not 0 <= topic < material.n_topics:
        raise Missing(f"There is no topic {topic}; topics go from 0 to {material.n_topics - 1}.")
    return topic


def check_document(material: PageData, row: int) -> int:
    if material.documents is None:
        raise Missing("No documents are kept with this model; name them with --corpus.")
    if not 0 <= row < len(material.documents):
        raise Missing(
            f"There is no document {row}; documents go from 0 to {len(material.documents) - 1}."
        )
    return row


def check_page(page: int, size: int, total: int) -> slice:
    """The entries of a page."""
    if not 1 <= size <= LARGEST_PAGE:
        raise LaconicError(f"size must be from 1 to {LARGEST_PAGE}; got {size}.")
    pages = max(1, -(-total // size))
    if not 0 <= page < pages:
        raise Missing(f"There is no page {page}; pages go from 0 to {pages - 1}.")
    return slice(page * size, page * size + size)


def topic_stub(material: PageData, topic: int) -> dict[str, Any]:
    """What a topic goes by."""
    note = material.notes.get(topic, TopicNote())
    words = material.stub_words[topic]
    return {"topic": topic, "name": note.name, "hidden": note.hidden, "words": words}


def document_stub(material: PageData, row: int) -> dict[str, Any]:
    """What a document goes by."""
    documents = material.documents
    assert documents is not None
    return {
        "document": row,
        "id": documents.id(row),
        "title": documents.title(row),
        "label": documents.label(row),
    }


def excerpt(material: PageData, row: int, length: int = 220) -> str | None:
    """The beginning of a text, in one line."""
    text = None if material.texts is None else material.texts[row]
    if text is None:
        return None
    start = " ".join(RULE.sub(" ", text[: 4 * length]).split())
    return start if len(start) <= length else start[:length].rsplit(" ", 1)[0] + "…"


def passage(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pieces of a passage without the lines that were drawn under headings."""
    cleaned = ((RULE.sub(" ", text) if not kind else text, kind) for text, kind in pieces)
    return [(text, kind) for text, kind in cleaned if text]
