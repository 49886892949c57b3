"""Sparse coding in plain NumPy, one document and one topic at a time."""

from __future__ import annotations

import numpy as np


def codes(X, topics, alpha, positive=True, sweeps=2000):
    """Coordinate descent on each document."""
    gram, correlations = topics @ topics.T, X @ topics.T
    theta = np.zeros(correlations.shape)
    for _ in range(sweeps):
        for k in range(len(topics)):
            if gram[k, k] == 0:
                continue
            pull = correlations[:, k] - theta @ gram[:, k] + theta[:, k] * gram[k, k]
            shrunk = np.maximum(np.abs(pull) - alpha, 0) * np.sign(pull)
            theta[:, k] = (np.maximum(shrunk, 0) if positive else shrunk) / gram[k, k]
    return theta


def objective(X, theta, topics, alpha):
    return 0.5 * np.sum((X - theta @ topics) ** 2) + alpha * np.abs(theta).sum()


def update(X, theta, topics, positive=True, sweeps=2):
    """Each topic in turn to its minimum in the unit ball, from the documents themselves."""
    topics = topics.copy()
    for _ in range(sweeps):
        for k in range(len(topics)):
            own = theta[:, k]
            if not own.any():
                continue
            rest = X - theta @ topics + np.outer(own, topics[k])
            best = own @ rest / (own @ own)
            best = np.maximum(best, 0) if positive else best
            topics[k] = best / max(np.linalg.norm(best), 1)
    return topics


def winsorised(theta, support):
    """Codes no larger than the support-th largest of their topic that is not zero."""
    limited = theta.copy()
    for k in range(theta.shape[1]):
        sizes = np.sort(np.abs(theta[:, k]))[::-1][:support]
        sizes = sizes[sizes > 0]
        if len(sizes):
            limited[:, k] = np.clip(theta[:, k], -sizes[-1], sizes[-1])
    return limited
