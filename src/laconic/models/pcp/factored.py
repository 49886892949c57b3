"""Factored solver of PCP, which stores the low-rank background as two factors W and B.

    minimise  1/2 |D - W B - S|^2 + κ sum(S)   over B (orthonormal rows), W and S >= 0,

where the keywords S are non-zero only for words that occur more than κ times. The remainder
D - W B - S is noise, which the convex problem of the paper does not allow. The noise of a count
grows with the square root of the document's length, so each row of D is divided by this root
(scaled to 1 for a document of mean length). On Reuters, with this scaling, more words of the titles
become keywords; scaling the columns (words) in the same way does not help.

For fixed B, each document is a separate small convex problem (`laconic.kernels.pursuit`). For fixed
W and S, the best B spans W'(D - S), which is a sum over documents. Therefore the objective falls
with each pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import columns_of, csr
from laconic.engines.base import Step
from laconic.engines.blocks import RunTasks, gram, multiply, row_blocks, run_here
from laconic.engines.scratch import release, take
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.projection import gather_rows
from laconic.kernels.pursuit import split_documents, subtract_products
from laconic.models.passes import Update

SPLIT_TOL = 1e-4  # tolerance for the excess of a word, as a share of the keyword threshold
ROUNDING = 16  # tolerance for the excess of a word, as a multiple of the floating-point precision
# Smaller values of Basis.residual_norm, the curvature, are raised to this value to damp the steps.
MIN_RESIDUAL_NORM = 1e-2
# A fit stops if a pass lowers the objective by less than this share of the sum of squares, which
# happens when the background explains nearly everything.
MIN_DECREASE = 1e-7
# A Gram matrix is well-conditioned if each eigenvalue is at least this share of the largest one.
WELL_CONDITIONED = 1e-6
TARGET_PASSES = 4  # number of first passes in which the keyword threshold is adjusted to a target


class Basis(NamedTuple):
    """Basis of the background, and the threshold above which an excess is a keyword."""

    words: np.ndarray  # transpose of B (words x rank); the columns are orthonormal
    encoder: np.ndarray  # A, which is `words` or a shrunk copy; the code of d is A'(d - s)
    residual_norm: np.ndarray  # 1 - a'b for each word, where a and b are rows of A and `words`
    threshold: float
    length: float  # length of a document for which the scaling factor is 1

    @classmethod
    def of(
        cls, words: np.ndarray, threshold: float, length: float, shrink: np.ndarray | None = None
    ) -> Basis:
        """Build a basis; if `shrink` (rank x rank) is passed, it multiplies the codes."""
        encoder = words
        if shrink is not None:
            encoder = np.ascontiguousarray(words @ shrink.astype(words.dtype))
        explained = np.einsum("jk,jk->j", words, encoder)
        residual_norm = np.maximum(1 - explained, words.dtype.type(MIN_RESIDUAL_NORM))
        return cls(words, encoder, residual_norm, threshold, length)

    def split(self, X: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
        """Return the codes and the keywords of the documents in `X`."""
        rows = split_rows(X, self)
        return rows.unscaled_codes(), rows.keywords(X)

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return self.split(X)[1]


def rotated_basis(
    components: Any, rotation: Any, shrinkage: Any, length: float, threshold: float
) -> Basis:
    """Build the basis that encodes documents and shrinks codes along the principal directions."""
    words, rotation = np.array(components.T, order="C"), np.asarray(rotation)
    return Basis.of(words, threshold, length, (rotation * shrinkage) @ rotation.T)


class Rows(NamedTuple):
    """Codes and excess counts of documents, both multiplied by the scale of the document."""

    codes: np.ndarray  # documents x rank
    excess: np.ndarray  # excess over the background, one value for each stored entry of X
    scales: np.ndarray

    def unscaled_codes(self) -> np.ndarray:
        return self.codes / self.scales[:, None]

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """Return the positive excess counts as CSR, without the scale of the documents."""
        positive = self.excess > 0
        indptr = np.concatenate([[0], np.cumsum(positive)])[X.indptr].astype(X.indptr.dtype)
        scales = np.repeat(self.scales, np.diff(indptr))
        # Where the background is negative, the excess exceeds the count and is cut to the count.
        data = np.minimum(self.excess[positive] / scales, X.data[positive])
        return csr(data, X.indices[positive], indptr, X.shape)


def split_rows(X: sp.csr_matrix, basis: Basis) -> Rows:
    """Compute the codes and the excess counts of the documents in `X`."""
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
        basis.encoder.astype(dtype, copy=False),
        basis.residual_norm.astype(dtype, copy=False),
        dtype.type(basis.threshold),
        dtype.type(SPLIT_TOL * basis.threshold),
        dtype.type(ROUNDING * np.finfo(dtype).eps),
        codes,
        excess,
    )
    return Rows(codes, excess, scales)


@dataclass
class BackgroundSums(Stats):
    """Sums over the documents, computed in one pass."""

    products: np.ndarray = field(metadata=POOLED)  # Σ (d - s) w' (words x rank)
    gram: np.ndarray  # Σ w w' in float64
    square: float  # Σ |d - s|^2
    excess: float

    def objective(self, threshold: float) -> float:
        """Return the objective, using |d - s - B'w|^2 = |d - s|^2 - |w|^2 for orthonormal B."""
        return (self.square - float(np.trace(self.gram))) / 2 + threshold * self.excess


def sum_background(basis: Basis, chunk: Chunk, state: None) -> tuple[BackgroundSums, None]:
    """Engine step: compute the sums over the documents of a chunk."""
    X = chunk.load()
    codes, excess, scales = split_rows(X, basis)
    columns = columns_of(chunk, X)
    products = take((X.shape[1], codes.shape[1]), codes.dtype)
    scaled = codes * scales[:, None]
    gather_rows(columns.data, columns.indices, columns.indptr, scaled, products)
    subtract_products(excess, X.indices, X.indptr, codes, products)
    codes64 = codes.astype(np.float64)
    difference = X.data * np.repeat(scales, np.diff(X.indptr)) - excess
    sums = BackgroundSums(
        products,
        codes64.T @ codes64,
        float(np.einsum("i,i->", difference, difference, dtype=np.float64)),
        float(excess.sum(dtype=np.float64)),
    )
    return sums, None


class BackgroundSolver:
    """Solver that fits the basis of the background and the keyword threshold.

    Parameters
    ----------
    basis : Basis
        Initial basis, without shrinkage.
    tol : float
        The fit has converged when a pass lowers the objective by at most this share of its value.
    find_threshold : callable, optional
        Function that returns the threshold for a basis. The function is called in the first
        `TARGET_PASSES` passes; the objectives of these passes cannot be compared, because the
        threshold changes.
    run : callable, optional
        Function that runs the tasks of an update, usually `Engine.run_tasks`.
    """

    SAVED = (Basis,)

    local: list[Any] | None = None

    def __init__(
        self,
        basis: Basis,
        tol: float,
        find_threshold: Callable[[Basis], float] | None = None,
        run: RunTasks = run_here,
    ) -> None:
        self.run = run
        self.step: Step = sum_background
        self.params = basis
        self.tol = tol
        self.find_threshold = find_threshold
        self.objective = np.inf
        self.n_updates = 0
        # the basis used in the last pass (words x rank), and Σ w w' of that pass
        self.last_basis = basis.words, np.eye(basis.words.shape[1])

    def update(self, sums: BackgroundSums) -> Update:
        threshold = self.params.threshold
        objective = sums.objective(threshold)
        self.last_basis = self.params.words, sums.gram
        words = orthonormal(sums.products, self.params.words, self.run)
        self.params = Basis.of(words, threshold, self.params.length)
        release(sums.products)
        self.n_updates += 1
        adjusts = self.find_threshold is not None and self.n_updates <= TARGET_PASSES
        if adjusts and self.find_threshold is not None:
            self.params = self.params._replace(threshold=self.find_threshold(self.params))
        previous, self.objective = self.objective, np.inf if adjusts else objective
        least = max(float(np.finfo(sums.products.dtype).eps), MIN_DECREASE)
        converged = previous - objective <= max(self.tol * objective, least * sums.square)
        return Update(None if adjusts else objective, converged and not adjusts, restart=adjusts)


def orthonormal(products: np.ndarray, previous: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Return an orthonormal basis of the column space of `products`, ignoring zero columns.

    If all columns are zero, the `previous` basis is returned.
    """
    eps = float(np.finfo(products.dtype).eps)
    columns, smallest = _orthonormal(products, max((10 * eps) ** 2, 1e-13), run)
    # A second round removes the rounding error of an ill-conditioned Gram matrix.
    if smallest < WELL_CONDITIONED:
        columns, _ = _orthonormal(columns, 0.25, run)
    return columns if columns.shape[1] else previous


def _orthonormal(columns: np.ndarray, cut: float, run: RunTasks) -> tuple[np.ndarray, float]:
    """Orthonormalise columns with the eigenvectors of the Gram matrix of the scaled columns.

    Eigenvalues below `cut` times the largest are dropped. Also returns the smallest remaining
    eigenvalue as a share of the largest.
    """
    products = gram(columns, run)
    norms = np.sqrt(np.diagonal(products))
    nonzero = norms > 0
    if not nonzero.any():
        return columns[:, :0], 1.0
    norms = norms[nonzero]
    values, vectors = np.linalg.eigh(products[np.ix_(nonzero, nonzero)] / np.outer(norms, norms))
    large = values > cut * values[-1]
    transform = (vectors[:, large] / np.sqrt(values[large]) / norms[:, None]).astype(columns.dtype)
    source = columns if nonzero.all() else columns[:, nonzero]
    return multiply(source, transform, run), float(values[large][0] / values[-1])


def random_basis(
    n_words: int, rank: int, dtype: Any, seed: int, run: RunTasks = run_here
) -> np.ndarray:
    """Return a random matrix (words x rank) with orthonormal columns."""
    random = np.random.default_rng([seed, 0])
    # Numbers are always drawn in float32, so that float32 and float64 fits start from one basis.
    drawn = random.standard_normal((n_words, rank), dtype=np.float32).astype(np.float64)
    return orthonormal(drawn, drawn, run).astype(dtype)


def principal(
    words: np.ndarray, moments: np.ndarray, run: RunTasks = run_here
) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal directions of the background, and their singular values.

    The strongest direction comes first. In each direction, the entry with the largest absolute
    value is positive. `moments` is the sum of w w' over the codes w of the documents.
    """
    squares, rotation = np.linalg.eigh(moments)
    rotated = multiply(words, rotation[:, ::-1].astype(words.dtype), run)
    return fix_signs(rotated, run), np.sqrt(np.maximum(squares[::-1], 0))


def fix_signs(words: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Flip signs so that, in each direction, the entry of largest absolute value is positive."""
    if not words.size:
        return words

    def extremes(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        return words[rows].min(axis=0), words[rows].max(axis=0)

    blocks = row_blocks(*words.shape)
    lowest, highest = zip(*run(extremes, blocks), strict=True)
    signs = np.where(-np.min(lowest, axis=0) > np.max(highest, axis=0), -1, 1).astype(words.dtype)
    flipped = np.empty_like(words)

    def flip(rows: slice) -> None:
        np.multiply(words[rows], signs, out=flipped[rows])

    run(flip, blocks)
    return flipped
