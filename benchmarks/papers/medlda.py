"""MedLDA: topics and a max-margin classifier, learnt jointly by Gibbs sampling.

Zhu, Chen, Perkins, Zhang: Gibbs max-margin topic models with data augmentation, JMLR 2014, in the
form with one binary classifier for each class. Let z̄_d be the shares of topics among the words of
a document, y = ±1, and ζ = ℓ - y ηᵀz̄_d. The hinge loss 2c max(0, ζ) is a mixture of Gaussians over
an auxiliary variable λ, so that all steps are draws from known distributions:

    1/λ_d  ~ inverse Gaussian(1/(c|ζ_d|), 1)
    η      ~ normal with precision 1 + c² Σ_d z̄ z̄ᵀ/λ_d and linear term c Σ_d y (λ_d + cℓ)/λ_d z̄_d
    z_dn   ∝ (topic's share of the word) (C_dk + α)
             exp Σ_y [ y c (cℓ + λ) η_k / (Nλ) - c² (η_k² + 2 η_k Σ_j η_j C_dj) / (2N²λ) ]

Counts exclude the word whose topic is drawn. Labels affect only the topics of training documents;
other documents are coded by plain LDA with the learnt topics.

c and ℓ were chosen on the validation part of 20 Newsgroups with 20 topics. The accuracy on the test
half is 76.8 % with 20 topics and 79.6 % with 60 topics (the figure of the STC paper shows MedLDA a
little below 80 %).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit

TINY = 1e-300


@njit(cache=True)
def _seed(seed):
    np.random.seed(seed)


@njit(cache=True)
def _sample_topics(
    words, topics, bounds, word_topic, totals, document_topic, eta, lam, signs, c, cost, alpha,
    smoothing,
):  # fmt: skip
    """Draw the topic of each word again and update all counts.

    words, topics : (n_tokens,); word_topic : float64 (n_words, n_topics);
    eta : (n_classes, n_topics); lam, signs : (n_documents, n_classes).
    """
    n_classes, n_topics = eta.shape
    n_words = word_topic.shape[0]
    shares = np.empty(n_topics)
    linear = np.empty(n_topics)
    curved = np.empty((n_topics, n_topics))
    bent = np.empty(n_topics)
    for d in range(len(bounds) - 1):
        n = bounds[d + 1] - bounds[d]
        here = document_topic[d]
        curved[:] = 0
        linear[:] = 0
        for y in range(n_classes):
            pull = signs[d, y] * c * (c * cost + lam[d, y]) / (n * lam[d, y])
            bend = c * c / (n * n * lam[d, y])
            for k in range(n_topics):
                linear[k] += pull * eta[y, k]
                factor = bend * eta[y, k]
                for j in range(n_topics):
                    curved[k, j] += factor * eta[y, j]
        for k in range(n_topics):
            bent[k] = 0
            for j in range(n_topics):
                bent[k] += curved[k, j] * here[j]
        for t in range(bounds[d], bounds[d + 1]):
            old = topics[t]
            row = word_topic[words[t]]
            row[old] -= 1
            totals[old] -= 1
            here[old] -= 1
            largest = -np.inf
            for k in range(n_topics):
                shares[k] = linear[k] - 0.5 * curved[k, k] - bent[k] + curved[old, k]
                largest = max(largest, shares[k])
            total = 0.0
            for k in range(n_topics):
                total += (
                    np.exp(shares[k] - largest)
                    * (row[k] + smoothing)
                    / (totals[k] + n_words * smoothing)
                    * (here[k] + alpha)
                )
                shares[k] = total
            drawn = np.random.random() * total
            new = 0
            while new < n_topics - 1 and shares[new] < drawn:
                new += 1
            topics[t] = new
            row[new] += 1
            totals[new] += 1
            here[new] += 1
            if new != old:
                for k in range(n_topics):
                    bent[k] += curved[new, k] - curved[old, k]


@njit(cache=True)
def _fold_in(data, indices, indptr, topics, alpha, max_sweeps, tol):
    """Infer the topic shares of new documents by EM; `topics` is float64 (n_words, n_topics)."""
    n_topics = topics.shape[1]
    codes = np.zeros((len(indptr) - 1, n_topics))
    new = np.empty(n_topics)
    for d in range(len(indptr) - 1):
        length = data[indptr[d] : indptr[d + 1]].sum()
        if length == 0:
            continue
        here = codes[d]
        here[:] = length / n_topics
        for _ in range(max_sweeps):
            new[:] = 0
            for p in range(indptr[d], indptr[d + 1]):
                row = topics[indices[p]]
                total = TINY
                for k in range(n_topics):
                    total += row[k] * (here[k] + alpha)
                share = data[p] / total
                for k in range(n_topics):
                    new[k] += share * row[k]
            change = 0.0
            for k in range(n_topics):
                updated = new[k] * (here[k] + alpha)
                change += abs(updated - here[k])
                here[k] = updated
            if change < tol * length:
                break
        here /= length
    return codes


class MedLDA:
    """MedLDA with linear classifiers; `C` is c of the hinge loss, and `cost` is ℓ."""

    def __init__(
        self,
        n_topics: int,
        *,
        C: float = 2.0,
        cost: float = 164.0,
        alpha: float | None = None,
        smoothing: float = 0.01,
        max_iter: int = 60,
        n_averaged: int = 10,
        random_state: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.C = C
        self.cost = cost
        self.alpha = 5 / n_topics if alpha is None else alpha
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.n_averaged = min(n_averaged, max_iter)
        self.random_state = random_state

    def fit(self, X: sp.csr_matrix, labels: np.ndarray) -> MedLDA:
        X = X[X.getnnz(axis=1) > 0] if (empty := X.getnnz(axis=1) == 0).any() else X
        self.classes_, y = np.unique(np.asarray(labels)[~empty], return_inverse=True)
        signs = np.where(y[:, np.newaxis] == np.arange(len(self.classes_)), 1.0, -1.0)
        rng = np.random.default_rng(self.random_state)
        _seed(self.random_state)
        repeats = np.rint(X.data).astype(np.int64)
        words = np.repeat(X.indices, repeats)
        bounds = np.concatenate([[0], np.cumsum(repeats)])[X.indptr]
        topics = rng.integers(self.n_topics, size=len(words))
        document = np.repeat(np.arange(X.shape[0]), np.diff(bounds))
        word_topic = np.zeros((X.shape[1], self.n_topics))
        np.add.at(word_topic, (words, topics), 1)
        document_topic = np.zeros((X.shape[0], self.n_topics))
        np.add.at(document_topic, (document, topics), 1)
        totals = word_topic.sum(axis=0)
        lengths = np.diff(bounds)[:, np.newaxis]

        eta = np.zeros((len(self.classes_), self.n_topics))
        lam = np.ones_like(signs)
        kept_topics, kept_eta = np.zeros_like(word_topic), np.zeros_like(eta)
        for iteration in range(self.max_iter):
            _sample_topics(
                words, topics, bounds, word_topic, totals, document_topic, eta, lam, signs, self.C,
                self.cost, self.alpha, self.smoothing,
            )  # fmt: skip
            shares = document_topic / lengths
            eta, mean = self._draw_eta(shares, lam, signs, rng)
            gap = np.abs(self.cost - signs * (shares @ eta.T))
            lam = 1 / rng.wald(1 / (self.C * np.maximum(gap, 1e-8)), 1.0)
            if iteration >= self.max_iter - self.n_averaged:
                kept_topics += word_topic
                kept_eta += mean
        self._topics = kept_topics / self.n_averaged + self.smoothing
        self._topics /= self._topics.sum(axis=0)
        self.components_ = self._topics.T
        self.coef_ = kept_eta / self.n_averaged
        return self

    def transform(self, X: sp.csr_matrix) -> np.ndarray:
        """Return the topic shares of documents, without using labels."""
        data = X.data.astype(np.float64)
        return _fold_in(data, X.indices, X.indptr, self._topics, self.alpha, 100, 1e-3)

    def predict(self, X: sp.csr_matrix) -> np.ndarray:
        return self.classes_[(self.transform(X) @ self.coef_.T).argmax(axis=1)]

    def _draw_eta(
        self, shares: np.ndarray, lam: np.ndarray, signs: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw the classifiers; return them and the means of their distributions."""
        drawn, means = np.empty((2, len(self.classes_), self.n_topics))
        for label, (lam_y, signs_y) in enumerate(zip(lam.T, signs.T, strict=True)):
            precision = self.C**2 * (shares.T / lam_y) @ shares + np.eye(self.n_topics)
            target = self.C * shares.T @ (signs_y * (lam_y + self.C * self.cost) / lam_y)
            means[label] = np.linalg.solve(precision, target)
            root = np.linalg.cholesky(precision)
            noise = rng.standard_normal(self.n_topics)
            drawn[label] = means[label] + np.linalg.solve(root.T, noise)
        return drawn, means
