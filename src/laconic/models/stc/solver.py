"""The solver of sparse topical coding, and the penalties that reach a number of topics."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.sampling import sample_documents
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.kernels.stc_coding import Penalties
from laconic.kernels.stc_pass import Collect
from laconic.kernels.stc_words import encode_words
from laconic.models.base import Update
from laconic.models.penalty_search import SAMPLE, find_penalty
from laconic.models.stc.dictionary import (
    CODE_TOL,
    CodingStats,
    code,
    code_chunk,
    coupled_step,
    paper_step,
)

SMOOTHING = 0.02  # of the coupled dictionary, as in PLSA
FORGETTING = 0.7  # exponent with which a batch counts for less, later in a fit
DELAY = 4


Sums = tuple[np.ndarray, np.ndarray]


class Coder:
    """Dictionary by word, and its step after a pass or a batch.

    Parameters
    ----------
    words : ndarray of shape (n_words, n_topics)
    penalties : Penalties
    dictionary : {"coupled", "paper"}
    tol : float
        Converged when the columns change by less, in the mean of their l1 distances.
    n_chunks : int
    share : float, default=1
        Share of the documents in a batch.
    """

    def __init__(
        self,
        words: np.ndarray,
        penalties: Penalties,
        dictionary: str,
        tol: float,
        n_chunks: int,
        share: float = 1.0,
    ) -> None:
        self.words = words
        self.penalties = penalties
        self.coupled = dictionary == "coupled"
        self.tol = tol
        self.share = share
        self.step: Step = code_chunk
        # The paper's step is promised to be monotone, so its codes are solved more closely.
        self.collect, self.code_tol = (
            (Collect.COUPLED, CODE_TOL) if self.coupled else (Collect.PAPER, CODE_TOL / 100)
        )
        self.params: Any = (words, penalties, self.collect, self.code_tol)
        self.local: list[Any] | None = [None] * n_chunks
        self.known: Sums | None = None
        self.topic_counts = np.zeros(words.shape[1])
        self.n_updates = 0
        self.divergence: list[float] = []

    def update(self, stats: CodingStats) -> Update:
        objective = stats.objective / self.share
        if self.coupled:
            self.divergence.append(-stats.likelihood / self.share)
        sums = self.sums(stats)
        if self.share < 1:
            sums = self._blend(sums)
        return Update(objective, self.advance(sums) <= self.tol)

    def sums(self, stats: CodingStats) -> Sums:
        """a and b of a pass; they stay true when topics move."""
        numerator = stats.numerator
        if self.coupled or self.penalties.poisson:
            numerator *= self.words
        return numerator, stats.denominator

    def advance(self, sums: Sums) -> float:
        """The next dictionary; returns how far it is from the one before."""
        if self.coupled:
            self.topic_counts = sums[0].sum(axis=0, dtype=np.float64)
            new = coupled_step(sums[0], SMOOTHING)
        else:
            self.last = sums
            new = paper_step(*sums, self.words, self.penalties.poisson)
        change = float(np.abs(new - self.words).sum(axis=0).mean())
        self.words = new
        self.params = (new, *self.params[1:])
        return change

    def _blend(self, sums: Sums) -> Sums:
        """Sums over all documents as far as they are known: old ones fade."""
        weight = float((DELAY + self.n_updates) ** -FORGETTING)
        self.n_updates += 1
        first, second = (part / part.dtype.type(self.share) for part in sums)
        if self.known is not None:
            first = (1 - weight) * self.known[0] + weight * first
            second = (1 - weight) * self.known[1] + weight * second
        self.known = first, second
        return first.copy(), second


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
