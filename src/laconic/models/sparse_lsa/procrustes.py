"""Solver of Sparse LSA, which never stores U.

With W = A' (words x topics) and V = X W, the best U is the polar factor of V, which is
U = V G^(-1/2) with G = V'V. Hence B = U'X = G^(-1/2) (X'V)'. The next A = prox(B) therefore needs
only G (topics x topics) and X'V (words x topics). G and X'V are sums over chunks, computed in one
pass over the documents.

After A is updated with U'U = I, the objective is 1/2 (|X|^2 - |A|^2), which costs nothing to
compute. This formula and the closed form of A require that the columns of U are orthonormal. If V
is rank deficient, because a topic is empty or two topics are identical, U is completed with columns
that are built from the worst-explained documents and are orthogonal to the other columns. Any
completion minimises the objective over U, so the objective never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import column_totals, columns_of, csr
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.engines.blocks import row_blocks
from laconic.engines.products import multiply_columns
from laconic.engines.stats import LARGEST, POOLED, Stats
from laconic.kernels.projection import add_scaled, add_sizes
from laconic.kernels.prox import shrink_pairs
from laconic.models.passes import Update
from laconic.models.penalties import L1, Blocks, Penalty, SparseRows, sparse_rows, stack_rows
from laconic.models.projection import project
from laconic.models.seed_priors import SeedPrior
from laconic.models.sparse_lsa.completion import complete
from laconic.models.sparse_lsa.word_target import WordTarget

# Eigenvalues of V'V below this share of the largest eigenvalue count as zero. With a share of 1e-6,
# a quarter of 500 topics would become empty.
EIGENVALUE_CUT = 1e-12
# In float32 (rounding error about 1e-7), eigenvalues above this share of the largest eigenvalue are
# reliable.
UNCERTAIN = 1e-5
MOMENTUM = 0.9
# W is stored densely if more than this share of its entries is non-zero. The share is low because
# the rows of frequent words are far denser than W as a whole.
DENSE_SHARE = 0.03
# If less than this share of the entries of W is non-zero, most passes compute B only for
# candidates: the pairs of word and topic that exceeded the second share of the penalty in the last
# complete A-step.
SCREENED_SHARE = 0.02
CANDIDATE_PENALTY = 0.5
COMPLETE_EVERY = 5  # number of passes from one complete A-step to the next


@dataclass
class Sums(Stats):
    """Sums over the documents, computed in one pass."""

    gram: np.ndarray  # V'V in float64
    products: np.ndarray = field(metadata=POOLED)  # X'V (words x topics)
    mass: np.ndarray  # sum of |V| for each topic
    n_documents: float


def sum_products(W: Any, chunk: Chunk, state: None) -> tuple[Sums, None]:
    """Engine step: compute the sums G = V'V and X'V of a chunk."""
    V, products = _products(W, chunk)
    exact = V.astype(np.float64)
    return Sums(exact.T @ exact, products, np.abs(exact).sum(axis=0), len(V)), None


def sum_products_quickly(W: Any, chunk: Chunk, state: None) -> tuple[Sums, None]:
    """Engine step: do the same as `sum_products`, but compute G in the precision of the data.

    The precision of the data is accurate enough if V has full rank.
    """
    V, products = _products(W, chunk)
    mass = np.zeros(V.shape[1])
    add_sizes(V, mass)
    return Sums((V.T @ V).astype(np.float64), products, mass, len(V)), None


def _products(W: Any, chunk: Chunk) -> tuple[np.ndarray, Any]:
    """Return V = X W and the product X'V."""
    X = chunk.load()
    columns = columns_of(chunk, X)
    V = project(X, W, columns)
    return V, multiply_columns(chunk, X, columns, V)


@dataclass
class ColumnSquares(Stats):
    """Squared norm |x_j|^2 of each word, number of documents, and size of the floats in bytes."""

    squares: np.ndarray
    n_documents: int
    itemsize: int = field(metadata=LARGEST)


def column_squares(params: None, chunk: Chunk, state: None) -> tuple[ColumnSquares, None]:
    """Engine step: compute the squared norm of each column (word) in a chunk."""
    X = chunk.load()
    squares = column_totals(X, X.data.astype(np.float64) ** 2)
    return ColumnSquares(squares, X.shape[0], X.dtype.itemsize), None


class Root(NamedTuple):
    """G^(-1/2) on the range of G, and an orthonormal basis of the null space of G.

    The basis depends only on the null space, not on the arbitrary rotation of its eigenvectors.
    Therefore, the replacement of empty topics does not depend on where chunks begin and end.
    """

    root: np.ndarray
    null: np.ndarray
    certain: bool  # whether all eigenvalues of G are far above the rounding errors of float32


def inverse_root(gram: np.ndarray) -> Root:
    values, vectors = np.linalg.eigh(gram)
    alive = values > max(values[-1], np.finfo(float).tiny) * EIGENVALUE_CUT
    span = vectors[:, alive]
    half = span / values[alive] ** 0.25
    root = half @ half.T  # BLAS computes only one half of a product with the transpose.
    certain = bool(values[0] > UNCERTAIN * values[-1])
    return Root(root, _fixed_basis(vectors[:, ~alive]), certain)


def sum_with_root(engine: Engine, chunks: Sequence[Chunk], W: Any, dtype: Any) -> tuple[Sums, Root]:
    """Return the sums of a pass and G^(-1/2), with G in float32 if this is accurate enough."""
    if dtype == np.float32:
        sums = engine.map_reduce(sum_products_quickly, W, chunks)
        root = inverse_root(sums.gram)
        if root.certain:
            return sums, root
    sums = engine.map_reduce(sum_products, W, chunks)
    return sums, inverse_root(sums.gram)


def _fixed_basis(basis: np.ndarray) -> np.ndarray:
    """Return another basis of the same space, which depends on the space only.

    The new basis is found by Gram-Schmidt orthogonalisation of the projector's columns, in the
    order of the topics.
    """
    remaining = basis @ basis.T
    columns: list[np.ndarray] = []
    for _ in range(basis.shape[1]):
        norms = np.linalg.norm(remaining, axis=0)
        first = int(np.argmax(norms > 0.5 * norms.max()))
        column = remaining[:, first] / norms[first]
        columns.append(column)
        remaining = remaining - np.outer(column, column @ remaining)
    return np.array(columns).T if columns else basis


def threshold(W: sp.csr_matrix, limits: np.ndarray) -> tuple[sp.csr_matrix, float]:
    """Soft-threshold the entries of W (words x topics), and return the sum of squares too."""
    sizes = np.abs(W.data) - limits.astype(W.dtype)[W.indices]
    kept = sizes > 0
    data = np.copysign(sizes[kept], W.data[kept])
    before = np.concatenate([[0], np.cumsum(kept)])
    indptr = before[W.indptr].astype(W.indptr.dtype)
    return csr(data, W.indices[kept], indptr, W.shape), float(np.sum(data.astype(np.float64) ** 2))


def with_bonus(blocks: Blocks, bonus: SeedPrior) -> Blocks:
    """Return blocks of B' to which the prior of the seeds is added, without excluded words.

    The objective has the additional term - Σ c a. It is linear in A, so U does not change, and A is
    prox(B + c), with zeros for excluded words. The objective is still 1/2 (|X|^2 - |A|^2).
    """

    def compute(rows: slice) -> np.ndarray:
        block = blocks.compute(rows).copy()
        bonus.add(block, rows)
        bonus.exclude(block, rows)
        return block

    return replace(blocks, compute=compute)


class Procrustes:
    """Solver that updates A and U in turn (A-step and U-step), with momentum.

    Parameters
    ----------
    start : ndarray or CSR of shape (n_words, n_topics)
        A dense array is X'U for the initial U; a CSR matrix contains the initial topics A'.
    alpha : ndarray of shape (n_topics,)
    penalize : callable
        Function that returns the `Penalty` for given alphas.
    square : float
        The squared norm |X|^2, including words that were screened out.
    tol : float
        The fit stops if a pass lowers the objective by at most this share of 1/2 |X|^2.
    engine, chunks
        Used to find the worst-explained documents when a topic is empty.
    target : WordTarget, optional
        Object that keeps a fixed number of words per topic, instead of applying the penalty.
    momentum : float, optional
        Factor by which A is extrapolated before the next U-step. A pass in which extrapolation
        raises the objective is repeated without extrapolation.
    bonus : SeedPrior, optional
        Prior of the topics of seeds, which is added to B'.
    """

    SAVED = (sum_products, sum_products_quickly)

    local: list[Any] | None = None

    def __init__(
        self,
        start: Any,
        alpha: np.ndarray,
        penalize: Callable[[np.ndarray], Penalty],
        *,
        square: float,
        tol: float,
        engine: Engine,
        chunks: Sequence[Chunk],
        target: WordTarget | None = None,
        momentum: float | None = None,
        bonus: SeedPrior | None = None,
    ) -> None:
        self.bonus = bonus
        self.alpha = alpha
        self.penalize = penalize
        self.square = square
        self.tol = tol
        self.engine = engine
        self.chunks = chunks
        self.target = target
        self.momentum = MOMENTUM if momentum is None else momentum
        self.objective = np.inf
        self.mass = np.zeros(start.shape[1])
        self._new_copies: sp.csr_matrix | None = None
        self.W: Any = None
        self.candidates: sp.csr_matrix | None = None
        self.n_screened = 0
        self.W = (
            start if sp.issparse(start) else self._shrink(Blocks.of(start, engine.run_tasks))[0]
        )
        self.copies = self._new_copies  # copies of the words in W, if groups overlap
        self.step: Step = sum_products_quickly if start.dtype == np.float32 else sum_products
        self._next(self.W)

    def update(self, stats: Sums) -> Update:
        root = inverse_root(stats.gram)
        if self.step is sum_products_quickly and not root.certain:
            self.step = sum_products  # Repeat this pass, and make all later passes, in float64.
            return Update(None)
        shortening = self.target is not None and self.target.shortening
        W, energy = self._screened(stats, root) or self._shrink(self._blocks(stats, root))
        objective = 0.5 * (self.square - energy)
        if shortening:  # Earlier passes allowed more words, so objectives cannot be compared.
            self._accept(W, objective, stats)
            return Update(objective, restart=True)
        if self.extrapolated and objective > self.objective:
            self._next(self.W)  # Repeat the pass without momentum.
            return Update(None)
        decrease = self.objective - objective
        if decrease < 0:  # Without momentum, only rounding errors can raise the objective.
            return Update(None, converged=True)
        self._accept(W, objective, stats)
        return Update(objective, converged=self._converged(decrease, stats))

    def _shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        """A-step: compute W = A' from the blocks of B'."""
        self.candidates, self.n_screened = None, 0
        if self.bonus is not None:
            blocks = with_bonus(blocks, self.bonus)
        if self.target is not None:
            W, energy, self.alpha = self.target.shrink(blocks)
            return W, energy
        penalty = self.penalize(self.alpha)
        if isinstance(penalty, L1) and self._is_short:
            # Thresholding by the rest of the penalty gives the same result as by all of it at once.
            low = replace(penalty, alpha=CANDIDATE_PENALTY * self.alpha)
            self.candidates, _ = low.shrink(blocks)
            return threshold(self.candidates, self.alpha - low.alpha)
        result = penalty.shrink(blocks)
        self._new_copies = getattr(penalty, "copies", None)
        return result

    @property
    def _is_short(self) -> bool:
        """Whether topics have few words, so that only candidates need be computed."""
        if self.W is None or self.bonus is not None:
            return False
        return bool(self.W.nnz < SCREENED_SHARE * np.prod(self.W.shape))

    def _screened(self, stats: Sums, root: Root) -> tuple[sp.csr_matrix, float] | None:
        """A-step for the candidates of the last complete A-step, with zeros elsewhere.

        The objective has the same form for this A. If the objective does not fall by more than the
        tolerance, return None, so that the complete A-step is made, and only this can end the fit.
        """
        self.n_screened += 1
        if self.candidates is None or root.null.shape[1] or self.n_screened == COMPLETE_EVERY:
            return None
        penalty = self.penalize(self.alpha)
        assert isinstance(penalty, L1), "only the l1 penalty has candidates"
        pairs, dtype = self.candidates, stats.products.dtype
        scaling = np.ascontiguousarray(root.root, dtype)
        limits, positive = self.alpha.astype(dtype), penalty.positive

        def shrink(rows: slice) -> SparseRows:
            starts = pairs.indptr[rows.start : rows.stop + 1]
            given = stats.products[rows], scaling, pairs.indices, starts, limits, positive
            n_pairs, n_rows = int(starts[-1] - starts[0]), len(starts) - 1
            return sparse_rows(n_pairs, n_rows, dtype, shrink_pairs, *given)

        run = self.engine.run_tasks
        W, energy = stack_rows(run(shrink, row_blocks(*pairs.shape)), pairs.shape[1], run)
        if self._converged(self.objective - 0.5 * (self.square - energy), stats):
            return None
        return W, energy

    def _accept(self, W: sp.csr_matrix, objective: float, stats: Sums) -> None:
        previous, self.W, self.objective, self.mass = self.W, W, objective, stats.mass
        self.copies = self._new_copies
        self._next(W, previous)

    def _next(self, W: sp.csr_matrix, previous: sp.csr_matrix | None = None) -> None:
        """Set the parameter W of the next pass, extrapolated along its last change."""
        factor = W.dtype.type(self.momentum)
        self.extrapolated = previous is not None and factor > 0
        if W.nnz > DENSE_SHARE * W.shape[0] * W.shape[1]:
            self.params = self._dense(W, previous, factor)
            return
        if self.extrapolated:
            W = (1 + factor) * W - factor * previous
        self.params = W.toarray() if W.nnz > DENSE_SHARE * W.shape[0] * W.shape[1] else W

    def _dense(self, W: sp.csr_matrix, previous: sp.csr_matrix | None, factor: Any) -> np.ndarray:
        """Return W as an array, extrapolated if this is wanted."""
        dense = np.empty(W.shape, W.dtype)
        terms = [(W, W.dtype.type(1))]
        if self.extrapolated:
            terms = [(W, 1 + factor), (previous, -factor)]

        def fill(rows: slice) -> None:
            dense[rows] = 0
            for topics, weight in terms:
                starts = topics.indptr[rows.start : rows.stop + 1]
                add_scaled(topics.data, topics.indices, starts, weight, dense[rows])

        self.engine.run_tasks(fill, row_blocks(*W.shape))
        return dense

    def _converged(self, decrease: float, stats: Sums) -> bool:
        return decrease <= self.tol * 0.5 * self.square

    def _blocks(self, stats: Sums, roots: Root) -> Blocks:
        """Return the blocks of B' = X'U (words x topics)."""
        root, null, _ = roots
        dtype = stats.products.dtype
        completion = None
        if missing := null.shape[1]:
            documents = self.engine, self.chunks
            completion = complete(*documents, self.params, root, stats.products, missing)
        scaling = root.astype(dtype)

        def compute(rows: slice) -> np.ndarray:
            block = stats.products[rows] @ scaling
            if completion is not None:
                part = completion[:, rows]
                block += (part.T @ null[:, : len(part)].T).astype(dtype)
            return block

        return Blocks(row_blocks(*stats.products.shape), compute, self.engine.run_tasks)


class PaperProcrustes(Procrustes):
    """Solver with the paper's rule: stop if no entry of U or A changes by 0.01 or more."""

    TAU = 0.01

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.U: np.ndarray | None = None
        self.change = np.inf
        super().__init__(*args, **kwargs, momentum=0.0)

    def _accept(self, W: sp.csr_matrix, objective: float, stats: Sums) -> None:
        V = np.vstack(list(self.engine.map(projected, self.params, self.chunks)))
        U = V @ inverse_root(stats.gram)[0]
        changes = abs(W - self.W)
        change = changes.max() if changes.nnz else 0.0
        self.change = np.inf if self.U is None else max(change, np.abs(U - self.U).max())
        self.U = U
        super()._accept(W, objective, stats)

    def _converged(self, decrease: float, stats: Sums) -> bool:
        return bool(self.change < self.TAU)


def projected(W: Any, chunk: Chunk, state: None) -> tuple[np.ndarray, None]:
    """Engine step: compute the rows of V = X W that belong to a chunk."""
    return project(chunk.load(), W), None
