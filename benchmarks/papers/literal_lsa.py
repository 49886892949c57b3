"""Reference implementation of Sparse LSA as printed in the paper: a lasso per word, then an SVD.

Chen, Qi, Bai, Lin, Carbonell: Sparse Latent Semantic Analysis, SDM 2011, algorithm 1. The lasso of
a word is solved by coordinate descent on its residual; the other steps use LAPACK. The code is
compiled and uses float32, so that algorithms are compared and not programming languages.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

LASSO_TOL = 1e-4  # a lasso stops if no coefficient changes by this much in a sweep
TAU = 0.01  # stopping rule of the paper: maximum change of an entry of U or A


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
