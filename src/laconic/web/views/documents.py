"""Views of documents: lists, similar documents, and one document with the topics of its words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted.similar_documents import similar
from laconic.text.passages import Described, Pieces, in_pieces
from laconic.web.document_text import WordCode
from laconic.web.page_data import PageData
from laconic.web.views.common import (
    LARGEST_PAGE,
    NotFoundError,
    check_document,
    check_page,
    document_stub,
    excerpt,
    rounded,
    topic_stub,
)
from laconic.web.views.facets import Filter, check_filter, facets, orders, select
from laconic.web.views.facets import sort as sorted_rows

ROW = re.compile("[0-9]{1,9}")
PART = 60_000  # maximum number of characters of a text in one response
COLOURS = 7  # number of topics per document that have a colour
MOST_TOPICS = 30
BEST_TOPICS = 3  # number of topics shown for each document in a list
SIMILAR = 8
NO_CODE = WordCode([])


def documents(
    page_data: PageData,
    page: int,
    size: int,
    label: str | None = None,
    topic: int | None = None,
    since: str | None = None,
    until: str | None = None,
    sort: str = "corpus",
) -> dict[str, Any]:
    """Return a page of the list of documents that meet some conditions, with facets.

    See `laconic.web.views.facets` for the conditions and the orders.
    """
    if page_data.documents is None:
        raise NotFoundError("No documents were saved with this model; pass them with --corpus.")
    conditions = check_filter(page_data, Filter(label, topic, since, until))
    everything = np.arange(len(page_data.documents))
    rows = sorted_rows(page_data, select(page_data, everything, conditions), sort)
    part = check_page(page, size, len(rows))
    return {
        "page": page,
        "size": size,
        "total": len(rows),
        "facets": facets(page_data, everything, conditions),
        "orders": orders(page_data),
        "documents": [
            {
                **document_stub(page_data, row),
                "topics": best_topics(page_data, row),
                "excerpt": excerpt(page_data, row),
            }
            for row in map(int, rows[part])
        ],
    }


def some_documents(page_data: PageData, rows: str) -> dict[str, Any]:
    """Return the titles and labels of documents, given as numbers with commas between them."""
    numbers = rows.split(",")
    if len(numbers) > LARGEST_PAGE or not all(ROW.fullmatch(number) for number in numbers):
        raise LaconicError(f"rows must be 1 to {LARGEST_PAGE} numbers of documents, as in 3,14,15.")
    chosen = [check_document(page_data, int(number)) for number in numbers]
    return {"documents": [document_stub(page_data, row) for row in chosen]}


def best_topics(page_data: PageData, row: int) -> list[list[Any]]:
    """Return the topics of a document with the largest shares, each with its share."""
    topics = _topics(page_data, row)[:BEST_TOPICS]
    return [[topic, rounded(share)] for topic, share, _ in topics]


def document(page_data: PageData, row: int, part: int = 0) -> dict[str, Any]:
    """Return a document with its words, topics and keywords; a long text is divided into parts."""
    check_document(page_data, row)
    reader = page_data.reader
    counts = reader.counts([row])
    text = None if page_data.texts is None else page_data.texts[row]
    codes = {} if counts is None else reader.word_codes(row, counts)
    keywords = reader.keywords([row], counts)[0]
    start, stop, parts = _bounds(text or "", part)
    if text and not text.isspace():
        kind, (pieces, words) = "text", _pieces(page_data, text[start:stop], codes, keywords)
    elif counts is not None and counts.nnz:
        kind, (pieces, words) = "words", _counted(page_data, counts, codes, keywords)
    else:
        is_saved = text is not None or counts is not None
        kind, (pieces, words) = "empty" if is_saved else "nothing", ([], [])
    times = {} if counts is None else _times(page_data, counts)
    for word in words:
        word["count"] = times.get(word["word"])  # None for words outside the vocabulary
    topics = _topics(page_data, row)[:MOST_TOPICS]
    return {
        **document_stub(page_data, row),
        "row": row,
        "n_documents": page_data.n_documents,
        "kind": kind,
        "part": part,
        "parts": parts,
        "pieces": pieces,
        "words": words,
        "topics": [
            {
                **topic_stub(page_data, topic),
                "share": rounded(share),
                "weight": rounded(weight),
                "colour": rank if rank < COLOURS else None,
            }
            for rank, (topic, share, weight) in enumerate(topics)
        ],
        "keywords": [[word, rounded(strength), why] for word, strength, why in keywords],
        "code": reader.about_contributions,
    }


def similar_documents(page_data: PageData, row: int) -> dict[str, Any]:
    """Return the documents whose topics are most similar to the topics of a document."""
    check_document(page_data, row)
    try:
        nearest = similar(page_data.model, row, n=SIMILAR)
    except LaconicError as error:  # the document has no topic
        return {"documents": [], "why": str(error)}
    rows = zip(nearest["document"].to_list(), nearest["distance"].to_list(), strict=True)
    return {
        "documents": [
            {**document_stub(page_data, other), "distance": rounded(distance)}
            for other, distance in rows
        ],
        "why": None if len(nearest) else "No other document shares a topic with this document.",
    }


def _topics(page_data: PageData, row: int) -> list[tuple[int, float, float]]:
    """Return the topics of a document with their shares and weights, largest first."""
    assert page_data.documents is not None
    code = page_data.documents.code(row)
    topics, weights = code.indices, code.data.astype(np.float64)
    total = np.abs(weights).sum() or 1.0
    order = np.argsort(-np.abs(weights), kind="stable")
    return [(int(topics[i]), float(weights[i] / total), float(weights[i])) for i in order]


def _bounds(text: str, part: int) -> tuple[int, int, int]:
    """Return the start and end of a part of a text, and the number of parts."""
    parts = max(1, -(-len(text) // PART))
    if not 0 <= part < parts:
        raise NotFoundError(
            f"There is no part {part} of this document; parts are numbered 0 to {parts - 1}."
        )
    return _blank(text, part * PART), _blank(text, (part + 1) * PART), parts


def _blank(text: str, position: int) -> int:
    """Return the position of the first blank from `position` on, so that no word is cut.

    If the next 200 characters have no blank, return `position`.
    """
    if position <= 0 or position >= len(text):
        return min(max(position, 0), len(text))
    blank = text.find(" ", position, position + 200)
    return position if blank < 0 else blank


def _pieces(
    page_data: PageData,
    text: str,
    codes: dict[int, WordCode],
    keywords: list[tuple[str, float, str]],
) -> tuple[Pieces, Described]:
    """Split a text into pieces, and describe the words that are keywords or have topics."""
    reader = page_data.reader
    tokens = reader.tokens(text)
    columns = reader.columns_of(token.word for token in tokens).tolist()
    strengths = strengths_of([token.word for token in tokens], keywords)
    codes_of = [codes.get(column, NO_CODE) for column in columns]
    marked = (
        (token, strength, code)
        for token, strength, code in zip(tokens, strengths, codes_of, strict=True)
        if code.topics or strength is not None
    )
    return in_pieces(text, marked, _word)


def _word(word: str, strength: float | None, code: WordCode) -> dict[str, Any]:
    learned = code.learned
    return {
        "word": word,
        "count": None,
        "topics": [[topic, rounded(share)] for topic, share in code.topics],
        "code": None if learned is None else [[k, rounded(weight)] for k, weight in learned],
        "keyword": None if strength is None else rounded(strength),
    }


def strengths_of(tokens: list[str], keywords: list[tuple[str, float, str]]) -> list[float | None]:
    """Return the strength of each token as a keyword or as a part of a keyphrase."""
    phrases: dict[str, list[tuple[list[str], float]]] = {}
    for keyword, strength, _ in keywords:
        parts = keyword.split(" ")
        phrases.setdefault(parts[0], []).append((parts, rounded(strength)))
    ngrams = [token.split(" ") for token in tokens]
    words = [word for ngram in ngrams for word in ngram]
    owners = [number for number, ngram in enumerate(ngrams) for _ in ngram]
    strengths: list[float | None] = [None] * len(tokens)
    for start, word in enumerate(words):
        for parts, strength in phrases.get(word, ()):
            if words[start : start + len(parts)] == parts:
                for owner in owners[start : start + len(parts)]:
                    strengths[owner] = max(strength, strengths[owner] or 0.0)
    return strengths


def _counted(
    page_data: PageData,
    counts: sp.csr_matrix,
    codes: dict[int, WordCode],
    keywords: list[tuple[str, float, str]],
) -> tuple[Pieces, Described]:
    """Return the words of a document that has no text; the most frequent word is first."""
    strengths = {word: strength for word, strength, _ in keywords}
    order = np.argsort(-counts.data, kind="stable")
    names = page_data.words[counts.indices]
    words = [
        _word(
            str(names[i]), strengths.get(str(names[i])), codes.get(int(counts.indices[i]), NO_CODE)
        )
        for i in order
    ]
    return [(word["word"], number) for number, word in enumerate(words)], words


def _times(page_data: PageData, counts: sp.csr_matrix) -> dict[str, float]:
    """Map each word of a document to its count."""
    names = page_data.words[counts.indices].tolist()
    return dict(zip(names, counts.data.tolist(), strict=True))
