"""Step, sum and update of Sparse LSA, in which U is never formed.

With W = A' (words x topics) and V = X W, the best U is the polar factor of V: U = V G^(-1/2),
G = V'V. Hence B = U'X = G^(-1/2) (X'V)', and one pass over the documents gives all that the next
A = prox(B) needs: G (topics x topics) and X'V (words x topics), both sums over chunks.

After an A-step with U'U = I the objective is 1/2 (|X|^2 - |A|^2), so it costs nothing. That and the
closed A-step need *all* of U: where V lacks rank (a topic died, or two are alike) U is completed by
the documents that are explained worst, made orthogonal to the rest. Any completion is a minimiser,
so this never raises the objective.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import columns_of
from laconic.engines import Engine
from laconic.engines.base import Step, single_blas_thread
from laconic.engines.scratch import take
from laconic.engines.stats import LARGEST, POOLED, Stats
from laconic.kernels.projection import gather_rows
from laconic.models.base import Update
from laconic.models.penalties import Blocks, Penalty
from laconic.models.projection import project
from laconic.models.sparse_lsa.completion import complete
from laconic.models.sparse_lsa.word_target import WordTarget

# A relative cut of 1e-6 on the eigenvalues of V'V was seen to kill a quarter of 500 topics.
EIGENVALUE_CUT = 1e-12
UNCERTAIN = 1e-5  # as a share of the largest; rounding in float32 is about 1e-7
MOMENTUM = 0.9
DENSE_SHARE = 0.03  # of non-zeros in W; frequent words have several times as many
THREADED_SIZE = 400  # of a Gram matrix; below it BLAS threads cost more than they bring
BLOCK_ENTRIES = 1 << 18  # of B at a time: they stay in the cache between product and threshold


@dataclass
class Sums(Stats):
    """What a pass over the documents leaves."""

    gram: np.ndarray  # V'V, float64
    products: np.ndarray = field(metadata=POOLED)  # X'V, words x topics
    mass: np.ndarray  # sum of |V| for each topic
    n_documents: float


def sum_products(W: Any, chunk: Chunk, state: None) -> tuple[Sums, None]:
    """Step: G and X'V of a chunk."""
    V, products = _products(W, chunk)
    exact = V.astype(np.float64)
    return Sums(exact.T @ exact, products, np.abs(exact).sum(axis=0), len(V)), None


def sum_products_quickly(W: Any, chunk: Chunk, state: None) -> tuple[Sums, None]:
    """Step: the same with G in the precision of the data, good enough while V has full rank."""
    V, products = _products(W, chunk)
    mass = np.abs(V).sum(axis=0, dtype=np.float64)
    return Sums((V.T @ V).astype(np.float64), products, mass, len(V)), None


def _products(W: Any, chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
    """V = X W and X'V."""
    X = chunk.load()
    columns = columns_of(chunk, X)
    V = project(X, W, columns)
    products = take((X.shape[1], V.shape[1]), X.dtype)
    gather_rows(columns.data, columns.indices, columns.indptr, V, products)
    return V, products


@dataclass
class ColumnSquares(Stats):
    """|x_j|^2 of each word, the number of documents, and the width of their numbers."""

    squares: np.ndarray
    n_documents: int
    itemsize: int = field(metadata=LARGEST)


def column_squares(params: None, chunk: Chunk, state: None) -> tuple[ColumnSquares, None]:
    """Step: squared norm of each column."""
    X = chunk.load()
    squares = np.bincount(X.indices, X.data.astype(np.float64) ** 2, minlength=X.shape[1])
    return ColumnSquares(squares, X.shape[0], X.dtype.itemsize), None


def inverse_root(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G^(-1/2) on the range of G, and an orthonormal basis of its null space.

    The basis depends on the space alone, not on how the eigenvectors happen to be turned in it,
    so that topics are refilled alike whatever the chunks were.
    """
    with nullcontext() if len(gram) >= THREADED_SIZE else single_blas_thread():
        values, vectors = np.linalg.eigh(gram)
    alive = values > max(values[-1], np.finfo(float).tiny) * EIGENVALUE_CUT
    kept = vectors[:, alive]
    return (kept / np.sqrt(values[alive])) @ kept.T, _fixed_basis(vectors[:, ~alive])


def _is_certain(gram: np.ndarray) -> bool:
    """Whether the eigenvalues of a Gram matrix summed in float32 stand far above its rounding."""
    with nullcontext() if len(gram) >= THREADED_SIZE else single_blas_thread():
        values = np.linalg.eigvalsh(gram)
    return bool(values[0] > UNCERTAIN * values[-1])


def _fixed_basis(basis: np.ndarray) -> np.ndarray:
    """Another basis of the same space: Gram-Schmidt on its projector, by number of the topic."""
    left = basis @ basis.T
    columns: list[np.ndarray] = []
    for _ in range(basis.shape[1]):
        norms = np.linalg.norm(left, axis=0)
        first = int(np.argmax(norms > 0.5 * norms.max()))
        column = left[:, first] / norms[first]
        columns.append(column)
        left = left - np.outer(column, column @ left)
    return np.array(columns).T if columns else basis


class Procrustes:
    """The alternation A-step, U-step as a `Solver`, with momentum and a guard.

    Parameters
    ----------
    start : ndarray or CSR of shape (n_words, n_topics)
        X'U for the first U, or A' where a fit goes on.
    alpha : ndarray of shape (n_topics,)
    penalize : callable
        The penalty for an alpha.
    square : float
        |X|^2, words that were screened out included.
    tol : float
        Least decrease of the objective in a pass, as a share of 1/2 |X|^2.
    engine, chunks
        To look for the worst-explained documents when a topic dies.
    target : WordTarget, optional
        Keeps a number of words instead of the penalty.
    momentum : float, optional
        Extrapolation of A before the next U-step; dropped when the objective would rise.
    """

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
    ) -> None:
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
        self.W = start if sp.issparse(start) else self._shrink(lambda: iter([start]))[0]
        self.step: Step = sum_products_quickly if start.dtype == np.float32 else sum_products
        self._next(self.W)

    def update(self, stats: Sums) -> Update:
        if self.step is sum_products_quickly and not _is_certain(stats.gram):
            self.step = sum_products  # from now on; this pass is made again
            return Update(None)
        falling = self.target is not None and self.target.falling
        W, energy = self._shrink(self._blocks(stats))
        objective = 0.5 * (self.square - energy)
        if falling:  # more words were allowed before: nothing to compare with
            self._accept(W, objective, stats)
            return Update(objective, restart=True)
        if self.extrapolated and objective > self.objective:
            self._next(self.W)  # the guard: try again without momentum
            return Update(None)
        decrease = self.objective - objective
        if decrease < 0:  # only rounding is left
            return Update(None, converged=True)
        self._accept(W, objective, stats)
        return Update(objective, converged=self._converged(decrease, stats))

    def _shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        """The A-step."""
        if self.target is None:
            return self.penalize(self.alpha).shrink(blocks)
        W, energy, self.alpha = self.target.shrink(blocks)
        return W, energy

    def _accept(self, W: sp.csr_matrix, objective: float, stats: Sums) -> None:
        previous, self.W, self.objective, self.mass = self.W, W, objective, stats.mass
        self._next(W, previous)

    def _next(self, W: sp.csr_matrix, previous: sp.csr_matrix | None = None) -> None:
        """Where the next pass starts: W, carried on in the direction it came."""
        factor = W.dtype.type(self.momentum)
        self.extrapolated = previous is not None and factor > 0
        if self.extrapolated:
            W = (1 + factor) * W - factor * previous
        self.params = W.toarray() if W.nnz > DENSE_SHARE * W.shape[0] * W.shape[1] else W

    def _converged(self, decrease: float, stats: Sums) -> bool:
        return decrease <= self.tol * 0.5 * self.square

    def _blocks(self, stats: Sums) -> Blocks:
        """Blocks of B' = X'U, words x topics."""
        root, null = inverse_root(stats.gram)
        dtype = stats.products.dtype
        completion = None
        if missing := null.shape[1]:
            documents = self.engine, self.chunks
            completion = complete(*documents, self.params, root, stats.products, missing)
        n_words, n_topics = stats.products.shape
        height = max(1, BLOCK_ENTRIES // n_topics)
        turned = root.astype(dtype)

        def give() -> Iterator[np.ndarray]:
            for start in range(0, max(n_words, 1), height):  # one block even without words
                block = stats.products[start : start + height] @ turned
                if completion is not None:
                    rows = completion[:, start : start + height]
                    block += (rows.T @ null[:, : len(rows)].T).astype(dtype)
                yield block

        return give


class PaperProcrustes(Procrustes):
    """Ends as the paper does: when no entry of U or A changes by more than 0.01."""

    TAU = 0.01

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.U: np.ndarray | None = None
        self.change = np.inf
        super().__init__(*args, **kwargs, momentum=0.0)

    def _accept(self, W: sp.csr_matrix, objective: float, stats: Sums) -> None:
        V = np.vstack(list(self.engine.map(projected, self.params, self.chunks)))
        U = V @ inverse_root(stats.gram)[0]
        moved = abs(W - self.W)
        change = moved.max() if moved.nnz else 0.0
        self.change = np.inf if self.U is None else max(change, np.abs(U - self.U).max())
        self.U = U
        super()._accept(W, objective, stats)

    def _converged(self, decrease: float, stats: Sums) -> bool:
        return bool(self.change < self.TAU)


def projected(W: Any, chunk: Chunk, state: None) -> tuple[np.ndarray, None]:
    """Step: the rows of V."""
    return project(chunk.load(), W), None
