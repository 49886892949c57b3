"""Similarity of topics by their words."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted.model import TopicView

STRONGEST = 100  # number of words compared per topic


def topic_likeness(model: Any) -> np.ndarray:
    """Return the similarity of each pair of topics of a model, from -1 to 1.

    The similarity is the cosine of the weights of the strongest words of both topics. For topics
    that are distributions, the square roots of the weights are used (Bhattacharyya coefficient), so
    that no single frequent word dominates.

    Parameters
    ----------
    model : estimator or Pipeline

    Returns
    -------
    ndarray of shape (n_topics, n_topics)

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> topic_likeness(SparseLSA(2, alpha=0.1).fit(corpus)).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return likeness_of(TopicView.of(model))


def likeness_of(view: TopicView) -> np.ndarray:
    """Return the similarity of each pair of topics of a view; see `topic_likeness`."""
    topics = _unit_topics(view)
    return _product(topics, topics)


def likeness_between(model: Any, other: Any) -> np.ndarray:
    """Return the similarity of each topic of one model to each topic of another.

    Words are matched by spelling.

    Parameters
    ----------
    model, other : estimator or Pipeline
        Models that were fitted on a corpus with words.

    Returns
    -------
    ndarray of shape (n_topics, n_topics of the other model)
    """
    ours, theirs = TopicView.of(model), TopicView.of(other)
    left, right = _unit_topics(ours), _unit_topics(theirs)
    if ours.names is not None and theirs.names is not None:
        return _product(left, ours.align_topics(right, theirs.names))
    if ours.names is not theirs.names or left.shape[1] != right.shape[1]:
        raise LaconicError(
            "The two models cannot be compared, because only one of them has words, or neither "
            "has words and their numbers of columns differ."
        )
    return _product(left, right)


def _product(left: sp.csr_matrix, right: sp.csr_matrix) -> np.ndarray:
    return np.clip((left @ right.T).toarray(), -1, 1)


def _unit_topics(view: TopicView) -> sp.csr_matrix:
    """Return the strongest weights of each topic, or their square roots, as rows of unit length."""
    weights = view.weights
    rows = [_strongest(weights, row) for row in range(weights.shape[0])]
    columns = [weights.indices[entries] for entries in rows]
    values = [weights.data[entries].astype(np.float64) for entries in rows]
    if view.are_distributions:
        values = [np.sqrt(part) for part in values]
    lengths = [np.linalg.norm(part) or 1.0 for part in values]
    indptr = np.concatenate([[0], np.cumsum([len(part) for part in rows])])
    data = [part / length for part, length in zip(values, lengths, strict=True)]
    return sp.csr_matrix((np.concatenate(data), np.concatenate(columns), indptr), weights.shape)


def _strongest(weights: sp.csr_matrix, row: int) -> np.ndarray:
    start, stop = weights.indptr[row], weights.indptr[row + 1]
    sizes = np.abs(weights.data[start:stop], dtype=np.float64)
    if len(sizes) <= STRONGEST:
        return np.arange(start, stop)
    return start + np.sort(np.argpartition(-sizes, STRONGEST)[:STRONGEST])
