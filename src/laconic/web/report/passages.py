"""The passages of the report: many documents are read at once, and only what a passage needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.text.pieces import Token, in_pieces
from laconic.web.report.excerpts import excerpt, is_key
from laconic.web.report.html import Html
from laconic.web.views.documents import strengths_of

LONGEST = 60_000  # characters of a text that are looked at


class Reading(NamedTuple):
    """A document as far as it does not depend on a topic."""

    row: int
    text: str
    tokens: list[Token]
    columns: list[int]  # of the tokens, -1 for a word that the model does not know
    strengths: list[float | None]  # how strong a keyword each token is
    keywords: dict[str, float]
    counts: sp.csr_matrix | None


class Passages:
    """Passages of some documents, each of which may be asked for several topics.

    Parameters
    ----------
    material : Material
        The model and its documents.
    rows : iterable of int
        The documents.
    """

    def __init__(self, material: Any, rows: Iterable[int]) -> None:
        self._material = material
        wanted = sorted(set(rows))
        counts = material.reader.counts(wanted) if wanted else None
        self._readings = {
            row: _read(material, row, None if counts is None else counts[[place]])
            for place, row in enumerate(wanted)
        }

    def passage(self, row: int, topic: int, words: Collection[str]) -> Html | None:
        """The passage of a document with most of a topic, whose `words` are marked."""
        reading = self._readings[row]
        shares = _shares(self._material, reading, topic, words)
        if reading.text and not reading.text.isspace():
            return excerpt(_marked_text(reading, shares, topic, words), topic, words)
        return excerpt(_counted(self._material, reading, shares, topic), topic, words)


def _read(material: Any, row: int, counts: sp.csr_matrix | None) -> Reading:
    reader = material.reader
    text = ("" if material.texts is None else material.texts[row] or "")[:LONGEST]
    tokens = reader.tokens(text)
    keywords = reader.keywords([row], counts)[0]
    return Reading(
        row,
        text,
        tokens,
        reader.columns.columns(token.word for token in tokens).tolist(),
        strengths_of([token.word for token in tokens], keywords),
        {word: strength for word, strength, _ in keywords},
        counts,
    )


def _shares(
    material: Any, reading: Reading, topic: int, words: Collection[str]
) -> dict[int, float]:
    """By column of each of these words that a document has, the part of the topic in it."""
    if reading.counts is None:
        return {}
    known = material.reader.columns.columns(sorted(words))
    columns = np.intersect1d(known, reading.counts.indices)
    topics, parts, _ = material.reader.parts(reading.row, reading.counts, columns)
    own = parts[np.flatnonzero(topics == topic)].sum(axis=0)
    return dict(zip(columns.tolist(), own.tolist(), strict=True))


def _marked_text(
    reading: Reading, shares: dict[int, float], topic: int, marked: Collection[str]
) -> dict[str, Any]:
    """The text in pieces, of which only marked words and keywords stand alone."""
    found = (
        (token, strength, shares.get(column, 0.0))
        for token, column, strength in zip(
            reading.tokens, reading.columns, reading.strengths, strict=True
        )
        if token.word in marked or is_key(strength)
    )
    pieces, words = in_pieces(
        reading.text,
        found,
        lambda word, strength, share: {
            "word": word, "topics": [(topic, share)], "keyword": strength
        },
    )  # fmt: skip
    return {"kind": "text", "pieces": pieces, "words": words}


def _counted(
    material: Any, reading: Reading, shares: dict[int, float], topic: int
) -> dict[str, Any]:
    """The words of a document without a text."""
    if reading.counts is None:
        return {"kind": "nothing", "words": []}
    columns, times = reading.counts.indices.tolist(), reading.counts.data.tolist()
    words = [
        {
            "word": word,
            "count": count,
            "topics": [(topic, shares.get(column, 0.0))],
            "keyword": reading.keywords.get(word),
        }
        for word, column, count in zip(
            material.words[columns].tolist(), columns, times, strict=True
        )
    ]
    return {"kind": "words", "words": words}
