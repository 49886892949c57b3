"""NMF as in the STC paper: multiplicative updates that ignore words which do not occur.

Lee, Seung: Algorithms for non-negative matrix factorization, NIPS 2001, for the generalised
Kullback-Leibler divergence. Footnote 7 of the STC paper: "we ignore non-appearing words when
implementing NMF", so both sums of an update run over the stored counts only:

    θ_dk ← θ_dk Σ_n (w_dn/m_dn) β_kn / Σ_n β_kn,    m_dn = Σ_k θ_dk β_kn,    n in document d

and the same for β, with sums over the documents that contain the word. The divergence never rises.
A positive start stays positive, so no code is ever zero.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit

TINY = 1e-300


@njit(cache=True)
def _update(data, indices, indptr, theta, beta, numerator, denominator):
    """Update all codes in place and return the divergence before, up to a constant.

    theta : float64 (n_documents, n_topics); beta : (n_words, n_topics); the sums for the update of
    `beta` are written to `numerator` and `denominator`, which have no rows if it is fixed.
    """
    n_topics = beta.shape[1]
    above, below = np.empty(n_topics), np.empty(n_topics)
    divergence = 0.0
    for d in range(len(indptr) - 1):
        above[:] = 0
        below[:] = 0
        for p in range(indptr[d], indptr[d + 1]):
            row = beta[indices[p]]
            mean = TINY
            for k in range(n_topics):
                mean += theta[d, k] * row[k]
            divergence += mean - data[p] * np.log(mean)
            ratio = data[p] / mean
            for k in range(n_topics):
                above[k] += ratio * row[k]
                below[k] += row[k]
        if indptr[d + 1] > indptr[d]:
            for k in range(n_topics):
                theta[d, k] *= above[k] / (below[k] + TINY)
        if len(numerator):
            for p in range(indptr[d], indptr[d + 1]):
                row = beta[indices[p]]
                mean = TINY
                for k in range(n_topics):
                    mean += theta[d, k] * row[k]
                ratio = data[p] / mean
                for k in range(n_topics):
                    numerator[indices[p], k] += ratio * theta[d, k]
                    denominator[indices[p], k] += theta[d, k]
    return divergence


class MultiplicativeNMF:
    """NMF of the observed counts by multiplicative updates, with the interface of other systems."""

    def __init__(self, n_topics: int, seed: int = 0, max_iter: int = 100) -> None:
        self.n_topics, self.seed, self.max_iter = n_topics, seed, max_iter

    def fit(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> MultiplicativeNMF:
        rng = np.random.default_rng(self.seed)
        self.beta = rng.random((X.shape[1], self.n_topics)) + 0.1
        theta = rng.random((X.shape[0], self.n_topics)) + 0.1
        self.divergence = []
        for _ in range(self.max_iter):
            numerator, denominator = np.zeros_like(self.beta), np.zeros_like(self.beta)
            self.divergence.append(self._step(X, theta, numerator, denominator))
            seen = denominator > 0
            self.beta[seen] *= numerator[seen] / denominator[seen]
        return self

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the codes of documents, which are zero for documents without words."""
        theta = np.full((X.shape[0], self.n_topics), 1.0)
        theta[np.diff(X.indptr) == 0] = 0
        nothing = np.zeros((0, self.n_topics))
        for _ in range(self.max_iter):
            self._step(X, theta, nothing, nothing)
        return theta

    def _step(
        self,
        X: sp.csr_matrix,
        theta: np.ndarray,
        numerator: np.ndarray,
        denominator: np.ndarray,
    ) -> float:
        data = X.data.astype(np.float64)
        return _update(data, X.indices, X.indptr, theta, self.beta, numerator, denominator)
