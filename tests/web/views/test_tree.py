"""Tests of the view of the tree of topics."""

from __future__ import annotations

import json

import pytest

import laconic
from laconic.web import views
from laconic.web.views.tree import parse_levels
from tests.messages import refused


def leaves(node):
    return [node] if "children" not in node else [x for c in node["children"] for x in leaves(c)]


@pytest.mark.parametrize("kind", ["plsa", "slsa"])
def test_the_view_is_the_tree_of_the_library(kind, material_of):
    material = material_of(kind)
    shown = json.loads(json.dumps(views.tree(material, "3,2"), allow_nan=False))
    tree = laconic.topic_tree(material.model, [3, 2])
    assert shown["levels"] == [3, 2]
    topics = [[leaf["topic"] for leaf in leaves(group)] for group in shown["groups"]]
    assert sorted(map(sorted, topics)) == sorted(sorted(root.topics) for root in tree.roots)
    for group, root in zip(shown["groups"], tree.roots, strict=True):
        assert group["share"] == pytest.approx(root.share, rel=1e-4)
        if "children" in group:
            assert group["label"] == root.label
            assert len(group["children"]) > 1
    assert views.tree(material)["levels"] == laconic.topic_tree(material.model).levels


def test_wrong_levels_are_refused(material_of):
    with refused("levels", "'x'"):
        parse_levels("x")
    with refused("99 groups"):
        views.tree(material_of("plsa"), "99")
