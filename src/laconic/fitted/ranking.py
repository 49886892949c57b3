"""Ranking of the words of a topic."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

RELEVANCE = 0.6


def relevance_divisors(topics: Any, topic_shares: np.ndarray, relevance: float) -> np.ndarray:
    """Return the divisor of each word by which its weights in topics become its relevance.

    The relevance of a word in a topic is p^r (p / p(word))^(1 - r), where r is the parameter
    `relevance`, p is the probability of the word in the topic, and p(word) is the probability of
    the word in all topics together. The topics are distributions, an array or a sparse matrix.
    """
    if sp.issparse(topics):
        overall = np.asarray(topic_shares @ topics).ravel().astype(np.float64)
    else:
        overall = np.zeros(topics.shape[1])
        for share, topic in zip(topic_shares, topics, strict=True):  # without a copy as float64
            overall += share * topic
    divisors: np.ndarray = np.maximum(overall, 1e-300) ** (1 - relevance)
    return divisors


def largest(sizes: np.ndarray, n: int) -> np.ndarray:
    """Return the indices of the `n` largest sizes, largest first; equal sizes keep their order.

    Examples
    --------
    >>> largest(np.array([1.0, 3, 2, 3, 0]), 3).tolist()
    [1, 3, 2]
    """
    candidates = np.arange(len(sizes))
    if len(sizes) > n:  # sort only the candidates, because a dense topic has every word
        least = np.partition(sizes, len(sizes) - n)[len(sizes) - n]
        candidates = np.flatnonzero(sizes >= least)
    return np.asarray(candidates[np.argsort(-sizes[candidates], kind="stable")[:n]])
