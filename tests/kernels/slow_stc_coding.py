"""A slow reference implementation of sparse topical coding in NumPy.

Word codes are found by bisection. The penalties are those of the kernels.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def draw_dictionary(random, n_words, n_topics, *, density=0.7):
    """Draw a words x topics matrix with columns on the simplex; every word has a topic."""
    words = random.gamma(0.7, size=(n_words, n_topics))
    words *= random.random((n_words, n_topics)) < density
    words[np.arange(n_words), random.integers(n_topics, size=n_words)] += 0.1
    words[random.integers(n_words, size=n_topics), np.arange(n_topics)] += 0.1
    return words / words.sum(axis=0)


def draw_counts(random, n_documents, n_words, *, scale=1.0):
    """Draw a CSR matrix of documents; the first has all words, others may be empty."""
    counts = random.integers(1, 6, (n_documents, n_words)) * scale
    counts[1:] *= random.random((n_documents - 1, n_words)) < 0.4
    return sp.csr_matrix(counts)


def word_codes(counts, betas, theta, penalties):
    """Return the code s of each word.

    The function -ℓ'(m(u)) - u decreases in u, so that its root is found by bisection.
    """
    g, r1, r2, _, _, offset, poisson = penalties
    h = 0.5 / (g + r2)

    def codes(u):
        return np.maximum(0, h * (2 * g * theta - r1 + betas * u[:, None]))

    def excess(u):
        m = np.sum(betas * codes(u), axis=1)
        return (counts / (m + offset) - 1 if poisson else counts - m) - u

    low = np.full(len(counts), -1.0)
    if not poisson:
        low -= counts + np.sum(betas * codes(low * 0), axis=1)
    high = counts / offset if poisson else counts.astype(float)
    for _ in range(100):
        middle = 0.5 * (low + high)
        above = excess(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return codes(0.5 * (low + high))


def objective(counts, betas, s, theta, penalties):
    """Return the objective of a document, as defined in `laconic.kernels.stc_coding`."""
    g, r1, r2, l1, l2, offset, poisson = penalties
    m = np.sum(s * betas, axis=1)
    loss = m - counts * np.log(m + offset) if poisson else 0.5 * (counts - m) ** 2
    words = loss.sum() + g * np.sum((s - theta) ** 2) + r1 * s.sum() + r2 * np.sum(s**2)
    return words + l1 * theta.sum() + l2 * np.sum(theta**2)


def gradient(counts, betas, theta, penalties):
    """Return the gradient in θ of the smooth function that remains for optimal word codes."""
    g, _, _, l1, l2, _, _ = penalties
    s = word_codes(counts, betas, theta, penalties)
    return 2 * (len(counts) * g + l2) * theta + l1 - 2 * g * s.sum(axis=0)


def residual(counts, betas, theta, penalties):
    """Return how far a projected gradient step moves θ, relative to the largest entry.

    The result is zero if and only if θ is optimal.
    """
    full = 2 * (penalties.coupling * len(counts) + penalties.doc_l2)
    moved = np.maximum(0, theta - gradient(counts, betas, theta, penalties) / full)
    return np.abs(moved - theta).max() / max(theta.max(), 1e-3)
