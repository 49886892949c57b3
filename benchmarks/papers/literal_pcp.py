"""Inexact augmented Lagrange multipliers for PCP (Lin, Chen, Ma, reference [20] of the PCP paper).

This is algorithm 1 of the PCP paper with a μ that grows by the factor ρ in each step. The PCP paper
states that it takes "approximately 10" singular value decompositions. If μ grows this fast, the
solution is near the minimum but not exactly there; see `benchmarks.papers.pcp_reference`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.linalg import norm

from benchmarks.papers.pcp_reference import soft_threshold

RHO = 1.5
TOL = 1e-7
START = 1.25  # the first μ is this, divided by the largest singular value


class Split(NamedTuple):
    """Background and keywords, with L + S = D up to the residual."""

    low_rank: np.ndarray
    sparse: np.ndarray
    n_svds: int
    rank: int
    residual: float  # ‖D - L - S‖ / ‖D‖


def inexact_alm(
    D: np.ndarray, alpha: float, rho: float = RHO, tol: float = TOL, max_iter: int = 1000
) -> Split:
    """Minimise ‖L‖_* + alpha ‖S‖_1 with L + S = D, until the residual is at most `tol`."""
    size, largest = norm(D), np.sqrt(np.linalg.eigvalsh(_gram(D))[-1])
    mu = START / largest
    Y = D / max(largest, np.abs(D).max() / alpha)
    L, error, rank, n_svds = np.zeros_like(D), D, 0, 0
    while n_svds < max_iter and norm(error) > tol * size:
        S = soft_threshold(D - L + Y / mu, alpha / mu)
        L, rank = threshold_by_gram(D - S + Y / mu, 1 / mu)
        error = D - L - S
        Y = Y + mu * error
        mu *= rho
        n_svds += 1
    return Split(L, S, n_svds, rank, float(norm(error) / size))


def threshold_by_gram(X: np.ndarray, threshold: float) -> tuple[np.ndarray, int]:
    """Soft-threshold the singular values; return the new matrix and its rank.

    The singular vectors of the shorter side are eigenvectors of the Gram matrix. This is several
    times faster than a full SVD, and it is accurate for singular values that are not many orders of
    magnitude below the largest.
    """
    if X.shape[0] < X.shape[1]:
        rows, rank = threshold_by_gram(X.T, threshold)
        return rows.T, rank
    squares, vectors = np.linalg.eigh(X.T @ X)
    kept = squares > threshold**2
    vectors, values = vectors[:, kept], np.sqrt(squares[kept])
    return (X @ vectors) * (1 - threshold / values) @ vectors.T, int(kept.sum())


def _gram(X: np.ndarray) -> np.ndarray:
    return X @ X.T if X.shape[0] < X.shape[1] else X.T @ X
