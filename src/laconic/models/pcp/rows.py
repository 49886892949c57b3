"""Codes and keywords of new documents, for a background that was fitted by the exact solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.models.pcp.douglas_rachford import MEMORY, Splitting
from laconic.models.pcp.exact import bytes_needed

ROW_STEP = 1.0  # initial μ for new documents, as a multiple of 1 / (mean singular value)
ROW_STEPS = 2_000
ROW_CHECK_INTERVAL = 10  # number of steps between two checks of convergence
ROW_GAP = 1e-9
# maximum memory in bytes, and maximum number of documents, of one block of new documents
ROW_BYTES, MAX_ROWS = 1 << 28, 256
ROW_RESIDUAL = 1e-8


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
    splitting = Splitting(dense, np.full(len(dense), penalty), ROW_STEP / mean_value, MEMORY)
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
    values = costs + splitting.penalties * np.abs(splitting.D - L).sum(axis=1)
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
