"""Reference implementations of Sparse LSA: the algorithm of the paper, and the authors' program.

Chen, Qi, Bai, Lin, Carbonell: Sparse Latent Semantic Analysis, SDM 2011.

`fit` is algorithm 1 of the paper: a lasso per word, then an SVD. The lasso of a word is solved by
coordinate descent on its residual; the other steps use LAPACK. The code is compiled and uses
float32, so that algorithms are compared and not programming languages.

`follow_path` does what the program does that the authors published with their data: it uses the
closed form of the lasso, stops by Frobenius norms or after 100 alternations, and never revives a
topic without words, because its column of U becomes zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numba import njit

LASSO_TOL = 1e-4  # a lasso stops if no coefficient changes by this much in a sweep
TAU = 0.01  # stopping rule of the paper: maximum change of an entry of U or A
PROGRAM_TOL = 0.1  # the authors' script: bound on the Frobenius norm of the change of U and of A
PROGRAM_STEPS = 100  # maximum number of alternations of the authors' program
WELL_CONDITIONED = 1e-9  # if eigenvalues of VᵀV differ by more than this, the SVD of V is used


class LiteralFit(NamedTuple):
    """Matrices and number of iterations of a fit by the algorithm of the paper."""

    A: np.ndarray  # array of shape (n_topics, n_words)
    U: np.ndarray
    n_iter: int


@njit(fastmath=True, cache=True)
def lasso_words(U, data, indices, indptr, alpha, A):
    """Minimise 1/2 |x_j - U a_j|^2 + alpha |a_j|_1 for each word j.

    U : float32 (n_topics, n_documents), so that topics are contiguous; data, indices, indptr : CSC
    arrays of X; A : float32 (n_words, n_topics), whose rows a_j are initial values and result.
    """
    n_topics, n_documents = U.shape
    residual = np.empty(n_documents, np.float32)
    for j in range(A.shape[0]):
        a = A[j]
        residual[:] = 0
        for p in range(indptr[j], indptr[j + 1]):
            residual[indices[p]] = data[p]
        for d in range(n_topics):
            if a[d] != 0:
                u = U[d]
                for i in range(n_documents):
                    residual[i] -= a[d] * u[i]
        while True:
            largest = np.float32(0)
            for d in range(n_topics):
                u = U[d]
                b = a[d]  # a[d] |u|², because |u| = 1
                for i in range(n_documents):
                    b += u[i] * residual[i]
                shrunk = np.sign(b) * max(abs(b) - alpha, np.float32(0))
                change = shrunk - a[d]
                if change != 0:
                    for i in range(n_documents):
                        residual[i] -= change * u[i]
                    a[d] = shrunk
                    largest = max(largest, abs(change))
            if largest < LASSO_TOL:
                break


def fit(X: sp.csr_matrix, n_topics: int, alpha: float, max_iter: int = 200) -> LiteralFit:
    """Alternate lasso and SVD until every entry of U and A changes by less than `TAU`."""
    columns = X.tocsc()
    n_documents, n_words = X.shape
    U = np.eye(n_topics, n_documents, dtype=np.float32)  # transpose of U = [I; 0]
    A = np.zeros((n_words, n_topics), np.float32)
    n_iter, change = 0, np.inf
    while change >= TAU and n_iter < max_iter:
        n_iter += 1
        old_A, old_U = A.copy(), U
        lasso_words(U, columns.data, columns.indices, columns.indptr, np.float32(alpha), A)
        P, _, Q = np.linalg.svd(X @ A, full_matrices=False)
        U = np.ascontiguousarray((P @ Q).T)
        change = max(np.abs(A - old_A).max(), np.abs(U - old_U).max())
    return LiteralFit(A.T, U.T, n_iter)


# --- the authors' program ------------------------------------------------------------------------


class ProgramFit(NamedTuple):
    """Result of the authors' program for one λ; topics without words remain as empty rows of A."""

    alpha: float
    A: sp.csr_matrix  # matrix of shape (n_topics, n_words)
    U: np.ndarray  # array of shape (n_documents, n_topics), with zero columns for empty topics
    n_iter: int

    @property
    def n_live(self) -> int:
        """Number of topics that have words."""
        return int(np.count_nonzero(np.diff(self.A.indptr)))


def follow_path(
    X: sp.csr_matrix, n_topics: int, alphas: Iterable[float], *, positive: bool = False
) -> Iterator[ProgramFit]:
    """Fit with one λ after the other; each fit starts from U of the previous fit.

    The first fit starts from U = [I; 0]. A path with one λ is a single call of the program.
    """
    U = np.eye(X.shape[0], n_topics)
    for alpha in alphas:
        found = _program(X.astype(np.float64), U, alpha, positive=positive)
        U = found.U
        yield found


def _program(X: sp.csr_matrix, U: np.ndarray, alpha: float, *, positive: bool) -> ProgramFit:
    n_words = X.shape[1]
    # |u| ≤ 1, so that a word whose column is no longer than λ is in no topic
    frequent = np.flatnonzero(scipy.sparse.linalg.norm(X, axis=0) > alpha)
    X = X[:, frequent]
    words = X.T.tocsr()
    A = sp.csr_matrix((U.shape[1], len(frequent)))
    n_iter, moved = 0, True
    while moved and n_iter < PROGRAM_STEPS:
        n_iter += 1
        old_A, old_U = A, U
        live = np.flatnonzero(U.any(axis=0))
        A = _shrink((words @ U[:, live]).T, alpha, positive, live, U.shape[1])
        U = _rotate(X, A)
        moved = max(np.linalg.norm(U - old_U), _norm(A - old_A)) >= PROGRAM_TOL
    wide = sp.csr_matrix((A.data, frequent[A.indices], A.indptr), shape=(A.shape[0], n_words))
    return ProgramFit(alpha, wide, U, n_iter)


def _norm(A: sp.csr_matrix) -> float:
    return float(np.sqrt(A.power(2).sum()))


def _shrink(
    B: np.ndarray, alpha: float, positive: bool, live: np.ndarray, n_topics: int
) -> sp.csr_matrix:
    """Return the exact solution of the lasso for U with orthonormal columns, where B = UᵀX."""
    found = sp.csr_matrix(
        np.maximum(B - alpha, 0) if positive else np.sign(B) * np.maximum(np.abs(B) - alpha, 0)
    )
    lengths = np.zeros(n_topics, dtype=found.indptr.dtype)
    lengths[live] = np.diff(found.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return sp.csr_matrix((found.data, found.indices, indptr), shape=(n_topics, B.shape[1]))


def _rotate(X: sp.csr_matrix, A: sp.csr_matrix) -> np.ndarray:
    """Return U = PQᵀ for the SVD of V = XAᵀ without zero singular values.

    `lansvd` of PROPACK, which the program calls, finds only as many singular vectors as V has rank.
    The row of Q that belongs to a topic without words is zero, and therefore its column of U.
    """
    U = np.zeros((X.shape[0], A.shape[0]))
    live = np.flatnonzero(np.diff(A.indptr))
    if len(live):
        U[:, live] = nearest_basis((X @ A[live].T).toarray())
    return U


def nearest_basis(V: np.ndarray) -> np.ndarray:
    """Return the orthonormal factor of the polar decomposition of V, of the rank of V."""
    values, Q = scipy.linalg.eigh(V.T @ V, check_finite=False)
    if values[0] > WELL_CONDITIONED * values[-1]:  # much faster than the SVD of V
        return (V @ (Q / np.sqrt(values))) @ Q.T
    P, lengths, Qt = np.linalg.svd(V, full_matrices=False)
    kept = lengths > max(V.shape) * np.finfo(V.dtype).eps * lengths[0]
    return P[:, kept] @ Qt[kept]
