"""Groups of similar topics, which maps and lists show in the same colour."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

GROUPS = 7  # maximum number of groups
ALIKE = 2.0  # minimum mean likeness within a group, relative to the mean likeness of all topics
LEFT_OUT = -1  # the group of topics that are in no group


def group_topics(likeness: np.ndarray, shares: np.ndarray, most: int = GROUPS) -> np.ndarray:
    """Return the group of each topic, or -1 for a topic that is similar to few other topics.

    Ward's method on the distances √(2 - 2 likeness) makes at most ``most + 1`` clusters. A cluster
    is a group if it has at least two topics and if these are, on average, at least `ALIKE` times
    as similar to each other as all topics are. Groups are numbered by decreasing share.

    Parameters
    ----------
    likeness : ndarray of shape (n_topics, n_topics)
        Similarity of each pair of topics, at most 1.
    shares : ndarray of shape (n_topics,)
    most : int, default=7
        Maximum number of groups.

    Examples
    --------
    >>> alike = np.kron(np.eye(2), np.full((2, 2), 0.8)) + 0.2 * np.eye(4)
    >>> group_topics(alike, np.array([0.1, 0.2, 0.3, 0.4]))
    array([1, 1, 0, 0])
    """
    n_topics = len(likeness)
    groups = np.full(n_topics, LEFT_OUT)
    if n_topics < 3:
        return groups
    similar = np.clip((likeness + likeness.T) / 2, -1, 1)
    distances = np.sqrt(2 - 2 * similar)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "ward")
    # with few topics, fewer clusters, so that a group has three topics on average
    clusters = fcluster(tree, max(2, min(most + 1, n_topics // 3)), "maxclust") - 1
    least = ALIKE * _mean_likeness(similar)
    members = [np.flatnonzero(clusters == cluster) for cluster in range(clusters.max() + 1)]
    alike = [
        topics
        for topics in members
        if len(topics) > 1 and _mean_likeness(similar[np.ix_(topics, topics)]) >= least
    ]
    alike.sort(key=lambda topics: (-shares[topics].sum(), topics[0]))
    for group, topics in enumerate(alike[:most]):
        groups[topics] = group
    return groups


def _mean_likeness(similar: np.ndarray) -> float:
    """Return the mean likeness of pairs of different topics."""
    n = len(similar)
    return float((similar.sum() - np.trace(similar)) / (n * (n - 1)))
