"""Solver of sparse topical coding, and the search for penalties that meet sparsity targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.sampling import sample_documents
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.engines.scratch import take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.stc_pass import NOTHING, PAPER, code_documents
from laconic.kernels.stc_words import encode_words
from laconic.kernels.stc_workspace import Penalties
from laconic.models.passes import Update
from laconic.models.penalty_search import SAMPLE, find_penalty
from laconic.models.stc.dictionary import DictionaryStep

# A code has converged if a step changes no entry by more than this share of the largest entry.
CODE_TOL = 3e-3
CODE_STEPS = 100  # maximum number of steps for a document code
# The weight of a batch is (DELAY + number of earlier batches) ** -FORGETTING.
FORGETTING = 0.7
DELAY = 4


@dataclass
class CodingStats(Stats):
    """Sums over documents, computed in a pass; see `laconic.kernels.stc_pass`."""

    numerator: np.ndarray = field(metadata=POOLED)  # a in `laconic.models.stc.dictionary`
    denominator: np.ndarray = field(metadata=POOLED)  # b; has no rows if b is not needed
    objective: float
    likelihood: float
    mass: np.ndarray  # sum of the document codes for each topic


class CodingParams(NamedTuple):
    """Parameters of a pass that computes document codes."""

    words: np.ndarray  # dictionary (words x topics)
    penalties: Penalties
    collect: int
    tol: float = CODE_TOL


def code(
    X: Any,
    words: np.ndarray,
    penalties: Penalties,
    theta: np.ndarray | None = None,
    collect: int = NOTHING,
    numerator: np.ndarray | None = None,
    denominator: np.ndarray | None = None,
    tol: float = CODE_TOL,
) -> tuple[np.ndarray, float, float]:
    """Return document codes, the coding objective, and the log-likelihood of topic mixtures.

    The mixtures are close to the document codes; see `laconic.models.stc.dictionary`.
    """
    dtype = words.dtype
    warm = theta is not None
    if theta is None:
        theta = np.zeros((X.shape[0], words.shape[1]), dtype)
    objective, likelihood = code_documents(
        X.data.astype(dtype, copy=False),
        X.indices,
        X.indptr,
        words,
        theta,
        penalties,
        tol,
        CODE_STEPS,
        warm,
        collect,
        _empty_sums(words) if numerator is None else numerator,
        _empty_sums(words) if denominator is None else denominator,
    )
    return theta, float(objective), float(likelihood)


def code_chunk(
    params: CodingParams, chunk: Chunk, state: np.ndarray | None
) -> tuple[CodingStats, np.ndarray]:
    """Engine step: compute the document codes of a chunk and the sums for the dictionary."""
    words, penalties, collect, tol = params
    initial_codes = None if state is None else state.copy()
    numerator = _zeros(words)
    denominator = _zeros(words) if collect == PAPER else _empty_sums(words)
    theta, objective, likelihood = code(
        chunk.load(), words, penalties, initial_codes, collect, numerator, denominator, tol
    )
    mass = theta.sum(axis=0, dtype=np.float64)
    return CodingStats(numerator, denominator, objective, likelihood, mass), theta


def _zeros(words: np.ndarray) -> np.ndarray:
    array = take(words.shape, words.dtype)
    array[:] = 0
    return array


def _empty_sums(words: np.ndarray) -> np.ndarray:
    """Return an array without rows, which stands for sums that are not needed."""
    return np.zeros((0, words.shape[1]), words.dtype)


class Coder:
    """Solver of STC, which updates the dictionary after each pass or batch.

    Parameters
    ----------
    words : ndarray of shape (n_words, n_topics)
        Initial dictionary.
    penalties : Penalties
    dictionary : DictionaryStep
    tol : float
        The fit has converged when the mean l1 distance between old and new topics is at most `tol`.
    n_chunks : int
    blend : Blend, optional
        Running sums over batches, if the dictionary is updated after each batch.
    """

    SAVED = (CodingParams, Penalties, CodingStats)

    def __init__(
        self,
        words: np.ndarray,
        penalties: Penalties,
        dictionary: DictionaryStep,
        tol: float,
        n_chunks: int,
        blend: Blend | None = None,
    ) -> None:
        self.dictionary = dictionary
        self.tol = tol
        self.blend = blend
        self.step: Step = code_chunk
        code_tol = CODE_TOL / dictionary.tol_divisor
        self.params = CodingParams(words, penalties, dictionary.collect, code_tol)
        self.local: list[Any] | None = [None] * n_chunks
        self.numerator, self.denominator = np.zeros_like(words), _empty_sums(words)
        self.divergence: list[float] = []

    @property
    def words(self) -> np.ndarray:
        return self.params.words

    def update(self, stats: CodingStats) -> Update:
        stats = self.complete(stats)
        if self.blend is not None:
            stats = self.blend.add(stats)
        value = self.dictionary.prior_value(self.words)
        self.divergence.append(value - stats.likelihood)
        change = self.advance(stats.numerator, stats.denominator)
        return Update(stats.objective + value, change <= self.tol)

    def complete(self, stats: CodingStats) -> CodingStats:
        """Turn the sums of a pass into a and b of the dictionary update, in place.

        Call this method before the topics change, because it uses the topics of the pass.
        """
        if self.dictionary.lacks_beta:
            stats.numerator.__imul__(self.words)
        return stats

    def advance(self, numerator: np.ndarray, denominator: np.ndarray) -> float:
        """Update the dictionary; return the mean l1 distance between old and new topics."""
        self.numerator, self.denominator = numerator, denominator
        new = self.dictionary(numerator, denominator, self.words)
        change = float(np.abs(new - self.words).sum(axis=0).mean())
        self.params = self.params._replace(words=new)
        return change


class Blend:
    """Running estimate of the sums over all documents; older batches have less weight."""

    def __init__(self, n_batches: int) -> None:
        self.share = 1 / n_batches  # share of all documents in one batch
        self.blended: CodingStats | None = None
        self.n_updates = 0

    def add(self, batch: CodingStats) -> CodingStats:
        """Add a batch and return the running sums.

        The objective and the likelihood are computed from this batch only.
        """
        weight = float((DELAY + self.n_updates) ** -FORGETTING)
        self.n_updates += 1
        share = batch.numerator.dtype.type(self.share)
        numerator, denominator = batch.numerator / share, batch.denominator / share
        if self.blended is not None:
            numerator = (1 - weight) * self.blended.numerator + weight * numerator
            denominator = (1 - weight) * self.blended.denominator + weight * denominator
        objective, likelihood = batch.objective / self.share, batch.likelihood / self.share
        self.blended = CodingStats(numerator, denominator, objective, likelihood, batch.mass)
        return self.blended


class Targets(NamedTuple):
    """Targets for the mean number of topics per word and per document."""

    per_word: float | None
    per_document: float | None


def meet_targets(
    engine: Engine,
    chunks: list[Chunk],
    words: np.ndarray,
    penalties: Penalties,
    targets: Targets,
    seed: int,
) -> Penalties:
    """Find penalties for which a sample of documents meets the targets."""
    X = sample_documents(engine, chunks, SAMPLE, seed)

    def with_penalties(word: float, document: float) -> Penalties:
        return penalties._replace(word_l1=word, doc_l1=document)

    def per_word(word: float, document: float) -> float:
        trial = with_penalties(word, document)
        theta = code(X, words, trial)[0]
        data = X.data.astype(words.dtype, copy=False)
        codes = encode_words(data, X.indices, X.indptr, words, theta, trial)[0]
        return len(codes) / max(X.nnz, 1)

    def per_document(word: float, document: float) -> float:
        theta = code(X, words, with_penalties(word, document))[0]
        return int(np.count_nonzero(theta)) / max(int(np.count_nonzero(np.diff(X.indptr))), 1)

    word, document = penalties.word_l1, penalties.doc_l1
    for _ in range(2 if None not in targets else 1):
        if targets.per_document is not None:
            measure_documents = partial(per_document, word)
            document = find_penalty(measure_documents, targets.per_document, document or 1.0)
        if targets.per_word is not None:
            measure_words = partial(per_word, document=document)
            word = find_penalty(measure_words, targets.per_word, word or 0.1)
    return with_penalties(word, document)
