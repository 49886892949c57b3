"""Tests of the dendrogram."""

from __future__ import annotations

import numpy as np

import laconic
from laconic.plots import topic_dendrogram
from laconic.plots import tree as module
from laconic.plots.files import render

from .looking import data_of


def test_every_merge_has_three_lines_and_every_topic_a_label(models):
    chart = topic_dendrogram(models["plsa"], [2])
    lines = data_of(chart, "x2", "group")
    assert len(lines) == 3 * 4  # five topics are joined by four merges
    leaves = data_of(chart, "label", "topics")
    assert sorted(leaf["y"] for leaf in leaves) == [0, 1, 2, 3, 4]
    heights = laconic.topic_tree(models["plsa"]).linkage.heights
    drawn = sorted({line["x2"] for line in lines})
    assert len(drawn) == len(set(heights.round(6)))


def test_each_merge_joins_neighbouring_leaves(models):
    for model in models.values():
        tree = laconic.topic_tree(model, [2])
        n_topics = tree.n_topics
        place, _ = module._lines(tree, np.arange(n_topics), n_topics)
        leaves = {topic: {place[topic]} for topic in range(n_topics)}
        for merge, (a, b) in enumerate(tree.linkage.pairs.tolist()):
            joined = leaves[n_topics + merge] = leaves[a] | leaves[b]
            assert max(joined) - min(joined) == len(joined) - 1  # so lines do not cross


def test_many_topics_are_drawn_as_groups(models, monkeypatch):
    monkeypatch.setattr(module, "MAX_LEAVES", 3)
    chart = topic_dendrogram(models["plsa"])
    leaves = data_of(chart, "label", "topics")
    assert len(leaves) == 3
    assert any("other" in leaf["label"] for leaf in leaves)
    assert render(chart, ".svg").startswith(b"<svg")
