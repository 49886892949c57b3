"""Probabilities of words from sparse topics, never zero.

Topics that were fitted by least squares have no word outside of their short lists, so a new
document with one such word is impossible: infinite perplexity. Two cures, and none:

===========  ==================================================================================
``"kl"``     expectation maximisation of the likelihood from the sparse topics, a little of all
             words mixed in: where least squares put the topics, but probabilities that predict
a number     that share of the distribution of all words, the rest from the topics
``None``     the topics as they are, as in the paper
===========  ==================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.engines.scratch import take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.mixture import mix_documents, mix_held_out
from laconic.models.base import Update
from laconic.models.plsa.mixture import maximize, mix
from laconic.models.sctm.solver import CodeParams, code, sum_rows

BACKGROUND = 0.2  # share of all words where the refit starts
PLAIN_PASSES, PASSES = 5, 100  # all documents in the topics, each left out; at most
TOL = 1e-5  # of the likelihood
FIRST_STEPS, STEPS = 20, 5  # of a document's mixture in the first pass and in the others
SMOOTHED = 0.0175  # share of a topic's words by which its expected counts are smoothed
UNSEEN = 0.1  # times that a word that never occurred is taken to occur, among all words
LEAST_COUNT = 1e-3  # that a word keeps in a topic when a document is left out
DOC_SMOOTHING = 0.1
BLOCK = 1 << 16  # entries whose probabilities are taken at a time


def smoothing_for(counts: np.ndarray, n_topics: int) -> float:
    """What is added to each expected count; `counts` says how often each word occurs.

    Over all words it is the same share of a topic's words, whatever their number.
    """
    return SMOOTHED * float(np.sum(counts)) / (n_topics * max(len(counts), 1))


def shares_of(counts: np.ndarray) -> np.ndarray:
    """Distribution over all words; none is zero."""
    smoothed = np.asarray(counts, np.float64) + UNSEEN
    return smoothed / smoothed.sum()


def first_probabilities(words: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Topics (by word) with a little of all words."""
    mixed = (1 - BACKGROUND) * words + BACKGROUND * shares[:, None]
    return np.ascontiguousarray(mixed / mixed.sum(axis=0), words.dtype)


class Refit:
    """Likely topics (by word) near sparse ones: a `Solver` for the refit.

    It has converged when topics no longer predict documents that were left out of them better.

    Parameters
    ----------
    words : ndarray of shape (n_words, n_topics)
        The sparse topics.
    counts : ndarray of shape (n_words,)
        How often each word occurs.
    n_chunks : int
    """

    def __init__(self, words: np.ndarray, counts: np.ndarray, n_chunks: int) -> None:
        self.words = first_probabilities(words, shares_of(counts))
        self.smoothing = smoothing_for(counts, words.shape[1])
        self.mass = np.zeros(words.shape[1], words.dtype)
        self.likelihood = -np.inf
        self.n_updates = 0
        self.local: list[Any] | None = [None] * n_chunks
        self.step: Step = mix_all
        self.params: Any = (self.words, FIRST_STEPS)

    def update(self, sums: ExpectedCounts) -> Update:
        self.n_updates += 1
        self.words, self.mass = _maximized(sums.counts, self.smoothing)
        if self.n_updates < PLAIN_PASSES:  # cheaper, and as good far from the end
            self.params = (self.words, STEPS)
            return Update(-sums.likelihood)
        self.step, self.params = mix_others, (self.words, self.mass)
        gain, self.likelihood = sums.likelihood - self.likelihood, sums.likelihood
        if self.n_updates == PLAIN_PASSES:  # under topics that have seen the documents
            self.likelihood = -np.inf
        return Update(-sums.likelihood, converged=gain <= TOL * abs(sums.likelihood))


def _maximized(expected: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Topics from expected counts, and the sums by which they were divided."""
    occurs = np.count_nonzero(expected.any(axis=1))
    mass = expected.sum(axis=0, dtype=np.float64) + smoothing * occurs
    return maximize(expected, smoothing), mass.astype(expected.dtype)


@dataclass
class ExpectedCounts(Stats):
    """Sums of a pass."""

    counts: np.ndarray = field(metadata=POOLED)  # how often each topic is behind each word
    likelihood: float


def mix_all(
    params: tuple[np.ndarray, int], chunk: Chunk, state: MainShares | None
) -> tuple[ExpectedCounts, MainShares]:
    """Step: mixtures of the documents of a chunk under topics that have seen them."""
    words, steps = params
    X = chunk.load()
    n_topics = words.shape[1]
    if state is None:
        theta = np.zeros((X.shape[0], n_topics), words.dtype)
    else:
        theta = state.dense(n_topics, words.dtype)
    counts = take(words.shape, words.dtype)
    counts[:] = 0
    data = X.data.astype(words.dtype, copy=False)
    likelihood = mix_documents(
        data, X.indices, X.indptr, words, theta, DOC_SMOOTHING, steps, 0.0, counts
    )
    counts *= words
    return ExpectedCounts(counts, float(likelihood)), MainShares.of(theta, X)


def mix_others(
    params: tuple[np.ndarray, np.ndarray], chunk: Chunk, state: MainShares
) -> tuple[ExpectedCounts, MainShares]:
    """Step: mixtures of the documents of a chunk under the topics of all others."""
    words, mass = params
    X = chunk.load()
    theta = state.dense(words.shape[1], words.dtype)
    counts = take(words.shape, words.dtype)
    counts[:] = 0
    data = X.data.astype(words.dtype, copy=False)
    likelihood = mix_held_out(
        data, X.indices, X.indptr, words, mass, theta, DOC_SMOOTHING, STEPS, LEAST_COUNT, counts
    )
    return ExpectedCounts(counts, float(likelihood)), MainShares.of(theta, X)


class MainShares(NamedTuple):
    """Mixtures between passes, without the shares that smoothing alone gives.

    These come back with the next step. Half precision is plenty for a start, and for what a
    document takes off its topics.
    """

    counts: np.ndarray  # of each document
    topics: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, theta: np.ndarray, X: sp.csr_matrix) -> MainShares:
        n_topics = theta.shape[1]
        smoothed = DOC_SMOOTHING / (sum_rows(X, X.data) + DOC_SMOOTHING * n_topics)
        kept = theta > 2 * smoothed[:, None]
        kept |= (theta == theta.max(axis=1, keepdims=True)) & (theta > 0)
        index = np.uint16 if n_topics <= np.iinfo(np.uint16).max else np.uint32
        topics = np.broadcast_to(np.arange(n_topics, dtype=index), theta.shape)
        counts = np.count_nonzero(kept, axis=1).astype(np.uint32)
        return cls(counts, topics[kept], theta[kept].astype(np.float16))

    def dense(self, n_topics: int, dtype: Any) -> np.ndarray:
        theta = np.zeros((len(self.counts), n_topics), dtype)
        theta[np.repeat(np.arange(len(self.counts)), self.counts), self.topics] = self.shares
        return theta


def expected_counts(engine: Engine, chunks: list[Chunk], words: np.ndarray) -> np.ndarray:
    """How often each topic is behind each word, from probabilities; for a stream."""
    sums: ExpectedCounts = engine.map_reduce(mix_all, (words, FIRST_STEPS), chunks)
    return sums.counts


def admit_unseen(words: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Give words of the vocabulary that never occurred the share of a smoothed zero."""
    unseen = np.asarray(counts) <= 0
    if not unseen.any():
        return words
    smoothing = smoothing_for(counts, words.shape[1]) or 1.0
    share = smoothing / (float(np.sum(counts)) / words.shape[1] + smoothing * len(words))
    admitted = words * words.dtype.type(1 - share * np.count_nonzero(unseen))
    admitted[unseen] = share
    return admitted


class Likelihood(NamedTuple):
    """What is needed for probabilities of the words of a document."""

    words: np.ndarray  # topics by word
    coding: CodeParams | None  # None: mixtures by maximum likelihood
    shares: np.ndarray | None = None  # of all words
    weight: float = 0.0  # of that distribution


def log_likelihood(
    params: Likelihood, chunk: Chunk, state: None
) -> tuple[tuple[np.ndarray, np.ndarray], None]:
    """Step: log-likelihood of each document of a chunk, and how many words it has."""
    X = chunk.load()
    mixtures = mixtures_of(params, X)
    lengths = sum_rows(X, X.data)
    return (score_words(params, mixtures, X), lengths), None


def mixtures_of(params: Likelihood, X: sp.csr_matrix) -> np.ndarray:
    """Shares of topics in each document; zeros where nothing is known."""
    if params.coding is None:
        return mix(params.words, DOC_SMOOTHING, X)[0]
    codes = code(X, params.coding)[0]
    totals = codes.sum(axis=1, keepdims=True)
    return codes / np.where(totals > 0, totals, 1)


def score_words(params: Likelihood, mixtures: np.ndarray, X: sp.csr_matrix) -> np.ndarray:
    """Log-likelihood of the words of each document, given its mixture."""
    words = params.words
    scores = np.empty(X.nnz)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    for start in range(0, X.nnz, BLOCK):
        part = slice(start, start + BLOCK)
        chosen = rows[part], X.indices[part]
        probability = np.einsum("ij,ij->i", mixtures[chosen[0]], words[chosen[1]], dtype=np.float64)
        if params.shares is not None:
            known = mixtures[chosen[0]].any(axis=1)
            weight = np.where(known, params.weight, 1.0)
            probability = (1 - weight) * probability + weight * params.shares[chosen[1]]
        with np.errstate(divide="ignore"):
            scores[part] = X.data[part] * np.log(probability)
    return sum_rows(X, scores)
