"""SCTM as printed (R. Wang): start, coordinate descent of codes, projected gradient of topics.

Each topic starts from a few seed documents, "smoothing across the entire vocabulary … by drawing
from a Dirichlet distribution with the seeded counts as parameters". As in the program that the
paper follows here (LDA-C), one is added to the seeded counts, because a word without a count would
get a zero. Then codes and topics are updated in turns; the paper does not state when it stops.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numba import njit

N_SEEDS = 3  # the paper: "a small number of seed documents for each topic"
CODE_TOL, CODE_SWEEPS = 1e-4, 200  # largest change of an entry of a code, relative to its sum
TOPIC_TOL, TOPIC_SWEEPS = 1e-3, 20  # largest change of a topic in a sweep, as a sum over words
LOWER = 0.1  # the "simple fix" multiplies ω by this, step by step
FIXES = 4  # number of such steps; then ω is zero


def frequencies(counts: sp.csr_matrix) -> sp.csr_matrix:
    lengths = np.maximum(np.asarray(counts.sum(axis=1, dtype=np.float64)).ravel(), 1)
    return sp.csr_matrix(sp.diags(1 / lengths) @ counts.astype(np.float64))


def first_topics(counts: sp.csr_matrix, n_topics: int, seed: int) -> np.ndarray:
    """Draw each topic from a Dirichlet distribution around a few documents."""
    random = np.random.default_rng(seed)
    seeds = random.integers(counts.shape[0], size=(n_topics, N_SEEDS))
    parameters = [np.asarray(counts[rows].sum(axis=0)).ravel() + 1.0 for rows in seeds]
    return np.array([random.dirichlet(one) for one in parameters])


def steps(
    counts: sp.csr_matrix, n_topics: int, omega: float, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield topics, and the codes that they were computed from, after each outer step."""
    X = frequencies(counts)
    topics, codes = first_topics(counts, n_topics, seed), None
    while True:
        codes = code(X, topics, omega, codes)
        topics = topics.copy()
        _descend(topics, codes.T @ codes, np.ascontiguousarray((X.T @ codes).T))
        yield topics, codes


def code(
    X: sp.csr_matrix, topics: np.ndarray, omega: float, start: np.ndarray | None = None
) -> np.ndarray:
    """Minimise 1/2 |x - Bθ|² + ω Σθ over θ ≥ 0 for each row of X, by coordinate descent."""
    codes = np.zeros((X.shape[0], len(topics))) if start is None else start.copy()
    _code(topics @ topics.T, np.ascontiguousarray(X @ topics.T), omega, codes)
    return codes


def fixed_codes(X: sp.csr_matrix, topics: np.ndarray, omega: float) -> np.ndarray:
    """Code documents; where a word gets probability zero, lower the penalty (the "simple fix")."""
    codes = code(X, topics, omega)
    for number in range(1, FIXES + 1):
        rows = np.flatnonzero(zero_words(X, topics, codes))
        if not len(rows):
            break
        lower = omega * LOWER**number if number < FIXES else 0.0
        codes[rows] = code(X[rows], topics, lower, codes[rows])
    return codes


def zero_words(X: sp.csr_matrix, topics: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the number of different words of each document that have probability zero."""
    by_word = np.ascontiguousarray(topics.T)
    ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return np.array(
        [
            np.sum(by_word[X.indices[a:b]] @ one == 0)
            for (a, b), one in zip(ends, codes, strict=True)
        ]
    )


@njit(cache=True)
def _code(gram, correlations, omega, codes):
    n_topics = len(gram)
    for d in range(len(codes)):
        theta = codes[d]
        slope = correlations[d] - omega - gram @ theta
        for _ in range(CODE_SWEEPS):
            largest, total = 0.0, 0.0
            for k in range(n_topics):
                if theta[k] == 0 and slope[k] <= 0:
                    continue
                new = max(theta[k] + slope[k] / gram[k, k], 0.0)
                change = new - theta[k]
                theta[k] = new
                total += new
                largest = max(largest, abs(change))
                if change != 0:
                    for j in range(n_topics):
                        slope[j] -= change * gram[k, j]
            if largest <= CODE_TOL * total:
                break


@njit(cache=True)
def _descend(topics, C, D):
    """Minimise the squared error over one topic after another, on the simplex.

    C is Σθθ' and D is Σθx' (topics x words); `products` is the transpose of C times the topics.
    """
    n_topics, n_words = topics.shape
    products = topics.T.copy() @ C
    point = np.empty(n_words)
    for _ in range(TOPIC_SWEEPS):
        largest = 0.0
        for j in range(n_topics):
            if C[j, j] <= 0:  # no document uses the topic
                continue
            for w in range(n_words):
                point[w] = topics[j, w] - (products[w, j] - D[j, w]) / C[j, j]
            threshold = simplex_threshold(point)
            moved = 0.0
            for w in range(n_words):
                new = max(point[w] - threshold, 0.0)
                change = new - topics[j, w]
                if change != 0:
                    topics[j, w] = new
                    moved += abs(change)
                    for i in range(n_topics):
                        products[w, i] += change * C[j, i]
            largest = max(largest, moved)
        if largest <= TOPIC_TOL:
            break


@njit(cache=True)
def simplex_threshold(point):
    """Return t such that max(point - t, 0) sums to one (Michelot's algorithm)."""
    threshold = (point.sum() - 1) / len(point)
    n_kept = len(point)
    while True:
        total, n = 0.0, 0
        for value in point:
            if value > threshold:
                total += value
                n += 1
        threshold = (total - 1) / n
        if n >= n_kept:
            return threshold
        n_kept = n
