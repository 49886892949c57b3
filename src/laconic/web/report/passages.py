"""Passages of documents, with the words of a topic marked and keywords in bold.

Documents are tokenised in batches. Documents that are shown without a passage are not tokenised.
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

LONGEST = 60_000  # maximum number of characters of a text that are searched for a passage
ROOM = 260  # maximum number of characters of a passage
MOST = 3_000  # maximum number of pieces of a document that are searched for a passage
COUNTED = 12  # number of words shown for a document without a text
# A word is marked strongly if the share of the topic in the word is at least DEEP, and lightly if
# the share is at least LEAST.
DEEP, LEAST = 0.3, 0.05
KEY = 0.25  # minimum strength of a keyword that is shown in bold
BLANKS = re.compile(r"\s+")


class Reading(NamedTuple):
    """The parts of a document that do not depend on a topic."""

    row: int
    text: str
    tokens: list[Token]
    columns: list[int]  # column of each token in the vocabulary; -1 for unknown words
    strengths: list[float | None]  # strength of each token as a keyword
    keywords: dict[str, float]
    counts: sp.csr_matrix | None


class Passages:
    """Find passages in a set of documents for any topic.

    Parameters
    ----------
    page_data : PageData
        The model and its documents.
    rows : iterable of int
        The rows of the documents.
    """

    def __init__(self, page_data: Any, rows: Iterable[int]) -> None:
        self._page_data = page_data
        unique = sorted(set(rows))
        counts = page_data.reader.counts(unique) if unique else None
        self._readings = {
            row: _read(page_data, row, None if counts is None else counts[[i]])
            for i, row in enumerate(unique)
        }

    def passage(self, row: int, topic: int, words: Collection[str]) -> Html | None:
        """Return the passage in which a topic is strongest in a document, with `words` marked."""
        reading = self._readings[row]
        shares = _shares(self._page_data, reading, topic, words)
        if reading.text and not reading.text.isspace():
            return excerpt(_marked_text(reading, shares, topic, words), topic, words)
        return excerpt(_counted(self._page_data, reading, shares, topic), topic, words)


def _read(page_data: Any, row: int, counts: sp.csr_matrix | None) -> Reading:
    reader = page_data.reader
    text = ("" if page_data.texts is None else page_data.texts[row] or "")[:LONGEST]
    tokens = reader.tokens(text)
    keywords = reader.keywords([row], counts)[0]
    return Reading(
        row,
        text,
        tokens,
        reader.columns_of(token.word for token in tokens).tolist(),
        strengths_of([token.word for token in tokens], keywords),
        {word: strength for word, strength, _ in keywords},
        counts,
    )


def _shares(
    page_data: Any, reading: Reading, topic: int, words: Collection[str]
) -> dict[int, float]:
    """Map the column of each of the given words of a document to the topic's share in the word."""
    if reading.counts is None:
        return {}
    vocabulary = page_data.reader.columns_of(sorted(words))
    columns = np.intersect1d(vocabulary, reading.counts.indices)
    topics, parts, _ = page_data.reader.parts(reading.row, reading.counts, columns)
    shares = parts[np.flatnonzero(topics == topic)].sum(axis=0)
    return dict(zip(columns.tolist(), shares.tolist(), strict=True))


def _marked_text(
    reading: Reading, shares: dict[int, float], topic: int, marked: Collection[str]
) -> dict[str, Any]:
    """Split the text into pieces; each marked word and each keyword is a separate piece."""
    tokens = (
        (token, strength, shares.get(column, 0.0))
        for token, column, strength in zip(
            reading.tokens, reading.columns, reading.strengths, strict=True
        )
        if token.word in marked or is_key(strength)
    )
    pieces, words = in_pieces(
        reading.text,
        tokens,
        lambda word, strength, share: {
            "word": word, "topics": [(topic, share)], "keyword": strength
        },
    )  # fmt: skip
    return {"kind": "text", "pieces": pieces, "words": words}


def _counted(
    page_data: Any, reading: Reading, shares: dict[int, float], topic: int
) -> dict[str, Any]:
    """Return the counted words of a document that has no text."""
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
            page_data.words[columns].tolist(), columns, times, strict=True
        )
    ]
    return {"kind": "words", "words": words}


# --- the passage in which a topic is strongest ----------------------------------------------------


class Piece(NamedTuple):
    """A piece of text, its score for a topic, and whether it is a keyword."""

    text: str
    word: int | None
    worth: float
    keyword: bool


class Run(NamedTuple):
    """The range of pieces from `first` to `last`, inclusive; empty if `last` < `first`."""

    first: int
    last: int


def excerpt(document: dict[str, Any], topic: int, words: Collection[str]) -> Html | None:
    """Return the passage of a document in which a topic is strongest.

    Parameters
    ----------
    document : dict
        A result of `laconic.web.views.document`.
    topic : int
        The number of the topic.
    words : collection of str
        The words to mark, if the topic contributes to them in the document.

    Returns
    -------
    Html or None
        None for a document that has neither a text nor words.
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
    """Return the share of the topic in a word; 0 if the share is less than `LEAST`."""
    if word["word"] not in words:
        return 0.0
    share = next((share for number, share in word["topics"] if number == topic), 0.0)
    return share if share >= LEAST else 0.0


def is_key(strength: float | None) -> bool:
    """Tell whether a keyword is strong enough to be bold."""
    return strength is not None and strength >= KEY


def _pieces(document: dict[str, Any], topic: int, words: Collection[str]) -> list[Piece]:
    """Return the pieces of a document, with white space reduced to single blanks."""
    marks = [(_worth(word, topic, words), is_key(word["keyword"])) for word in document["words"]]
    pieces = []
    for text, index in document["pieces"][:MOST]:
        if index is None:
            plain = BLANKS.sub(" ", RULE.sub("—", text))
            pieces.append(Piece(plain, None, 0.0, False))
        else:
            pieces.append(Piece(BLANKS.sub(" ", text), index, *marks[index]))
    return pieces


def best_run(pieces: list[Piece]) -> Run:
    """Return the first run of pieces that has the highest score."""
    ends = [0, *accumulate(len(piece.text) for piece in pieces)]
    scored = [i for i, piece in enumerate(pieces) if piece.worth]
    marks = [(ends[i], ends[i + 1], pieces[i].word, pieces[i].worth) for i in scored]
    run = densest_run(marks, ROOM)
    return Run(scored[run[0]], scored[run[1]]) if run else Run(0, -1)


# --- the text around the run ----------------------------------------------------------------------


def _passage(pieces: list[Piece], run: Run) -> Html:
    """Return the run and the text around it, at most `ROOM` characters, cut between words."""
    inside = pieces[run.first : run.last + 1]
    room = max(0, ROOM - sum(len(piece.text) for piece in inside))
    before = "".join(piece.text for piece in pieces[: run.first])
    length = _lead(before, room // 3)
    is_cut = bool(before[: len(before) - length].strip())
    rest, more = _trailing(pieces[run.last + 1 :], room - length)
    nodes = [*_leading(pieces[: run.first], length), *map(_marked, inside), *rest]
    return markup(["…" if is_cut else None, *nodes, "…" if more else None])


def _lead(before: str, room: int) -> int:
    """Return how many characters to show before the run, starting at a sentence or a word."""
    if len(before) <= room:
        return len(before.lstrip())
    tail = before[len(before) - room :] if room else ""
    sentence = max(tail.rfind(end) for end in (". ", "? ", "! "))
    if sentence >= 0:
        return len(tail) - sentence - 2
    blank = tail.find(" ")
    return len(tail) - blank - 1 if blank >= 0 else 0


def _leading(pieces: list[Piece], length: int) -> list[Any]:
    """Return the last `length` characters of the pieces, with markup."""
    nodes: list[Any] = []
    for piece in reversed(pieces):
        if length <= 0:
            break
        part = piece.text[-length:]
        nodes.append(_marked(piece._replace(text=part)))
        length -= len(part)
    return nodes[::-1]


def _trailing(pieces: list[Piece], room: int) -> tuple[list[Any], bool]:
    """Return the first `room` characters, cut between words, and whether more text follows."""
    nodes: list[Any] = []
    for piece in pieces:
        if len(piece.text) > room:
            blank = piece.text.rfind(" ", 0, room + 1) if piece.word is None else -1
            nodes.append(piece.text[: max(blank, 0)])
            return nodes, True
        nodes.append(_marked(piece))
        room -= len(piece.text)
    return nodes, False


# --- marks ---------------------------------------------------------------------------------------


def _marked(piece: Piece) -> Any:
    """Return a piece with its markup: words of the topic in <mark>, keywords in bold."""
    inner: Any = h("b", piece.text) if piece.keyword else piece.text
    if not piece.worth:
        return inner
    return h("mark", inner, class_=None if piece.worth >= DEEP else "light")


def _listed(counted: list[dict[str, Any]], topic: int, words: Collection[str]) -> Html:
    """List the words and counts of a document that has no text."""
    parts: list[Any] = []
    for word in counted[:COUNTED]:
        times = f"\u00a0×{word['count']:g}" if word["count"] != 1 else None
        piece = Piece(word["word"], 0, _worth(word, topic, words), is_key(word["keyword"]))
        parts += [" · " if parts else None, _marked(piece), times]
    return markup([*parts, " …" if len(counted) > COUNTED else None])
