"""Principal component pursuit, the convex problem, solved exactly.

    minimise  |L|_* + λ |S|_1   subject to  L + S = D

Douglas-Rachford splitting (`laconic.models.pcp.douglas_rachford`), which is the alternating method
of the paper in one variable Z:

    L = SVT(Z, 1/μ);   S = soft(D - 2L + Z, λ/μ);   Z += D - S - L

- Singular values are thresholded through the eigenvalues of the small Gram matrix, in float64.
- With Y = μ(Z - L) + μ(D - S - L) = clip(μ(D - 2L + Z), ±λ), S, Y, the residual and the next Z are
  one pass over memory (`laconic.kernels.pursuit.shrink`).
- Y is feasible after scaling by its spectral norm, and |Y|_2 <= 1 + μ|D - S - L|_F since
  |μ(Z - L)|_2 <= 1: the duality gap costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.models.pcp.douglas_rachford import MEMORY, Measures, Splitting

MOST_BYTES = 8 << 30
"""What the exact solver may take; beyond it, it refuses."""

DENSE_ARRAYS = 10  # in float64 at the peak
STEP = 10.0  # first μ, over the reciprocal of the largest singular value
LOOK = 50.0  # times the tolerance: from there on the norm of Y is worth computing
ROUGH = 1e-3  # of |D|: while more is missing, singular values are found in float32
RESIDUALS = 1e-8, 5e-7  # of |D|, at the end: like the gap, within these
ROW_STEP = 1.0  # first μ for new documents, over the reciprocal of the mean singular value
ROW_STEPS = 2_000
LOOK_AT_ROWS = 10
ROW_GAP = 1e-9
ROW_BYTES, MOST_ROWS = 1 << 28, 256
ROW_RESIDUAL = 1e-8

Report = Callable[[int, float | None], None]


class Parts(NamedTuple):
    """Low rank plus sparse."""

    basis: np.ndarray  # rank x words, orthonormal rows
    singular_values: np.ndarray
    sparse: sp.csr_matrix
    objective: np.ndarray  # lowest value so far of a feasible point, for each step
    gap: float
    converged: bool
    interrupted: bool


def bytes_needed(n_documents: int, n_words: int, memory: int = MEMORY) -> int:
    """Peak memory of `Pursuit`."""
    small = min(n_documents, n_words)
    return 8 * (n_documents * n_words * (DENSE_ARRAYS + memory) + 4 * small * small)


def steps_remembered(n_documents: int, n_words: int) -> int:
    """How many steps fit into memory; refuses what does not fit at all."""
    for memory in (MEMORY, MEMORY // 2, 2, 0):
        if bytes_needed(n_documents, n_words, memory) <= MOST_BYTES:
            return memory
    needed = bytes_needed(n_documents, n_words, 0)
    raise LaconicError(
        f"PCP(solver='exact') would need {needed / 1e9:,.1f} GB for {n_documents:,} documents x "
        f"{n_words:,} words ({needed:,} bytes; the most it takes is {MOST_BYTES / 1e9:.1f} GB); "
        "use solver='factored', or fewer words."
    )


class Pursuit:
    """The convex problem for one matrix."""

    def __init__(self, D: sp.csr_matrix) -> None:
        self.memory = steps_remembered(*D.shape)
        self.flipped = D.shape[0] > D.shape[1]  # the Gram matrix is that of the rows
        self.D = np.ascontiguousarray((D.T if self.flipped else D).toarray(), dtype=np.float64)
        self.largest = _spectral_norm(self.D) or 1.0

    def solve(
        self, penalty: float, tol: float, max_iter: int, report: Report | None = None
    ) -> Parts:
        """To a relative duality gap of `tol`."""
        splitting = Splitting(self.D, penalty, STEP / self.largest, self.memory)
        values: list[float] = []
        gaps: list[float] = []
        interrupted = False
        try:
            for value, gap in self._steps(splitting, tol, max_iter):
                values.append(min([value, *values[-1:]]))
                gaps.append(gap)
                if report is not None:
                    report(len(values), value)
        except KeyboardInterrupt:
            if not values:
                raise
            interrupted = True
        low = threshold_singular_values(splitting.Z, 1 / splitting.mu)
        residual = splitting.shrink(low.L).residual
        converged = gaps[-1] <= tol and residual <= _residual(tol) * splitting.norm
        basis, sparse = self._unflip(low, splitting.sparse(low.L))
        objective = np.array(values)
        return Parts(basis, low.values, sparse, objective, gaps[-1], converged, interrupted)

    def _steps(
        self, splitting: Splitting, tol: float, max_iter: int
    ) -> Iterator[tuple[float, float]]:
        """Value and gap of each step; leaves Z where the last are from, unless interrupted."""
        residual = np.inf
        for n_iter in range(1, max_iter + 1):
            is_rough = residual > ROUGH * splitting.norm and n_iter < max_iter
            low = threshold_singular_values(splitting.Z, 1 / splitting.mu, is_rough)
            measures = splitting.shrink(low.L)
            residual = measures.residual
            value = float(low.values.sum() + splitting.penalty * measures.rest)
            gap = self._gap(value, measures, splitting, low.L, tol)
            yield value, gap
            is_small = residual <= _residual(tol) * splitting.norm
            if n_iter == max_iter or (is_small and gap <= tol and not is_rough):
                return
            splitting.advance(low.L, measures)

    def _gap(
        self, value: float, measures: Measures, splitting: Splitting, L: np.ndarray, tol: float
    ) -> float:
        """Relative duality gap; an upper bound while it is far from the tolerance."""
        if value <= 0:
            return 0.0
        gap = (value - measures.inner / (1 + splitting.mu * measures.residual)) / value
        if not tol < gap < LOOK * tol:
            return gap
        norm = _spectral_norm(splitting.dual(L))
        return (value - measures.inner / max(1.0, norm)) / value

    def _unflip(self, low: Thresholded, sparse: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
        """Basis of the background and S, of documents x words."""
        if self.flipped:
            return np.ascontiguousarray(low.vectors.T), sparse.T.tocsr()
        return (low.vectors.T @ low.L) / low.values[:, None], sparse


class Thresholded(NamedTuple):
    """A matrix whose singular values were thresholded."""

    L: np.ndarray
    vectors: np.ndarray  # left singular vectors that stay, largest first
    values: np.ndarray


def threshold_singular_values(
    Z: np.ndarray, threshold: float, is_rough: bool = False
) -> Thresholded:
    """Soft-threshold the singular values of `Z`, which has no more rows than columns."""
    if is_rough:  # half the time; near the solution it would never get there
        low = threshold_singular_values(Z.astype(np.float32), threshold)
        return Thresholded(*(part.astype(np.float64) for part in low))
    driver = "evd" if len(Z) > 1 else "evr"  # SciPy 1.13 fails on one number with the first
    squares, vectors = scipy.linalg.eigh(Z @ Z.T, overwrite_a=True, driver=driver)
    values = np.sqrt(np.maximum(squares[::-1], 0))
    rank = int(np.count_nonzero(values > threshold))
    vectors, values = vectors[:, ::-1][:, :rank], values[:rank]
    scaled = vectors * (1 - threshold / values)
    # whichever product is the smaller: through the rank, or the whole projector
    L = scaled @ (vectors.T @ Z) if 2 * rank < len(Z) else (scaled @ vectors.T) @ Z
    return Thresholded(L, vectors, values - threshold)


def pursue_rows(
    D: sp.csr_matrix, basis: np.ndarray, singular_values: np.ndarray, penalty: float
) -> tuple[np.ndarray, sp.csr_matrix]:
    """Codes w and sparse parts of new documents d, given B and σ of a background:

        minimise  1/2 Σ w²/σ + λ |d - w B|_1

    The quadratic term is the nuclear norm to first order, so that the documents that the
    background was found on come out as they were.
    """
    dense = np.ascontiguousarray(D.toarray(), dtype=np.float64)
    basis = basis.astype(np.float64)
    size = float(singular_values.mean()) if len(singular_values) else 1.0
    splitting = Splitting(dense, penalty, ROW_STEP / size, MEMORY)
    for n_iter in range(1, ROW_STEPS + 1):
        weights = splitting.mu * singular_values
        codes = (splitting.Z @ basis.T) * (weights / (1 + weights))
        L = codes @ basis
        measures = splitting.shrink(L)
        if n_iter == ROW_STEPS:
            break
        if n_iter % LOOK_AT_ROWS == 0 and _small_rows(splitting):
            costs = (codes**2 / (2 * singular_values)).sum(axis=1)
            if _small_gaps(splitting, L, basis, singular_values, costs):
                break
        splitting.advance(L, measures)
    return codes, splitting.sparse(L)


def _small_rows(splitting: Splitting) -> bool:
    """Whether what is missing is small for each document, however short it is."""
    lacks = np.einsum("ij,ij->i", splitting.F, splitting.F)
    squares = np.einsum("ij,ij->i", splitting.D, splitting.D)
    return bool((lacks <= ROW_RESIDUAL**2 * squares).all())


def _small_gaps(
    splitting: Splitting,
    L: np.ndarray,
    basis: np.ndarray,
    singular_values: np.ndarray,
    costs: np.ndarray,
) -> bool:
    """Whether the duality gap of each document is a small share of its value."""
    Y = splitting.dual(L)
    values = costs + splitting.penalty * np.abs(splitting.D - L).sum(axis=1)
    duals = np.einsum("ij,ij->i", Y, splitting.D) - ((Y @ basis.T) ** 2 @ singular_values) / 2
    return bool((values - duals <= ROW_GAP * values).all())


class RowPursuit(NamedTuple):
    """What splits new documents by a background that the convex problem has found."""

    basis: np.ndarray  # rank x words, orthonormal rows
    singular_values: np.ndarray
    penalty: float

    def split(self, X: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
        """Codes and S, some documents at a time."""
        n_rows = rows_at_a_time(X.shape[1])
        starts = range(0, X.shape[0], n_rows)
        parts = (pursue_rows(X[start : start + n_rows], *self) for start in starts)
        codes, sparse = zip(*parts, strict=True)
        dtype = np.result_type(X.dtype, self.basis.dtype)
        return np.vstack(codes).astype(dtype), sp.vstack(sparse, format="csr").astype(dtype)

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return occurring(self.split(X)[1], X)


def occurring(S: sp.csr_matrix, X: sp.csr_matrix) -> sp.csr_matrix:
    """The positive entries of S at words that occur in X."""
    kept = sp.csr_matrix(S.multiply(X != 0))
    kept.data = np.maximum(kept.data, 0)
    kept.eliminate_zeros()
    kept.sort_indices()
    return kept


def rows_at_a_time(n_words: int) -> int:
    """How many new documents are held dense at a time."""
    return int(np.clip(ROW_BYTES // bytes_needed(1, n_words), 1, MOST_ROWS))


def _residual(tol: float) -> float:
    """What may be missing of L + S = D at the end."""
    return float(np.clip(tol, *RESIDUALS))


def _spectral_norm(matrix: np.ndarray) -> float:
    n = len(matrix)
    if not matrix.size:
        return 0.0
    square = scipy.linalg.eigh(
        matrix @ matrix.T, eigvals_only=True, overwrite_a=True, subset_by_index=[n - 1, n - 1]
    )
    return float(np.sqrt(max(square[0], 0.0)))
