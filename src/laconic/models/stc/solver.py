"""The solver of sparse topical coding, and the penalties that reach a number of topics."""

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
from laconic.kernels.stc_coding import Penalties
from laconic.kernels.stc_pass import NOTHING, PAPER, code_documents
from laconic.kernels.stc_words import encode_words
from laconic.models.base import Update
from laconic.models.penalty_search import SAMPLE, find_penalty
from laconic.models.stc.dictionary import DictionaryStep

CODE_TOL = 3e-3  # the next step would change no entry by more than this share of the largest
CODE_STEPS = 100
FORGETTING = 0.7  # exponent with which a batch counts for less, later in a fit
DELAY = 4


@dataclass
class CodingStats(Stats):
    """Sums of a pass, see `laconic.kernels.stc_pass`."""

    numerator: np.ndarray = field(metadata=POOLED)  # a
    denominator: np.ndarray = field(metadata=POOLED)  # b, of no rows where it is not asked for
    objective: float
    likelihood: float
    mass: np.ndarray  # of the codes of documents, by topic


class CodingParams(NamedTuple):
    """What a pass needs to know."""

    words: np.ndarray  # the dictionary, words x topics
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
    """Codes of documents, their objective and the log-likelihood of their mixtures."""
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
        _no_sums(words) if numerator is None else numerator,
        _no_sums(words) if denominator is None else denominator,
    )
    return theta, float(objective), float(likelihood)


def code_chunk(
    params: CodingParams, chunk: Chunk, state: np.ndarray | None
) -> tuple[CodingStats, np.ndarray]:
    """Step: codes of the documents of a chunk, and what they say about the dictionary."""
    words, penalties, collect, tol = params
    start = None if state is None else state.copy()
    numerator = _zeros(words)
    denominator = _zeros(words) if collect == PAPER else _no_sums(words)
    theta, objective, likelihood = code(
        chunk.load(), words, penalties, start, collect, numerator, denominator, tol
    )
    mass = theta.sum(axis=0, dtype=np.float64)
    return CodingStats(numerator, denominator, objective, likelihood, mass), theta


def _zeros(words: np.ndarray) -> np.ndarray:
    array = take(words.shape, words.dtype)
    array[:] = 0
    return array


def _no_sums(words: np.ndarray) -> np.ndarray:
    return np.zeros((0, words.shape[1]), words.dtype)


class Coder:
    """Dictionary by word, and its step after a pass or a batch.

    Parameters
    ----------
    words : ndarray of shape (n_words, n_topics)
    penalties : Penalties
    dictionary : DictionaryStep
    tol : float
        Converged when the columns change by less, in the mean of their l1 distances.
    n_chunks : int
    blend : Blend, optional
        For updates after each batch.
    """

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
        code_tol = CODE_TOL / dictionary.closeness
        self.params = CodingParams(words, penalties, dictionary.collect, code_tol)
        self.local: list[Any] | None = [None] * n_chunks
        self.numerator, self.denominator = np.zeros_like(words), _no_sums(words)
        self.divergence: list[float] = []

    @property
    def words(self) -> np.ndarray:
        return self.params.words

    def update(self, stats: CodingStats) -> Update:
        stats = self.complete(stats)
        if self.blend is not None:
            stats = self.blend.add(stats)
        self.divergence.append(-stats.likelihood)
        change = self.advance(stats.numerator, stats.denominator)
        return Update(stats.objective, change <= self.tol)

    def complete(self, stats: CodingStats) -> CodingStats:
        """With a and b of the pass, in place; they stay true when topics move."""
        if self.dictionary.lacks_beta:
            stats.numerator.__imul__(self.words)
        return stats

    def advance(self, numerator: np.ndarray, denominator: np.ndarray) -> float:
        """The next dictionary; returns how far it is from the one before."""
        self.numerator, self.denominator = numerator, denominator
        new = self.dictionary(numerator, denominator, self.words)
        change = float(np.abs(new - self.words).sum(axis=0).mean())
        self.params = self.params._replace(words=new)
        return change


class Blend:
    """Sums over all documents as far as batches have told them: old ones fade."""

    def __init__(self, n_batches: int) -> None:
        self.share = 1 / n_batches  # of the documents in a batch
        self.known: CodingStats | None = None
        self.n_updates = 0

    def add(self, batch: CodingStats) -> CodingStats:
        """All documents after one more batch; objective and likelihood are the batch's alone."""
        weight = float((DELAY + self.n_updates) ** -FORGETTING)
        self.n_updates += 1
        share = batch.numerator.dtype.type(self.share)
        numerator, denominator = batch.numerator / share, batch.denominator / share
        if self.known is not None:
            numerator = (1 - weight) * self.known.numerator + weight * numerator
            denominator = (1 - weight) * self.known.denominator + weight * denominator
        objective, likelihood = batch.objective / self.share, batch.likelihood / self.share
        self.known = CodingStats(numerator, denominator, objective, likelihood, batch.mass)
        return self.known


class Targets(NamedTuple):
    """Topics that a word, or a document, is to have on average."""

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
    """Penalties that give codes of the wanted size, measured on a sample of documents."""
    X = sample_documents(engine, chunks, SAMPLE, seed)

    def with_penalties(word: float, document: float) -> Penalties:
        return penalties._replace(word_l1=word, doc_l1=document)

    def per_word(word: float, document: float) -> float:
        chosen = with_penalties(word, document)
        theta = code(X, words, chosen)[0]
        data = X.data.astype(words.dtype, copy=False)
        codes = encode_words(data, X.indices, X.indptr, words, theta, chosen)[0]
        return len(codes) / max(X.nnz, 1)

    def per_document(word: float, document: float) -> float:
        theta = code(X, words, with_penalties(word, document))[0]
        return int(np.count_nonzero(theta)) / max(int(np.count_nonzero(np.diff(X.indptr))), 1)

    word, document = penalties.word_l1, penalties.doc_l1
    for _ in range(2 if None not in targets else 1):
        if targets.per_document is not None:
            of_document = partial(per_document, word)
            document = find_penalty(of_document, targets.per_document, document or 1.0)
        if targets.per_word is not None:
            of_word = partial(per_word, document=document)
            word = find_penalty(of_word, targets.per_word, word or 0.1)
    return with_penalties(word, document)
