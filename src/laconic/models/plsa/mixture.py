"""Step, sum and update of PLSA: mixtures of documents, expected counts, and the next topics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.engines.base import Step
from laconic.engines.scratch import take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.mixture import mix_documents
from laconic.models.base import Update, as_codes

STEPS = 3  # of a document's mixture for one pass
TRANSFORM_STEPS = 200
TRANSFORM_TOL = 1e-4  # of a share


@dataclass
class MixtureStats(Stats):
    """Sums of a pass."""

    counts: np.ndarray = field(metadata=POOLED)  # Σ w θ / m by word and topic
    likelihood: float
    log_mixtures: float  # Σ ln θ over documents with words
    mass: np.ndarray  # words of each topic


class Mixture:
    """The solver of PLSA: its topics by word, and the M-step."""

    def __init__(
        self,
        words: np.ndarray,
        smoothing: float,
        doc_smoothing: float,
        tol: float,
        n_chunks: int,
        mixtures: list[Any] | None = None,
    ) -> None:
        self.words = words
        self.smoothing = smoothing
        self.doc_smoothing = doc_smoothing
        self.tol = tol
        # What has become zero stays zero, so nothing is taken off before topics have formed.
        self.forming = smoothing < 0
        self.mass = np.ones(words.shape[1])
        self.objective = np.inf
        self.step: Step = mix_chunk
        self.params: Any = (words, doc_smoothing, STEPS, 0.0)
        self.local: list[Any] | None = [None] * n_chunks if mixtures is None else mixtures

    def update(self, stats: MixtureStats) -> Update:
        objective = self.objective_of(stats, self.words)
        converged = abs(self.objective - objective) <= self.tol * abs(objective)
        self.objective = objective
        counts = stats.counts
        counts *= self.words
        formed = self.forming and converged
        self.forming = self.forming and not converged
        self.words = maximize(counts, 0.0 if self.forming else self.smoothing)
        self.mass = stats.mass
        self.params = (self.words, *self.params[1:])
        return Update(objective, converged and not formed, restart=formed)

    def objective_of(self, stats: MixtureStats, words: np.ndarray) -> float:
        objective = -stats.likelihood
        if self.smoothing > 0:
            objective -= self.smoothing * float(np.log(words[words > 0]).sum(dtype=np.float64))
        if self.doc_smoothing > 0:
            objective -= self.doc_smoothing * stats.log_mixtures
        return objective


def maximize(counts: np.ndarray, smoothing: float) -> np.ndarray:
    """Topics from expected counts, in place: columns on the simplex.

    Words that do not occur stay at zero. Where something is taken off, every word keeps a little in
    its strongest topic: no word of the corpus becomes impossible.
    """
    strongest = counts.max(axis=1)
    occurs = strongest > 0
    if smoothing < 0:
        best = counts.argmax(axis=1)
        counts += counts.dtype.type(smoothing)
        np.maximum(counts, 0, out=counts)
        rows = np.flatnonzero(occurs)
        least = np.maximum(counts[rows, best[rows]], 0.1 * strongest[rows])
        counts[rows, best[rows]] = least
    elif smoothing > 0:
        counts[occurs] += counts.dtype.type(smoothing)
    totals = counts.sum(axis=0, dtype=np.float64)
    empty = totals <= 0
    if empty.any():  # a topic that no document uses: the words of all of them
        counts[:, empty] = strongest[:, None] if occurs.any() else 1
        totals = counts.sum(axis=0, dtype=np.float64)
    counts /= totals.astype(counts.dtype)
    return counts


def mix_chunk(
    params: tuple[np.ndarray, float, int, float], chunk: Chunk, state: np.ndarray | None
) -> tuple[MixtureStats, np.ndarray]:
    """Step: mixtures of the documents of a chunk, and what they say about the topics."""
    words, smoothing, steps, tol = params
    X = chunk.load()
    # A step is pure: the state of a lost worker's pass must still be there to start again from.
    theta = np.zeros((X.shape[0], words.shape[1]), words.dtype) if state is None else state.copy()
    counts = take(words.shape, words.dtype)
    counts[:] = 0
    likelihood = mix_documents(
        X.data.astype(words.dtype, copy=False),
        X.indices,
        X.indptr,
        words,
        theta,
        smoothing,
        steps,
        tol,
        counts,
    )
    lengths = np.add.reduceat(np.append(X.data, 0), X.indptr[:-1]) * (np.diff(X.indptr) > 0)
    mass = lengths.astype(np.float64) @ theta
    logs = 0.0
    if smoothing > 0:
        logs = float(np.log(theta[lengths > 0]).sum(dtype=np.float64))
    return MixtureStats(counts, float(likelihood), logs, mass), theta


def mix(words: np.ndarray, smoothing: float, X: Any) -> tuple[np.ndarray, float]:
    """Mixtures of unseen documents, and their log-likelihood."""
    dtype = np.result_type(X.dtype, words.dtype)
    theta = np.zeros((X.shape[0], words.shape[1]), dtype)
    nothing = np.zeros((0, words.shape[1]), dtype)
    likelihood = mix_documents(
        X.data.astype(dtype, copy=False),
        X.indices,
        X.indptr,
        words.astype(dtype, copy=False),
        theta,
        smoothing,
        TRANSFORM_STEPS,
        TRANSFORM_TOL,
        nothing,
    )
    return theta, float(likelihood)


def mix_codes(
    params: tuple[np.ndarray, float, bool], chunk: Chunk, state: None
) -> tuple[Any, None]:
    """Step: mixtures of the documents of a chunk as codes."""
    words, smoothing, sparse = params
    return as_codes(mix(words, smoothing, chunk.load())[0], sparse), None


def mix_likelihood(
    params: tuple[np.ndarray, float], chunk: Chunk, state: None
) -> tuple[tuple[float, float], None]:
    """Step: log-likelihood of the documents of a chunk, and how many words they have."""
    X = chunk.load()
    return (mix(*params, X)[1], float(X.data.sum(dtype=np.float64))), None
