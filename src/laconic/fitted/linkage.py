"""Hierarchical clustering of topics by average linkage.

The similarity of two topics adds two measures: the correlation of their shares over the documents,
and the similarity of their words (`topic_likeness`). Each is divided by its standard deviation over
all pairs of topics, and the correlation counts `CORRELATION` times, because documents tell more
about which topics belong together than the few words of a sparse topic. Without documents, only the
words are used.

Topics are sorted by their contents before they are clustered, so the order of the topics in the
model does not matter, even if several pairs of topics are equally similar.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.fitted.model import TopicView
from laconic.fitted.similar_topics import likeness_of

CORRELATION = 2.0  # weight of the correlation of shares, relative to the similarity of words
DIGITS = 9  # decimals of similarities; rounding errors must not decide between equal similarities


class Linkage(NamedTuple):
    """Merges of groups of topics, nearest groups first.

    Attributes
    ----------
    pairs : ndarray of shape (n_topics - 1, 2)
        The two nodes that each merge joins. Nodes 0 to n_topics - 1 are topics, and merge i
        makes node n_topics + i.
    heights : ndarray of length n_topics - 1
        Distance of the two nodes, from 0 to 1. It never decreases.
    order : ndarray of length n_topics
        The topics in an order that depends on their contents only, not on their numbers.
    """

    pairs: np.ndarray
    heights: np.ndarray
    order: np.ndarray


def link_topics(view: TopicView, correlations: np.ndarray | None) -> Linkage:
    """Cluster the topics of a model, given the correlations of their shares over documents."""
    order = contents_order(view)
    n_topics = len(order)
    distances = _distances(likeness_of(view), correlations, order)
    if n_topics < 2:
        return Linkage(np.zeros((0, 2), dtype=np.int64), np.zeros(0), order)
    from scipy.cluster.hierarchy import linkage

    merges = linkage(distances[np.triu_indices(n_topics, 1)], "average")
    nodes = np.concatenate([order, np.arange(n_topics, 2 * n_topics - 1)])
    # Rounding may make the mean of equal distances slightly smaller than the distances.
    heights = np.maximum.accumulate(merges[:, 2])
    return Linkage(nodes[merges[:, :2].astype(np.int64)], heights, order)


def contents_order(view: TopicView) -> np.ndarray:
    """Return the topics by decreasing share; topics of the same share are ordered by weights."""
    weights = view.weights.sorted_indices()

    def contents(topic: int) -> tuple[float, list[int], list[float]]:
        row = slice(weights.indptr[topic], weights.indptr[topic + 1])
        return -view.shares[topic], weights.indices[row].tolist(), weights.data[row].tolist()

    return np.array(sorted(range(view.n_topics), key=contents), dtype=np.int64)


def _distances(
    likeness: np.ndarray, correlations: np.ndarray | None, order: np.ndarray
) -> np.ndarray:
    """Return the distances between all topics in the given order, from 0 to 1."""
    pairs = np.ix_(order, order)
    similarity = _standardised(likeness[pairs])
    if correlations is not None:
        similarity += CORRELATION * _standardised(np.asarray(correlations)[pairs])
    apart = similarity[~np.eye(len(order), dtype=bool)]
    if not len(apart) or apart.max() == apart.min():
        return np.ones_like(similarity)
    distances: np.ndarray = (apart.max() - similarity) / (apart.max() - apart.min())
    return np.round(distances, DIGITS)


def _standardised(similarity: np.ndarray) -> np.ndarray:
    """Divide the similarities by their standard deviation over all pairs of topics."""
    similarity = np.round(np.nan_to_num((similarity + similarity.T) / 2), DIGITS)
    pairs = similarity[np.triu_indices(len(similarity), 1)]
    deviation = np.std(pairs) if len(pairs) else 0.0
    result: np.ndarray = similarity / deviation if deviation > 1e-12 else np.zeros_like(similarity)
    return result
