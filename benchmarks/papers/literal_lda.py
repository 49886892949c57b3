"""LDA as in Blei's program LDA-C, which figure 6 of the STC paper compares STC with.

Blei, Ng, Jordan: Latent Dirichlet allocation, JMLR 2003. For each word of a document and each
topic, in each iteration, the program computes a digamma, an exponential and a logarithm (its source
says "a lot of extra digamma's here"), and then the whole variational bound. The settings are those
of the program: at most 20 iterations or a relative change of the bound of 1e-6 for a document, at
most 100 EM steps or a relative change of 1e-4 for the corpus, twice as many iterations after a step
that lowered the bound, and log β = -100 for words that a topic does not have. α is estimated after
each step.

The code is compiled and uses float64 like `literal_stc`, so that algorithms are compared and not
programming languages.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from numba import njit

from benchmarks.papers.entropic_lda import best_alpha

NO_WORD = -100.0  # log β of a word that a topic does not have


@njit(cache=True)
def digamma(x):
    """Return ψ(x) as the program does: six steps of the recurrence, then the asymptotic series."""
    x += 6
    p = 1 / (x * x)
    p = (
        ((0.004166666666667 * p - 0.003968253986254) * p + 0.008333333333333) * p
        - 0.083333333333333
    ) * p
    p += math.log(x) - 0.5 / x
    for i in range(1, 7):
        p -= 1 / (x - i)
    return p


@njit(cache=True)
def _log_sum(a, b):
    """Return log(exp a + exp b)."""
    if a < b:
        return b + math.log(1 + math.exp(a - b))
    return a + math.log(1 + math.exp(b - a))


@njit(cache=True)
def _bound(counts, words, log_beta, alpha, gamma, phi, digammas):
    """Return the variational lower bound of one document."""
    n, n_topics = phi.shape
    total = gamma.sum()
    of_total = digamma(total)
    value = math.lgamma(alpha * n_topics) - n_topics * math.lgamma(alpha) - math.lgamma(total)
    for k in range(n_topics):
        digammas[k] = digamma(gamma[k]) - of_total
        value += (alpha - gamma[k]) * digammas[k] + math.lgamma(gamma[k])
    for i in range(n):
        row = log_beta[words[i]]
        for k in range(n_topics):
            if phi[i, k] > 0:
                value += counts[i] * phi[i, k] * (digammas[k] - math.log(phi[i, k]) + row[k])
    return value


@njit(cache=True)
def infer_document(counts, words, log_beta, alpha, gamma, phi, max_iter, tol):
    """Infer `gamma` (topics) and `phi` (words x topics) of one document; return the bound.

    log_beta : float64 (n_words, n_topics).
    """
    n, n_topics = phi.shape
    digammas, work, old = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    phi[:] = 1 / n_topics
    for k in range(n_topics):
        gamma[k] = alpha + counts.sum() / n_topics
        digammas[k] = digamma(gamma[k])
    previous = 0.0
    for iteration in range(max_iter):
        for i in range(n):
            row = log_beta[words[i]]
            log_sum = 0.0
            for k in range(n_topics):
                old[k] = phi[i, k]
                phi[i, k] = digammas[k] + row[k]
                log_sum = _log_sum(log_sum, phi[i, k]) if k > 0 else phi[i, k]
            for k in range(n_topics):
                phi[i, k] = math.exp(phi[i, k] - log_sum)
                gamma[k] += counts[i] * (phi[i, k] - old[k])
                digammas[k] = digamma(gamma[k])
        value = _bound(counts, words, log_beta, alpha, gamma, phi, work)
        if iteration > 0 and (previous - value) / previous <= tol:
            return value
        previous = value
    return previous


@njit(cache=True)
def _infer_all(data, indices, indptr, log_beta, alpha, gamma, statistics, max_iter, tol):
    """Infer all documents, add Σ_d w φ to `statistics` unless it is empty; return the bound."""
    longest = 0
    for d in range(len(indptr) - 1):
        longest = max(longest, indptr[d + 1] - indptr[d])
    room = np.empty((longest, log_beta.shape[1]))
    bound = 0.0
    for d in range(len(indptr) - 1):
        n = indptr[d + 1] - indptr[d]
        gamma[d] = alpha
        if n == 0:
            continue
        here = slice(indptr[d], indptr[d + 1])
        phi = room[:n]
        bound += infer_document(
            data[here], indices[here], log_beta, alpha, gamma[d], phi, max_iter, tol
        )
        if len(statistics):
            for i in range(n):
                into = statistics[indices[indptr[d] + i]]
                for k in range(log_beta.shape[1]):
                    into[k] += data[indptr[d] + i] * phi[i, k]
    return bound


class LiteralLDA:
    """LDA by variational EM, step by step as in LDA-C."""

    def __init__(
        self, n_topics: int, seed: int = 0, *, alpha: float | None = None, max_iter: int = 100
    ) -> None:
        self.n_topics, self.seed, self.max_iter = n_topics, seed, max_iter
        self.alpha = 50 / n_topics if alpha is None else alpha
        self.estimate_alpha = alpha is None
        self.max_sweeps, self.tol, self.document_tol = 20, 1e-4, 1e-6

    def fit(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> LiteralLDA:
        rng = np.random.default_rng(self.seed)
        statistics = 1 / X.shape[1] + rng.random((X.shape[1], self.n_topics))
        gamma = np.empty((X.shape[0], self.n_topics))
        self.bound: list[float] = []
        change = np.inf
        while len(self.bound) < self.max_iter and (
            change < 0 or change > self.tol or len(self.bound) < 3
        ):
            self._take(statistics)
            statistics = np.zeros_like(statistics)
            self.bound.append(self._infer(X, gamma, statistics))
            if len(self.bound) > 1:
                change = (self.bound[-2] - self.bound[-1]) / self.bound[-2]
            if change < 0:
                self.max_sweeps *= 2
            if self.estimate_alpha:
                self.alpha = best_alpha(gamma, self.alpha)
        self._take(statistics)
        return self

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the expected topic shares (documents x topics); each row sums to one."""
        gamma = np.empty((X.shape[0], self.n_topics))
        self._infer(X, gamma, np.zeros((0, self.n_topics)))
        return gamma / gamma.sum(axis=1, keepdims=True)

    def _take(self, statistics: np.ndarray) -> None:
        self.log_beta = np.full_like(statistics, NO_WORD)
        seen = statistics > 0
        totals = np.log(statistics.sum(axis=0))
        self.log_beta[seen] = (np.log(np.where(seen, statistics, 1)) - totals)[seen]

    def _infer(self, X: sp.csr_matrix, gamma: np.ndarray, statistics: np.ndarray) -> float:
        return _infer_all(
            X.data.astype(np.float64), X.indices, X.indptr, self.log_beta, self.alpha, gamma,
            statistics, self.max_sweeps, self.document_tol,
        )  # fmt: skip
