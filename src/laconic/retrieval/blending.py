"""How the words and the background of a search are joined into one score.

Both scores of a query are divided by their standard deviation over all documents, so that each
says how far a document stands out, and are added, the background times a weight. The weight is
learned from the documents alone: a few words of some documents are taken as queries, and the more
the best documents by words and by background agree, the more the background counts. A background
that has lost what the words say (few topics for many short documents) thus gets out of the way.

Afterwards the code of the query may be drawn towards the best documents (`feedback`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.kernels.postings import best_rows

# Measured on seven collections, none of which chose its own: see benchmarks/retrieval.py.
STRENGTH = 20.0  # weight of the background where it agrees with the words altogether
DRAWS = 200
WORDS = 10  # of a made-up query
FEWEST_WORDS = 3
BEST = 10  # documents that are compared, or a hundredth of them where that is less
TYPICAL, CERTAINTY = 0.25, 10  # agreement before anything is drawn, and its worth in draws
FEEDBACK = 5  # documents; each counts half of the one before it


class Blend(NamedTuple):
    """Scores of all documents for a query, and the two parts that add up to them."""

    score: np.ndarray
    lexical: np.ndarray
    background: np.ndarray


def blend(lexical: np.ndarray, background: np.ndarray, weight: float) -> Blend:
    """Join the scores that the documents have for one query.

    Parameters
    ----------
    lexical : ndarray of shape (n_documents,)
        BM25; 0 without a common word.
    background : ndarray of shape (n_documents,)
        Cosines; 0 for a query or document without a code.
    weight : float
        Of the background; see `background_weight`.

    Returns
    -------
    Blend
        Of float32, in standard deviations.

    Examples
    --------
    >>> found = blend(np.array([4.0, 0.0]), np.array([0.25, 0.75]), weight=0.5)
    >>> found.lexical.tolist(), found.background.tolist(), found.score.tolist()
    ([2.0, 0.0], [0.5, 1.5], [2.5, 1.5])
    """
    words = in_deviations(lexical)
    topics = np.float32(weight) * in_deviations(background)
    return Blend(words + topics, words, topics)


def in_deviations(scores: np.ndarray) -> np.ndarray:
    """Scores over their standard deviation; where all are equal, over that one value.

    Examples
    --------
    >>> in_deviations(np.array([1.0, 3.0])).tolist(), in_deviations(np.array([0.5])).tolist()
    ([1.0, 3.0], [1.0])
    """
    return np.asarray(scores, dtype=np.float32) / np.float32(deviation(scores))


def deviation(scores: np.ndarray) -> float:
    """What `in_deviations` divides by: always above 0.

    Examples
    --------
    >>> deviation(np.array([1.0, 3.0])), deviation(np.array([0.5])), deviation(np.zeros(3))
    (1.0, 0.5, 1.0)
    """
    largest = float(np.abs(scores).max(initial=0))
    spread = float(np.std(scores, dtype=np.float64)) if len(scores) else 0.0
    if spread > 1e-6 * largest:  # else it is rounding
        return spread
    return largest or 1.0


def background_weight(agreed: float) -> float:
    """The weight that a background deserves, by its `agreement` with the words.

    It grows with the square, so that half the agreement is worth a quarter.

    Examples
    --------
    >>> background_weight(0.25)
    1.25
    """
    return STRENGTH * agreed**2


def made_up_queries(
    counts: sp.csr_matrix, n: int = DRAWS, n_words: int = WORDS, seed: int = 0
) -> list[tuple[int, np.ndarray]]:
    """Take a few words of some documents as queries.

    Parameters
    ----------
    counts : csr_matrix of shape (n_documents, n_words)
    n : int, default=200
        Most queries, each of another document.
    n_words : int, default=10
        Most words of a query.
    seed : int, default=0

    Returns
    -------
    list of (int, ndarray)
        Row of the document and columns of its words, drawn as they occur in it: a word that stands
        there twice may be drawn twice. Documents of fewer than three words are passed over.

    Examples
    --------
    >>> counts = sp.csr_matrix([[2, 1, 1], [1, 0, 0]])
    >>> [(row, sorted(columns.tolist())) for row, columns in made_up_queries(counts)]
    [(0, [0, 0, 1, 2])]
    """
    random = np.random.default_rng(seed)
    queries = []
    for row in np.sort(random.permutation(counts.shape[0])[:n]).tolist():
        entries = slice(counts.indptr[row], counts.indptr[row + 1])
        times = np.ceil(counts.data[entries]).astype(np.int64)
        words = np.repeat(counts.indices[entries], times)
        if len(words) >= FEWEST_WORDS:
            queries.append((row, random.permutation(words)[:n_words]))
    return queries


def agreement(draws: Iterable[tuple[int, np.ndarray, np.ndarray]]) -> float:
    """How far the best documents by words and by background are the same ones.

    Parameters
    ----------
    draws : iterable of (int, ndarray, ndarray)
        For each made-up query the row of its document and the lexical and background scores of
        all documents.

    Returns
    -------
    float
        From 0 to 1: the mean share of the ten best by words (the best hundredth of fewer than
        1,000 documents, at least one) that are among as many best by background, the document
        itself left out; less what chance would give, and drawn to 0.25 where queries are few.

    Examples
    --------
    >>> scores = np.array([9.0, 3.0, 2.0, 1.0])
    >>> same, opposite = (0, scores, scores), (0, scores, scores[::-1])
    >>> agreement([]), agreement([same] * 90), agreement([opposite] * 90)
    (0.25, 0.925, 0.0)
    """
    shares = [share for draw in draws if (share := _share(*draw)) is not None]
    mean = (sum(shares) + CERTAINTY * TYPICAL) / (len(shares) + CERTAINTY)
    return max(mean, 0.0)


def _share(row: int, lexical: np.ndarray, background: np.ndarray) -> float | None:
    """Share of the best that are the same, 0 as by chance; None where there is nothing to tell."""
    others = len(lexical) - 1
    n = min(max(len(lexical) // 100, 1), BEST)
    by_words = _best(lexical, row, n)
    if others < 2 or not len(by_words):
        return None
    same = len(np.intersect1d(by_words, _best(background, row, n))) / len(by_words)
    chance = n / others
    return (same - chance) / (1 - chance)


def _best(scores: np.ndarray, leave_out: int, n: int) -> np.ndarray:
    scores = np.array(scores, dtype=np.float32)
    scores[leave_out] = 0
    return best_rows(scores, n)


def feedback(code: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Draw the code of a query towards those of the documents found for it.

    Parameters
    ----------
    code : ndarray of shape (n_topics,)
    best : ndarray of shape (n, n_topics)
        Codes of the best documents, the best first; each counts half of the one before it.

    Returns
    -------
    ndarray of shape (n_topics,)
        Halfway, by angle, between the query and the documents.

    Examples
    --------
    >>> feedback(np.array([2.0, 0.0]), np.array([[0.0, 1.0]])).tolist()
    [1.0, 1.0]
    """
    shares = 0.5 ** np.arange(len(best))
    return _unit(code) + _unit(shares @ best)


def _unit(code: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(code)
    return code / length if length > 0 else code
