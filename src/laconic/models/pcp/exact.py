"""Exact solver of PCP, which solves the convex problem of the paper:

    minimise  |L|_* + λ |S|_1   subject to  L + S = D

The first steps descend in S alone (`laconic.models.pcp.descent`). They come within 1e-4 or 1e-5 of
the minimum, but do not prove it. Douglas-Rachford splitting (`laconic.models.pcp.douglas_rachford`)
continues from there, until the duality gap is small. This splitting is the alternating method of
the paper, written with one variable Z:

    L = SVT(Z, 1/μ);   S = soft(D - 2L + Z, λ/μ);   Z += D - S - L

- Singular values are computed in float64 from the eigenvalues of Z'Z or ZZ', whichever is smaller,
  and then thresholded.
- Equal rows of D are merged (`laconic.models.pcp.descent.Merged`), so λ may differ between rows.
- With Y = μ(Z - L) + μ(D - S - L) = clip(μ(D - 2L + Z), ±λ), one pass over memory computes S, Y,
  the residual and the next Z (`laconic.kernels.pursuit.shrink`).
- Y becomes a feasible dual point if it is divided by its spectral norm or by any larger number.
  Since |μ(Z - L)|_2 <= 1, the spectral norm |Y|_2 is at most 1 + μ|D - S - L|_F, which gives an
  upper bound on the duality gap at no extra cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.models.checkpoint import Stage
from laconic.models.passes import Passes
from laconic.models.pcp.descent import Merged, Point, descend_from_zero, symmetric_eigen
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
        self.merged = Merged.of(sp.csr_matrix(D.T) if self.transposed else D)
        self.D = self.merged.matrix.toarray()
        values = np.sqrt(np.maximum(np.linalg.eigvalsh(self.D @ self.D.T), 0))
        self.spectral_norm = float(values.max(initial=0)) or 1.0
        self.nuclear_norm = float(values.sum())

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
        penalties = penalty * self.merged.roots
        splitting = Splitting(self.D, penalties, STEP / self.spectral_norm, self.memory)
        run = Run(splitting)
        passes = (stage and stage.restore(run)) or Passes(0, [])
        values, gaps = list(passes.objective), run.gaps
        interrupted = False
        try:
            if not values:
                for value in self._first_steps(splitting, max_iter - 1):
                    values.append(min([value, *values[-1:]]))
                    gaps.append(1.0)  # not computed
                    if report is not None:
                        report(len(values), value)
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

    def _first_steps(self, splitting: Splitting, max_iter: int) -> Iterator[float]:
        """Yield the objectives of the first steps, and let the splitting start from their result.

        If λ is small, S = D is a better start than S = 0 and often the minimum, so there are no
        steps. Otherwise the first steps descend in S.
        """
        D, penalties = self.merged.matrix, splitting.penalties
        if penalties @ np.asarray(np.abs(D).sum(axis=1)).ravel() <= self.nuclear_norm:
            splitting.start(D, (sp.diags(penalties) @ D.sign()).toarray(), splitting.mu)
            return
        point: Point | None = None
        try:
            for point in islice(descend_from_zero(D, penalties), max_iter):
                yield point.objective
        finally:
            if point is not None:
                Y = np.clip(point.polar.T, -penalties[:, None], penalties[:, None])
                splitting.start(point.sparse, Y, len(self.D) / self.nuclear_norm)

    def _steps(
        self, run: Run, tol: float, n_done: int, max_iter: int
    ) -> Iterator[tuple[float, float]]:
        """Yield the objective and duality gap of each step; the last step leaves Z unchanged."""
        splitting = run.splitting
        for n_iter in range(n_done + 1, max_iter + 1):
            is_rough = run.residual > FLOAT32_RESIDUAL * splitting.norm and n_iter < max_iter
            low = threshold_singular_values(splitting.Z, 1 / splitting.mu, is_rough)
            norms = splitting.shrink(low.L)
            value = float(low.values.sum() + norms.l1_error)
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
        sparse = self.merged.unmerge(sparse)
        if self.transposed:
            vectors = self.merged.unmerge(low.vectors)
            return np.ascontiguousarray(vectors.T), sparse.T.tocsr()
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
    squares, vectors = symmetric_eigen(Z @ Z.T)
    values = np.sqrt(np.maximum(squares[::-1], 0))
    rank = int(np.count_nonzero(values > threshold))
    vectors, values = vectors[:, ::-1][:, :rank], values[:rank]
    scaled = vectors * (1 - threshold / values)
    # Choose the cheaper order of multiplication, which depends on the rank.
    L = scaled @ (vectors.T @ Z) if 2 * rank < len(Z) else (scaled @ vectors.T) @ Z
    return Thresholded(L, vectors, values - threshold)


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
