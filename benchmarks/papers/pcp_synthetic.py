"""Synthetic corpus of the PCP paper, under every reading of its description.

Topics are Zipf's law under random permutations; documents mix them by a Dirichlet of 0.1 and have a
Poisson number of words, drawn one by one. To each document a frequency of 10 is added at its
keywords, "10 % of the words of each article": a reading defines which words these are. Other
readings omit the sampling noise: expected counts, which have exact rank, or the same rounded.
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
    """Synthetic documents x words without keywords, and their topics."""

    topics: np.ndarray  # topics x words
    expected: np.ndarray  # expected counts, of rank n_topics
    clean: sp.csr_matrix  # counts drawn from these


def plant(sizes: Sizes, seed: int) -> Planted:
    """Generate documents without keywords."""
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
"""Function from the expected counts of a document, its length and a generator to columns."""


def of_vocabulary(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    return random.choice(len(expected), round(SHARE * len(expected)), replace=False)


def of_length(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    n = min(round(SHARE * length), len(expected))
    return random.choice(len(expected), n, replace=False)


def of_own_words(expected: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    """Draw a tenth of the distinct words of a document like this one."""
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
    """Return the added keyword counts, documents x words."""
    random = np.random.default_rng([seed, 1])
    columns = [reading(row, length, random) for row in planted.expected]
    indptr = np.cumsum([0, *map(len, columns)])
    data = np.full(indptr[-1], ADDED)
    return sp.csr_matrix((data, np.concatenate(columns), indptr), planted.clean.shape)


# --- spaces --------------------------------------------------------------------------------------


def leading(X: np.ndarray, rank: int) -> np.ndarray:
    """Return the leading right singular vectors, words x rank."""
    _, values, rows = full_svd(X)
    kept = values[:rank] > 1e-9 * values[0]
    return rows[:rank][kept].T


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Return the distance of two column spaces by eq. (13): the root of the sum of angles.

    A direction missing in the smaller space counts as a right angle.
    """
    A, B = (np.linalg.qr(one)[0] for one in (first, second))
    cosines = np.linalg.svd(A.T @ B, compute_uv=False)
    lacking = max(A.shape[1], B.shape[1]) - len(cosines)
    return float(np.sqrt(np.arccos(np.clip(cosines, 0, 1)).sum() + lacking * np.pi / 2))


def drop(values: np.ndarray, rank: int) -> float:
    """Return the ratio of the last singular value of the topics to the next one."""
    return float(values[rank - 1] / max(values[rank], 1e-6 * values[0]))
