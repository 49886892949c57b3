"""Solver of PLSA: compute document mixtures, expected counts and new topics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import as_codes, columns_of
from laconic.engines.base import Step
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.engines.products import multiply_columns
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.mixture import mix_documents, smooth_counts
from laconic.models.coding import words_topics
from laconic.models.few_topics import drop_weak
from laconic.models.passes import Update
from laconic.models.seed_priors import SeedPrior

STEPS = 3  # number of updates of each document's mixture per pass of a fit
TRANSFORM_STEPS = 200  # maximum number of updates of the mixture of a new document
TRANSFORM_TOL = 1e-4  # A mixture has converged if no share changes by more than this value.


@dataclass
class MixtureStats(Stats):
    """Sums over documents, computed in a pass of PLSA."""

    counts: Any = field(metadata=POOLED)  # Σ w θ / m (words x topics), an array or `Products`
    likelihood: float
    log_mixtures: float  # Σ ln θ over non-empty documents
    mass: np.ndarray  # expected number of word occurrences of each topic


class Mixture:
    """Solver of PLSA, which stores the topics (words x topics) and updates them (M-step).

    `run` runs the tasks of an update, usually `Engine.run_tasks`.
    """

    SAVED = ()

    def __init__(
        self,
        word_topics: np.ndarray,
        smoothing: float,
        doc_smoothing: float,
        tol: float,
        n_chunks: int,
        mixtures: list[Any] | None = None,
        run: RunTasks = run_here,
        prior: SeedPrior | None = None,
    ) -> None:
        self.run = run
        self.prior = prior
        self.word_topics = word_topics
        self.smoothing = smoothing
        self.doc_smoothing = doc_smoothing
        self.tol = tol
        # A weight that is set to zero stays zero, so negative smoothing starts only when topics
        # have formed.
        self.forming = smoothing < 0
        self.mass = np.ones(word_topics.shape[1])
        self.objective = np.inf
        self.step: Step = mix_chunk
        self.params: Any = (word_topics, doc_smoothing, STEPS, 0.0)
        self.local: list[Any] | None = [None] * n_chunks if mixtures is None else mixtures

    def update(self, stats: MixtureStats) -> Update:
        objective = self.objective_of(stats, self.word_topics)
        converged = abs(self.objective - objective) <= self.tol * abs(objective)
        self.objective = objective
        formed = self.forming and converged
        self.forming = self.forming and not converged
        smoothing = 0.0 if self.forming else self.smoothing
        self.word_topics = maximize(stats.counts, smoothing, self.word_topics, self.run, self.prior)
        self.mass = stats.mass
        self.params = (self.word_topics, *self.params[1:])
        return Update(objective, converged and not formed, restart=formed)

    def objective_of(self, stats: MixtureStats, word_topics: np.ndarray) -> float:
        objective = -stats.likelihood
        if self.smoothing > 0:
            objective -= self.smoothing * sum_logs(word_topics, self.run)
        if self.doc_smoothing > 0:
            objective -= self.doc_smoothing * stats.log_mixtures
        if self.prior is not None:
            objective += self.prior.log_value(word_topics)
        return objective


def sum_logs(word_topics: np.ndarray, run: RunTasks = run_here) -> float:
    """Return the sum of the logarithms of the positive weights."""

    def of_rows(rows: slice) -> float:
        block = word_topics[rows]
        logs = np.log(block, where=block > 0, out=np.zeros_like(block))
        return float(logs.sum(dtype=np.float64))

    return sum(run(of_rows, row_blocks(*word_topics.shape)))


def maximize(
    counts: np.ndarray,
    smoothing: float,
    factors: np.ndarray | None = None,
    run: RunTasks = run_here,
    prior: SeedPrior | None = None,
) -> np.ndarray:
    """Turn expected counts into topics (words x topics) in place, with smoothing.

    If `factors` are passed, the counts are first multiplied by them. Words that do not occur keep
    zero weight. With negative smoothing, every other word keeps some weight in its strongest topic,
    so that no word of the corpus gets probability zero. The prior of seeds adds counts, and sets
    the counts of excluded words to zero.
    """

    def smooth(rows: slice) -> np.ndarray:
        block, totals = counts[rows], np.zeros(counts.shape[1])
        if factors is not None:
            block *= factors[rows]
        if prior is not None:
            prior.exclude(block, rows)
            prior.add(block, rows)
        if smoothing < 0:
            _lower(block, smoothing)
        smooth_counts(block, max(smoothing, 0.0), totals)
        if prior is not None:
            totals -= prior.exclude(block, rows)
        return totals

    blocks = row_blocks(*counts.shape)
    totals = sum(run(smooth, blocks), np.zeros(counts.shape[1]))
    empty = totals <= 0
    if empty.any():  # A topic without counts gets, for each word, the largest count in any topic.
        strongest = counts.max(axis=1)
        counts[:, empty] = strongest[:, None] if strongest.any() else 1
        if prior is not None:
            prior.exclude(counts, slice(0, len(counts)))
        totals = counts.sum(axis=0, dtype=np.float64)
    divisors = totals.astype(counts.dtype)

    def normalize(rows: slice) -> None:
        np.divide(counts[rows], divisors, out=counts[rows])

    run(normalize, blocks)
    return counts


def _lower(counts: np.ndarray, smoothing: float) -> None:
    """Add negative smoothing in place; words that occur keep a weight in their strongest topic."""
    best = counts.argmax(axis=1)
    strongest = counts.max(axis=1)
    counts += counts.dtype.type(smoothing)
    np.maximum(counts, 0, out=counts)
    rows = np.flatnonzero(strongest > 0)
    counts[rows, best[rows]] = np.maximum(counts[rows, best[rows]], 0.1 * strongest[rows])


def mix_chunk(
    params: tuple[np.ndarray, float, int, float], chunk: Chunk, state: np.ndarray | None
) -> tuple[MixtureStats, np.ndarray]:
    """Engine step: update the topic mixtures of a chunk's documents and sum expected counts."""
    word_topics, smoothing, steps, tol = params
    X = chunk.load()
    # The state is copied, because the step is repeated from the same state if a worker is lost.
    shape = X.shape[0], word_topics.shape[1]
    theta = np.zeros(shape, word_topics.dtype) if state is None else state.copy()
    ratios = np.empty(X.nnz, word_topics.dtype)
    likelihood = mix_documents(
        X.data.astype(word_topics.dtype, copy=False),
        X.indices,
        X.indptr,
        word_topics,
        theta,
        smoothing,
        steps,
        tol,
        ratios,
    )
    counts = multiply_columns(chunk, X, columns_of(chunk, X), theta, ratios)
    lengths = np.add.reduceat(np.append(X.data, 0), X.indptr[:-1]) * (np.diff(X.indptr) > 0)
    mass = lengths.astype(np.float64) @ theta
    logs = 0.0
    if smoothing > 0:
        logs = float(np.log(theta[lengths > 0]).sum(dtype=np.float64))
    return MixtureStats(counts, float(likelihood), logs, mass), theta


def mix(word_topics: np.ndarray, smoothing: float, X: Any) -> tuple[np.ndarray, float]:
    """Return the topic mixtures of new documents, and the log-likelihood of all documents."""
    dtype = np.result_type(X.dtype, word_topics.dtype)
    theta = np.zeros((X.shape[0], word_topics.shape[1]), dtype)
    likelihood = mix_documents(
        X.data.astype(dtype, copy=False),
        X.indices,
        X.indptr,
        word_topics.astype(dtype, copy=False),
        theta,
        smoothing,
        TRANSFORM_STEPS,
        TRANSFORM_TOL,
        np.zeros(0, dtype),
    )
    return theta, float(likelihood)


def coding_step(model: Any) -> tuple[Step, tuple[Any, ...]]:
    """Return the step that codes a chunk, and its parameters, to which `sparse` is to be added.

    `model` is a fitted `PLSA`, or a stand-in for one.
    """
    threshold = getattr(model, "code_threshold_", 0.0)  # not set without a fit
    return mix_codes, (words_topics(model), model.doc_smoothing, threshold)


def mix_codes(
    params: tuple[np.ndarray, float, float, bool], chunk: Chunk, state: None
) -> tuple[Any, None]:
    """Step: compute the mixtures of a chunk, without topics whose share is below a threshold."""
    word_topics, smoothing, threshold, sparse = params
    mixtures = mix(word_topics, smoothing, chunk.load())[0]
    drop_weak_shares(mixtures, threshold)
    return as_codes(mixtures, sparse), None


def drop_weak_shares(mixtures: np.ndarray, threshold: float) -> None:
    """Set the shares below the threshold to zero, in place; the other shares then sum to one."""
    if threshold > 0:
        drop_weak(mixtures, threshold)
        totals = mixtures.sum(axis=1, keepdims=True)
        mixtures /= np.where(totals > 0, totals, 1)


def mix_likelihood(
    params: tuple[np.ndarray, float], chunk: Chunk, state: None
) -> tuple[tuple[float, float], None]:
    """Engine step: compute the log-likelihood of a chunk, and count its words."""
    X = chunk.load()
    return (mix(*params, X)[1], float(X.data.sum(dtype=np.float64))), None
