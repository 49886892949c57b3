"""LDA with an entropic regulariser on the topics of words (regLDA of the STC paper).

Variational LDA maximises a bound over the topic distribution φ of each word in each document and
over the Dirichlet parameters a of the document. The regulariser subtracts κ H(φ) from the bound, so
that a share 1 - κ of the entropy remains and the best φ is sharper than in LDA:

    φ_nk ∝ (β_kn exp ψ(a_k))^(1/(1 - κ)),    a_k = α + Σ_n w_n φ_nk

If κ = 0, this is LDA; as κ → 1, each word gets a single topic. β is Σ_d w φ plus a little
smoothing, normalised. α is symmetric and can be estimated by Newton steps as in the paper; this is
off by default, because it costs two points of accuracy on 20 Newsgroups. As the paper states, no
entry is zero in theory, so `word_code_zeros` counts entries below a threshold. In floating-point
numbers, entries are zero: `word_codes` computes φ as Blei's program LDA-C does, by exp(log φ - log
Σ φ), and exp underflows below about -745. Since ψ(a) is about -1/a for small a, all topics without
words in a document become exact zeros if α is below about 1/745.

If assignments were sharp from the first iteration, they would not move away from the random
initialisation. Therefore, the first half of the iterations is plain LDA with the given α; then κ
rises linearly to its value.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit
from scipy.special import polygamma, psi

TINY = 1e-300  # avoids division by zero for words without a topic
ALPHA_BOUNDS = (1e-3, 10.0)


@njit(cache=True)
def digamma(x):
    """Return ψ(x) for x > 0, by the recurrence up to x = 6 and by the asymptotic series beyond."""
    below = 0.0
    while x < 6:
        below -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return below + np.log(x) - 0.5 / x - series


@njit(cache=True)
def _topic_scales(a, power, scales):
    """Compute exp(power ψ(a_k)) for all k, scaled so that the largest value is one."""
    largest = -np.inf
    for k in range(len(a)):
        scales[k] = power * digamma(a[k])
        largest = max(largest, scales[k])
    for k in range(len(a)):
        scales[k] = np.exp(scales[k] - largest)


@njit(cache=True)
def _infer(data, indices, indptr, weights, power, alpha, tol, max_sweeps, a, statistics):
    """Infer the Dirichlet parameters `a` of each document, and add its statistics.

    weights : float64 (n_words, n_topics), β^power with each row divided by its largest element;
    a : (n_documents, n_topics), initial values and result; statistics : Σ_d w φ with the shape of
    `weights`, or an array without rows if the statistics are not needed.
    """
    n_topics = weights.shape[1]
    scales = np.empty(n_topics)
    new = np.empty(n_topics)
    for d in range(len(indptr) - 1):
        for _ in range(max_sweeps):
            _topic_scales(a[d], power, scales)
            new[:] = 0
            for p in range(indptr[d], indptr[d + 1]):
                row = weights[indices[p]]
                total = TINY
                for k in range(n_topics):
                    total += row[k] * scales[k]
                share = data[p] / total
                for k in range(n_topics):
                    new[k] += share * row[k]
            change = 0.0
            for k in range(n_topics):
                updated = alpha + new[k] * scales[k]
                change += abs(updated - a[d, k])
                a[d, k] = updated
            if change < tol * n_topics:
                break
        if len(statistics):
            _topic_scales(a[d], power, scales)
            for p in range(indptr[d], indptr[d + 1]):
                row, into = weights[indices[p]], statistics[indices[p]]
                total = TINY
                for k in range(n_topics):
                    total += row[k] * scales[k]
                share = data[p] / total
                for k in range(n_topics):
                    into[k] += share * row[k] * scales[k]


@njit(cache=True)
def _count_small(indices, indptr, weights, power, a, below):
    """Count the entries below a threshold in the topic distributions of all words."""
    n_topics = weights.shape[1]
    scales = np.empty(n_topics)
    small = 0
    for d in range(len(indptr) - 1):
        _topic_scales(a[d], power, scales)
        for p in range(indptr[d], indptr[d + 1]):
            row = weights[indices[p]]
            total = TINY
            for k in range(n_topics):
                total += row[k] * scales[k]
            for k in range(n_topics):
                small += row[k] * scales[k] < below * total
    return small


@njit(cache=True)
def _assign(indices, indptr, log_topics, power, a):
    """Return φ (entries x topics), computed in log space like LDA-C."""
    n_topics = log_topics.shape[1]
    phi = np.empty((len(indices), n_topics))
    logs = np.empty(n_topics)
    for d in range(len(indptr) - 1):
        for k in range(n_topics):
            logs[k] = digamma(a[d, k])
        for p in range(indptr[d], indptr[d + 1]):
            row, code = log_topics[indices[p]], phi[p]
            largest = -np.inf
            for k in range(n_topics):
                code[k] = power * (row[k] + logs[k])
                largest = max(largest, code[k])
            total = 0.0
            for k in range(n_topics):
                total += np.exp(code[k] - largest)
            log_sum = largest + np.log(total)
            for k in range(n_topics):
                code[k] = np.exp(code[k] - log_sum)
    return phi


class EntropicLDA:
    """Batch variational LDA; a larger `regularization` κ gives fewer topics per word."""

    def __init__(
        self,
        n_topics: int,
        regularization: float = 0.1,
        *,
        alpha: float = 0.5,
        estimate_alpha: bool = False,
        smoothing: float = 0.1,
        max_iter: int = 50,
        max_sweeps: int = 20,
        tol: float = 1e-3,
        random_state: int = 0,
    ) -> None:
        if not 0 <= regularization < 1:
            raise ValueError(f"regularization must be in [0, 1); got {regularization}.")
        self.n_topics = n_topics
        self.regularization = regularization
        self.power = 1 / (1 - regularization)
        self.alpha = alpha
        self.estimate_alpha = estimate_alpha
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.max_sweeps = max_sweeps
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: sp.csr_matrix) -> EntropicLDA:
        rng = np.random.default_rng(self.random_state)
        frequency = np.asarray(X.sum(axis=0)).ravel() + self.smoothing
        statistics = frequency[:, np.newaxis] * rng.gamma(100, 0.01, (X.shape[1], self.n_topics))
        a = np.full((X.shape[0], self.n_topics), 1.0)
        half = self.max_iter // 2
        for iteration in range(self.max_iter):
            ramp = np.clip(2 * (iteration + 1 - half) / max(half, 1), 0, 1)
            self._take(statistics, self.regularization * ramp)
            statistics = np.zeros_like(statistics)
            self._sweep(X, a, statistics)
            if self.estimate_alpha and iteration >= half:
                self.alpha = best_alpha(a, self.alpha)
        self._take(statistics, self.regularization)
        return self

    def transform(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the expected topic shares (documents x topics); each row sums to one."""
        a = self._dirichlet(X)
        return a / a.sum(axis=1, keepdims=True)

    def word_code_zeros(self, X: sp.csr_matrix, below: float = 1e-4) -> float:
        """Return the share of entries of word codes that are smaller than `below`."""
        a = self._dirichlet(X)
        small = _count_small(X.indices, X.indptr, self._weights, self.power, a, below)
        return small / (X.nnz * self.n_topics)

    def word_codes(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the topic distribution of each stored count (entries x topics)."""
        log_topics = np.log(np.ascontiguousarray(self.components_.T))
        return _assign(X.indices, X.indptr, log_topics, self.power, self._dirichlet(X))

    def _take(self, statistics: np.ndarray, regularization: float) -> None:
        self.power = 1 / (1 - regularization)
        topics = statistics + self.smoothing
        topics /= topics.sum(axis=0)
        self.components_ = topics.T
        relative = topics / topics.max(axis=1, keepdims=True)  # avoids underflow of the power
        self._weights = relative**self.power

    def _dirichlet(self, X: sp.csr_matrix) -> np.ndarray:
        a = np.full((X.shape[0], self.n_topics), 1.0)
        self._sweep(X, a, np.zeros((0, self.n_topics)), 5 * self.max_sweeps)
        return a

    def _sweep(
        self, X: sp.csr_matrix, a: np.ndarray, statistics: np.ndarray, max_sweeps: int | None = None
    ) -> None:
        _infer(
            X.data.astype(np.float64), X.indices, X.indptr, self._weights, self.power, self.alpha,
            self.tol, max_sweeps or self.max_sweeps, a, statistics,
        )  # fmt: skip


def best_alpha(a: np.ndarray, alpha: float, n_steps: int = 5) -> float:
    """Estimate α of a symmetric Dirichlet from the posteriors `a`, by Newton steps in log α."""
    n, n_topics = a.shape
    expected_logs = np.sum(psi(a) - psi(a.sum(axis=1, keepdims=True)))
    for _ in range(n_steps):
        slope = n * n_topics * (psi(n_topics * alpha) - psi(alpha)) + expected_logs
        curve = (
            n * n_topics * (n_topics * polygamma(1, n_topics * alpha) - polygamma(1, alpha)) * alpha
            + slope
        )
        if curve >= 0:  # far from the maximum, a Newton step would go in the wrong direction
            break
        alpha *= float(np.exp(np.clip(-slope / curve, -1, 1)))
        alpha = float(np.clip(alpha, *ALPHA_BOUNDS))
    return alpha
