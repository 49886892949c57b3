"""Synthetic corpus of the PCP paper, for several interpretations of its description.

Each topic is a random permutation of Zipf's law. Documents mix topics by a Dirichlet distribution
with parameter 0.1 and have a Poisson number of words, which are drawn one by one. In each document,
the counts of its keywords are raised by 10. The paper defines keywords as "10 % of the words of
each article"; `READINGS` has the interpretations of this phrase. Instead of drawn counts, which are
noisy, `COUNTS` also has expected counts, which have exact rank, and rounded expected counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.papers.pcp_reference import full_svd

ADDED = 10.0
SHARE = 0.1
MIXING = 0.1


class Sizes(NamedTuple):
    """Sizes of the paper's corpus."""

    n_words: int = 2000
    n_documents: int = 1000
    n_topics: int = 100
    length: int = 500


class Planted(NamedTuple):
    """Counts of synthetic documents without keywords, and their topics."""

    topics: np.ndarray  # array of shape (n_topics, n_words)
    expected: np.ndarray  # expected counts; a matrix of rank n_topics
    clean: sp.csr_matrix  # random counts with these expected values


def plant(sizes: Sizes, seed: int, mixing: float = MIXING) -> Planted:
    """Generate documents without keywords; `mixing` is the parameter of the Dirichlet mixtures."""
    random = np.random.default_rng(seed)
    topics = zipf_topics(sizes.n_topics, sizes.n_words, random)
    mixtures = random.dirichlet(np.full(sizes.n_topics, mixing), sizes.n_documents)
    shares = mixtures @ topics
    lengths = random.poisson(sizes.length, sizes.n_documents)
    drawn = random.multinomial(lengths, shares / shares.sum(axis=1, keepdims=True))
    return Planted(topics, shares * lengths[:, None], sp.csr_matrix(drawn, dtype=np.float64))


def zipf_topics(n_topics: int, n_words: int, random: np.random.Generator) -> np.ndarray:
    topics = np.array([1.0 / (1 + random.permutation(n_words)) for _ in range(n_topics)])
    return topics / topics.sum(axis=1, keepdims=True)


COUNTS: dict[str, Callable[[Planted], sp.csr_matrix]] = {
    "drawn": lambda planted: planted.clean,
    "expected": lambda planted: sp.csr_matrix(planted.expected),
    "expected, rounded": lambda planted: sp.csr_matrix(np.rint(planted.expected)),
}


# --- keywords ------------------------------------------------------------------------------------

Reading = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
"""Function that returns the columns of a document's keywords.

Its arguments are the expected counts of the document, its length, and a random generator.
"""


def of_vocabulary(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    return random.choice(len(expected), round(SHARE * len(expected)), replace=False)


def of_length(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    n = min(round(SHARE * length), len(expected))
    return random.choice(len(expected), n, replace=False)


def of_own_words(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    """Draw a document with these expected counts, and return a tenth of its distinct words."""
    own = np.flatnonzero(random.multinomial(length, expected / expected.sum()))
    return random.choice(own, max(1, round(SHARE * len(own))), replace=False)


def of_own_tokens(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    n = max(1, round(SHARE * length))
    return np.unique(random.choice(len(expected), n, p=expected / expected.sum()))


READINGS: dict[str, Reading] = {
    "random words, 10 % of the length": of_length,
    "random words, 10 % of the vocabulary": of_vocabulary,
    "own words, 10 % of different ones": of_own_words,
    "own words, 10 % of the length": of_own_tokens,
}
NEAREST = "random words, 10 % of the length"


def keywords(planted: Planted, length: int, reading: Reading, seed: int) -> sp.csr_matrix:
    """Return the counts (documents x words) that are added for keywords."""
    random = np.random.default_rng([seed, 1])
    columns = [reading(row, length, random) for row in planted.expected]
    indptr = np.cumsum([0, *map(len, columns)])
    data = np.full(indptr[-1], ADDED)
    return sp.csr_matrix((data, np.concatenate(columns), indptr), planted.clean.shape)


# --- spaces --------------------------------------------------------------------------------------


def leading(X: np.ndarray, rank: int) -> np.ndarray:
    """Return the leading right singular vectors as an array (words x rank)."""
    _, values, rows = full_svd(X)
    kept = values[:rank] > 1e-9 * values[0]
    return rows[:rank][kept].T


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Return the distance of two column spaces: the square root of the sum of angles, eq. (13)."""
    return float(np.sqrt(angles(first, second).sum()))


def angles(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the principal angles of two column spaces.

    A direction that the smaller space lacks counts as a right angle.
    """
    A, B = (np.linalg.qr(one)[0] for one in (first, second))
    cosines = np.linalg.svd(A.T @ B, compute_uv=False)
    lacking = max(A.shape[1], B.shape[1]) - len(cosines)
    return np.arccos(np.r_[np.clip(cosines, 0, 1), np.zeros(lacking)])


def drop(values: np.ndarray, rank: int) -> float:
    """Return the ratio of singular value number `rank` to the next singular value."""
    return float(values[rank - 1] / max(values[rank], 1e-6 * values[0]))
