"""Tests of ``laconic tune``: what it prints, plots and saves."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import laconic
from laconic.models import MODELS
from tests.cli.running import Run, mentions
from tests.messages import check

QUICK = ("--text", "body", "--folds", 2)


def test_it_finds_the_three_themes_and_says_why(run: Run, posts: Path) -> None:
    result = run("tune", posts, *QUICK, "-m", "plsa")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("plsa: 3 topics")
    assert lines[2].split() == ["topics", "explained", "±", "recurrence", "score"]
    assert any(line.startswith("- 3 topics have the highest score") for line in lines)
    mentions(result, "laconic fit ", "--text body -m plsa -k 3")


def test_what_it_says_to_type_next_works(run: Run, posts: Path) -> None:
    said = run("tune", posts, *QUICK, "-k", "3").stderr.splitlines()[-1]
    command = said.removeprefix("Next: laconic ").split()
    run(*command)
    assert len(laconic.topics(laconic.load("posts.model"))) == 3


def test_what_comes_next_counts_the_same_words(run: Run, posts: Path) -> None:
    said = run(
        "tune", posts, *QUICK, "-k", "3", "--no-sparsity", "--min-df", 3, "--stop-words", "none",
        "--ngrams", "1-2", "--no-lowercase", "--seed", 4,
    ).stderr.splitlines()[-1]  # fmt: skip
    for option in ("--min-df 3", "--stop-words none", "--ngrams 1-2", "--no-lowercase", "--seed 4"):
        assert option in said


def test_json(run: Run, posts: Path) -> None:
    result = run("tune", posts, *QUICK, "-k", "2,3", "--json")
    found = json.loads(result.stdout)
    assert list(found) == [
        "model", "n_components", "rule", "best_params", "why", "curve", "path", "interrupted",
        "seconds", "plot", "output",
    ]  # fmt: skip
    assert (found["model"], found["n_components"]) == ("sc", 3)
    assert [row["n_components"] for row in found["curve"]] == [2, 3]
    assert found["best_params"]["model__n_components"] == 3


def test_the_choice_can_be_saved_and_drawn(run: Run, posts: Path) -> None:
    pytest.importorskip("vl_convert")
    result = run("tune", posts, *QUICK, "-k", "2:4", "-o", "m", "-o", "curve.svg")
    mentions(result, "Wrote curve.svg (", "Wrote m (", "B).")
    assert Path("curve.svg").read_text(encoding="utf-8").startswith("<svg")
    saved = laconic.load("m")
    assert saved[-1].components_.shape[0] == 3
    assert saved.transform(["the cat in the oven"]).shape == (1, 3)
    refused = run("tune", posts, *QUICK, "-k", "3", "-o", "curve.svg", status=1)
    mentions(refused, "error: curve.svg: ", "exists", "--force")
    refused = run("tune", posts, *QUICK, "-k", "3", "-o", "m", status=1)
    mentions(refused, "error: m: ", "exists", "--force")


def test_without_sparsity_there_is_no_path(run: Run, posts: Path) -> None:
    result = run("tune", posts, *QUICK, "-k", "2,3", "--no-sparsity", "--json")
    assert json.loads(result.stdout)["path"] is None


def test_classes_are_named_by_label(run: Run, posts: Path) -> None:
    found = run("tune", posts, *QUICK, "-m", "medstc", "-k", "3", "--label", "group", "--json")
    assert json.loads(found.stdout)["curve"][0]["accuracy"] > 0.9
    refused = run("tune", posts, *QUICK, "-m", "medstc", "-k", "3", status=1)
    mentions(refused, "class", "--label")


REFUSED = {
    "-k 3,x": ("'3,x'", "5,10,20", "5:100"),
    "-k 500": ("500 topics", " documents"),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_wrong_wishes_are_refused_in_one_line(run: Run, posts: Path, arguments: str) -> None:
    result = run("tune", posts, *QUICK, *arguments.split(), status=1)
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    assert len(errors) == 1
    check(errors[0], *REFUSED[arguments], golden=False)


def test_the_command_line_itself_may_be_wrong(run: Run, posts: Path) -> None:
    mentions(run("tune", posts, "-m", "lda", status=2), "--model", "'lda'", "slsa, plsa", "compare")
    mentions(
        run("tune", posts, "--plot", "c.gif", status=2), "'c.gif'", ".html, .svg, .png or .pdf"
    )
    twice = run("tune", posts, "-o", "a.svg", "-o", "b.html", status=2)
    mentions(twice, "only once for the chart", "a.svg and b.html")
    mentions(run("tune", posts, "--folds", "1", status=2), "--folds", "'1'", " 2 ")


def test_ctrl_c_shows_what_has_been_tried(
    run: Run, posts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = itertools.count(1)

    class Interrupted(laconic.PLSA):
        def fit(self, X: Any, y: Any = None) -> Any:
            if next(fits) == 5:
                raise KeyboardInterrupt
            return super().fit(X, y)

    monkeypatch.setitem(MODELS, "plsa", Interrupted)
    result = run("tune", posts, *QUICK, "-m", "plsa", "-o", "m", status=130)
    assert result.stdout.startswith("plsa: 6 topics")
    mentions(result, "warning: ", "interrupted", "2 numbers of topics")
    assert "Next:" not in result.stderr
    assert not Path("m").exists()
