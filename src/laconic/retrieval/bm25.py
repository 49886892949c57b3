"""Inverted index of word stems, weighted by BM25.

The weight of a word in a document is::

    ln(1 + (N - df + 1/2) / (df + 1/2)) · tf / (tf + k1 (1 - b + b · length / mean length))

This is the variant that ``bm25s`` calls "lucene"; a test compares the weights with ``bm25s``. The
postings of each word contain counts, from which the weights are computed (``postings.py``). The
score of a document is the sum of the weights of the query's words.

Texts are tokenised with the settings of the corpus, but rare and frequent words are kept; only stop
words are left out. Words are stemmed (Snowball), lower-cased and stripped of accents.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from laconic.corpus.vocabulary import as_objects
from laconic.kernels.spelling import edit_distances
from laconic.retrieval.postings import Postings
from laconic.text.words import Words


class Lexical:
    """Inverted index of a corpus.

    Parameters
    ----------
    postings : Postings
        Documents of each stem.
    stems : ndarray of str
        Stem of each row, in ascending order.
    forms : ndarray of str, or callable
        The most frequent word with each stem, or a function that reads these words on first use.
    words : Words
        Tokeniser and stemmer of texts and queries.

    Examples
    --------
    >>> from laconic import Corpus
    >>> from laconic.retrieval.word_indexer import index_words
    >>> corpus = Corpus([[2, 0, 1], [0, 1, 0]], ["dogs", "cat", "dog"])
    >>> lexical = index_words(corpus, None, "english")
    >>> lexical.stems.tolist(), lexical.forms.tolist()
    (['cat', 'dog'], ['cat', 'dogs'])
    >>> rows = lexical.rows_of(["dog"])
    >>> (lexical.scores(rows) > 0).tolist()
    [True, False]
    """

    def __init__(self, postings: Postings, stems: np.ndarray, forms: Any, words: Words) -> None:
        self.postings = postings
        self.stems = stems
        self._forms = forms
        self.words = words

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_forms": self.forms}  # A function cannot be pickled.

    @property
    def forms(self) -> np.ndarray:
        """The most frequent word with each stem."""
        if callable(self._forms):
            self._forms = self._forms()
        return self._forms

    def rows_of(self, stems: Iterable[str]) -> np.ndarray:
        """Return the row of each stem, or -1 if no document contains the stem."""
        wanted = as_objects(list(stems))
        if not len(self.stems):
            return np.full(len(wanted), -1, dtype=np.int64)
        # The stems are sorted. A dictionary of them would take long to build for a single query.
        rows = np.minimum(np.searchsorted(self.stems, wanted), len(self.stems) - 1)
        return np.where(self.stems[rows] == wanted, rows, -1)

    def look_up(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return the words of a text without stop words, and the rows of their stems (or -1)."""
        words = [word for word in self.words.split(text) if not self.words.is_stop(word)]
        return words, self.rows_of(self.words.stems(words))

    def scores(self, rows: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return the BM25 score of each document (float32); repeated rows count repeatedly.

        The scores are written to `out`, if it is passed.
        """
        scores = np.empty(self.postings.shape[1], np.float32) if out is None else out
        scores.fill(0)
        self.postings.add(rows, scores)
        return scores

    def document(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the stems of a document, as rows of `postings`, and their weights."""
        return self.postings.document(row)

    def rarity(self, rows: np.ndarray) -> np.ndarray:
        """Return the inverse document frequency (idf) of stems."""
        return self.postings.idf(rows)

    def suggest(self, word: str, n: int = 3) -> list[str]:
        """Return up to `n` similarly spelt words, ordered by distance and then by frequency."""
        max_distance = 1 if len(word) < 5 else 2
        letters, ends = self._letters
        distances = edit_distances(_code_points([word]), letters, ends, max_distance)
        rows = np.flatnonzero(distances <= max_distance)
        frequency = self.postings.frequency(rows)
        other_start = np.array([not form.startswith(word[:1]) for form in self.forms[rows]], bool)
        order = np.lexsort((rows, -frequency, other_start, distances[rows]))
        return [str(self.forms[row]) for row in rows[order[:n]]]

    @cached_property
    def _letters(self) -> tuple[np.ndarray, np.ndarray]:
        ends = np.cumsum([len(form) for form in self.forms], dtype=np.int64)
        return _code_points(self.forms), ends


def _code_points(words: Iterable[str]) -> np.ndarray:
    return np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
