"""LDA as the R package topicmodels fits and scores it (the C program of Blei, Ng and Jordan).

Variational EM with maximum-likelihood topics, which have no prior. For a document with counts c:

    φ_nk ∝ β_nk exp ψ(γ_k),    γ_k = α + Σ_n c_n φ_nk,    β_nk ∝ Σ_d c_n φ_nk

The perplexity of a document is exp(-bound / number of words), where the bound of the log
probability, with the best φ for a given γ, is

    log Γ(Kα) - K log Γ(α) + Σ_k [log Γ(γ_k) + (α - γ_k) e_k] - log Γ(Σγ) + Σ_n c_n log Z_n

with e_k = ψ(γ_k) - ψ(Σγ) and Z_n = Σ_k β_nk exp e_k. If no φ of a word is positive, the program
sets log β = -100, so that perplexities are sometimes very high but never infinite. Unlike the
program, γ is updated once per sweep over the words, not after each word; the fixed points are the
same. If asked to, it estimates α after each EM step, as the program does by default.
"""

from __future__ import annotations

from math import lgamma
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

from benchmarks.papers.entropic_lda import best_alpha, digamma

LOG_ZERO = -100.0


class Stops(NamedTuple):
    """When the iterations stop; tolerances are relative changes of the bound."""

    sweep_tol: float = 1e-6
    max_sweeps: int = 500
    em_tol: float = 1e-4
    max_steps: int = 1000


class Inferred(NamedTuple):
    """Bounds of the log probability of documents, and the parameters γ of their mixtures."""

    bounds: np.ndarray
    gammas: np.ndarray


@njit(cache=True, fastmath={"reassoc", "contract"})
def _infer(data, indices, indptr, word_topics, alpha, tol, max_sweeps, bounds, gammas, statistics):
    """Compute bound and γ of each document; add Σ_d c φ / β to `statistics` if it has rows."""
    n_topics = word_topics.shape[1]
    constant = lgamma(n_topics * alpha) - n_topics * lgamma(alpha)
    scales, new = np.empty(n_topics), np.empty(n_topics)
    for d in range(len(indptr) - 1):
        length = 0.0
        for p in range(indptr[d], indptr[d + 1]):
            length += data[p]
        gamma = gammas[d]
        gamma[:] = alpha + length / n_topics
        bound = -np.inf
        for _ in range(max_sweeps):
            # γ sums to Kα + length after every sweep
            total = n_topics * alpha + length
            at_total, before = digamma(total), bound
            bound = constant - lgamma(total)
            for k in range(n_topics):
                expected = digamma(gamma[k]) - at_total
                bound += lgamma(gamma[k]) + (alpha - gamma[k]) * expected
                scales[k] = np.exp(expected)
            new[:] = 0
            for p in range(indptr[d], indptr[d + 1]):
                row = word_topics[indices[p]]
                Z = 0.0
                for k in range(n_topics):
                    Z += row[k] * scales[k]
                bound += data[p] * np.log(Z)
                share = data[p] / Z
                for k in range(n_topics):
                    new[k] += share * row[k]
            if abs(bound - before) <= tol * abs(bound):
                break
            for k in range(n_topics):
                gamma[k] = alpha + new[k] * scales[k]
        bounds[d] = bound
        if len(statistics):
            for p in range(indptr[d], indptr[d + 1]):
                row, into = word_topics[indices[p]], statistics[indices[p]]
                Z = 0.0
                for k in range(n_topics):
                    Z += row[k] * scales[k]
                share = data[p] / Z
                for k in range(n_topics):
                    into[k] += share * scales[k]


class TopicmodelsLDA:
    """LDA(X, k, method = "VEM", control = list(alpha, estimate.alpha)) of topicmodels."""

    def __init__(
        self,
        n_topics: int,
        alpha: float,
        seed: int,
        stops: Stops | None = None,
        *,
        estimate_alpha: bool = False,
    ):
        self.n_topics, self.alpha, self.seed = n_topics, alpha, seed
        self.stops, self.estimate_alpha = stops or Stops(), estimate_alpha

    def fit(self, X: sp.csr_matrix) -> TopicmodelsLDA:
        n_words = X.shape[1]
        random = np.random.default_rng(self.seed)
        # the start of topicmodels: each entry is 1 / n_words plus a uniform number
        self._take(1 / n_words + random.uniform(size=(n_words, self.n_topics)))
        self.bounds: list[float] = []
        for _ in range(self.stops.max_steps):
            statistics = np.zeros_like(self.word_topics)
            inferred = self._infer(X, statistics)
            self.bounds.append(float(inferred.bounds.sum()))
            self._take(statistics * self.word_topics)
            if self.estimate_alpha:
                self.alpha = best_alpha(inferred.gammas, self.alpha)
            last = self.bounds[-2:]
            if len(last) == 2 and abs(last[1] - last[0]) <= self.stops.em_tol * abs(last[0]):
                break
        return self

    def perplexities(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the perplexity of each document by the bound, as perplexity() of topicmodels."""
        lengths = np.maximum(np.asarray(X.sum(axis=1)).ravel(), 1)
        return np.exp(-self._infer(X).bounds / lengths)

    def mixtures(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the expected topic shares of each document."""
        gammas = self._infer(X).gammas
        return gammas / gammas.sum(axis=1, keepdims=True)

    def _take(self, counts: np.ndarray) -> None:
        topics = counts / counts.sum(axis=0)
        self.word_topics = np.where(topics > 0, topics, np.exp(LOG_ZERO))

    def _infer(self, X: sp.csr_matrix, statistics: np.ndarray | None = None) -> Inferred:
        found = Inferred(np.zeros(X.shape[0]), np.empty((X.shape[0], self.n_topics)))
        if statistics is None:
            statistics = np.zeros((0, self.n_topics))
        _infer(
            X.data.astype(np.float64), X.indices, X.indptr, self.word_topics, self.alpha,
            self.stops.sweep_tol, self.stops.max_sweeps, *found, statistics,
        )  # fmt: skip
        return found
