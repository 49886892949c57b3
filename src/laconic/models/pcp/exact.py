"""Exact solver of PCP, which solves the convex problem of the paper:

    minimise  |L|_* + λ |S|_1   subject to  L + S = D

The problem is solved by Douglas-Rachford splitting (`laconic.models.pcp.douglas_rachford`). This
splitting is the alternating method of the paper, written with one variable Z:

    L = SVT(Z, 1/μ);   S = soft(D - 2L + Z, λ/μ);   Z += D - S - L

- Singular values are computed in float64 from the eigenvalues of Z'Z or ZZ', whichever is smaller,
  and then thresholded.
- With Y = μ(Z - L) + μ(D - S - L) = clip(μ(D - 2L + Z), ±λ), one pass over memory computes S, Y,
  the residual and the next Z (`laconic.kernels.pursuit.shrink`).
- Y becomes a feasible dual point if it is divided by its spectral norm or by any larger number.
  Since |μ(Z - L)|_2 <= 1, the spectral norm |Y|_2 is at most 1 + μ|D - S - L|_F, which gives an
  upper bound on the duality gap at no extra cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.models.checkpoint import Stage
from laconic.models.passes import Passes
from laconic.models.pcp.douglas_rachford import MEMORY, Splitting, StepNorms

MAX_BYTES = 8 << 30
"""Memory limit of the exact solver in bytes; problems that need more memory raise an error."""

DENSE_ARRAYS = 10  # number of dense float64 arrays in memory at the peak
STEP = 10.0  # initial μ, as a multiple of 1 / (largest singular value of D)
# If the gap is below this multiple of the tolerance, the exact spectral norm of Y is computed.
NORM_CHECK = 50.0
# While the residual is above this share of |D|, singular values are computed in float32.
FLOAT32_RESIDUAL = 1e-3
# The final residual may be at most `tol` times |D|, where `tol` is first clipped to this range.
RESIDUALS = 1e-8, 5e-7
ROW_STEP = 1.0  # initial μ for new documents, as a multiple of 1 / (mean singular value)
ROW_STEPS = 2_000
ROW_CHECK_INTERVAL = 10  # number of steps between two checks of convergence
ROW_GAP = 1e-9
# maximum memory in bytes, and maximum number of documents, of one block of new documents
ROW_BYTES, MAX_ROWS = 1 << 28, 256
ROW_RESIDUAL = 1e-8

Report = Callable[[int, float | None], None]


class Parts(NamedTuple):
    """Solution of the convex problem: the low-rank and the sparse part of a matrix."""

    basis: np.ndarray  # rank x words; the rows are orthonormal
    singular_values: np.ndarray
    sparse: sp.csr_matrix
    objective: np.ndarray  # lowest objective of a feasible point up to each step
    gap: float
    converged: bool
    interrupted: bool


def bytes_needed(n_documents: int, n_words: int, memory: int = MEMORY) -> int:
    """Return the peak memory of `Pursuit` in bytes."""
    small = min(n_documents, n_words)
    return 8 * (n_documents * n_words * (DENSE_ARRAYS + memory) + 4 * small * small)


def steps_remembered(n_documents: int, n_words: int) -> int:
    """Return how many past steps fit into the memory limit.

    Raises an error if even the problem without past steps exceeds the limit.
    """
    for memory in (MEMORY, MEMORY // 2, 2, 0):
        if bytes_needed(n_documents, n_words, memory) <= MAX_BYTES:
            return memory
    needed = bytes_needed(n_documents, n_words, 0)
    raise LaconicError(
        f"PCP(solver='exact') would need {needed / 1e9:,.1f} GB for {n_documents:,} documents x "
        f"{n_words:,} words ({needed:,} bytes; the limit is {MAX_BYTES / 1e9:.1f} GB). Use "
        "solver='factored', or reduce the number of words."
    )


class Run:
    """State between two steps of the solver."""

    SAVED = ()

    def __init__(self, splitting: Splitting) -> None:
        self.splitting = splitting
        self.gaps: list[float] = []
        self.residual = np.inf  # norm of the last residual


class Pursuit:
    """The convex problem of PCP for one matrix D."""

    def __init__(self, D: sp.csr_matrix) -> None:
        self.memory = steps_remembered(*D.shape)
        # A tall matrix is transposed, so that the Gram matrix of the rows is small.
        self.transposed = D.shape[0] > D.shape[1]
        self.D = np.ascontiguousarray((D.T if self.transposed else D).toarray(), dtype=np.float64)
        self.spectral_norm = _spectral_norm(self.D) or 1.0

    def solve(
        self,
        penalty: float,
        tol: float,
        max_iter: int,
        report: Report | None = None,
        stage: Stage | None = None,
    ) -> Parts:
        """Solve the problem until the relative duality gap is at most `tol`.

        With a `stage`, the state is stored from time to time, and restored at the start.
        """
        splitting = Splitting(self.D, penalty, STEP / self.spectral_norm, self.memory)
        run = Run(splitting)
        passes = (stage and stage.restore(run)) or Passes(0, [])
        values, gaps = list(passes.objective), run.gaps
        interrupted = False
        try:
            for value, gap in self._steps(run, tol, len(values), max_iter):
                # The state is still that of the previous step.
                if stage is not None and len(values) > passes.n_iter and stage.is_due():
                    stage.save(run, Passes(len(values), values))
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
        converged = gaps[-1] <= tol and residual <= _max_residual(tol) * splitting.norm
        basis, sparse = self._untranspose(low, splitting.sparse(low.L))
        objective = np.array(values)
        return Parts(basis, low.values, sparse, objective, gaps[-1], converged, interrupted)

    def _steps(
        self, run: Run, tol: float, n_done: int, max_iter: int
    ) -> Iterator[tuple[float, float]]:
        """Yield the objective and duality gap of each step; the last step leaves Z unchanged."""
        splitting = run.splitting
        for n_iter in range(n_done + 1, max_iter + 1):
            is_rough = run.residual > FLOAT32_RESIDUAL * splitting.norm and n_iter < max_iter
            low = threshold_singular_values(splitting.Z, 1 / splitting.mu, is_rough)
            norms = splitting.shrink(low.L)
            value = float(low.values.sum() + splitting.penalty * norms.l1_error)
            gap = self._gap(value, norms, splitting, low.L, tol)
            yield value, gap
            run.residual = norms.residual
            is_small = run.residual <= _max_residual(tol) * splitting.norm
            if n_iter == max_iter or (is_small and gap <= tol and not is_rough):
                return
            splitting.advance(low.L, norms)

    def _gap(
        self, value: float, norms: StepNorms, splitting: Splitting, L: np.ndarray, tol: float
    ) -> float:
        """Return the relative duality gap, or an upper bound if the bound is far from `tol`."""
        if value <= 0:
            return 0.0
        gap = (value - norms.inner / (1 + splitting.mu * norms.residual)) / value
        if not tol < gap < NORM_CHECK * tol:
            return gap
        dual_norm = _spectral_norm(splitting.dual(L))
        return (value - norms.inner / max(1.0, dual_norm)) / value

    def _untranspose(
        self, low: Thresholded, sparse: sp.csr_matrix
    ) -> tuple[np.ndarray, sp.csr_matrix]:
        """Return the basis of the background (rank x words) and S (documents x words)."""
        if self.transposed:
            return np.ascontiguousarray(low.vectors.T), sparse.T.tocsr()
        return (low.vectors.T @ low.L) / low.values[:, None], sparse


class Thresholded(NamedTuple):
    """Matrix L with thresholded singular values, and its singular value decomposition."""

    L: np.ndarray
    vectors: np.ndarray  # left singular vectors of L, in order of decreasing singular value
    values: np.ndarray


def threshold_singular_values(
    Z: np.ndarray, threshold: float, is_rough: bool = False
) -> Thresholded:
    """Soft-threshold the singular values of `Z`, which has no more rows than columns."""
    if is_rough:  # float32 takes half the time, but is not precise enough for the last steps
        low = threshold_singular_values(Z.astype(np.float32), threshold)
        return Thresholded(*(part.astype(np.float64) for part in low))
    driver = "evd" if len(Z) > 1 else "evr"  # SciPy 1.13 fails on a 1 x 1 matrix with "evd"
    squares, vectors = scipy.linalg.eigh(Z @ Z.T, overwrite_a=True, driver=driver)
    values = np.sqrt(np.maximum(squares[::-1], 0))
    rank = int(np.count_nonzero(values > threshold))
    vectors, values = vectors[:, ::-1][:, :rank], values[:rank]
    scaled = vectors * (1 - threshold / values)
    # Choose the cheaper order of multiplication, which depends on the rank.
    L = scaled @ (vectors.T @ Z) if 2 * rank < len(Z) else (scaled @ vectors.T) @ Z
    return Thresholded(L, vectors, values - threshold)


def pursue_rows(
    D: sp.csr_matrix, basis: np.ndarray, singular_values: np.ndarray, penalty: float
) -> tuple[np.ndarray, sp.csr_matrix]:
    """Compute the codes w and the sparse parts of new documents d.

    For a background with the basis B and the singular values σ, the codes of a document

        minimise  1/2 Σ w²/σ + λ |d - w B|_1

    The quadratic term equals the nuclear norm to first order, so documents that were part of the
    fit get the same codes and sparse parts as in the fit.
    """
    dense = np.ascontiguousarray(D.toarray(), dtype=np.float64)
    basis = basis.astype(np.float64)
    mean_value = float(singular_values.mean()) if len(singular_values) else 1.0
    splitting = Splitting(dense, penalty, ROW_STEP / mean_value, MEMORY)
    for n_iter in range(1, ROW_STEPS + 1):
        weights = splitting.mu * singular_values
        codes = (splitting.Z @ basis.T) * (weights / (1 + weights))
        L = codes @ basis
        norms = splitting.shrink(L)
        if n_iter == ROW_STEPS:
            break
        if n_iter % ROW_CHECK_INTERVAL == 0 and _residuals_are_small(splitting):
            costs = (codes**2 / (2 * singular_values)).sum(axis=1)
            if _gaps_are_small(splitting, L, basis, singular_values, costs):
                break
        splitting.advance(L, norms)
    return codes, splitting.sparse(L)


def _residuals_are_small(splitting: Splitting) -> bool:
    """Return whether the residual of each document is small relative to its norm."""
    residuals = np.einsum("ij,ij->i", splitting.F, splitting.F)
    squares = np.einsum("ij,ij->i", splitting.D, splitting.D)
    return bool((residuals <= ROW_RESIDUAL**2 * squares).all())


def _gaps_are_small(
    splitting: Splitting,
    L: np.ndarray,
    basis: np.ndarray,
    singular_values: np.ndarray,
    costs: np.ndarray,
) -> bool:
    """Return whether the duality gap of each document is small relative to its objective."""
    Y = splitting.dual(L)
    values = costs + splitting.penalty * np.abs(splitting.D - L).sum(axis=1)
    duals = np.einsum("ij,ij->i", Y, splitting.D) - ((Y @ basis.T) ** 2 @ singular_values) / 2
    return bool((values - duals <= ROW_GAP * values).all())


class RowPursuit(NamedTuple):
    """Splits new documents into codes and sparse parts, for a background of the exact solver."""

    basis: np.ndarray  # rank x words; the rows are orthonormal
    singular_values: np.ndarray
    penalty: float

    def split(self, X: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
        """Return the codes and sparse parts of documents, computed in blocks of documents."""
        n_rows = rows_at_a_time(X.shape[1])
        starts = range(0, X.shape[0], n_rows)
        parts = (pursue_rows(X[start : start + n_rows], *self) for start in starts)
        codes, sparse = zip(*parts, strict=True)
        dtype = np.result_type(X.dtype, self.basis.dtype)
        return np.vstack(codes).astype(dtype), sp.vstack(sparse, format="csr").astype(dtype)

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return occurring(self.split(X)[1], X)


def occurring(S: sp.csr_matrix, X: sp.csr_matrix) -> sp.csr_matrix:
    """Return the entries of S that are positive and belong to words that occur in X."""
    keywords = sp.csr_matrix(S.multiply(X != 0))
    keywords.data = np.maximum(keywords.data, 0)
    keywords.eliminate_zeros()
    keywords.sort_indices()
    return keywords


def rows_at_a_time(n_words: int) -> int:
    """Return the number of new documents in a block, which is stored as a dense array."""
    return int(np.clip(ROW_BYTES // bytes_needed(1, n_words), 1, MAX_ROWS))


def _max_residual(tol: float) -> float:
    """Return the maximum final residual |D - L - S|, as a share of |D|."""
    return float(np.clip(tol, *RESIDUALS))


def _spectral_norm(matrix: np.ndarray) -> float:
    n = len(matrix)
    if not matrix.size:
        return 0.0
    squares = scipy.linalg.eigh(
        matrix @ matrix.T, eigvals_only=True, overwrite_a=True, subset_by_index=[n - 1, n - 1]
    )
    return float(np.sqrt(max(squares[0], 0.0)))
