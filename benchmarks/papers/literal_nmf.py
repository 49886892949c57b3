"""NMF as in the STC paper: multiplicative updates that ignore words which do not occur.

Lee, Seung: Algorithms for non-negative matrix factorization, NIPS 2001, for the generalised
Kullback-Leibler divergence. Footnote 7 of the STC paper: "we ignore non-appearing words when
implementing NMF", so both sums of an update run over the stored counts only:

    θ_dk ← θ_dk Σ_n (w_dn/m_dn) β_kn / Σ_n β_kn,    m_dn = Σ_k θ_dk β_kn,    n in document d

and the same for β, with sums over the documents that contain the word. The divergence never rises.
A positive start stays positive, so no code is zero unless it underflows.

Taken literally, this says nothing about words that do not occur, and counts are mostly one, so a
constant explains them and codes classify hardly better than chance. With ``observed=False``, the
sums below the fraction run over all words and all documents, as in standard NMF; the words that do
not occur still cost nothing, because their sums are those of whole columns of θ and β.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit

TINY = 1e-300


@njit(cache=True)
def _update(data, indices, indptr, theta, beta, numerator, denominator, observed):
    """Update all codes in place and return the divergence before, up to a constant.

    theta : float64 (n_documents, n_topics); beta : (n_words, n_topics); the sums for the update of
    `beta` are written to `numerator` and `denominator`, which have no rows if it is fixed. Unless
    `observed`, words that do not occur in a document count, too.
    """
    n_topics = beta.shape[1]
    above, below, everywhere = np.empty(n_topics), np.empty(n_topics), np.zeros(n_topics)
    divergence = 0.0
    if not observed:
        for n in range(len(beta)):
            everywhere += beta[n]
    for d in range(len(indptr) - 1):
        above[:] = 0
        below[:] = everywhere
        if not observed:
            for k in range(n_topics):
                divergence += theta[d, k] * everywhere[k]
        for p in range(indptr[d], indptr[d + 1]):
            row = beta[indices[p]]
            mean = TINY
            for k in range(n_topics):
                mean += theta[d, k] * row[k]
            divergence -= data[p] * np.log(mean)
            ratio = data[p] / mean
            for k in range(n_topics):
                above[k] += ratio * row[k]
            if observed:
                divergence += mean
                for k in range(n_topics):
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
                    if observed:
                        denominator[indices[p], k] += theta[d, k]
            if not observed:
                for k in range(n_topics):
                    denominator[0, k] += theta[d, k]
    if not observed and len(denominator):
        for n in range(1, len(denominator)):
            denominator[n] = denominator[0]
    return divergence


class MultiplicativeNMF:
    """NMF of counts by multiplicative updates, with the interface of other systems."""

    def __init__(
        self, n_topics: int, seed: int = 0, max_iter: int = 100, observed: bool = True
    ) -> None:
        self.n_topics, self.seed, self.max_iter = n_topics, seed, max_iter
        self.observed = observed

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
        return _update(
            data, X.indices, X.indptr, theta, self.beta, numerator, denominator, self.observed
        )
