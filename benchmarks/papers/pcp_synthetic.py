"""The synthetic corpus of the pursuit paper, under every reading its description allows.

Topics are Zipf's law under random permutations; documents mix them by a Dirichlet of 0.1 and have a
Poisson number of words, drawn one by one. To each document a frequency of 10 is added at its
keywords, "10 % of the words of each article": which words these are is told by a reading. Other
readings leave the noise of drawing out: the expected counts, of exact rank, or these rounded.
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
    """The paper's sizes."""

    n_words: int = 2000
    n_documents: int = 1000
    n_topics: int = 100
    length: int = 500


class Planted(NamedTuple):
    """Documents x words."""

    topics: np.ndarray  # topics x words
    expected: np.ndarray  # what the topics foresee, of rank n_topics
    clean: sp.csr_matrix  # words drawn from that


def plant(sizes: Sizes, seed: int) -> Planted:
    """Documents without keywords."""
    random = np.random.default_rng(seed)
    topics = zipf_topics(sizes.n_topics, sizes.n_words, random)
    mixtures = random.dirichlet(np.full(sizes.n_topics, MIXING), sizes.n_documents)
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
"""From expected counts of a document, its length and chance to the keywords' columns."""


def of_vocabulary(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    return random.choice(len(expected), round(SHARE * len(expected)), replace=False)


def of_length(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    n = min(round(SHARE * length), len(expected))
    return random.choice(len(expected), n, replace=False)


def of_own_words(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    """A tenth of the different words of a document drawn like this one."""
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
    """What is added, documents x words."""
    random = np.random.default_rng([seed, 1])
    columns = [reading(row, length, random) for row in planted.expected]
    indptr = np.cumsum([0, *map(len, columns)])
    data = np.full(indptr[-1], ADDED)
    return sp.csr_matrix((data, np.concatenate(columns), indptr), planted.clean.shape)


# --- spaces --------------------------------------------------------------------------------------


def leading(X: np.ndarray, rank: int) -> np.ndarray:
    """Directions of the largest singular values of documents x words, words x rank."""
    _, values, rows = full_svd(X)
    kept = values[:rank] > 1e-9 * values[0]
    return rows[:rank][kept].T


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Eq. (13): root of the sum of the angles between the spaces of the columns.

    A direction that the smaller space lacks is at a right angle.
    """
    A, B = (np.linalg.qr(one)[0] for one in (first, second))
    cosines = np.linalg.svd(A.T @ B, compute_uv=False)
    lacking = max(A.shape[1], B.shape[1]) - len(cosines)
    return float(np.sqrt(np.arccos(np.clip(cosines, 0, 1)).sum() + lacking * np.pi / 2))


def drop(values: np.ndarray, rank: int) -> float:
    """How many times the last singular value of the topics is above the next one."""
    return float(values[rank - 1] / max(values[rank], 1e-6 * values[0]))
