"""Tests of ``laconic topics --tree``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from tests.cli.conftest import fitted
from tests.cli.running import Run, columns, mentions, on_a_terminal, without_escapes


@pytest.fixture(scope="session")
def tree_model(posts: Path) -> Path:
    return fitted(posts, "tree.model", "-m", "plsa", "-k", 6)


def test_in_a_pipe_one_line_for_each_topic(run: Run, tree_model: Path) -> None:
    lines = columns(run("topics", tree_model, "--levels", "4,2").stdout)
    tree = laconic.topic_tree(laconic.load(tree_model), [4, 2])
    assert sorted(int(line[0]) for line in lines) == list(range(6))
    for topic, _, fine, _, coarse, label in lines:
        assert int(fine) == tree.cut(4).groups[int(topic)]
        assert int(coarse) == tree.cut(2).groups[int(topic)]
        assert label == tree.labels(2)[int(coarse)]


def test_on_a_terminal_a_nested_list(tree_model: Path) -> None:
    lines = without_escapes(on_a_terminal("topics", tree_model, "--tree"))
    tree = laconic.topic_tree(laconic.load(tree_model))
    assert lines == str(tree).splitlines()


def test_json_is_the_tree(run: Run, tree_model: Path) -> None:
    facts = json.loads(run("topics", tree_model, "--levels", "2", "--json").stdout)
    tree = laconic.topic_tree(laconic.load(tree_model), [2])
    assert facts == json.loads(json.dumps({"model": str(tree_model), **tree.to_dict()}))


def test_wrong_levels_are_refused(run: Run, tree_model: Path) -> None:
    mentions(run("topics", tree_model, "--levels", "2,4", status=1), "fine to coarse")
    mentions(run("topics", tree_model, "--levels", "7", status=1), "6 topics", "7 groups")
    mentions(run("topics", tree_model, "--levels", "a,b", status=2), "--levels", "a,b")
    mentions(run("topics", tree_model, "--tree", "--dot", status=2), "--tree", "--dot")
