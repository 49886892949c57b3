"""The background of documents as factors: low rank, with sparse keywords kept out of it.

    minimise  1/2 |D - W B - S|^2 + κ sum(S)   over B (orthonormal rows), W and S >= 0,

S only where a word occurs more than κ times. What is neither background nor keyword is noise, for
which the convex problem has no place. The noise of a count grows with the square root of the length
of its document, so each row of D is divided by that (1 for a document of mean length): on Reuters
this finds more words of the titles; scaling words in the same way does not.

Given B, each document is a small convex problem of its own (`laconic.kernels.pursuit`); given W and
S, the best B spans W'(D - S), a sum over documents. So the objective falls with each pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import columns_of, csr
from laconic.engines.base import Step, single_blas_thread
from laconic.engines.scratch import release, take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.projection import gather_rows
from laconic.kernels.pursuit import split_documents, subtract_products
from laconic.models.base import Update

SPLIT_TOL = 1e-4  # of the threshold: how closely excesses are found
ROUNDING = 16  # times the precision: no sweep finds an excess more closely
LEAST_SPARE = 1e-2  # curvature below which a step is damped
LEAST_FALL = 1e-7  # of the sum of squares: where nearly all is explained
WELL_CONDITIONED = 1e-6  # eigenvalues of a Gram matrix
TARGET_PASSES = 4  # after which the threshold of a target stays


class Basis(NamedTuple):
    """The background by word, and from where on an excess is a keyword."""

    words: np.ndarray  # words x rank, orthonormal columns
    readers: np.ndarray  # the same, or shrunk: codes are what they read off a document
    spare: np.ndarray  # 1 - a'b of each word
    threshold: float
    length: float  # of a document whose scale is 1

    @classmethod
    def of(
        cls, words: np.ndarray, threshold: float, length: float, shrink: np.ndarray | None = None
    ) -> Basis:
        """With `shrink`, rank x rank, codes are multiplied by it."""
        readers = words
        if shrink is not None:
            readers = np.ascontiguousarray(words @ shrink.astype(words.dtype))
        explained = np.einsum("jk,jk->j", words, readers)
        spare = np.maximum(1 - explained, words.dtype.type(LEAST_SPARE))
        return cls(words, readers, spare, threshold, length)

    def split(self, X: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
        """Codes and keywords of documents."""
        rows = split_rows(X, self)
        return rows.unscaled_codes(), rows.keywords(X)

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return self.split(X)[1]


def shown_basis(
    components: Any, rotation: Any, shrinkage: Any, length: float, threshold: float
) -> Basis:
    """The basis of a fitted background: codes are shrunk along its principal directions."""
    words, turn = np.array(components.T, order="C"), np.asarray(rotation)
    return Basis.of(words, threshold, length, (turn * shrinkage) @ turn.T)


class Rows(NamedTuple):
    """Documents split, in their scale."""

    codes: np.ndarray  # documents x rank
    excess: np.ndarray  # of each stored entry
    scales: np.ndarray

    def unscaled_codes(self) -> np.ndarray:
        return self.codes / self.scales[:, None]

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """CSR of the excesses that are not zero, in counts."""
        kept = self.excess > 0
        ends = np.concatenate([[0], np.cumsum(kept)])[X.indptr].astype(X.indptr.dtype)
        scales = np.repeat(self.scales, np.diff(ends))
        # where the background is below zero, the excess is no more than all there is
        data = np.minimum(self.excess[kept] / scales, X.data[kept])
        return csr(data, X.indices[kept], ends, X.shape)


def split_rows(X: sp.csr_matrix, basis: Basis) -> Rows:
    """Codes and excess of documents."""
    dtype = np.result_type(X.dtype, basis.words.dtype)
    lengths = X @ np.ones(X.shape[1], dtype)
    scales = np.sqrt(basis.length / np.where(lengths > 0, lengths, basis.length)).astype(dtype)
    codes = np.empty((X.shape[0], basis.words.shape[1]), dtype)
    excess = np.empty(X.nnz, dtype)
    split_documents(
        X.data.astype(dtype, copy=False),
        X.indices,
        X.indptr,
        scales,
        basis.words.astype(dtype, copy=False),
        basis.readers.astype(dtype, copy=False),
        basis.spare.astype(dtype, copy=False),
        dtype.type(basis.threshold),
        dtype.type(SPLIT_TOL * basis.threshold),
        dtype.type(ROUNDING * np.finfo(dtype).eps),
        codes,
        excess,
    )
    return Rows(codes, excess, scales)


@dataclass
class BackgroundSums(Stats):
    """What a pass over the documents leaves."""

    products: np.ndarray = field(metadata=POOLED)  # Σ (d - s) w', words x rank
    gram: np.ndarray  # Σ w w', float64
    square: float  # Σ |d - s|^2
    excess: float

    def objective(self, threshold: float) -> float:
        """1/2 |d - s|^2 - 1/2 |w|^2 is what the background leaves, as B is orthonormal."""
        return (self.square - float(np.trace(self.gram))) / 2 + threshold * self.excess


def sum_background(basis: Basis, chunk: Chunk, state: None) -> tuple[BackgroundSums, None]:
    """Step: sums of a chunk."""
    X = chunk.load()
    codes, excess, scales = split_rows(X, basis)
    columns = columns_of(chunk, X)
    products = take((X.shape[1], codes.shape[1]), codes.dtype)
    scaled = codes * scales[:, None]
    gather_rows(columns.data, columns.indices, columns.indptr, scaled, products)
    subtract_products(excess, X.indices, X.indptr, codes, products)
    exact = codes.astype(np.float64)
    rest = X.data * np.repeat(scales, np.diff(X.indptr)) - excess
    sums = BackgroundSums(
        products,
        exact.T @ exact,
        float(np.einsum("i,i->", rest, rest, dtype=np.float64)),
        float(excess.sum(dtype=np.float64)),
    )
    return sums, None


class BackgroundSolver:
    """Basis and threshold while they are fitted.

    Parameters
    ----------
    basis : Basis
        A first basis, without shrinkage.
    tol : float
        Converged when a pass lowers the objective by a smaller share of it.
    find_threshold : callable, optional
        Gives the threshold for a basis, in the first passes; none of their values can be compared.
    """

    local: list[Any] | None = None

    def __init__(
        self,
        basis: Basis,
        tol: float,
        find_threshold: Callable[[Basis], float] | None = None,
    ) -> None:
        self.step: Step = sum_background
        self.params = basis
        self.tol = tol
        self.find_threshold = find_threshold
        self.objective = np.inf
        self.n_updates = 0
        self.measured = basis.words, np.eye(basis.words.shape[1])  # the last basis, its Σ w w'

    def update(self, sums: BackgroundSums) -> Update:
        threshold = self.params.threshold
        objective = sums.objective(threshold)
        self.measured = self.params.words, sums.gram
        words = orthonormal(sums.products, self.params.words)
        self.params = Basis.of(words, threshold, self.params.length)
        release(sums.products)
        self.n_updates += 1
        moves = self.find_threshold is not None and self.n_updates <= TARGET_PASSES
        if moves and self.find_threshold is not None:
            self.params = self.params._replace(threshold=self.find_threshold(self.params))
        before, self.objective = self.objective, np.inf if moves else objective
        least = max(float(np.finfo(sums.products.dtype).eps), LEAST_FALL)
        converged = before - objective <= max(self.tol * objective, least * sums.square)
        return Update(None if moves else objective, converged and not moves, restart=moves)


def orthonormal(products: np.ndarray, before: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns; those that vanish are dropped.

    Without any column left the basis stays as it was `before`.
    """
    eps = float(np.finfo(products.dtype).eps)
    with single_blas_thread():
        columns, spread = _orthonormal(products, max((10 * eps) ** 2, 1e-13))
        if spread < WELL_CONDITIONED:  # the error of the Gram matrix is taken off by another time
            columns, _ = _orthonormal(columns, 0.25)
    return columns if columns.shape[1] else before


def _orthonormal(columns: np.ndarray, cut: float) -> tuple[np.ndarray, float]:
    """Through the Gram matrix; and its smallest eigenvalue that was kept, as a share."""
    exact = columns.astype(np.float64, copy=False)
    gram = exact.T @ exact
    sizes = np.sqrt(np.diagonal(gram))
    filled = sizes > 0
    if not filled.any():
        return columns[:, :0], 1.0
    sizes = sizes[filled]
    values, vectors = np.linalg.eigh(gram[np.ix_(filled, filled)] / np.outer(sizes, sizes))
    kept = values > cut * values[-1]
    turn = vectors[:, kept] / np.sqrt(values[kept]) / sizes[:, None]
    source = exact if columns.dtype == np.float64 else columns
    return source[:, filled] @ turn.astype(columns.dtype), float(values[kept][0] / values[-1])


def random_basis(n_words: int, rank: int, dtype: Any, seed: int) -> np.ndarray:
    """Random orthonormal columns."""
    random = np.random.default_rng([seed, 0])
    # drawn in float32 whatever the data are, so that both precisions start alike
    drawn = random.standard_normal((n_words, rank), dtype=np.float32)
    return np.linalg.qr(drawn.astype(np.float64))[0].astype(dtype)


def principal(words: np.ndarray, gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The basis turned to its principal directions (the strongest first, its largest word
    positive), and their singular values."""
    squares, turn = np.linalg.eigh(gram)
    turned = upright(words.astype(np.float64) @ turn[:, ::-1])
    return turned.astype(words.dtype), np.sqrt(np.maximum(squares[::-1], 0))


def upright(words: np.ndarray) -> np.ndarray:
    """Directions turned so that the largest word of each is positive."""
    if not words.size:
        return words
    largest = words[np.argmax(np.abs(words), axis=0), np.arange(words.shape[1])]
    return words * np.where(largest < 0, -1.0, 1.0)
