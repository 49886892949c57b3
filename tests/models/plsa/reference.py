"""PLSA by expectation maximisation in plain NumPy, dense: for comparison only.

`words` holds the topics with one row for each word and one column for each topic.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment


def mix(X, words, theta, smoothing, steps):
    """Mixtures after some steps each."""
    for _ in range(steps):
        ratio = X / np.maximum(theta @ words.T, 1e-300)
        theta = np.maximum(0, theta * (ratio @ words) + smoothing)
        theta = theta / theta.sum(axis=1, keepdims=True)
    return theta


def likelihood(X, words, theta):
    m = theta @ words.T
    return float(X[X > 0] @ np.log(m[X > 0]))


def expected_counts(X, words, theta):
    return words * ((X / (theta @ words.T)).T @ theta)


def alternate(X, words, smoothing, doc_smoothing, passes, steps=3):
    """Topics and the objective after each pass; every word and every document has counts."""
    theta = np.full((len(X), words.shape[1]), 1 / words.shape[1])
    values = []
    for _ in range(passes):
        theta = mix(X, words, theta, doc_smoothing, steps)
        values.append(
            -likelihood(X, words, theta)
            - smoothing * np.log(words).sum()
            - doc_smoothing * np.log(theta).sum()
        )
        words = expected_counts(X, words, theta) + smoothing
        words = words / words.sum(axis=0)
    return words, values


def likeness(found, truth):
    """Cosine of each topic of `truth` with the one of `found` that is matched to it."""
    found = found / np.linalg.norm(found, axis=1, keepdims=True)
    truth = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    cosines = truth @ found.T
    rows, columns = linear_sum_assignment(-cosines)
    return cosines[rows, columns]
