"""Keywords of a few documents at a time, compared with a sample of all documents."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.keyphrases.keyword import Keyword
from laconic.keyphrases.keywords import ROWS, Finder, Part, analyse, keywords
from laconic.text.vectorizer import Vectorizer

# maximum number of documents with which a document is compared; these are evenly spaced
BACKGROUND = 20_000
KEYWORDS = 8

Strong = tuple[str, float, str]  # keyword, strength (0 to 1), and evidence as text


class DocumentKeywords:
    """Keywords of texts; each text is compared with the other texts.

    Parameters
    ----------
    texts : sequence of str or None
    settings : dict
        Settings of the `Vectorizer` that counts the words.

    Examples
    --------
    >>> texts = ["A cat sleeps and a cat purrs.", "The dog barks at a cat.", None]
    >>> lists = DocumentKeywords(texts, {"stop_words": "english"}).of([1, 2])
    >>> [[word for word, _, _ in document] for document in lists]
    [['dog', 'barks', 'cat'], []]
    """

    def __init__(self, texts: Sequence[str | None], settings: dict[str, Any]) -> None:
        self._texts = texts
        self._settings = settings
        self._lock = threading.Lock()
        self._analysed: tuple[Finder, list[Part]] | None = None

    def of(self, rows: Sequence[int]) -> list[list[Strong]]:
        """Return the keywords of each document in `rows`, best first."""
        analysed = self._sample_analysis
        if analysed is None:
            return [[] for _ in rows]
        finder, parts = analysed
        positions = np.searchsorted(self._sample, rows).tolist()
        sampled = {
            row: position
            for row, position in zip(rows, positions, strict=True)
            if position < len(self._sample) and self._sample[position] == row
        }
        best = self._of_new([row for row in rows if row not in sampled], finder)
        for row, position in sampled.items():
            part = parts[position // ROWS].pick([position % ROWS])
            [best[row]] = finder.best(part, KEYWORDS)
        return [
            by_strength([(word.word, word.score, word.why()) for word in best[row]]) for row in rows
        ]

    def _of_new(self, rows: list[int], finder: Finder) -> dict[int, list[Keyword]]:
        """Return the keywords of documents outside the sample."""
        counted = self._count(rows)
        if counted is None:
            return {row: [] for row in rows}
        lists = keywords(counted, KEYWORDS, background=finder.background)
        return dict(zip(rows, lists, strict=True))

    @cached_property
    def _sample(self) -> np.ndarray:
        """Rows of the documents to compare with: all, or `BACKGROUND` evenly spaced documents."""
        n = len(self._texts)
        return np.unique(np.linspace(0, n - 1, min(n, BACKGROUND)).astype(int))

    @property
    def _sample_analysis(self) -> tuple[Finder, list[Part]] | None:
        """The finder and the documents of the sample, analysed on first use."""
        with self._lock:
            if self._analysed is None:
                counted = self._count(self._sample.tolist())
                if counted is not None:
                    analysis = analyse(counted)
                    self._analysed = analysis.finder, list(analysis.parts())
            return self._analysed

    def _count(self, rows: list[int]) -> Corpus | None:
        """Count all words of texts, including rare words; return None if there are no words."""
        if not rows:
            return None
        texts = [self._texts[row] or "" for row in rows]
        all_words = {
            "min_df": 1,
            "max_df": 1.0,
            "max_features": None,
            "lemmatizer": None,
            "phrases": False,
            "vocabulary": None,
            "n_jobs": 1,
        }
        settings = {**self._settings, **all_words, "ngram_range": (1, 1)}
        try:
            counted: Corpus = Vectorizer(**settings).fit_transform(texts)
        except LaconicError:
            return None
        return counted.replace(texts=texts)


def by_strength(scored: list[Strong]) -> list[Strong]:
    """Divide the scores of keywords by the largest score, and drop keywords with score 0."""
    strongest = max((score for _, score, _ in scored), default=0.0)
    return [(word, score / strongest, why) for word, score, why in scored if score > 0]
