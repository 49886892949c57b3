"""Passages of documents that show a topic: its words marked, the document's keywords bold.

Many documents are read at once, and only what a passage needs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.text.passages import Token, densest_run, in_pieces
from laconic.web.report.html import Html, h, markup
from laconic.web.views.common import RULE
from laconic.web.views.documents import strengths_of

LONGEST = 60_000  # characters of a text that are looked at
ROOM = 260  # characters of a passage
MOST = 3_000  # pieces of a document that are looked at
COUNTED = 12  # words of a document without a text
DEEP, LEAST = 0.3, 0.05  # share of a word's code that makes a deep mark, and a mark
KEY = 0.25  # strength of a keyword that is bold
BLANKS = re.compile(r"\s+")


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
    material : PageData
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


# --- the part with most of a topic ----------------------------------------------------------------


class Piece(NamedTuple):
    """A run of text, what it is worth for a topic, and whether it is a keyword."""

    text: str
    word: int | None
    worth: float
    keyword: bool


class Run(NamedTuple):
    """A part of a document, from one piece to another, both included; none if that is before."""

    first: int
    last: int


def excerpt(document: dict[str, Any], topic: int, words: Collection[str]) -> Html | None:
    """The passage of a document with most of a topic, from what `views.document` says.

    Parameters
    ----------
    document : dict
        As `laconic.web.views.document` gives it.
    topic : int
        Which topic.
    words : collection of str
        Its words that are marked, as far as they stand for it in the document.

    Returns
    -------
    Html or None
        None for a document that has neither text nor words.
    """
    if document["kind"] == "text":
        pieces = _pieces(document, topic, words)
        return _passage(pieces, best_run(pieces)) if pieces else None
    counted = [word for word in document["words"] if word["count"]]
    if not counted:
        return None
    counted.sort(key=lambda word: (-_worth(word, topic, words), -word["count"], word["word"]))
    return _listed(counted, topic, words)


def _worth(word: dict[str, Any], topic: int, words: Collection[str]) -> float:
    """How much of a word belongs to the topic; nothing where it speaks against it."""
    if word["word"] not in words:
        return 0.0
    share = next((share for number, share in word["topics"] if number == topic), 0.0)
    return share if share >= LEAST else 0.0


def is_key(strength: float | None) -> bool:
    """Whether a keyword is strong enough to be bold."""
    return strength is not None and strength >= KEY


def _pieces(document: dict[str, Any], topic: int, words: Collection[str]) -> list[Piece]:
    """Pieces with single blanks between words, whatever the text has."""
    known = [(_worth(word, topic, words), is_key(word["keyword"])) for word in document["words"]]
    pieces = []
    for text, index in document["pieces"][:MOST]:
        if index is None:
            plain = BLANKS.sub(" ", RULE.sub("—", text))
            pieces.append(Piece(plain, None, 0.0, False))
        else:
            pieces.append(Piece(BLANKS.sub(" ", text), index, *known[index]))
    return pieces


def best_run(pieces: list[Piece]) -> Run:
    """The run of pieces that is worth most, of several the first."""
    ends = [0, *accumulate(len(piece.text) for piece in pieces)]
    places = [i for i, piece in enumerate(pieces) if piece.worth]
    marks = [(ends[i], ends[i + 1], pieces[i].word, pieces[i].worth) for i in places]
    run = densest_run(marks, ROOM)
    return Run(places[run[0]], places[run[1]]) if run else Run(0, -1)


# --- the text around it --------------------------------------------------------------------------


def _passage(pieces: list[Piece], run: Run) -> Html:
    """The passage with room around it, cut where words end."""
    inside = pieces[run.first : run.last + 1]
    spare = max(0, ROOM - sum(len(piece.text) for piece in inside))
    before = "".join(piece.text for piece in pieces[: run.first])
    length = _lead(before, spare // 3)
    cut = bool(before[: len(before) - length].strip())
    rest, more = _trailing(pieces[run.last + 1 :], spare - length)
    shown = [*_leading(pieces[: run.first], length), *map(_marked, inside), *rest]
    return markup(["…" if cut else None, *shown, "…" if more else None])


def _lead(before: str, room: int) -> int:
    """Characters before the passage to show: from the start of a sentence or of a word."""
    if len(before) <= room:
        return len(before.lstrip())
    tail = before[len(before) - room :] if room else ""
    sentence = max(tail.rfind(end) for end in (". ", "? ", "! "))
    if sentence >= 0:
        return len(tail) - sentence - 2
    blank = tail.find(" ")
    return len(tail) - blank - 1 if blank >= 0 else 0


def _leading(pieces: list[Piece], length: int) -> list[Any]:
    """The last characters of the pieces, marked as they are."""
    shown: list[Any] = []
    for piece in reversed(pieces):
        if length <= 0:
            break
        part = piece.text[-length:]
        shown.append(_marked(piece._replace(text=part)))
        length -= len(part)
    return shown[::-1]


def _trailing(pieces: list[Piece], room: int) -> tuple[list[Any], bool]:
    """The first characters of the pieces, up to the end of a word; and whether more follows."""
    shown: list[Any] = []
    for piece in pieces:
        if len(piece.text) > room:
            blank = piece.text.rfind(" ", 0, room + 1) if piece.word is None else -1
            shown.append(piece.text[: max(blank, 0)])
            return shown, True
        shown.append(_marked(piece))
        room -= len(piece.text)
    return shown, False


# --- marks ---------------------------------------------------------------------------------------


def _marked(piece: Piece) -> Any:
    """A piece as it shows: a word of the topic in a mark, a keyword bold."""
    inner: Any = h("b", piece.text) if piece.keyword else piece.text
    if not piece.worth:
        return inner
    return h("mark", inner, class_=None if piece.worth >= DEEP else "light")


def _listed(counted: list[dict[str, Any]], topic: int, words: Collection[str]) -> Html:
    """The words of a document whose text is not known, with how often they occur."""
    parts: list[Any] = []
    for word in counted[:COUNTED]:
        times = f"\u00a0×{word['count']:g}" if word["count"] != 1 else None
        piece = Piece(word["word"], 0, _worth(word, topic, words), is_key(word["keyword"]))
        parts += [" · " if parts else None, _marked(piece), times]
    return markup([*parts, " …" if len(counted) > COUNTED else None])
