"""Douglas-Rachford splitting of a matrix D into a sum L + S, where S is sparse.

The splitting minimises f(L) + Σ_i λ_i |d_i - l_i|_1, with a sum over rows. The only variable kept
between steps is Z:

    L = prox of f at Z;   S = soft(D - 2L + Z, λ/μ);   Z += F,  F = D - S - L

- Each step is extrapolated from the last few steps (Anderson acceleration), which saves three
  quarters of the steps. An extrapolation that makes the residual grow too much is undone.
- At increasing intervals, μ is adjusted if the ratio of the dual to the primal residual is far from
  its target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.kernels.pursuit import shrink, sparse_part

MEMORY = 8  # number of past steps that are stored; each step takes two float32 arrays
SETTLE = 8  # number of plain steps at the start, before steps are extrapolated
# number of steps before μ is first adjusted; each later interval is 1.5 times the previous interval
WINDOW = 12
# target ratio of the dual to the primal residual; with a ratio above 1, the objective falls faster
BALANCE = 10.0
MAX_IMBALANCE = 3.0  # μ is adjusted if the ratio differs from BALANCE by more than this factor
MAX_MU_FACTOR = 8.0  # maximum factor by which μ changes in one adjustment
MU_RANGE = 1e3  # maximum factor by which μ may differ from its initial value
# An extrapolation is undone if the residual exceeds this multiple of the smallest residual so far.
MAX_GROWTH = 2.0
RIDGE = 1e-8
MAX_ANDERSON_WEIGHT = 1e3  # maximum sum of the absolute weights of past steps


class StepNorms(NamedTuple):
    """Norms and inner products of one step, which are computed in one pass over memory."""

    l1_error: float  # sum λ |D - L|
    inner: float  # inner product of D and Y
    residual: float  # |F|
    dual: float  # |Y|
    change: float  # norm of the difference between L and the previous L


class Splitting:
    """State of a Douglas-Rachford splitting: the variable Z, the factor μ and the past steps."""

    def __init__(self, D: np.ndarray, penalties: np.ndarray, mu: float, memory: int) -> None:
        self.D = D
        self.penalties = penalties
        self.mu = mu
        self.Z = D.copy()
        self.F = np.empty_like(D)
        self.norm = float(np.linalg.norm(D))
        self.previous_L = np.zeros_like(D)
        self.past = Anderson(memory, D.shape)
        self.mu_limits = mu / MU_RANGE, mu * MU_RANGE
        self.window, self.n_steps, self.log_ratios = WINDOW, 0, 0.0

    def start(self, S: sp.csr_matrix, Y: np.ndarray, mu: float) -> None:
        """Start from the sparse part S and the dual variable Y."""
        self.mu = mu
        self.mu_limits = mu / MU_RANGE, mu * MU_RANGE
        np.multiply(Y, 1 / mu, out=self.Z)
        self.Z += self.D
        self.Z -= S.toarray()

    def shrink(self, L: np.ndarray) -> StepNorms:
        """Compute F, the change of Z in a plain step, and return the norms of the step."""
        l1_error, inner, *squares = shrink(
            self.D, L, self.previous_L, self.Z, self.penalties, self.mu, self.F
        )
        return StepNorms(l1_error, inner, *(float(np.sqrt(square)) for square in squares))

    def advance(self, L: np.ndarray, norms: StepNorms) -> None:
        """Update Z; at the end of a window, also adjust μ if necessary."""
        self.previous_L = L
        self.n_steps += 1
        self.log_ratios += self._log_ratio(norms)
        if self.n_steps == self.window:
            ratio = float(np.exp(self.log_ratios / self.window)) / BALANCE
            self.window, self.n_steps, self.log_ratios = self.window * 3 // 2, 0, 0.0
            if not 1 / MAX_IMBALANCE < ratio < MAX_IMBALANCE:
                factor = np.clip(1 / ratio, 1 / MAX_MU_FACTOR, MAX_MU_FACTOR)
                self.rescale(L, float(np.clip(self.mu * factor, *self.mu_limits)) / self.mu)
                return
        if self.window == WINDOW and self.n_steps <= SETTLE:
            self.Z += self.F
        else:
            self.past.advance(self.Z, self.F, norms.residual)

    def dual(self, L: np.ndarray) -> np.ndarray:
        """Return the dual variable Y."""
        Y = self.F + self.Z
        Y -= L
        Y *= self.mu
        return Y

    def sparse(self, L: np.ndarray) -> sp.csr_matrix:
        """Return S."""
        rows, columns, data = sparse_part(self.D, L, self.Z, self.penalties, self.mu)
        return sp.csr_matrix((data, (rows, columns)), self.D.shape)

    def _log_ratio(self, norms: StepNorms) -> float:
        """Return the log ratio of the relative dual residual to the relative primal residual."""
        tiny = np.finfo(float).tiny
        primal = norms.residual / (self.norm or 1.0)
        dual = self.mu * norms.change / max(norms.dual, tiny)
        return float(np.log(max(dual, tiny)) - np.log(max(primal, tiny)))

    def rescale(self, L: np.ndarray, factor: float) -> None:
        """Take a plain step and multiply μ by `factor`.

        After a plain step, Z = L + Y/μ. The new Z has the same L and Y, but the new μ.
        """
        scaled = self.Z + self.F
        scaled -= L
        scaled *= 1 - 1 / factor
        self.Z += self.F
        self.Z -= scaled
        self.mu *= factor
        self.past.clear()


class Anderson:
    """Anderson acceleration, which extrapolates a step from the last steps.

    Let dF and dG be the differences between successive values of F and of G = Z + F. The weights γ
    are chosen to minimise |F - Σ γ dF|, and the next Z is Z + F - Σ γ dG.
    """

    def __init__(self, memory: int, shape: tuple[int, int]) -> None:
        self.dF = np.empty((memory, *shape), np.float32)
        self.dG = np.empty((memory, *shape), np.float32)
        self.products = np.zeros((memory, memory))  # inner products between the rows of dF
        self.clear()

    def clear(self) -> None:
        """Forget all past steps."""
        self.last: tuple[np.ndarray, np.ndarray] | None = None  # F and G of the last step
        self.smallest_residual = np.inf
        self.n_stored = 0

    def advance(self, Z: np.ndarray, F: np.ndarray, residual: float) -> None:
        """Update Z in place, by an extrapolated step if possible."""
        if not len(self.dF):
            Z += F
            return
        if self.last is not None and residual > MAX_GROWTH * self.smallest_residual:
            np.copyto(Z, self.last[1])  # undo the extrapolation and keep the last plain step
            self.clear()
            return
        self.smallest_residual = min(self.smallest_residual, residual)
        G = Z + F
        if self.last is not None:
            self._store(F, G)
        self.last = (F.copy(), G)
        np.copyto(Z, G)
        if self.n_stored:
            Z -= self._correction(F)

    def _store(self, F: np.ndarray, G: np.ndarray) -> None:
        assert self.last is not None
        slot = self.n_stored % len(self.dF)
        np.subtract(F, self.last[0], out=self.dF[slot], casting="same_kind")
        np.subtract(G, self.last[1], out=self.dG[slot], casting="same_kind")
        self.n_stored += 1
        stored = self.dF[: self.n_stored].reshape(-1, F.size)
        products = stored @ self.dF[slot].ravel()
        self.products[slot, : len(products)] = self.products[: len(products), slot] = products

    def _correction(self, F: np.ndarray) -> np.ndarray | float:
        n = min(self.n_stored, len(self.dF))
        products = self.products[:n, :n]
        trace = float(np.trace(products))
        if not trace > 0:  # all differences are zero in float32
            return 0.0
        slopes = self.dF[:n].reshape(n, -1) @ F.ravel().astype(np.float32)
        weights = np.linalg.solve(products + RIDGE * trace * np.eye(n), slopes.astype(np.float64))
        if not np.abs(weights).sum() < MAX_ANDERSON_WEIGHT:
            return 0.0
        return (weights.astype(np.float32) @ self.dG[:n].reshape(n, -1)).reshape(F.shape)
