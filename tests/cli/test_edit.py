"""Tests of ``laconic edit``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic

from .running import Run


@pytest.fixture(scope="module")
def model(posts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model of four topics, with documents and texts."""
    corpus = laconic.read(posts)
    fitted = laconic.pipeline("plsa", n_components=4).fit(corpus)
    path = tmp_path_factory.mktemp("edit") / "posts.model"
    return laconic.save(fitted, path, index=laconic.search(fitted, corpus))


def test_merge_and_undo(run: Run, model: Path):
    shown = run("edit", model, "merge", "0", "2", "-o", "new.model").stdout
    assert "merged topics 0, 2 into topic 0" in shown
    assert "3 topics" in shown
    assert "merged topics 0, 2" in run("info", "new.model").stdout
    run("verify", "new.model")
    run("edit", "new.model", "undo", "-o", "old.model")
    assert run("topics", "old.model").stdout == run("topics", model).stdout
    history = json.loads(Path("old.model/manifest.json").read_text())["history"]
    assert [entry["edit"] for entry in history if "edit" in entry] == [
        "merged topics 0, 2 into topic 0",
        "undid: merged topics 0, 2 into topic 0",
    ]


def test_cut(run: Run, model: Path):
    shown = run("edit", model, "cut", "2", "-o", "new.model").stdout
    assert "until 2 topics were left" in shown
    tree = run("topics", model, "--levels", "2").stdout.splitlines()
    groups = {line.split("\t")[2] for line in tree}
    assert len(run("topics", "new.model").stdout.splitlines()) == len(groups) == 2


def test_dry_run_writes_nothing(run: Run, model: Path):
    result = run("edit", model, "split", "1", "--into", "3", "--dry-run", "--json")
    changes = json.loads(result.stdout)
    assert changes["n_topics"] == 6
    assert [topic["number"] for topic in changes["after"]] == [1, 4, 5]
    assert changes["documents"] > 0
    assert list(Path().iterdir()) == []


def test_of_many_topics_the_first_are_listed(run: Run):
    corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    laconic.save(laconic.PLSA(30, max_iter=2, tol=1).fit(corpus), "many.model")
    lines = run("edit", "many.model", "keep", "0", "1", "--dry-run").stdout.splitlines()
    removed = [line.split()[1] for line in lines if line.startswith("- ")]
    assert removed == [str(number) for number in range(2, 22)]
    assert "… and 8 more topics" in lines


def test_edit_in_place_needs_force(run: Run, model: Path):
    run("edit", model, "drop", "3", "-o", "new.model")
    run("edit", "new.model", "keep", "0", "1", "-o", "new.model", status=1)
    run("edit", "new.model", "keep", "0", "1", "-o", "new.model", "--force")
    assert len(run("topics", "new.model").stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("merge", "0", "0"), 1),
        (("merge", "0", "9"), 1),
        (("merge", "cats", "0"), 1),
        (("merge", "0"), 2),
        (("split", "0", "1"), 2),
        (("drop", "0", "1", "2", "3"), 1),
        (("drop-words", "0", "nosuchword"), 1),
        (("undo",), 1),
        (("cut", "9"), 1),
        (("cut", "few"), 2),
    ],
)
def test_mistakes(run: Run, model: Path, arguments: tuple[str, ...], status: int):
    run("edit", model, *arguments, "--dry-run", status=status)


def test_output_is_needed(run: Run):
    run("edit", "posts.model", "undo", status=2)
