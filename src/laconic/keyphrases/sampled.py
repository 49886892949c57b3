"""What sets a document apart from the others, for pages that show a few documents at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.keyphrases.keywords import Finder, Keyword, keywords, make_finder
from laconic.text.vectorizer import Vectorizer

BACKGROUND = 20_000  # documents that keywords are set against, spread over all
KEYWORDS = 8

Strong = tuple[str, float, str]  # a keyword, its strength from 0 to 1, and what speaks for it


class DocumentKeywords:
    """Keywords of texts, each set against the others.

    Parameters
    ----------
    texts : sequence of str or None
    settings : dict
        How words are counted: settings of a `Vectorizer`.

    Examples
    --------
    >>> texts = ["A cat sleeps and a cat purrs.", "The dog barks at a cat.", None]
    >>> found = DocumentKeywords(texts, {"stop_words": "english"}).of([1, 2])
    >>> [[word for word, _, _ in few] for few in found]
    [['dog', 'barks', 'cat'], []]
    """

    def __init__(self, texts: Sequence[str | None], settings: dict[str, Any]) -> None:
        self._texts = texts
        self._settings = settings
        self._lock = threading.Lock()
        self._finder: Finder | None = None

    def of(self, rows: Sequence[int]) -> list[list[Strong]]:
        """Keywords of each of these documents, the best first."""
        finder = self._others
        if finder is None:
            return [[] for _ in rows]
        places = np.searchsorted(self._spread, rows).tolist()
        known = {
            row: place
            for row, place in zip(rows, places, strict=True)
            if place < len(self._spread) and self._spread[place] == row
        }
        found = self._of_new([row for row in rows if row not in known], finder)
        if known:
            best = finder.pick(list(known.values())).best(0, len(known), KEYWORDS)
            found |= dict(zip(known, best, strict=True))
        return [
            by_strength([(word.word, word.score, word.why()) for word in found[row]])
            for row in rows
        ]

    def _of_new(self, rows: list[int], finder: Finder) -> dict[int, list[Keyword]]:
        """Keywords of documents that are none of those that they are set against."""
        counted = self._count(rows)
        if counted is None:
            return {row: [] for row in rows}
        found = keywords(counted, KEYWORDS, background=finder.background)
        return dict(zip(rows, found, strict=True))

    @cached_property
    def _spread(self) -> np.ndarray:
        """The documents that keywords are set against: all of them, or many spread over all."""
        n = len(self._texts)
        return np.unique(np.linspace(0, n - 1, min(n, BACKGROUND)).astype(int))

    @property
    def _others(self) -> Finder | None:
        """What is known of those documents."""
        with self._lock:
            if self._finder is None:
                counted = self._count(self._spread.tolist())
                self._finder = None if counted is None else make_finder(counted)
            return self._finder

    def _count(self, rows: list[int]) -> Corpus | None:
        """Texts with all their words, rare ones too; None where they have none."""
        if not rows:
            return None
        texts = [self._texts[row] or "" for row in rows]
        wide = {"min_df": 1, "max_df": 1.0, "max_features": None, "vocabulary": None, "n_jobs": 1}
        settings = {**self._settings, **wide, "ngram_range": (1, 1)}
        try:
            counted: Corpus = Vectorizer(**settings).fit_transform(texts)
        except LaconicError:
            return None
        return counted.replace(texts=texts)


def by_strength(found: list[Strong]) -> list[Strong]:
    """Keywords with their scores as parts of the largest."""
    strongest = max((score for _, score, _ in found), default=0.0)
    return [(word, score / strongest, why) for word, score, why in found if score > 0]
