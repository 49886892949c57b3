"""Solver of the sparse coding topic model (SCTM): compute codes, sums over codes, and new topics.

A pass computes the code of every document by a non-negative lasso on the Gram matrix of the topics,
starting from the code of the previous pass. The pass then computes the sums C = Σθθ' and D = Σxθ',
from which the next topics are computed. The objective of a pass is the objective of the topics with
the optimal codes for these topics. This objective never rises from pass to pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.corpus.matrices import column_totals, columns_of
from laconic.engines.base import Step
from laconic.engines.blocks import RunTasks, run_here, transpose
from laconic.engines.blocks import gram as gram_of
from laconic.engines.products import multiply_columns
from laconic.engines.stats import LARGEST, POOLED, Stats
from laconic.errors import LaconicError
from laconic.kernels.lasso import nonnegative_lasso
from laconic.kernels.projection import gather_rows
from laconic.models.base import as_codes
from laconic.models.passes import Update
from laconic.models.sctm.dictionary import extrapolated, improve_topics
from laconic.models.sctm.noise import Noise, document_weights
from laconic.models.seed_priors import Pull

CODE_TOL = 1e-9
MOMENTUM = 0.9
REFILL_PASSES = 10  # number of the last pass in which topics that no document uses are replaced
PRIOR_TOL = 0.05  # The prior has converged if its relative change in a pass is at most this value.
SEARCH_PASSES = 6  # number of the last pass in which the search for the penalty is repeated


class CodeParams(NamedTuple):
    """Parameters from which the codes of documents are computed."""

    word_topics: np.ndarray  # words x topics
    gram: np.ndarray  # inner products of the topics, float64
    quadratic: np.ndarray  # gram plus the quadratic term of a prior
    penalty: np.ndarray  # penalty of each topic, float64
    # weights of the squared error; `word_topics` already contains the weights of the words
    noise: Noise | None = None


@dataclass
class CodeSums(Stats):
    """Sums over documents and their codes, computed in a pass."""

    products: np.ndarray = field(metadata=POOLED)  # D, words x topics, without word weights
    moments: np.ndarray  # C
    mass: np.ndarray  # Σθ
    energy: float  # Σ|x|²
    explained: float  # Σ θ'B'x
    n_documents: float  # number of non-empty documents, or the sum of their weights
    n_codes: int  # number of non-zero entries of the codes
    largest: float = field(metadata=LARGEST)  # largest correlation of a document with a topic


def weighted(params: CodeParams, weights: np.ndarray | None) -> CodeParams:
    """Add the weights of the words to the parameters; without weights, nothing changes.

    The topics in `params` have unit length (see `laconic.models.sctm.noise`).
    """
    if weights is None:
        return params
    topics = params.word_topics
    scales = (1 / weights) @ topics.astype(np.float64)
    word_topics = topics * weights[:, None].astype(topics.dtype)
    return params._replace(word_topics=word_topics, noise=Noise(weights**2, scales))


def code(
    X: sp.csr_matrix, params: CodeParams, codes: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes (float64), correlations of documents with topics, and inverse lengths.

    The inverse length is 1 / length of each document, or zero for an empty document. The
    length is the number of words or, with weights, the norm of the weighted counts.
    """
    lengths = norms(X, params)
    correlations = np.empty((X.shape[0], params.word_topics.shape[1]), params.word_topics.dtype)
    data = X.data.astype(params.word_topics.dtype, copy=False)
    gather_rows(data, X.indices, X.indptr, params.word_topics, correlations)
    shares = np.divide(1.0, lengths, where=lengths > 0, out=np.zeros(len(lengths)))
    correlations *= shares[:, None].astype(correlations.dtype)
    if codes is None:
        codes = np.zeros(correlations.shape)
    nonnegative_lasso(params.quadratic, correlations, params.penalty, codes, CODE_TOL)
    codes[shares == 0] = 0
    return codes, correlations, shares


def norms(X: sp.csr_matrix, params: CodeParams) -> np.ndarray:
    """Return the number by which the counts of each document are divided before coding."""
    if params.noise is None:
        return sum_rows(X, X.data)
    return np.sqrt(sum_rows(X, X.data.astype(np.float64) ** 2 * params.noise.squares[X.indices]))


def on_scale_of_frequencies(
    codes: np.ndarray, X: sp.csr_matrix, params: CodeParams, shares: np.ndarray
) -> np.ndarray:
    """Return codes whose product with the topics approximates the word frequencies."""
    if params.noise is None:
        return codes
    factors = shares * sum_rows(X, X.data)
    factors = np.divide(1.0, factors, where=factors > 0, out=np.zeros(len(factors)))
    return codes * params.noise.scales * factors[:, None]


def code_sums(
    params: CodeParams, chunk: Chunk, state: sp.csr_matrix | None
) -> tuple[CodeSums, sp.csr_matrix]:
    """Engine step: update the codes of the documents of a chunk, and compute sums over them."""
    before = None if state is None else state.toarray().astype(np.float64)
    sums, codes, _ = _code_chunk(params, chunk, before)
    return sums, as_codes(codes.astype(np.float32), True)  # precise enough for a warm start


def final_sums(params: CodeParams, chunk: Chunk, state: None) -> tuple[CodeSums, np.ndarray]:
    """Step: compute sums over codes, and return the codes on the scale of `transform`."""
    sums, codes, shares = _code_chunk(params, chunk)
    X = chunk.load()
    codes = on_scale_of_frequencies(codes, X, params, shares)
    return sums, codes.astype(np.result_type(X.dtype, params.word_topics.dtype))


def _code_chunk(
    params: CodeParams, chunk: Chunk, before: np.ndarray | None = None
) -> tuple[CodeSums, np.ndarray, np.ndarray]:
    X = chunk.load()
    codes, correlations, shares = code(X, params, before)
    if params.noise is None:
        counted, n_documents = codes, float(np.count_nonzero(shares))
        energy = float(sum_rows(X, X.data**2) @ shares**2)
    else:
        documents = document_weights(sum_rows(X, X.data))
        counted, n_documents = codes * documents[:, None], float(documents.sum())
        energy = n_documents  # the weighted documents have length one
    weights = (counted * shares[:, None]).astype(params.word_topics.dtype)
    products = multiply_columns(chunk, X, columns_of(chunk, X), weights)
    sums = CodeSums(
        products,
        counted.T @ codes,
        counted.sum(axis=0),
        energy,
        float(np.einsum("ij,ij->", counted, correlations)),
        n_documents,
        int(np.count_nonzero(codes)),
        float(correlations.max(initial=0.0)),
    )
    return sums, codes, shares


@dataclass
class Energy(Stats):
    """Sum of the squared norms of word frequencies, and number of non-empty documents."""

    total: float
    n_documents: int


def total_energy(params: None, chunk: Chunk, state: None) -> tuple[Energy, None]:
    """Engine step: sum the squared norms of the word frequencies of a chunk's documents."""
    X = chunk.load()
    lengths = sum_rows(X, X.data)
    squares = sum_rows(X, X.data**2)
    used = lengths > 0
    return Energy(float(np.sum(squares[used] / lengths[used] ** 2)), int(used.sum())), None


@dataclass
class WordSquares(Stats):
    """Sum over documents of the squared frequency of each word, or of weighted frequencies."""

    words: np.ndarray


def sum_squares(weights: np.ndarray | None, chunk: Chunk, state: None) -> tuple[WordSquares, None]:
    """Engine step: sum the squared word frequencies x² of a chunk or, with word weights, u y².

    See `laconic.models.sctm.noise`.
    """
    X = chunk.load()
    values = X.data.astype(np.float64)
    lengths = sum_rows(X, values)
    factors = np.ones(len(lengths))
    if weights is not None:
        factors = document_weights(lengths)
        values = values * weights[X.indices]
        lengths = np.sqrt(sum_rows(X, values**2))
    factors = np.divide(factors, lengths**2, where=lengths > 0, out=np.zeros(len(lengths)))
    return WordSquares(column_totals(X, values**2 * np.repeat(factors, np.diff(X.indptr)))), None


def sum_rows(X: sp.csr_matrix, values: np.ndarray) -> np.ndarray:
    """Sum `values`, one for each stored entry of `X`, over each row of `X`, in float64."""
    nonempty = np.diff(X.indptr) > 0
    sums = np.zeros(X.shape[0])
    if nonempty.any():
        sums[nonempty] = np.add.reduceat(values, X.indptr[:-1][nonempty], dtype=np.float64)
    return sums


def code_storage(chunks: list[Chunk]) -> list[Any] | None:
    """Return a list to store codes that warm-start the next pass, or None for chunks on disk.

    For chunks on disk, codes are not stored and every pass starts from zero codes. A
    fit without stored codes takes a third more time, but only constant memory.
    """
    in_memory = all(isinstance(chunk, MemoryChunk) for chunk in chunks)
    return [None] * len(chunks) if in_memory else None


class Prior:
    """l1 penalty on codes, with the same weight for all topics; base class of `GraphPrior`."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def params(self, word_topics: np.ndarray, run: RunTasks = run_here) -> CodeParams:
        """Return the parameters for coding documents with the topics `word_topics`."""
        gram = gram_of(word_topics, run)
        return CodeParams(word_topics, gram, gram, np.full(word_topics.shape[1], self.alpha))

    def objective(self, gram: np.ndarray, sums: CodeSums) -> float:
        """Return the objective, given the Gram matrix of the topics and the sums over codes."""
        fit = 0.5 * sums.energy - sums.explained + 0.5 * float(np.sum(gram * sums.moments))
        return fit + self.alpha * float(sums.mass.sum())

    def improve(self, sums: CodeSums) -> float:
        """Update the prior from sums over codes and return its relative change, here zero."""
        return 0.0

    def store(self, model: Any, order: np.ndarray) -> None:
        """Store the learned parameters as attributes of a model, with topics sorted by `order`."""


class SparseCoder:
    """Solver that updates the topics after each pass or batch.

    Passes use momentum; a pass in which momentum raises the objective is repeated without momentum.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        Initial topics on the simplex.
    prior : Prior
    tol : float
        The fit has converged when a pass lowers the objective by less than this share of its value.
    codes : list, optional
        List in which the codes of each chunk are stored between passes; see `code_storage`.
    refill : callable, optional
        ``refill(n, number)`` returns n new topics, which replace topics that no document uses.
        `number` is the number of updates so far.
    find_alpha : callable, optional
        Function that returns the penalty for given topics (words x topics); called in the
        first passes.
    is_fixed : bool, default=True
        Whether to raise an error if all codes are zero. Otherwise the penalty is lowered.
    n_batches : int, default=1
        Number of batches per pass.
    forgetting : float, default=1
        See `decay`.
    weights : ndarray of shape (n_words,), optional
        Weights of the words in the squared error; the topics then have unit length.
    search_passes : int, default=6
        Number of first passes after which the search for the penalty is repeated.
    run : callable, optional
        Function that runs the tasks of an update, usually `Engine.run_tasks`.
    pull : Pull, optional
        Prior of the topics of seeds.
    """

    SAVED = (CodeParams, Noise, CodeSums)

    def __init__(
        self,
        topics: np.ndarray,
        prior: Any,
        tol: float,
        codes: list[Any] | None = None,
        *,
        refill: Callable[[int, int], np.ndarray] | None = None,
        find_alpha: Callable[[np.ndarray], float] | None = None,
        is_fixed: bool = True,
        n_batches: int = 1,
        forgetting: float = 1.0,
        weights: np.ndarray | None = None,
        search_passes: int = SEARCH_PASSES,
        run: RunTasks = run_here,
        pull: Pull | None = None,
    ) -> None:
        self.run = run
        self.prior = prior
        self.pull = pull
        self.weights = weights
        self.search_passes = search_passes
        self.tol = tol
        self.refill = refill
        self.find_alpha = find_alpha
        self.is_fixed = is_fixed
        self.n_batches = n_batches
        self.forgetting = forgetting
        self.step: Step = code_sums
        self.local: list[Any] | None = codes
        self.topics = topics
        self.before: np.ndarray | None = None
        self.is_extrapolated = False
        self.objective = np.inf
        self.n_updates = 0
        self.sums: CodeSums | None = None  # sums over all documents seen so far
        self.objective_of_pass, self.n_codes, self.largest = 0.0, 0, 0.0
        self._code_with(topics)

    def _code_with(self, topics: np.ndarray) -> None:
        """Use the given topics to compute the codes of the next documents."""
        self.coding_topics = topics
        params = self.prior.params(transpose(topics, self.run), self.run)
        self.params: Any = weighted(params, self.weights)

    def update(self, sums: CodeSums) -> Update:
        self.n_updates += 1
        objective = self.prior.objective(self.params.gram, sums)
        if self.pull is not None:
            objective += self.pull.value(self.coding_topics) / self.n_batches
        if self.n_batches > 1:
            return self._after_batch(sums, objective)
        return self._after_pass(sums, objective)

    def advance(self, sums: CodeSums) -> None:
        """Update the topics from the given sums over codes."""
        self.topics = self._improved(self.topics, sums, self.topics)

    def _after_pass(self, sums: CodeSums, objective: float) -> Update:
        decrease = self.objective - objective
        if decrease < 0 and self.is_extrapolated:  # The pass is repeated without momentum.
            self.is_extrapolated, self.before = False, None
            self._code_with(self.topics)
            return Update(None)
        if decrease < 0:  # Without momentum, only rounding errors can raise the objective.
            return Update(None, converged=True)
        if not np.isfinite(self.objective) and self._all_codes_zero(sums.n_codes, sums.largest):
            return Update(None, restart=True)
        self.objective, self.sums = objective, sums
        before = self.topics
        self.topics = self._improved(self.coding_topics, sums, before)
        self.is_extrapolated = self.before is not None
        self.before = before
        if self._search_alpha(self.topics):
            return Update(None, restart=True)
        self._code_with(
            extrapolated(self.topics, before, MOMENTUM, self.weights, self.run)
            if self.is_extrapolated
            else self.topics
        )
        converged = decrease <= self.tol * abs(objective) and self.prior_change <= PRIOR_TOL
        return Update(objective, converged=bool(converged))

    def _after_batch(self, sums: CodeSums, objective: float) -> Update:
        self.objective_of_pass += objective
        self.n_codes += sums.n_codes
        self.largest = max(self.largest, sums.largest)
        number = min(self.n_updates, self.n_batches)
        if self.sums is not None:
            sums = self.sums.scaled(decay(number - 1, 1, self.forgetting)).merge(sums)
        self.sums = sums
        self.topics = self._improved(self.topics, self.sums, self.topics)
        searched = self._search_alpha(self.topics)
        self._code_with(self.topics)
        if self.n_updates % self.n_batches:
            return Update(None)
        objective, self.objective_of_pass = self.objective_of_pass, 0.0
        decrease = abs(self.objective - objective)
        self.objective = objective
        if searched or (
            not np.isfinite(decrease) and self._all_codes_zero(self.n_codes, self.largest)
        ):
            return Update(None, restart=True)
        return Update(objective, converged=bool(decrease <= self.tol * abs(objective)))

    def _improved(self, topics: np.ndarray, sums: CodeSums, before: np.ndarray) -> np.ndarray:
        """Update the prior and return the next topics.

        In the first passes, topics that no document uses are replaced, also in `before`.
        """
        self.prior_change = self.prior.improve(sums)
        new = improve_topics(
            topics,
            sums.moments,
            sums.products.T,
            weights=self.weights,
            run=self.run,
            pull=self.pull,
        )
        is_used = np.diag(sums.moments) > 0
        if self.pull is not None:
            is_used = is_used | self.pull.is_seeded
        unused = np.flatnonzero(~is_used)
        if len(unused) and self.refill is not None and self.n_updates <= REFILL_PASSES:
            new[unused] = before[unused] = self.refill(len(unused), self.n_updates)
        return new

    def _all_codes_zero(self, n_codes: int, largest: float) -> bool:
        """Return whether all codes are zero because of the penalty, and if so lower the penalty.

        If the user has set the penalty, an error is raised instead.
        """
        if n_codes or not largest:
            return False
        if self.is_fixed:
            raise zero_codes_error(self.prior.alpha, largest)
        self.prior.alpha = largest / 2
        self._code_with(self.topics)
        return True

    def _search_alpha(self, topics: np.ndarray) -> bool:
        """In the first passes, search for the penalty again; return whether this was done."""
        if self.find_alpha is None or self.n_updates > self.search_passes * self.n_batches:
            return False
        self.prior.alpha = self.find_alpha(np.ascontiguousarray(topics.T))
        self.objective, self.is_extrapolated, self.before = np.inf, False, None
        self._code_with(topics)
        return True


def zero_codes_error(alpha: float, largest: float) -> LaconicError:
    """Return the error to be raised if the penalty is so large that all codes are zero."""
    digits = 10.0 ** (2 - np.floor(np.log10(largest)))
    largest_alpha = np.floor(largest * (1 - 1e-6) * digits) / digits
    return LaconicError(
        f"alpha={alpha:g} of SCTM is so large that all codes are zero; for these documents, set "
        f"'alpha' to at most about {largest_alpha:.3g}."
    )


def decay(before: float, more: float, forgetting: float) -> float:
    """Return the weight of sums over `before` documents when `more` documents are added.

    With ``forgetting=0``, all documents have equal weight. With ``forgetting=1``, new documents
    have at least average weight. Larger values reduce the weight of earlier documents faster
    (Mairal et al.: Online Learning for Matrix Factorization and Sparse Coding, 2010).
    """
    return float((before / (before + more)) ** forgetting)
