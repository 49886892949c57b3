"""Phrases: pairs of adjacent words that occur together much more often than by chance.

A phrase such as "new york" becomes a word of the vocabulary and replaces its two words: the
occurrences of the phrase are subtracted from the counts of "new" and "york".
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

MIN_DOCUMENTS = 3
"""Minimum number of documents that contain a phrase."""

MIN_NPMI = 0.5
"""Minimum normalised pointwise mutual information of the two words of a phrase."""


def choose_phrases(
    words: np.ndarray, frequency: np.ndarray, totals: np.ndarray, min_documents: float
) -> np.ndarray:
    """Return the positions of the pairs of words that are phrases.

    `words` are single words and pairs of adjacent words, which are spelled with a space.
    `frequency` is the number of documents that contain them, and `totals` are their counts.

    Examples
    --------
    >>> words = np.array(["new", "york", "old", "new york", "old york"], dtype=object)
    >>> choose_phrases(words, np.array([3, 3, 4, 3, 1]), np.array([7, 7, 13, 6, 1]), 1).tolist()
    [3]
    """
    totals = totals.astype(np.float64)
    is_pair = np.fromiter((" " in word for word in words), bool, len(words))
    is_frequent = frequency >= fewest_documents(min_documents)
    candidates = np.flatnonzero(is_pair & is_frequent)
    candidates = candidates[[_can_be_phrase(*words[pair].split(" ", 1)) for pair in candidates]]
    parts = _parts(words, candidates)
    candidates, parts = candidates[(parts >= 0).all(axis=1)], parts[(parts >= 0).all(axis=1)]
    n_tokens = totals[~is_pair].sum()
    share = totals[candidates] / n_tokens
    expected = totals[parts].prod(axis=1) / n_tokens**2
    npmi = np.log(share / expected) / -np.log(np.minimum(share, 0.5))
    return candidates[npmi >= MIN_NPMI]


def fewest_documents(min_documents: float) -> float:
    """Return the number of documents that must contain a phrase."""
    return max(2 * min_documents, MIN_DOCUMENTS)


def _can_be_phrase(first: str, second: str) -> bool:
    """Return whether two words are different and have only letters."""
    return first != second and first.isalpha() and second.isalpha()


class PhraseSubtraction:
    """Subtracts the occurrences of each phrase from the counts of its words.

    Examples
    --------
    >>> subtract = PhraseSubtraction(np.array(["new", "new york", "york"], dtype=object))
    >>> subtract(sp.csr_matrix([[3, 2, 2], [1, 0, 1]])).toarray().tolist()
    [[1, 2, 0], [1, 0, 1]]
    """

    def __init__(self, words: np.ndarray) -> None:
        phrases = np.flatnonzero(np.fromiter((" " in word for word in words), bool, len(words)))
        parts = _parts(words, phrases)
        rows, sides = np.nonzero(parts >= 0)
        self._any = bool(len(phrases))
        self._inside = sp.csr_matrix(
            (np.ones(len(rows), np.int32), (phrases[rows], parts[rows, sides])),
            shape=(len(words), len(words)),
        )

    def __call__(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        if not self._any:
            return counts
        counts = (counts - counts @ self._inside.astype(counts.dtype)).tocsr()
        # Phrases that overlap, as in "new york times", may be subtracted twice from the shared
        # word.
        counts.data = np.maximum(counts.data, 0)
        counts.eliminate_zeros()
        counts.sort_indices()
        return counts


def _parts(words: np.ndarray, phrases: np.ndarray) -> np.ndarray:
    """Return the columns of the two words of each phrase, or -1 for a word without a column."""
    pairs = [words[phrase].split(" ", 1) for phrase in phrases]
    column = dict.fromkeys((part for pair in pairs for part in pair), -1)
    column.update((word, i) for i, word in enumerate(words) if word in column)
    return np.array([[column[part] for part in pair] for pair in pairs], np.int64).reshape(-1, 2)
