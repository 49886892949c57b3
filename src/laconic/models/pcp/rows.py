"""Codes and keywords of new documents, for a background that was fitted by the exact solver.

For a background with the basis B and the singular values σ, a document d is split into a part w B
that it shares with the fitted documents, a part e of its own, and a sparse part s:

    minimise  1/2 Σ w²/σ + |e|_2 + λ |s|_1   subject to  w B + e + s = d

This is what the nuclear norm charges for one more document: to first order, the quadratic term for
a document in the span of the others, and the length |e|_2 for a new direction. A document of the
fit keeps its w and s, and has e = 0: the dual matrix Y of the fit satisfies |Y|_2 <= 1, so each of
its rows is feasible in the dual problem,

    maximise  y'd - 1/2 Σ σ (By)²   subject to  |y|_∞ <= λ, |y|_2 <= 1

Since |e| is the minimum of |e|²/2η + η/2 over η, and w and e are known for given η and l = d - s,
the problem becomes

    minimise  1/2 l'M(η)l + η/2 + λ |s|_1   where  M(η) = (η I + B' diag(σ) B)^-1

This is convex in s and η together. For a given η, s is found by coordinate descent and, where that
is slow, by solving for the non-zero entries of s. Then y = M l satisfies all optimality conditions
except |y|_2 = 1. Since |y|_2 falls with η, a secant method finds the η for which |y|_2 is 1. If e
is zero, so is η; then the method stops at a small η, which adds less than η to the objective.

Few words that do not occur in the document are in s: the first problem contains the words of the
document only, and words with |y| > λ are added until there are none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.engines.base import single_blas_thread
from laconic.kernels.own_part import descend

SLOPE_TOL = 1e-7  # tolerance for |y|_∞ <= λ, relative to λ
LENGTH_TOL = 2e-7  # tolerance for |y|_2 = 1
MIN_OWN = 1e-7  # minimum of η, as a share of the objective of the better of s = 0 and s = d
CANCELLED = 1e-6  # smallest share of |l|² outside the span that is computed as a difference
MAX_STEP = 5.0  # maximum change of ln η
ROUNDS, LENGTHS = 50, 60  # limits that are only reached because of rounding errors


class RowPursuit(NamedTuple):
    """Splits new documents into codes and sparse parts, for a background of the exact solver."""

    words: np.ndarray  # transpose of B (words x rank); the columns are orthonormal
    singular_values: np.ndarray
    penalty: float
    dtype: np.dtype

    @classmethod
    def of(cls, components: np.ndarray, singular_values: np.ndarray, penalty: float) -> RowPursuit:
        basis = components.astype(np.float64)
        # One step of Newton's method makes a basis orthonormal that was rounded to float32. Without
        # it, M(η) is not positive definite for small η.
        with single_blas_thread():  # The result must not depend on the number of threads.
            basis = 1.5 * basis - 0.5 * (basis @ basis.T) @ basis
        values = singular_values.astype(np.float64)
        return cls(np.ascontiguousarray(basis.T), values, penalty, components.dtype)

    def split(self, X: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
        """Return the codes and sparse parts of documents.

        The codes are B l, which gives the part of the background l that is in the span of B.
        """
        dtype = np.result_type(X.dtype, self.dtype)
        codes = np.zeros((X.shape[0], self.words.shape[1]), dtype)
        values, columns, starts = [np.zeros(0)], [np.zeros(0, np.int64)], [0]
        for row in range(X.shape[0]):
            place = slice(X.indptr[row], X.indptr[row + 1])
            document = Document(self, X.indices[place], X.data[place])
            document.solve()
            codes[row] = document.rest @ document.rows
            found = np.flatnonzero(document.sparse)
            found = found[np.argsort(document.columns[found])]
            values.append(document.sparse[found])
            columns.append(document.columns[found])
            starts.append(starts[-1] + len(found))
        parts = np.concatenate(values).astype(dtype), np.concatenate(columns), np.array(starts)
        return codes, sp.csr_matrix(parts, shape=X.shape)

    def keywords(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return occurring(self.split(X)[1], X)

    def background(self, X: sp.csr_matrix, sparse: sp.csr_matrix) -> sp.csr_matrix:
        """Return the background of documents, which is sparse, given their sparse parts."""
        return sp.csr_matrix(X.astype(sparse.dtype) - sparse)


class Document:
    """The problem of one document d, for the words that occur in d and the words added to them."""

    def __init__(self, pursuit: RowPursuit, columns: np.ndarray, values: np.ndarray) -> None:
        self.pursuit = pursuit
        self.columns = columns[values != 0].astype(np.int64)
        self.counts = values[values != 0].astype(np.float64)
        self.sparse = np.zeros(len(self.counts))
        self.rest = self.counts.copy()  # l
        self.own = float(np.linalg.norm(self.counts)) / 2  # η
        self._gather_rows()

    def _gather_rows(self) -> None:
        self.rows = self.pursuit.words[self.columns]
        self.squares = self.rows**2

    def solve(self) -> None:
        """Find the sparse part."""
        penalty = self.pursuit.penalty
        if not len(self.counts):
            return
        norm = float(np.linalg.norm(self.counts))
        self.min_own = MIN_OWN * min(norm, penalty * float(np.abs(self.counts).sum()))
        for _ in range(ROUNDS):
            self._find_own()
            dual = np.abs(self._dual())
            dual[self.columns] = 0
            violators = np.flatnonzero(dual > penalty * (1 + SLOPE_TOL))
            if not len(violators):
                smallest = MIN_OWN * self._objective()
                if self.own > self.min_own or self.min_own <= 2 * smallest:
                    return
                self.min_own = smallest  # The objective is much lower than assumed.
                continue
            nothing = np.zeros(len(violators))
            self.columns = np.concatenate([self.columns, violators])
            self.counts = np.concatenate([self.counts, nothing])
            self.sparse = np.concatenate([self.sparse, nothing])
            self.rest = np.concatenate([self.rest, nothing])
            self._gather_rows()

    def _find_own(self) -> None:
        """Find the η for which |y|_2 is 1.

        ln |y|_2 falls with ln η, with a slope between -1 and 0. So the solution is at least as far
        from ln η as ln η + ln |y|_2, on the same side.
        """
        low, high = np.log(self.min_own), np.inf
        before: tuple[float, float] | None = None
        for _ in range(LENGTHS):
            at = float(np.log(self.own))
            self._find_sparse()
            excess = float(np.log(max(self._dual_norm(), 1e-300)))
            if abs(excess) <= LENGTH_TOL or (excess < 0 and at <= np.log(self.min_own)):
                return
            low, high = (at, high) if excess > 0 else (low, at)
            step = excess
            if before is not None and excess != before[1]:
                secant = -excess * (at - before[0]) / (excess - before[1])
                step = secant if secant * excess > 0 and abs(secant) > abs(excess) else excess
            before = at, excess
            step = float(np.clip(step, -MAX_STEP, MAX_STEP))
            other = high if excess > 0 else low
            if not low < at + step < high:
                step = (other - at) / 2 if other > np.log(self.min_own) else other - at
            self.own = float(np.exp(at + step))

    def _find_sparse(self) -> None:
        """Find the sparse part for the current η."""
        penalty, values = self.pursuit.penalty, self.pursuit.singular_values
        scale, weights = 1 / self.own, values / (self.own * (values + self.own))
        curvature = scale - self.squares @ weights
        limit = SLOPE_TOL * penalty
        for _ in range(ROUNDS):
            pull = weights * (self.rest @ self.rows)
            worst = descend(
                self.rows, weights, curvature, scale, penalty, limit, self.rest, self.sparse, pull
            )
            if worst <= limit:
                return
            self._solve_nonzeros(scale, weights)

    def _solve_nonzeros(self, scale: float, weights: np.ndarray) -> None:
        """Minimise over the non-zero entries of s; entries that reach zero stay there."""
        penalty = self.pursuit.penalty
        support = np.flatnonzero(self.sparse)
        rows = self.rows[support]
        matrix = scale * np.eye(len(support)) - (rows * weights) @ rows.T
        slopes = scale * self.rest[support] - rows @ (weights * (self.rest @ self.rows))
        sparse, signs = self.sparse[support], np.sign(self.sparse[support])
        free = np.arange(len(support))
        while len(free):
            slope = slopes[free] - penalty * signs[free]
            try:
                factor = scipy.linalg.cho_factor(matrix[np.ix_(free, free)], check_finite=False)
            except np.linalg.LinAlgError:
                break
            change = scipy.linalg.cho_solve(factor, slope, check_finite=False)
            crossing = signs[free] * (sparse[free] + change) <= 0
            shares = np.where(crossing, -sparse[free] / np.where(crossing, change, 1), 1)
            share = float(shares.min())
            sparse[free] += share * change
            slopes -= share * (matrix[:, free] @ change)
            if not crossing.any():
                break
            sparse[free[shares == share]] = 0
            free = free[shares > share]
        self.sparse[support] = sparse
        self.rest = self.counts - self.sparse

    def _codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return B l and B y."""
        codes = self.rest @ self.rows
        return codes, codes / (self.pursuit.singular_values + self.own)

    def _objective(self) -> float:
        """Return the objective for the current s and η."""
        _, dual_codes = self._codes()
        shared = float(self.pursuit.singular_values @ dual_codes**2) / 2
        sparse = self.pursuit.penalty * float(np.abs(self.sparse).sum())
        return shared + self.own * self._dual_norm() + sparse

    def _dual_norm(self) -> float:
        """Return |y|_2."""
        codes, dual_codes = self._codes()
        square = float(self.rest @ self.rest)
        outside = square - float(codes @ codes)
        if outside < CANCELLED * square:  # The difference would be mostly rounding error.
            return float(np.linalg.norm(self._dual()))
        return float(np.sqrt(outside / self.own**2 + dual_codes @ dual_codes))

    def _dual(self) -> np.ndarray:
        """Return y = M l for all words."""
        codes, dual_codes = self._codes()
        y: np.ndarray = self.pursuit.words @ (dual_codes - codes / self.own)
        y[self.columns] += self.rest / self.own
        return y


def occurring(S: sp.csr_matrix, X: sp.csr_matrix) -> sp.csr_matrix:
    """Return the entries of S that are positive and belong to words that occur in X."""
    keywords = sp.csr_matrix(S.multiply(X != 0))
    keywords.data = np.maximum(keywords.data, 0)
    keywords.eliminate_zeros()
    keywords.sort_indices()
    return keywords
