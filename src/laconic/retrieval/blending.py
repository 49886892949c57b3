"""Combination of the lexical and the background score of a search.

Each of the two scores is divided by its standard deviation over all documents. The background score
is then multiplied by a weight, and the two scores are added. The weight is learned from the
documents alone. A few words of some documents serve as synthetic queries, and the weight grows with
the overlap between the documents with the best lexical scores and the documents with the best
background scores. A background that represents the documents poorly (few topics for many short
documents) thus has little influence.

Afterwards, `feedback` may move the code of the query towards the best documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.kernels.postings import best_blended, best_rows, moments

# Values chosen on seven collections by leave-one-collection-out; see benchmarks/retrieval.py.
STRENGTH = 20.0  # weight of the background score if `agreement` returns 1
N_QUERIES = 200  # number of synthetic queries
QUERY_WORDS = 10  # maximum number of words of a synthetic query
MIN_WORDS = 3  # minimum number of words in a document from which a query is drawn
BEST = 10  # number of best documents to compare, but at most 1 % of all documents
# The agreement is averaged with PRIOR_AGREEMENT, which counts as PRIOR_QUERIES queries.
PRIOR_AGREEMENT, PRIOR_QUERIES = 0.25, 10
FEEDBACK = 5  # number of best documents that move the code of the query


class Blend(NamedTuple):
    """The best documents for a query, best first; scores are the sums of two components."""

    rows: np.ndarray
    lexical: np.ndarray
    background: np.ndarray
    unit: float  # background score for a cosine of 1


def blend(lexical: np.ndarray, background: np.ndarray, weight: float, n: int) -> Blend:
    """Combine the lexical and background scores of all documents for one query.

    Parameters
    ----------
    lexical : ndarray of float32 of shape (n_documents,)
        BM25 scores; 0 for a document that shares no word with the query.
    background : ndarray of float32 of shape (n_documents,)
        Cosines of codes; 0 for a query or document without a code.
    weight : float
        Weight of the background; see `background_weight`.
    n : int
        Number of best documents to return.

    Returns
    -------
    Blend
        The documents with the best positive scores, with components in units of standard
        deviations (float32). Equal scores are ordered by row.

    Examples
    --------
    >>> best = blend(np.float32([0, 4]), np.float32([0.75, 0.25]), weight=0.5, n=2)
    >>> best.rows.tolist(), best.lexical.tolist(), best.background.tolist()
    ([1, 0], [2.0, 0.0], [0.5, 1.5])
    """
    return blend_scaled(lexical, background, deviation(lexical), deviation(background), weight, n)


def blend_scaled(
    lexical: np.ndarray,
    background: np.ndarray,
    of_words: float,
    of_topics: float,
    weight: float,
    n: int,
) -> Blend:
    """Combine scores like `blend`, given the standard deviations of the scores of all documents."""
    scale, strength, unit = np.float32(of_words), np.float32(weight), np.float32(of_topics)
    rows = best_blended(lexical, background, scale, strength, unit, n)
    topics = strength * (background[rows] / unit)
    return Blend(rows, lexical[rows] / scale, topics, weight / of_topics)


def deviation(scores: np.ndarray) -> float:
    """Return the standard deviation of scores; if all scores are equal, their value (or 1).

    Examples
    --------
    >>> deviation(np.float32([1, 3])), deviation(np.float32([0.5])), deviation(np.zeros(3, "f4"))
    (1.0, 0.5, 1.0)
    """
    if not len(scores):
        return 1.0
    mean, mean_square = moments(scores)
    found = spread(mean, mean_square, len(scores))
    if found is not None:
        return found
    found = math.sqrt(max(mean_square - mean * mean, 0.0))
    largest = max(float(scores.max()), -float(scores.min()))
    return found if found > 1e-6 * largest else largest or 1.0  # less is rounding error


def spread(mean: float, mean_square: float, n: int) -> float | None:
    """Return the standard deviation of `n` scores, or None if it may be a rounding error."""
    found = math.sqrt(max(mean_square - mean * mean, 0.0))
    # The right-hand side is at least 1e-6 times the largest score.
    return found if found > 1e-6 * math.sqrt(max(mean_square, 0.0) * n) else None


def background_weight(agreed: float) -> float:
    """Return the weight of the background score from the result of `agreement`.

    The weight grows with the square of the agreement, so half the agreement gives a quarter of the
    weight.

    Examples
    --------
    >>> background_weight(0.25)
    1.25
    """
    return STRENGTH * agreed**2


def query_rows(n_documents: int, random: np.random.Generator, n: int = N_QUERIES) -> np.ndarray:
    """Draw the documents from which synthetic queries are drawn, in ascending order."""
    return np.sort(random.permutation(n_documents)[:n])


def synthetic_queries(
    counts: sp.csr_matrix, n: int = N_QUERIES, n_words: int = QUERY_WORDS, seed: int = 0
) -> list[tuple[int, np.ndarray]]:
    """Draw synthetic queries: a few words of some documents.

    Parameters
    ----------
    counts : csr_matrix of shape (n_documents, n_words)
    n : int, default=200
        Maximum number of queries, each from a different document.
    n_words : int, default=10
        Maximum number of words of a query.
    seed : int, default=0

    Returns
    -------
    list of (int, ndarray)
        For each query, the row of the document and the columns of the drawn words. Words are drawn
        without replacement from the tokens of a document, so a word that occurs twice may be drawn
        twice. Documents of fewer than three words are skipped.

    Examples
    --------
    >>> counts = sp.csr_matrix([[2, 1, 1], [1, 0, 0]])
    >>> [(row, sorted(columns.tolist())) for row, columns in synthetic_queries(counts)]
    [(0, [0, 0, 1, 2])]
    """
    random = np.random.default_rng(seed)
    rows = query_rows(counts.shape[0], random, n)
    return draw_words(rows, counts[rows], random, n_words)


def draw_words(
    rows: np.ndarray, counts: sp.csr_matrix, random: np.random.Generator, n_words: int = QUERY_WORDS
) -> list[tuple[int, np.ndarray]]:
    """Draw the words of synthetic queries from documents; `counts` has the counts of `rows`."""
    queries = []
    for number, row in enumerate(rows.tolist()):
        entries = slice(counts.indptr[number], counts.indptr[number + 1])
        times = np.ceil(counts.data[entries]).astype(np.int64)
        words = np.repeat(counts.indices[entries], times)
        if len(words) >= MIN_WORDS:
            queries.append((row, random.permutation(words)[:n_words]))
    return queries


def agreement(draws: Iterable[tuple[int, np.ndarray, np.ndarray]]) -> float:
    """Return the agreement between the best documents by words and by background.

    Parameters
    ----------
    draws : iterable of (int, ndarray, ndarray)
        For each synthetic query, the row of the document it was drawn from, and the lexical and
        background scores of all documents.

    Returns
    -------
    float
        The agreement, from 0 to 1: the mean share of the ten best documents by words that are also
        among the ten best documents by background, without the document of the query. With fewer
        than 1,000 documents, the best 1 % of the documents (at least one document) are compared
        instead of ten. The share is corrected for chance, and shrunk towards 0.25 if there are few
        queries.

    Examples
    --------
    >>> scores = np.array([9.0, 3.0, 2.0, 1.0])
    >>> same, opposite = (0, scores, scores), (0, scores, scores[::-1])
    >>> agreement([]), agreement([same] * 90), agreement([opposite] * 90)
    (0.25, 0.925, 0.0)
    """
    shares = []
    for row, lexical, background in draws:
        n = n_best(len(lexical))
        best = (best_of(scores, row, n) for scores in (lexical, background))
        shares.append(_share(len(lexical), *best))
    return _mean(shares)


def agreement_of_best(
    n_documents: int, by_words: Sequence[np.ndarray], by_topics: Sequence[np.ndarray]
) -> float:
    """Return the same as `agreement`, from the best documents of each synthetic query."""
    pairs = zip(by_words, by_topics, strict=True)
    return _mean(_share(n_documents, *pair) for pair in pairs)


def _mean(values: Iterable[float | None]) -> float:
    """Return the mean of the shares that are defined, shrunk towards 0.25 if there are few."""
    shares = [share for share in values if share is not None]
    mean = (sum(shares) + PRIOR_QUERIES * PRIOR_AGREEMENT) / (len(shares) + PRIOR_QUERIES)
    return max(mean, 0.0)


def n_best(n_documents: int) -> int:
    """Return the number of best documents to compare."""
    return min(max(n_documents // 100, 1), BEST)


def best_of(scores: np.ndarray, leave_out: int, n: int) -> np.ndarray:
    """Return the `n` documents with the best positive scores, without the document of the query."""
    scores = np.array(scores, dtype=np.float32)
    if leave_out >= 0:
        scores[leave_out] = 0
    return best_rows(scores, n)


def _share(n_documents: int, by_words: np.ndarray, by_topics: np.ndarray) -> float | None:
    """Return the share of common best documents (0 at chance level), or None if undefined."""
    others = n_documents - 1
    if others < 2 or not len(by_words):
        return None
    same = len(np.intersect1d(by_words, by_topics)) / len(by_words)
    chance = n_best(n_documents) / others
    return (same - chance) / (1 - chance)


def feedback(code: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Move the code of a query towards the codes of its best documents.

    Parameters
    ----------
    code : ndarray of shape (n_topics,)
    best : ndarray of shape (n, n_topics)
        Codes of the best documents, best first. Each document counts half as much as the previous
        document.

    Returns
    -------
    ndarray of shape (n_topics,)
        The code whose direction is halfway between the query and the documents.

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
