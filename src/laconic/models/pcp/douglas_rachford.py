"""Douglas-Rachford splitting of a matrix into two parts, one of them sparse.

For a cost f of L and λ |D - L|_1, in one variable Z:

    L = prox of f at Z;   S = soft(D - 2L + Z, λ/μ);   Z += F,  F = D - S - L

- Steps are extrapolated from the last few (Anderson's method), which saves three quarters of them;
  one that goes wrong is taken back.
- μ is moved while what L lacks and what the dual Y lacks are of different size, at longer and
  longer intervals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.kernels.pursuit import shrink, sparse_part

MEMORY = 8  # steps that are remembered, two arrays of float32 each
SETTLE = 8  # plain steps after μ moved, before they are extrapolated
WINDOW = 12  # steps after which μ may move for the first time; then always half as many more
BALANCE = 10.0  # by how much larger what the dual lacks may be: the objective then falls faster
UNEVEN = 3.0  # from where on it moves
FARTHEST = 8.0  # at once
RANGE = 1e3  # in all
WORSE = 2.0  # growth of the residual at which an extrapolation is taken back
RIDGE = 1e-8
WILDEST = 1e3  # sum of the weights of past steps


class Measures(NamedTuple):
    """What one pass over memory tells."""

    rest: float  # sum |D - L|
    inner: float  # inner product of D and Y
    residual: float  # |F|
    dual: float  # |Y|
    moved: float  # |L - the one before|


class Splitting:
    """Z, μ and the memory of a splitting."""

    def __init__(self, D: np.ndarray, penalty: float, mu: float, memory: int) -> None:
        self.D = D
        self.penalty = penalty
        self.mu = mu
        self.Z = D.copy()
        self.F = np.empty_like(D)
        self.norm = float(np.linalg.norm(D))
        self.before = np.zeros_like(D)
        self.past = Anderson(memory, D.shape)
        self.limits = mu / RANGE, mu * RANGE
        self.window, self.n_steps, self.ratios = WINDOW, 0, 0.0

    def shrink(self, L: np.ndarray) -> Measures:
        """The sparse half of a step; F is where Z goes to."""
        rest, inner, *squares = shrink(
            self.D, L, self.before, self.Z, self.penalty, self.mu, self.F
        )
        return Measures(rest, inner, *(float(np.sqrt(square)) for square in squares))

    def advance(self, L: np.ndarray, measures: Measures) -> None:
        """The next Z, and perhaps another μ."""
        self.before = L
        self.n_steps += 1
        self.ratios += self._log_ratio(measures)
        if self.n_steps == self.window:
            ratio = float(np.exp(self.ratios / self.window)) / BALANCE
            self.window, self.n_steps, self.ratios = self.window * 3 // 2, 0, 0.0
            if not 1 / UNEVEN < ratio < UNEVEN:
                factor = np.clip(1 / ratio, 1 / FARTHEST, FARTHEST)
                self.move(L, float(np.clip(self.mu * factor, *self.limits)) / self.mu)
                return
        if self.window == WINDOW and self.n_steps <= SETTLE:
            self.Z += self.F
        else:
            self.past.advance(self.Z, self.F, measures.residual)

    def dual(self, L: np.ndarray) -> np.ndarray:
        """Y."""
        Y = self.F + self.Z
        Y -= L
        Y *= self.mu
        return Y

    def sparse(self, L: np.ndarray) -> sp.csr_matrix:
        """S."""
        rows, columns, data = sparse_part(self.D, L, self.Z, self.penalty, self.mu)
        return sp.csr_matrix((data, (rows, columns)), self.D.shape)

    def _log_ratio(self, measures: Measures) -> float:
        """Of what the dual lacks to what L + S lacks, each as a share."""
        tiny = np.finfo(float).tiny
        lacks = measures.residual / (self.norm or 1.0)
        dual_lacks = self.mu * measures.moved / max(measures.dual, tiny)
        return float(np.log(max(dual_lacks, tiny)) - np.log(max(lacks, tiny)))

    def move(self, L: np.ndarray, factor: float) -> None:
        """A plain step, and another μ for the next: D - S stays, Y/μ is scaled."""
        scaled = self.Z + self.F
        scaled -= L
        scaled *= 1 - 1 / factor
        self.Z += self.F
        self.Z -= scaled
        self.mu *= factor
        self.past.clear()


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
        self.last: tuple[np.ndarray, np.ndarray] | None = None  # F, Z + F
        self.least = np.inf  # of the residuals
        self.n_kept = 0

    def advance(self, Z: np.ndarray, F: np.ndarray, residual: float) -> None:
        """The next Z, in place."""
        if not len(self.moves):
            Z += F
            return
        if self.last is not None and residual > WORSE * self.least:
            np.copyto(Z, self.last[1])  # the plain step from before
            self.clear()
            return
        self.least = min(self.least, residual)
        goal = Z + F
        if self.last is not None:
            self._remember(F, goal)
        self.last = (F.copy(), goal)
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

    def _correction(self, F: np.ndarray) -> np.ndarray | float:
        n = min(self.n_kept, len(self.moves))
        products = self.products[:n, :n]
        trace = float(np.trace(products))
        if not trace > 0:  # no move that float32 can hold
            return 0.0
        slopes = self.moves[:n].reshape(n, -1) @ F.ravel().astype(np.float32)
        weights = np.linalg.solve(products + RIDGE * trace * np.eye(n), slopes.astype(np.float64))
        if not np.abs(weights).sum() < WILDEST:
            return 0.0
        return (weights.astype(np.float32) @ self.goals[:n].reshape(n, -1)).reshape(F.shape)
