"""Order of the words of a topic."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

RELEVANCE = 0.6


def relevance_weights(
    weights: sp.csr_matrix, topic_shares: np.ndarray, relevance: float
) -> sp.csr_matrix:
    """Weights whose sizes order the words of topics that are distributions.

    p^relevance (p / p(word))^(1 - relevance), with p the probability of the word in the topic.
    """
    overall = np.asarray(topic_shares @ weights).ravel()
    ranked = weights.astype(np.float64)
    ranked.data /= np.maximum(overall[ranked.indices], 1e-300) ** (1 - relevance)
    return ranked


def largest(sizes: np.ndarray, n: int) -> np.ndarray:
    """Places of the largest sizes in their order, of equal ones the first.

    Examples
    --------
    >>> largest(np.array([1.0, 3, 2, 3, 0]), 3).tolist()
    [1, 3, 2]
    """
    places = np.arange(len(sizes))
    if len(sizes) > n:  # a dense topic has all words: only those that can be among them are sorted
        least = np.partition(sizes, len(sizes) - n)[len(sizes) - n]
        places = np.flatnonzero(sizes >= least)
    return np.asarray(places[np.argsort(-sizes[places], kind="stable")[:n]])
