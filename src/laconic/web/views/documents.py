"""What a document is about and why: its text word by word, its topics, its like."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted.similar_documents import similar
from laconic.text.passages import Described, Pieces, in_pieces
from laconic.web.document_text import WordCode
from laconic.web.page_data import PageData
from laconic.web.views.common import (
    Missing,
    check_document,
    check_page,
    document_stub,
    excerpt,
    rounded,
    topic_stub,
)

PART = 60_000  # characters of a text that are sent at a time
COLOURS = 7
MOST_TOPICS = 30
BEST_TOPICS = 3  # of a document in a list
SIMILAR = 8
LABELS = 200
NO_CODE = WordCode([])


def documents(material: PageData, page: int, size: int, label: str | None = None) -> dict[str, Any]:
    """A page of all documents, or of those with a label."""
    if material.documents is None:
        raise Missing("No documents are kept with this model; name them with --corpus.")
    rows: Any = range(len(material.documents))
    if label is not None:
        if label not in material.labels:
            raise Missing(f"No document has the label {label[:50]!r}.")
        rows = material.labels[label].tolist()
    part = check_page(page, size, len(rows))
    return {
        "page": page,
        "size": size,
        "total": len(rows),
        "labels": [(name, len(own)) for name, own in islice(material.labels.items(), LABELS)],
        "documents": [
            {
                **document_stub(material, row),
                "topics": [[topic, rounded(share)] for topic, share, _ in _topics(material, row)][
                    :BEST_TOPICS
                ],
                "excerpt": excerpt(material, row),
            }
            for row in rows[part]
        ],
    }


def document(material: PageData, row: int, part: int = 0) -> dict[str, Any]:
    """A document word by word, with its topics and keywords; long texts come in parts."""
    check_document(material, row)
    reader = material.reader
    counts = reader.counts([row])
    text = None if material.texts is None else material.texts[row]
    codes = {} if counts is None else reader.word_codes(row, counts)
    keywords = reader.keywords([row], counts)[0]
    start, stop, parts = _bounds(text or "", part)
    if text and not text.isspace():
        kind, (pieces, words) = "text", _pieces(material, text[start:stop], codes, keywords)
    elif counts is not None and counts.nnz:
        kind, (pieces, words) = "words", _counted(material, counts, codes, keywords)
    else:
        known = text is not None or counts is not None
        kind, (pieces, words) = "empty" if known else "nothing", ([], [])
    times = {} if counts is None else _times(material, counts)
    for word in words:
        word["count"] = times.get(word["word"])  # none where the model does not know the word
    topics = _topics(material, row)[:MOST_TOPICS]
    return {
        **document_stub(material, row),
        "row": row,
        "n_documents": material.n_documents,
        "kind": kind,
        "part": part,
        "parts": parts,
        "pieces": pieces,
        "words": words,
        "topics": [
            {
                **topic_stub(material, topic),
                "share": rounded(share),
                "weight": rounded(weight),
                "colour": place if place < COLOURS else None,
            }
            for place, (topic, share, weight) in enumerate(topics)
        ],
        "keywords": [[word, rounded(strength), why] for word, strength, why in keywords],
        "code": reader.about_codes,
    }


def similar_documents(material: PageData, row: int) -> dict[str, Any]:
    """The documents whose topics are nearest."""
    check_document(material, row)
    try:
        found = similar(material.model, row, n=SIMILAR)
    except LaconicError as error:  # it has no topic
        return {"documents": [], "why": str(error)}
    rows = zip(found["document"].to_list(), found["distance"].to_list(), strict=True)
    return {
        "documents": [
            {**document_stub(material, other), "distance": rounded(distance)}
            for other, distance in rows
        ],
        "why": None if len(found) else "No other document has a topic in common with it.",
    }


def _topics(material: PageData, row: int) -> list[tuple[int, float, float]]:
    """Topics of a document with their shares and weights, the largest first."""
    assert material.documents is not None
    codes = material.documents.codes
    part = slice(codes.indptr[row], codes.indptr[row + 1])
    topics, weights = codes.indices[part], codes.data[part].astype(np.float64)
    total = np.abs(weights).sum() or 1.0
    order = np.argsort(-np.abs(weights), kind="stable")
    return [(int(topics[i]), float(weights[i] / total), float(weights[i])) for i in order]


def _bounds(text: str, part: int) -> tuple[int, int, int]:
    """Where a part of a text begins and ends, and how many there are."""
    parts = max(1, -(-len(text) // PART))
    if not 0 <= part < parts:
        raise Missing(f"There is no part {part} of this document; it has {parts}.")
    return _blank(text, part * PART), _blank(text, (part + 1) * PART), parts


def _blank(text: str, place: int) -> int:
    """The first blank from a place on, so that no word is cut; far away it is given up."""
    if place <= 0 or place >= len(text):
        return min(max(place, 0), len(text))
    found = text.find(" ", place, place + 200)
    return place if found < 0 else found


def _pieces(
    material: PageData,
    text: str,
    codes: dict[int, WordCode],
    keywords: list[tuple[str, float, str]],
) -> tuple[Pieces, Described]:
    """The text in pieces, each with the number of its word where there is more to say of it."""
    reader = material.reader
    tokens = reader.tokens(text)
    columns = reader.columns.columns(token.word for token in tokens).tolist()
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
    """How strong a keyword each token is, alone or as a part of a phrase."""
    phrases: dict[str, list[tuple[list[str], float]]] = {}
    for keyword, strength, _ in keywords:
        parts = keyword.split(" ")
        phrases.setdefault(parts[0], []).append((parts, rounded(strength)))
    runs = [token.split(" ") for token in tokens]  # of several words where the model counts those
    words = [word for run in runs for word in run]
    owners = [place for place, run in enumerate(runs) for _ in run]
    found: list[float | None] = [None] * len(tokens)
    for place, word in enumerate(words):
        for parts, strength in phrases.get(word, ()):
            if words[place : place + len(parts)] == parts:
                for owner in owners[place : place + len(parts)]:
                    found[owner] = max(strength, found[owner] or 0.0)
    return found


def _counted(
    material: PageData,
    counts: sp.csr_matrix,
    codes: dict[int, WordCode],
    keywords: list[tuple[str, float, str]],
) -> tuple[Pieces, Described]:
    """The counted words of a document without a text, the most frequent first."""
    strengths = {word: strength for word, strength, _ in keywords}
    order = np.argsort(-counts.data, kind="stable")
    names = material.words[counts.indices]
    words = [
        _word(
            str(names[i]), strengths.get(str(names[i])), codes.get(int(counts.indices[i]), NO_CODE)
        )
        for i in order
    ]
    return [(word["word"], number) for number, word in enumerate(words)], words


def _times(material: PageData, counts: sp.csr_matrix) -> dict[str, float]:
    """How often each word of a document occurs in it."""
    names = material.words[counts.indices].tolist()
    return dict(zip(names, counts.data.tolist(), strict=True))
