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


def choose_phrases(words: np.ndarray, counts: sp.csr_matrix, min_documents: float) -> np.ndarray:
    """Return the columns of the pairs of words that are phrases.

    `counts` contains single words and all pairs of adjacent words, which are spelled with a space.

    Examples
    --------
    >>> words = np.array(["new", "york", "old", "new york", "old york"], dtype=object)
    >>> counts = sp.csr_matrix([[3, 2, 1, 2, 0], [2, 2, 2, 2, 0], [2, 3, 1, 2, 1], [0, 0, 9, 0, 0]])
    >>> choose_phrases(words, counts, 1).tolist()
    [3]
    """
    frequency = np.bincount(counts.indices, minlength=len(words))
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    is_pair = np.fromiter((" " in word for word in words), bool, len(words))
    is_frequent = frequency >= max(2 * min_documents, MIN_DOCUMENTS)
    candidates = np.flatnonzero(is_pair & is_frequent)
    candidates = candidates[[_can_be_phrase(*words[pair].split(" ", 1)) for pair in candidates]]
    parts = _parts(words, candidates)
    candidates, parts = candidates[(parts >= 0).all(axis=1)], parts[(parts >= 0).all(axis=1)]
    n_tokens = totals[~is_pair].sum()
    share = totals[candidates] / n_tokens
    expected = totals[parts].prod(axis=1) / n_tokens**2
    npmi = np.log(share / expected) / -np.log(np.minimum(share, 0.5))
    return candidates[npmi >= MIN_NPMI]


def _can_be_phrase(first: str, second: str) -> bool:
    """Return whether two words are different and have only letters."""
    return first != second and first.isalpha() and second.isalpha()


def subtract_phrases(words: np.ndarray, counts: sp.csr_matrix) -> sp.csr_matrix:
    """Subtract the occurrences of each phrase from the counts of its words.

    Examples
    --------
    >>> words = np.array(["new", "new york", "york"], dtype=object)
    >>> subtract_phrases(words, sp.csr_matrix([[3, 2, 2], [1, 0, 1]])).toarray().tolist()
    [[1, 2, 0], [1, 0, 1]]
    """
    phrases = np.flatnonzero(np.fromiter((" " in word for word in words), bool, len(words)))
    if not len(phrases):
        return counts
    parts = _parts(words, phrases)
    rows, sides = np.nonzero(parts >= 0)
    inside = sp.csr_matrix(
        (np.ones(len(rows), counts.dtype), (phrases[rows], parts[rows, sides])),
        shape=(len(words), len(words)),
    )
    counts = (counts - counts @ inside).tocsr()
    # Phrases that overlap, as in "new york times", may be subtracted twice from the shared word.
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
