"""``laconic tune``: what it prints, draws and saves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import laconic
from laconic.tuning import trials

from .running import Run

QUICK = ("--text", "body", "--folds", 2)


def test_it_finds_the_three_themes_and_says_why(run: Run, posts: Path) -> None:
    result = run("tune", posts, *QUICK, "-m", "plsa")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("plsa: 3 topics")
    assert lines[2].split() == ["topics", "foretold", "±", "stability", "score"]
    assert any(line.startswith("- 3 topics have the highest score") for line in lines)
    assert "Next: laconic fit " in result.stderr
    assert "--text body -m plsa -k 3" in result.stderr
    assert "-o NAME.model" in result.stderr


def test_what_it_says_to_type_next_works(run: Run, posts: Path) -> None:
    said = run("tune", posts, *QUICK, "-k", "3").stderr.splitlines()[-1]
    command = said.removeprefix("Next: laconic ").split()
    run(*[word if word != "NAME.model" else "next.model" for word in command])
    assert len(laconic.topics(laconic.load("next.model"))) == 3


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
        "model", "n_components", "best_params", "why", "curve", "path", "interrupted", "seconds",
        "plot", "output",
    ]  # fmt: skip
    assert (found["model"], found["n_components"]) == ("slsa", 3)
    assert [row["n_components"] for row in found["curve"]] == [2, 3]
    assert found["best_params"]["model__n_components"] == 3


def test_the_choice_can_be_saved_and_drawn(run: Run, posts: Path) -> None:
    pytest.importorskip("vl_convert")
    run("tune", posts, *QUICK, "-k", "2:4", "-o", "m", "--plot", "curve.svg", "-q")
    assert Path("curve.svg").read_text().startswith("<svg")
    saved = laconic.load("m")
    assert saved[-1].components_.shape[0] == 3
    assert saved.transform(["the cat in the oven"]).shape == (1, 3)
    refused = run("tune", posts, *QUICK, "-k", "3", "--plot", "curve.svg", status=1)
    assert "curve.svg: exists; give --force to replace it" in refused.stderr
    refused = run("tune", posts, *QUICK, "-k", "3", "-o", "m", status=1)
    assert "--force" in refused.stderr


def test_without_sparsity_there_is_no_path(run: Run, posts: Path) -> None:
    result = run("tune", posts, *QUICK, "-k", "2,3", "--no-sparsity", "--json")
    assert json.loads(result.stdout)["path"] is None


def test_classes_are_named_by_label(run: Run, posts: Path) -> None:
    found = run("tune", posts, *QUICK, "-m", "medstc", "-k", "3", "--label", "group", "--json")
    assert json.loads(found.stdout)["curve"][0]["accuracy"] > 0.9
    refused = run("tune", posts, *QUICK, "-m", "medstc", "-k", "3", status=1)
    assert "read it with --label" in refused.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-k", "3,x"), "'3,x' names no numbers of topics"),
        (("-k", "500"), "500 topics cannot be judged by"),
        (("--plot", "curve.pdf"), "curve.pdf: has none of the endings .html, .svg, .png"),
    ],
)
def test_wrong_wishes_are_refused_in_one_line(
    run: Run, posts: Path, options: tuple[str, ...], message: str
) -> None:
    result = run("tune", posts, *QUICK, *options, status=1)
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    assert len(errors) == 1
    assert message in errors[0]


def test_the_command_line_itself_may_be_wrong(run: Run, posts: Path) -> None:
    wrong = run("tune", posts, "-m", "lda", status=2).stderr
    assert "'lda' is not known; give one of slsa" in " ".join(wrong.split())
    wrong = run("tune", posts, "--folds", "1", status=2).stderr
    assert "'1' is not a whole number of 2 or more" in " ".join(wrong.split())


def test_ctrl_c_shows_what_has_been_tried(
    run: Run, posts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = iter(range(1, 100))
    fit = trials._fit

    def interrupted(*arguments: Any) -> Any:
        if next(fits) == 5:
            raise KeyboardInterrupt
        return fit(*arguments)

    monkeypatch.setattr(trials, "_fit", interrupted)
    result = run("tune", posts, *QUICK, "-m", "plsa", "-o", "m", status=130)
    assert result.stdout.startswith("plsa: 6 topics")
    assert "warning: The search was stopped after 2 numbers of topics" in result.stderr
    assert "Next:" not in result.stderr
    assert not Path("m").exists()
