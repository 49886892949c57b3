"""A slow, dense reference implementation of PLSA by expectation maximisation in NumPy.

`words` holds the topics: each row is a word and each column is a topic.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment


def mix(X, words, theta, smoothing, steps):
    """Return the topic mixture of each document after the given number of EM steps."""
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
    """Return the topics after all passes, and the objective after each pass.

    Every word must occur, and every document must have words.
    """
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
    """Match the topics of `truth` and `found` one to one; return the cosine of each match."""
    found = found / np.linalg.norm(found, axis=1, keepdims=True)
    truth = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    cosines = truth @ found.T
    rows, columns = linear_sum_assignment(-cosines)
    return cosines[rows, columns]
