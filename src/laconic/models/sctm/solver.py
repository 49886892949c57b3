"""Step, sum and update of the sparse coding topic model.

One pass codes every document by a non-negative lasso on the Gram matrix of the topics, from its
code of the pass before, and sums C = Σθθ' and D = Σxθ', which are all that the next topics need.
The value after a pass is the objective at these topics and their best codes, so it never rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.corpus.matrices import columns_of
from laconic.engines.base import Step
from laconic.engines.scratch import take
from laconic.engines.stats import LARGEST, POOLED, Stats
from laconic.errors import LaconicError
from laconic.kernels.lasso import nonnegative_lasso
from laconic.kernels.projection import gather_rows
from laconic.models.base import Update, as_codes
from laconic.models.sctm.dictionary import extrapolated, improve_topics

CODE_TOL = 1e-9
MOMENTUM = 0.9
REFILLED = 10  # passes in which topics that no document uses are replaced
PRIOR_TOL = 0.05  # change of a prior in a pass, as a share of it
FORMING = 6  # passes in which a penalty that is to be found follows the topics


class CodeParams(NamedTuple):
    """What a document needs to be coded."""

    words: np.ndarray  # topics by word
    gram: np.ndarray  # products of the topics, float64
    quadratic: np.ndarray  # the same, and what a prior adds
    penalty: np.ndarray  # for each topic, float64


@dataclass
class CodeSums(Stats):
    """Sums of a pass."""

    products: np.ndarray = field(metadata=POOLED)  # D, words x topics
    moments: np.ndarray  # C
    mass: np.ndarray  # Σθ
    energy: float  # Σ|x|²
    explained: float  # Σ θ'B'x
    n_documents: float  # that have words
    n_codes: int  # that are not zero
    largest: float = field(metadata=LARGEST)  # correlation of a document with a topic


def gram_of(words: np.ndarray) -> np.ndarray:
    """Products of the topics with each other, in float64."""
    exact = words.astype(np.float64, copy=False)
    return exact.T @ exact


def code(
    X: sp.csr_matrix, params: CodeParams, codes: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of documents (float64), their correlations with the topics, and what one occurrence of
    a word is of a document (zero where it has none)."""
    lengths = sum_rows(X, X.data)
    correlations = np.empty((X.shape[0], params.words.shape[1]), params.words.dtype)
    data = X.data.astype(params.words.dtype, copy=False)
    gather_rows(data, X.indices, X.indptr, params.words, correlations)
    shares = np.divide(1.0, lengths, where=lengths > 0, out=np.zeros(len(lengths)))
    correlations *= shares[:, None].astype(correlations.dtype)
    if codes is None:
        codes = np.zeros(correlations.shape)
    nonnegative_lasso(params.quadratic, correlations, params.penalty, codes, CODE_TOL)
    codes[shares == 0] = 0
    return codes, correlations, shares


def code_sums(
    params: CodeParams, chunk: Chunk, state: sp.csr_matrix | None
) -> tuple[CodeSums, sp.csr_matrix]:
    """Step: codes of the documents of a chunk, from where they were, and their sums."""
    before = None if state is None else state.toarray().astype(np.float64)
    sums, codes = _code_chunk(params, chunk, before)
    return sums, as_codes(codes.astype(np.float32), True)  # where to start from, not a result


def last_sums(params: CodeParams, chunk: Chunk, state: None) -> tuple[CodeSums, np.ndarray]:
    """Step: codes as `transform` gives them, and their sums."""
    sums, codes = _code_chunk(params, chunk)
    return sums, codes.astype(np.result_type(chunk.load().dtype, params.words.dtype))


def _code_chunk(
    params: CodeParams, chunk: Chunk, before: np.ndarray | None = None
) -> tuple[CodeSums, np.ndarray]:
    X = chunk.load()
    codes, correlations, shares = code(X, params, before)
    weights = (codes * shares[:, None]).astype(params.words.dtype)
    products = take(params.words.shape, params.words.dtype)
    columns = columns_of(chunk, X)
    data = columns.data.astype(params.words.dtype, copy=False)
    gather_rows(data, columns.indices, columns.indptr, weights, products)
    squares = sum_rows(X, X.data**2)
    sums = CodeSums(
        products,
        codes.T @ codes,
        codes.sum(axis=0),
        float(squares @ shares**2),
        float(np.einsum("ij,ij->", codes, correlations)),
        int(np.count_nonzero(shares)),
        int(np.count_nonzero(codes)),
        float(correlations.max(initial=0.0)),
    )
    return sums, codes


@dataclass
class Energy(Stats):
    """Sum of the squared lengths of documents of frequencies."""

    total: float
    n_documents: int


def total_energy(params: None, chunk: Chunk, state: None) -> tuple[Energy, None]:
    """Step: how long the documents of a chunk are when their entries sum to one."""
    X = chunk.load()
    lengths = sum_rows(X, X.data)
    squares = sum_rows(X, X.data**2)
    used = lengths > 0
    return Energy(float(np.sum(squares[used] / lengths[used] ** 2)), int(used.sum())), None


def sum_rows(X: sp.csr_matrix, values: np.ndarray) -> np.ndarray:
    """Sum of the values that stand at the entries of each row, in float64."""
    filled = np.diff(X.indptr) > 0
    sums = np.zeros(X.shape[0])
    if filled.any():
        sums[filled] = np.add.reduceat(values, X.indptr[:-1][filled], dtype=np.float64)
    return sums


def room_for_codes(chunks: list[Chunk]) -> list[Any] | None:
    """Where the codes of a pass wait as the start of the next.

    From disk they start from nothing: memory stays flat for a third more time.
    """
    in_memory = all(isinstance(chunk, MemoryChunk) for chunk in chunks)
    return [None] * len(chunks) if in_memory else None


class Prior:
    """No prior: a penalty on the sum of a code, the same for all topics."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def params(self, words: np.ndarray) -> CodeParams:
        gram = gram_of(words)
        return CodeParams(words, gram, gram, np.full(words.shape[1], self.alpha))

    def objective(self, gram: np.ndarray, sums: CodeSums) -> float:
        """Value at topics with these products, and the codes that were summed."""
        fit = 0.5 * sums.energy - sums.explained + 0.5 * float(np.sum(gram * sums.moments))
        return fit + self.alpha * float(sums.mass.sum())

    def improve(self, sums: CodeSums) -> float:
        """Follow the codes, and say by which share that changed the prior; here it cannot."""
        return 0.0

    def store(self, model: Any, order: np.ndarray) -> None:
        """Keep what was learned as attributes of a model whose topics are in this order."""


class SparseCoder:
    """Topics, and their step after a pass or a batch: a `Solver` with momentum and a guard.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        On the simplex.
    prior : Prior
    tol : float
        Converged when a pass lowers the objective by less than this share of it.
    codes : list, optional
        Room for the codes of each chunk between passes, see `room_for_codes`.
    refill : callable, optional
        ``refill(n, number)`` gives n topics in place of those that no document uses.
    find_alpha : callable, optional
        The penalty that suits topics (by word), asked for in the first passes.
    is_fixed : bool, default=True
        Whether a penalty that leaves no code is an error; else it is lowered.
    n_batches : int, default=1
        Batches in a pass.
    forgetting : float, default=1
        See `decay`.
    """

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
    ) -> None:
        self.prior = prior
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
        self.sums: CodeSums | None = None  # of all documents, as far as they are known
        self.objective_of_pass, self.n_codes, self.largest = 0.0, 0, 0.0
        self._look_from(topics)

    def _look_from(self, topics: np.ndarray) -> None:
        """Code the next documents with these topics."""
        self.at = topics
        self.params: Any = self.prior.params(np.ascontiguousarray(topics.T))

    def update(self, sums: CodeSums) -> Update:
        self.n_updates += 1
        objective = self.prior.objective(self.params.gram, sums)
        if self.n_batches > 1:
            return self._after_batch(sums, objective)
        return self._after_pass(sums, objective)

    def advance(self, sums: CodeSums) -> None:
        """The next topics from sums that were put together elsewhere."""
        self.topics = self._improved(self.topics, sums, self.topics)

    def _after_pass(self, sums: CodeSums, objective: float) -> Update:
        decrease = self.objective - objective
        if decrease < 0 and self.is_extrapolated:  # the guard: again, without momentum
            self.is_extrapolated, self.before = False, None
            self._look_from(self.topics)
            return Update(None)
        if decrease < 0:  # only rounding is left
            return Update(None, converged=True)
        if not np.isfinite(self.objective) and self._vanished(sums.n_codes, sums.largest):
            return Update(None, restart=True)
        self.objective, self.sums = objective, sums
        before = self.topics
        self.topics = self._improved(self.at, sums, before)
        self.is_extrapolated = self.before is not None
        self.before = before
        if self._found_alpha(self.topics):
            return Update(None, restart=True)
        self._look_from(
            extrapolated(self.topics, before, MOMENTUM) if self.is_extrapolated else self.topics
        )
        settled = decrease <= self.tol * abs(objective) and self.prior_change <= PRIOR_TOL
        return Update(objective, converged=bool(settled))

    def _after_batch(self, sums: CodeSums, objective: float) -> Update:
        self.objective_of_pass += objective
        self.n_codes += sums.n_codes
        self.largest = max(self.largest, sums.largest)
        number = min(self.n_updates, self.n_batches)
        if self.sums is not None:
            sums = self.sums.scaled(decay(number - 1, 1, self.forgetting)).merge(sums)
        self.sums = sums
        self.topics = self._improved(self.topics, self.sums, self.topics)
        found = self._found_alpha(self.topics)
        self._look_from(self.topics)
        if self.n_updates % self.n_batches:
            return Update(None)
        objective, self.objective_of_pass = self.objective_of_pass, 0.0
        decrease = abs(self.objective - objective)
        self.objective = objective
        if found or (not np.isfinite(decrease) and self._vanished(self.n_codes, self.largest)):
            return Update(None, restart=True)
        return Update(objective, converged=bool(decrease <= self.tol * abs(objective)))

    def _improved(self, topics: np.ndarray, sums: CodeSums, before: np.ndarray) -> np.ndarray:
        """The next topics, and what the prior learns; `before` forgets topics that are replaced."""
        self.prior_change = self.prior.improve(sums)
        new = improve_topics(topics, sums.moments, np.ascontiguousarray(sums.products.T))
        unused = np.flatnonzero(np.diag(sums.moments) == 0)
        if len(unused) and self.refill is not None and self.n_updates <= REFILLED:
            new[unused] = before[unused] = self.refill(len(unused), self.n_updates)
        return new

    def _vanished(self, n_codes: int, largest: float) -> bool:
        """Whether the penalty left no code at all: then it is refused, or lowered if nobody asked
        for it."""
        if n_codes or not largest:
            return False
        if self.is_fixed:
            raise all_vanish(self.prior.alpha, largest)
        self.prior.alpha = largest / 2
        self._look_from(self.topics)
        return True

    def _found_alpha(self, topics: np.ndarray) -> bool:
        """Whether another penalty was found for topics that are still forming."""
        if self.find_alpha is None or self.n_updates > FORMING * self.n_batches:
            return False
        self.prior.alpha = self.find_alpha(np.ascontiguousarray(topics.T))
        self.objective, self.is_extrapolated, self.before = np.inf, False, None
        self._look_from(topics)
        return True


def all_vanish(alpha: float, largest: float) -> LaconicError:
    """The error for a penalty that leaves no code."""
    digits = 10.0 ** (2 - np.floor(np.log10(largest)))
    below = np.floor(largest * (1 - 1e-6) * digits) / digits
    return LaconicError(
        f"alpha={alpha:g} is so large that every code is zero; the largest that leaves one is "
        f"about {below:.3g}."
    )


def decay(before: float, more: float, forgetting: float) -> float:
    """What sums over `before` documents count for beside those over `more` new ones.

    An exponent of 0 counts all alike, 1 gives the new ones at least the weight of the average, and
    a larger one forgets faster (Mairal et al.: Online Learning for Matrix Factorization and Sparse
    Coding, 2010).
    """
    return float((before / (before + more)) ** forgetting)
