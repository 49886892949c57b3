"""Principal component pursuit, the convex problem, solved exactly.

    minimise  |L|_* + λ |S|_1   subject to  L + S = D

Douglas-Rachford splitting, which is the alternating method of the paper in one variable Z:

    L = SVT(Z, 1/μ);   S = soft(D - 2L + Z, λ/μ);   Z += D - S - L

- Singular values are thresholded through the eigenvalues of the small Gram matrix, in float64.
- With Y = μ(Z - L) + μ(D - S - L) = clip(μ(D - 2L + Z), ±λ), S, Y, the residual and the next Z are
  one pass over memory (`laconic.kernels.pursuit.shrink`).
- Steps are extrapolated from the last few (Anderson's method), which saves three quarters of them;
  one that goes wrong is taken back.
- Y is feasible after scaling by its spectral norm, and |Y|_2 <= 1 + μ|D - S - L|_F since
  |μ(Z - L)|_2 <= 1: the duality gap costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.kernels.pursuit import shrink, sparse_part

MOST_BYTES = 8 << 30
"""What the exact solver may take; beyond it, it refuses."""

DENSE_ARRAYS = 6  # in float64: D, Z, L, F and the last Z + F and F
MEMORY = 8  # steps that are remembered, two arrays of float32 each
STEP = 30.0  # μ, as a share of the reciprocal of the largest singular value
SETTLE = 10  # steps in which μ grows to that, before the first extrapolation
RISE = 1.3
DOUBLE_AT = (50, 90, 130)  # steps: what is not done by then, converges faster with a larger μ
WORSE = 1.5  # growth of the residual at which an extrapolation is taken back
RIDGE = 1e-10
LOOK = 50.0  # times the tolerance: from there on the norm of Y is worth computing
RESIDUAL = 1e-7  # of |D|, at the end

ROW_STEP = 1.0  # μ for new documents, over the reciprocal of the mean singular value
ROW_STEPS = 1_000
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


def bytes_needed(n_documents: int, n_words: int, memory: int = MEMORY) -> int:
    """Peak memory of `pursue`."""
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
        self.norm = float(np.linalg.norm(self.D))
        self.first_mu = STEP / RISE**SETTLE / (_spectral_norm(self.D) or 1.0)
        self.Z = np.empty_like(self.D)
        self.F = np.empty_like(self.D)

    def solve(
        self, penalty: float, tol: float, max_iter: int, report: Report | None = None
    ) -> Parts:
        """To a relative duality gap of `tol`."""
        past = Anderson(self.memory, self.D.shape)
        self.mu, n_iter = self.first_mu, 0
        np.copyto(self.Z, self.D)
        values: list[float] = []
        while True:
            n_iter += 1
            low = threshold_singular_values(self.Z, 1 / self.mu)
            rest, inner, square = shrink(self.D, low.L, self.Z, penalty, self.mu, self.F)
            residual = float(np.sqrt(square))
            value = float(low.values.sum() + penalty * rest)
            values.append(min([value, *values[-1:]]))
            gap = self._gap(value, inner, residual, low.L, tol)
            if report is not None:
                report(n_iter, value)
            is_done = gap <= tol and residual <= RESIDUAL * self.norm
            if is_done or n_iter == max_iter:
                return self._parts(low, penalty, np.array(values), gap, is_done)
            if n_iter <= SETTLE:
                self._rise(low.L, RISE)
            elif n_iter in DOUBLE_AT:
                self._rise(low.L, 2.0)
                past.clear()
            else:
                past.advance(self.Z, self.F, residual)

    def _rise(self, L: np.ndarray, factor: float) -> None:
        """A plain step, and a larger μ for the next: D - S stays, Y/μ shrinks."""
        scaled_Y = self.Z + self.F
        scaled_Y -= L
        scaled_Y *= 1 - 1 / factor
        self.Z += self.F
        self.Z -= scaled_Y
        self.mu *= factor

    def _gap(self, value: float, inner: float, residual: float, L: np.ndarray, tol: float) -> float:
        """Relative duality gap; an upper bound while it is far from the tolerance."""
        if value <= 0:
            return 0.0
        gap = (value - inner / (1 + self.mu * residual)) / value
        if not tol < gap < LOOK * tol:
            return gap
        norm = _spectral_norm(self.mu * (self.F + self.Z - L))
        return (value - inner / max(1.0, norm)) / value

    def _parts(
        self, low: Thresholded, penalty: float, values: np.ndarray, gap: float, is_done: bool
    ) -> Parts:
        rows, columns, data = sparse_part(self.D, low.L, self.Z, penalty, self.mu)
        sparse = sp.csr_matrix((data, (rows, columns)), self.D.shape)
        if self.flipped:
            basis, sparse = low.vectors.T, sparse.T.tocsr()
        else:
            basis = (low.vectors.T @ low.L) / low.values[:, None]
        return Parts(np.ascontiguousarray(basis), low.values, sparse, values, gap, is_done)


class Thresholded(NamedTuple):
    """A matrix whose singular values were thresholded."""

    L: np.ndarray
    vectors: np.ndarray  # left singular vectors that stay, largest first
    values: np.ndarray


def threshold_singular_values(Z: np.ndarray, threshold: float) -> Thresholded:
    """Soft-threshold the singular values of `Z`, which has no more rows than columns."""
    squares, vectors = scipy.linalg.eigh(Z @ Z.T, overwrite_a=True, driver="evd")
    values = np.sqrt(np.maximum(squares[::-1], 0))
    rank = int(np.count_nonzero(values > threshold))
    vectors, values = vectors[:, ::-1][:, :rank], values[:rank]
    scaled = vectors * (1 - threshold / values)
    # whichever product is the smaller: through the rank, or the whole projector
    L = scaled @ (vectors.T @ Z) if 2 * rank < len(Z) else (scaled @ vectors.T) @ Z
    return Thresholded(L, vectors, values - threshold)


class Anderson:
    """Moves Z by F, and further where the last steps say how F changes with Z.

    With differences dF of the last moves and dG of the last Z + F, the next Z is
    Z + F - Σ γ dG for the γ that make |F - Σ γ dF| smallest.
    """

    def __init__(self, memory: int, shape: tuple[int, int]) -> None:
        self.moves = np.empty((memory, *shape), np.float32)
        self.goals = np.empty((memory, *shape), np.float32)
        self.products = np.zeros((memory, memory))
        self.clear()

    def clear(self) -> None:
        """Forget all steps."""
        self.last: tuple[np.ndarray, np.ndarray, float] | None = None  # F, Z + F, |F|
        self.n_kept = 0

    def advance(self, Z: np.ndarray, F: np.ndarray, residual: float) -> None:
        """The next Z, in place."""
        if not len(self.moves):
            Z += F
            return
        if self.last is not None and self.n_kept and residual > WORSE * self.last[2]:
            np.copyto(Z, self.last[1])  # the plain step from before
            self.clear()
            return
        goal = Z + F
        if self.last is not None:
            self._remember(F, goal)
        self.last = (F.copy(), goal, residual)
        np.copyto(Z, goal)
        if self.n_kept:
            Z -= self._correction(F)

    def _remember(self, F: np.ndarray, goal: np.ndarray) -> None:
        assert self.last is not None
        at = self.n_kept % len(self.moves)
        np.subtract(F, self.last[0], out=self.moves[at], casting="same_kind")
        np.subtract(goal, self.last[1], out=self.goals[at], casting="same_kind")
        self.n_kept += 1
        known = self.moves[: self.n_kept].reshape(-1, F.size)
        products = known @ self.moves[at].ravel()
        self.products[at, : len(products)] = self.products[: len(products), at] = products

    def _correction(self, F: np.ndarray) -> np.ndarray:
        n = min(self.n_kept, len(self.moves))
        gram = self.products[:n, :n] + RIDGE * np.trace(self.products[:n, :n]) * np.eye(n)
        slopes = self.moves[:n].reshape(n, -1) @ F.ravel().astype(np.float32)
        weights = np.linalg.solve(gram, slopes.astype(np.float64)).astype(np.float32)
        return (weights @ self.goals[:n].reshape(n, -1)).reshape(F.shape)


class RowParts(NamedTuple):
    """Documents split by a background that is known."""

    codes: np.ndarray
    sparse: sp.csr_matrix


def pursue_rows(
    D: sp.csr_matrix, basis: np.ndarray, singular_values: np.ndarray, penalty: float
) -> RowParts:
    """Codes w and sparse parts of new documents d, given B and σ of a background:

        minimise  1/2 Σ w²/σ + λ |d - w B|_1

    The quadratic term is the nuclear norm to first order, so that the documents that the
    background was found on come out as they were.
    """
    dense = np.ascontiguousarray(D.toarray(), dtype=np.float64)
    scale = float(np.linalg.norm(dense))
    mu = ROW_STEP / (singular_values.mean() if len(singular_values) else 1.0)
    shares = mu * singular_values / (1 + mu * singular_values)
    Z, F = dense.copy(), np.empty_like(dense)
    past = Anderson(MEMORY, dense.shape)
    for _ in range(ROW_STEPS):
        codes = (Z @ basis.T) * shares
        L = codes @ basis
        residual = float(np.sqrt(shrink(dense, L, Z, penalty, mu, F)[2]))
        if residual <= ROW_RESIDUAL * scale:
            break
        past.advance(Z, F, residual)
    rows, columns, data = sparse_part(dense, L, Z, penalty, mu)
    return RowParts(codes, sp.csr_matrix((data, (rows, columns)), dense.shape))


def _spectral_norm(matrix: np.ndarray) -> float:
    n = len(matrix)
    if not n:
        return 0.0
    square = scipy.linalg.eigh(
        matrix @ matrix.T, eigvals_only=True, overwrite_a=True, subset_by_index=[n - 1, n - 1]
    )
    return float(np.sqrt(max(square[0], 0.0)))
