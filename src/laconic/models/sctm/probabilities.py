"""Compute word probabilities from sparse topics, for the parameter ``smoothing`` of SCTM.

A topic fitted by least squares gives zero probability to all words outside a short list, so a new
document with such a word has infinite perplexity. The values of ``smoothing`` are:

===========  ==================================================================================
``"kl"``     maximise the likelihood by expectation maximisation, starting from the sparse topics
             mixed with a share of the overall word distribution; the topics stay close to the
             sparse topics, but can predict held-out words
a number     mix this share of the overall word distribution into the word probabilities
``None``     use the sparse topics as they are, as in the paper
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
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.engines.scratch import take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.mixture import keep_shares, mix_documents, mix_held_out, restore_shares
from laconic.kernels.projection import add_outer
from laconic.models.passes import Update
from laconic.models.plsa.mixture import maximize, mix
from laconic.models.sctm.noise import Noise
from laconic.models.sctm.solver import CodeParams, code, on_scale_of_frequencies, sum_rows

BACKGROUND = 0.2  # share of the overall word distribution that is mixed into the initial topics
PLAIN_PASSES = 5  # number of plain passes before leave-one-out passes begin
PASSES = 100  # maximum number of passes of a refit
TOL = 3e-5  # The refit stops if a pass raises the log-likelihood by at most this share.
FIRST_STEPS, STEPS = 20, 2  # number of updates of a mixture in the first and in each later pass
FURTHEST = 5.0  # maximum factor by which the expected counts are extrapolated
CODED_STEPS = 3  # number of updates of a mixture per pass, if mixtures start from codes
# If mixtures start from codes, the refit stops when a pass improves the log-likelihood of an
# average document by at most this value. After more passes, held-out words are predicted no better,
# and in short documents worse.
CODED_GAIN = 4.0
SMOOTHED = 0.0175  # sum of the smoothing of a topic, as a share of the words per topic
UNSEEN = 0.1  # pseudo-count of each word in the overall distribution
LEAST_COUNT = 1e-3  # minimum count of a word in a topic when a document is left out
DOC_SMOOTHING = 0.1
BLOCK = 1 << 16  # number of matrix entries whose probabilities are computed at once


def smoothing_for(counts: np.ndarray, n_topics: int) -> float:
    """Return the smoothing that is added to each expected count of a word in a topic.

    `counts` contains the number of occurrences of each word. Summed over the vocabulary, the
    smoothing is the share `SMOOTHED` of the word occurrences per topic.
    """
    return SMOOTHED * float(np.sum(counts)) / (n_topics * max(len(counts), 1))


def word_shares(counts: np.ndarray) -> np.ndarray:
    """Return the overall word distribution; pseudo-counts ensure that no share is zero."""
    smoothed = np.asarray(counts, np.float64) + UNSEEN
    return smoothed / smoothed.sum()


def initial_probabilities(
    word_topics: np.ndarray, shares: np.ndarray, run: RunTasks = run_here
) -> np.ndarray:
    """Mix the overall word distribution `shares` into the topics (words x topics)."""
    mixed, blocks = np.empty(word_topics.shape), row_blocks(*word_topics.shape)

    def mix(rows: slice) -> None:
        mixed[rows] = (1 - BACKGROUND) * word_topics[rows] + BACKGROUND * shares[rows, None]

    run(mix, blocks)
    sums = mixed.sum(axis=0)
    probabilities = np.empty(word_topics.shape, word_topics.dtype)

    def normalize(rows: slice) -> None:
        probabilities[rows] = mixed[rows] / sums

    run(normalize, blocks)
    return probabilities


def extrapolated(expected: np.ndarray, before: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Repeat the last change of the expected counts, as factors; the sum of a topic is kept.

    With these counts, a refit takes a third to a quarter of the passes.
    """
    least = expected.dtype.type(LEAST_COUNT)
    beyond = np.empty_like(expected)
    blocks = row_blocks(*expected.shape)

    def extrapolate(rows: slice) -> np.ndarray:
        block, part = beyond[rows], expected[rows]
        np.divide(part + least, before[rows] + least, out=block)
        np.clip(block, 1 / FURTHEST, FURTHEST, out=block)
        block *= part
        sums = [array.sum(axis=0, dtype=np.float64) for array in (part, block)]
        return np.array(sums)

    wanted, totals = sum(run(extrapolate, blocks))
    factors = np.divide(wanted, totals, where=totals > 0, out=np.ones(len(totals)))
    factors = factors.astype(expected.dtype)

    def scale(rows: slice) -> None:
        np.multiply(beyond[rows], factors, out=beyond[rows])

    run(scale, blocks)
    return beyond


def _maximized(
    expected: np.ndarray, smoothing: float, run: RunTasks = run_here
) -> tuple[np.ndarray, np.ndarray]:
    """Return the topics computed from expected counts, and the sum that normalises each topic."""

    def sum_rows_of(rows: slice) -> np.ndarray:
        block = expected[rows]
        n_words = np.count_nonzero(block.any(axis=1))
        return block.sum(axis=0, dtype=np.float64) + smoothing * n_words

    mass = sum(run(sum_rows_of, row_blocks(*expected.shape)))
    return maximize(expected, smoothing, run=run), mass.astype(expected.dtype)


@dataclass
class ExpectedCounts(Stats):
    """Expected counts and log-likelihood, summed over documents in a pass."""

    counts: np.ndarray = field(metadata=POOLED)  # expected counts (words x topics)
    likelihood: float
    n_documents: int


def mix_all(
    params: tuple[np.ndarray, int], chunk: Chunk, state: MainShares | None
) -> tuple[ExpectedCounts, MainShares]:
    """Engine step: update the topic mixtures of a chunk's documents and sum expected counts."""
    word_topics, steps = params
    X = chunk.load()
    n_topics = word_topics.shape[1]
    if state is None:
        theta = np.zeros((X.shape[0], n_topics), word_topics.dtype)
    else:
        theta = state.dense(n_topics, word_topics.dtype)
    return _mix(word_topics, X, theta, steps)


def mix_from_codes(
    params: tuple[np.ndarray, CodeParams], chunk: Chunk, state: None
) -> tuple[ExpectedCounts, MainShares]:
    """Step: like `mix_all`, but mixtures start from smoothed codes of the documents."""
    word_topics, coding = params
    X = chunk.load()
    codes = mixtures_of(Likelihood(word_topics, coding), X) * sum_rows(X, X.data)[:, None]
    theta = codes + DOC_SMOOTHING
    theta /= theta.sum(axis=1, keepdims=True)
    return _mix(word_topics, X, theta.astype(word_topics.dtype), CODED_STEPS)


def _mix(
    word_topics: np.ndarray, X: sp.csr_matrix, theta: np.ndarray, steps: int
) -> tuple[ExpectedCounts, MainShares]:
    """Update mixtures and sum the expected counts."""
    counts = take(word_topics.shape, word_topics.dtype)
    counts[:] = 0
    data = X.data.astype(word_topics.dtype, copy=False)
    ratios = np.empty(X.nnz, word_topics.dtype)
    likelihood = mix_documents(
        data, X.indices, X.indptr, word_topics, theta, DOC_SMOOTHING, steps, 0.0, ratios
    )
    add_outer(ratios, X.indices, X.indptr, theta, counts)
    counts *= word_topics
    return ExpectedCounts(counts, float(likelihood), X.shape[0]), MainShares.of(theta, X)


def mix_others(
    params: tuple[np.ndarray, np.ndarray, int], chunk: Chunk, state: MainShares
) -> tuple[ExpectedCounts, MainShares]:
    """Step: like `mix_all`, but mix each document from topics without its own counts."""
    word_topics, mass, steps = params
    X = chunk.load()
    theta = state.dense(word_topics.shape[1], word_topics.dtype)
    counts = take(word_topics.shape, word_topics.dtype)
    counts[:] = 0
    data = X.data.astype(word_topics.dtype, copy=False)
    likelihood = mix_held_out(
        data,
        X.indices,
        X.indptr,
        word_topics,
        mass,
        theta,
        DOC_SMOOTHING,
        steps,
        LEAST_COUNT,
        counts,
    )
    return ExpectedCounts(counts, float(likelihood), X.shape[0]), MainShares.of(theta, X)


class MainShares(NamedTuple):
    """Topic mixtures of documents in the compact form that is stored between passes.

    Shares that are due to smoothing alone are omitted; the next step restores them. Half precision
    is enough to warm-start the next step, and to subtract a document from its topics.
    """

    counts: np.ndarray  # number of shares stored for each document
    topics: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, theta: np.ndarray, X: sp.csr_matrix) -> MainShares:
        n_topics = theta.shape[1]
        smoothed = DOC_SMOOTHING / (sum_rows(X, X.data) + DOC_SMOOTHING * n_topics)
        index = np.uint16 if n_topics <= np.iinfo(np.uint16).max else np.uint32
        counts = np.empty(len(theta), np.uint32)
        topics, shares = np.empty(theta.size, index), np.empty(theta.size, theta.dtype)
        size = keep_shares(theta, 2 * smoothed, counts, topics, shares)
        return cls(counts, topics[:size].copy(), shares[:size].astype(np.float16))

    def dense(self, n_topics: int, dtype: Any) -> np.ndarray:
        theta = np.zeros((len(self.counts), n_topics), dtype)
        restore_shares(self.counts, self.topics, self.shares.astype(dtype), theta)
        return theta


class Refit:
    """Solver that refits sparse topics by maximum likelihood.

    The refit has converged when the leave-one-out likelihood of the documents stops improving.
    Between passes, the expected counts are extrapolated, except after a pass in which this has
    lowered the likelihood.

    Parameters
    ----------
    word_topics : ndarray of shape (n_words, n_topics)
        The sparse topics.
    counts : ndarray of shape (n_words,)
        Number of occurrences of each word.
    n_chunks : int
    coding : CodeParams, optional
        If set, mixtures start from the codes of the documents, and the refit stops earlier; see
        `mix_from_codes`.
    run : callable, optional
        Function that runs the tasks of an update, usually `Engine.run_tasks`.
    """

    SAVED = (CodeParams, Noise, MainShares, mix_all, mix_others, mix_from_codes)

    def __init__(
        self,
        word_topics: np.ndarray,
        counts: np.ndarray,
        n_chunks: int,
        coding: CodeParams | None = None,
        run: RunTasks = run_here,
    ) -> None:
        self.run = run
        self.word_topics = initial_probabilities(word_topics, word_shares(counts), run)
        self.smoothing = smoothing_for(counts, word_topics.shape[1])
        self.mass = np.zeros(word_topics.shape[1], word_topics.dtype)
        self.likelihood = -np.inf
        self.before: np.ndarray | None = None  # expected counts of the previous pass
        self.is_extrapolated = False
        self.n_updates = 0
        self.local: list[Any] | None = [None] * n_chunks
        self.step: Step = mix_all
        self.params: Any = (self.word_topics, FIRST_STEPS)
        self.plain_passes, self.steps, self.gain = PLAIN_PASSES, STEPS, 0.0
        self.extrapolates = coding is None  # Mixtures that start from codes need few passes.
        if coding is not None:
            self.step, self.params = mix_from_codes, (self.word_topics, coding)
            self.plain_passes, self.steps, self.gain = 1, CODED_STEPS, CODED_GAIN

    def update(self, sums: ExpectedCounts) -> Update:
        self.n_updates += 1
        gain, self.likelihood = sums.likelihood - self.likelihood, sums.likelihood
        went_too_far = self.is_extrapolated and gain < 0
        self.word_topics, self.mass = _maximized(
            self._next_counts(sums.counts, went_too_far), self.smoothing, self.run
        )
        # Plain passes are faster and, at first, just as good.
        if self.n_updates < self.plain_passes:
            self.params = (self.word_topics, STEPS)
            return Update(-sums.likelihood)
        self.step, self.params = mix_others, (self.word_topics, self.mass, self.steps)
        if self.n_updates == self.plain_passes:
            self.likelihood = -np.inf  # The next likelihoods leave out the documents themselves.
            return Update(-sums.likelihood)
        least_gain = max(TOL * abs(sums.likelihood), self.gain * sums.n_documents)
        return Update(-sums.likelihood, converged=gain <= least_gain and not went_too_far)

    def _next_counts(self, counts: np.ndarray, went_too_far: bool) -> np.ndarray:
        """Return the expected counts from which the next topics are computed."""
        if not self.extrapolates:
            return counts
        before, self.before = self.before, counts.copy()
        self.is_extrapolated = before is not None and not went_too_far
        if before is None or went_too_far:
            return counts
        return extrapolated(counts, before, self.run)


def expected_counts(engine: Engine, chunks: list[Chunk], word_topics: np.ndarray) -> np.ndarray:
    """Return the expected counts (words x topics) of a batch of `partial_fit`."""
    sums: ExpectedCounts = engine.map_reduce(mix_all, (word_topics, FIRST_STEPS), chunks)
    return sums.counts


def admit_unseen(word_topics: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Give words that never occurred the probability that smoothing gives to a count of zero."""
    unseen = np.asarray(counts) <= 0
    if not unseen.any():
        return word_topics
    n_words, n_topics = word_topics.shape
    smoothing = smoothing_for(counts, n_topics) or 1.0
    share = smoothing / (float(np.sum(counts)) / n_topics + smoothing * n_words)
    admitted = word_topics * word_topics.dtype.type(1 - share * np.count_nonzero(unseen))
    admitted[unseen] = share
    return admitted


class Likelihood(NamedTuple):
    """Parameters from which the word probabilities of documents are computed."""

    word_topics: np.ndarray  # words x topics
    coding: CodeParams | None  # None if topic mixtures are fitted by maximum likelihood
    shares: np.ndarray | None = None  # overall word distribution that is mixed in
    weight: float = 0.0  # weight of `shares` in the word probabilities


def log_likelihood(
    params: Likelihood, chunk: Chunk, state: None
) -> tuple[tuple[np.ndarray, np.ndarray], None]:
    """Engine step: compute the log-likelihood and number of words of each document in a chunk."""
    X = chunk.load()
    mixtures = mixtures_of(params, X)
    lengths = sum_rows(X, X.data)
    return (score_words(params, mixtures, X), lengths), None


def mixtures_of(params: Likelihood, X: sp.csr_matrix) -> np.ndarray:
    """Return the topic mixture of each document; if all codes are zero, the mixture is zero."""
    if params.coding is None:
        return mix(params.word_topics, DOC_SMOOTHING, X)[0]
    codes, _, shares = code(X, params.coding)
    codes = on_scale_of_frequencies(codes, X, params.coding, shares)
    totals = codes.sum(axis=1, keepdims=True)
    return codes / np.where(totals > 0, totals, 1)


def score_words(params: Likelihood, mixtures: np.ndarray, X: sp.csr_matrix) -> np.ndarray:
    """Return the log-likelihood of the words of each document, given the topic mixtures."""
    scores = np.empty(X.nnz)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    for start in range(0, X.nnz, BLOCK):
        part = slice(start, start + BLOCK)
        weights, columns = mixtures[rows[part]], X.indices[part]
        probability = np.einsum("ij,ij->i", weights, params.word_topics[columns], dtype=np.float64)
        if params.shares is not None:
            weight = np.where(weights.any(axis=1), params.weight, 1.0)
            probability = (1 - weight) * probability + weight * params.shares[columns]
        with np.errstate(divide="ignore"):
            scores[part] = X.data[part] * np.log(probability)
    return sum_rows(X, scores)
