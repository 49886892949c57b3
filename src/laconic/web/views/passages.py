"""Passages of documents in which a topic is strong, and folding of passages that say the same."""

from __future__ import annotations

import re
from typing import Any

from laconic.text.passages import Token, cut_around, on_one_line
from laconic.web.page_data import SHOWN_WORDS, PageData
from laconic.web.views.common import RULE, passage

LONGEST = 60_000  # maximum number of characters of a text that are searched for a passage
RUN = 3  # number of consecutive words that are compared
SAME = 0.6  # minimum share of common runs of words of two passages that are folded into one
WORD = re.compile(r"\w+")
Pieces = list[tuple[str, str]]


class TopicPassages:
    """Find the passages of documents that contain the most words of a topic, and mark the words.

    Only the `SHOWN_WORDS` strongest words with a positive weight are marked.
    """

    def __init__(self, page_data: PageData, topic: int) -> None:
        self._page_data = page_data
        words = [(word, w) for word, w in page_data.top_words(topic, SHOWN_WORDS) if w > 0]
        columns = page_data.reader.columns_of(word for word, _ in words).tolist()
        self._words = {
            column: word for column, (word, _) in zip(columns, words, strict=True) if column >= 0
        }
        self._weights = dict(words)

    def of(self, row: int) -> Pieces | None:
        """Return the pieces of a passage, or None if the text has no word of the topic."""
        texts = self._page_data.texts
        text = None if texts is None else texts[row]
        if not text:
            return None
        text = on_one_line(RULE.sub(" ", text[:LONGEST]))
        reader = self._page_data.reader
        tokens = reader.tokens(text)
        columns = reader.columns_of(token.word for token in tokens).tolist()
        marked = [
            Token(token.start, token.stop, self._words[column])
            for token, column in zip(tokens, columns, strict=True)
            if column in self._words
        ]
        if not marked:
            return None
        return passage(cut_around(text, marked, self._weights).pieces())


def fold_same(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fold entries whose passages say the same as the passage of an earlier entry.

    Each entry has "pieces" (or None) and gets a list "same" of the entries that are folded into
    it, without their passages. Two passages say the same if they have at least `SAME` of their
    runs of `RUN` words in common; numbers are ignored.

    Examples
    --------
    >>> a, b = {"id": "a", "pieces": [("one cat", "")]}, {"id": "b", "pieces": [("One cat.", "")]}
    >>> fold_same([a, b])
    [{'id': 'a', 'pieces': [('one cat', '')], 'same': [{'id': 'b'}]}]
    """
    kept: list[tuple[dict[str, Any], set[tuple[str, ...]]]] = []
    for entry in entries:
        runs = _runs(entry["pieces"])
        same = next((first for first, other in kept if _are_same(runs, other)), None)
        if same is None:
            kept.append(({**entry, "same": []}, runs))
        else:
            same["same"].append({key: entry[key] for key in entry if key != "pieces"})
    return [entry for entry, _ in kept]


def say_same(pieces: Pieces, other: Pieces) -> bool:
    """Tell whether two passages say the same; see `fold_same`."""
    return _are_same(_runs(pieces), _runs(other))


def _runs(pieces: Pieces | None) -> set[tuple[str, ...]]:
    text = "".join(text for text, _ in pieces or ()).lower()
    words = [word for word in WORD.findall(text) if not word.isdigit()]
    return {tuple(words[i : i + RUN]) for i in range(max(1, len(words) - RUN + 1)) if words}


def _are_same(runs: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> bool:
    return bool(runs) and len(runs & other) >= SAME * len(runs | other)
