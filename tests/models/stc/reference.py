"""A slow and short implementation of sparse topical coding as in the paper.

Zhu, Xing: Sparse Topical Coding, UAI 2011. Word codes are found by coordinate descent: each s_k is
the larger root of a quadratic, or zero if the root is negative. The document code is found by
truncated averaging. Word codes and document code are updated in turn until both are constant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    """The weights of the objective, with the paper's symbols, for both norms of each code."""

    coupling: float = 1.0  # γ
    word_l1: float = 0.1  # ρ
    word_l2: float = 0.0
    doc_l1: float = 0.0  # λ
    doc_l2: float = 1.0
    offset: float = 1e-3
    poisson: bool = True


def loss(w, m, weights):
    if weights.poisson:
        return m - w * np.log(m + weights.offset)
    return 0.5 * (w - m) ** 2


def objective(w, beta, s, theta, weights):
    """Return the objective of a document.

    The shapes are (n,) for w, (n, K) for beta and s, and (K,) for theta.
    """
    words = (
        loss(w, (s * beta).sum(axis=1), weights).sum()
        + weights.coupling * ((s - theta) ** 2).sum()
        + weights.word_l1 * s.sum()
        + weights.word_l2 * (s**2).sum()
    )
    return words + weights.doc_l1 * theta.sum() + weights.doc_l2 * (theta**2).sum()


def step_entries(w, beta, s, theta, k, weights):
    """Return the optimal s_k of each word, with all other entries of s fixed."""
    g, r1, r2 = weights.coupling, weights.word_l1, weights.word_l2
    b = beta[:, k]
    rest = (s * beta).sum(axis=1) - s[:, k] * b
    if not weights.poisson:
        return np.maximum(0, (b * (w - rest) + 2 * g * theta[k] - r1) / (b * b + 2 * (g + r2)))
    # solve b - w b / (rest + b s + ε) + 2 (γ + ρ₂) s - 2 γ θ + ρ₁ = 0, times the denominator
    base = rest + weights.offset
    slope, constant = 2 * (g + r2), b - 2 * g * theta[k] + r1
    p, q, r = slope * b, slope * base + constant * b, constant * base - w * b
    root = np.sqrt(np.maximum(q * q - 4 * p * r, 0))
    larger = np.where(q > 0, -2 * r / (q + root), (root - q) / np.where(p > 0, 2 * p, 1))
    return np.maximum(0, np.where(p > 0, larger, -constant / slope))


def code_words(w, beta, s, theta, weights, tol):
    for _ in range(1000):
        before = s.copy()
        for k in range(len(theta)):
            s[:, k] = step_entries(w, beta, s, theta, k, weights)
        if np.abs(s - before).max() <= tol * max(1.0, s.max()):
            break


def code_document(w, beta, weights, tol=1e-12, max_sweeps=100_000):
    """Return θ, s, the objective, and whether the updates converged.

    `beta` has a row for each word.
    """
    n, n_topics = beta.shape
    theta, s = np.full(n_topics, 0.1), np.full((n, n_topics), 0.1)
    still = False
    for _ in range(max_sweeps):
        before = theta
        code_words(w, beta, s, theta, weights, tol)
        total = 2 * weights.coupling * s.sum(axis=0) - weights.doc_l1
        theta = np.maximum(0, total / (2 * (weights.doc_l2 + weights.coupling * n)))
        still = np.abs(theta - before).max() <= tol * max(1.0, theta.max())
        if still:
            break
    return theta, s, objective(w, beta, s, theta, weights), still
