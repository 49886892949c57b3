"""Tests of groups of similar topics."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

from laconic.fitted.topic_groups import ALIKE, GROUPS, LEFT_OUT, group_topics


def planted(sizes: list[int], within: float = 0.7, noise: float = 0.02) -> np.ndarray:
    """Return the likeness of topics in groups of the given sizes."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    draw = np.random.default_rng(0).uniform(0, noise, (len(groups), len(groups)))
    likeness = np.where(groups[:, None] == groups, within, 0) + (draw + draw.T) / 2
    np.fill_diagonal(likeness, 1)
    return likeness


def test_planted_groups_are_found_and_ordered_by_share():
    sizes = [2, 3, 4]  # nine topics are divided into three clusters
    shares = np.repeat([0.5, 0.1, 0.2], sizes)
    groups = group_topics(planted(sizes), shares)
    order = np.argsort(-np.bincount(np.repeat(np.arange(3), sizes), shares))
    expected = np.repeat(np.argsort(order), sizes)
    assert groups.tolist() == expected.tolist()


def test_groups_are_the_clusters_of_wards_method():
    likeness = planted([6, 5, 4, 3, 7, 5], within=0.4, noise=0.15)
    groups = group_topics(likeness, np.full(30, 1 / 30))
    vectors = np.linalg.cholesky(likeness + 1e-9 * np.eye(30))  # their products are the likeness
    clusters = AgglomerativeClustering(GROUPS + 1, linkage="ward").fit_predict(vectors)
    overall = likeness[~np.eye(30, dtype=bool)].mean()
    for cluster in range(GROUPS + 1):
        members = np.flatnonzero(clusters == cluster)
        assert len(set(groups[members])) == 1
        part = likeness[np.ix_(members, members)][~np.eye(len(members), dtype=bool)]
        if groups[members[0]] != LEFT_OUT:
            assert part.mean() >= ALIKE * overall
        elif len(members) > 1:  # not similar enough, or the smallest of too many groups
            assert part.mean() < ALIKE * overall or groups.max() == GROUPS - 1
    assert groups.max() > 2


@pytest.mark.parametrize("n", [1, 2, 5])
def test_unrelated_topics_are_in_no_group(n):
    assert set(group_topics(np.eye(n), np.full(n, 1 / n)).tolist()) <= {LEFT_OUT, 0, 1}
    assert len(group_topics(np.eye(n), np.full(n, 1 / n))) == n


def test_there_are_at_most_as_many_groups_as_colours():
    groups = group_topics(planted([3] * 40), np.full(120, 1 / 120))
    assert groups.max() < GROUPS
