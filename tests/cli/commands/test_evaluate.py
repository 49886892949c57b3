"""Tests of ``laconic evaluate``: metrics of a saved model on documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from tests.cli.running import Run, mentions, on_a_terminal, without_escapes
from tests.messages import check

TEXTS = ("--text", "body", "--label", "group")


def test_in_a_pipe_one_line_for_each_measure(run: Run, model: Path, posts: Path) -> None:
    lines = [line.split("\t") for line in run("evaluate", model, posts, *TEXTS).stdout.splitlines()]
    corpus = laconic.read(posts, text="body", label="group", vocabulary=laconic.load(model))
    expected = laconic.evaluate(laconic.load(model), corpus)
    assert [name for name, *_ in lines] == list(expected)
    assert [float(value) for _, value, *_ in lines] == pytest.approx(
        list(expected.values()), rel=1e-4, abs=1e-6
    )
    assert {name: rest for name, _, *rest in lines}["npmi"] == ["higher", "saved"]
    assert {name: rest for name, _, *rest in lines}["accuracy"] == ["higher", "given"]
    assert expected["accuracy"] == 1


def test_json(run: Run, coding: Path, posts: Path) -> None:
    facts = json.loads(run("evaluate", coding, posts, *TEXTS, "--json").stdout)
    assert facts["documents"] == 60
    assert facts["measures"]["word_zeros"] >= 0
    assert facts["left_out"] == {}
    facts = json.loads(run("evaluate", coding, posts, "--text", "body", "--json").stdout)
    check(facts["left_out"]["accuracy"], "labels")


def test_named_measures_only(run: Run, model: Path, posts: Path) -> None:
    out = run("evaluate", model, posts, "--text", "body", "--metrics", "diversity, npmi").stdout
    assert [line.split("\t")[0] for line in out.splitlines()] == ["npmi", "diversity"]


def test_the_distance_from_another_model(run: Run, model: Path, posts: Path) -> None:
    out = run("evaluate", model, posts, "--text", "body", "--against", model).stdout
    distance = dict(line.split("\t")[:2] for line in out.splitlines())["subspace"]
    assert float(distance) == pytest.approx(0, abs=1e-2)


def test_stability_fits_again(run: Run, model: Path, posts: Path) -> None:
    out = run("evaluate", model, posts, "--text", "body", "--metrics", "stability").stdout
    assert float(out.split("\t")[1]) > 0.5


def test_on_a_terminal_a_table(model: Path, posts: Path) -> None:
    out = on_a_terminal("evaluate", model, posts, "--text", "body", columns=100)
    lines = without_escapes(out)
    assert any(line.split()[0:1] == ["npmi"] and "higher" in line for line in lines)
    assert any("description" in line for line in lines)
    assert any(line.startswith("accuracy: ") and "labels" in line for line in lines)


def test_without_input_the_saved_documents_are_used(run: Run, model: Path) -> None:
    result = run("evaluate", model, golden=True)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert dict(laconic.evaluate(laconic.load(model))) == pytest.approx(
        {name: float(value) for name, value, *_ in lines}, rel=1e-4, abs=1e-6
    )
    assert {line[3] for line in lines} == {"saved", ""}
    mentions(run("evaluate", model, "--text", "body", status=2), "--text", "INPUT")
    mentions(run("evaluate", model, "--source", "author", status=2), "--source", "INPUT")


def test_words_that_never_occur_are_counted(run: Run, model: Path) -> None:
    Path("new.txt").write_text("the cat and the kitten\nthe kitten and the milk\n")
    result = run("evaluate", model, "new.txt", golden=True)
    mentions(result, "60 documents saved", "2 given documents", "top words never occur")
    facts = json.loads(run("evaluate", model, "new.txt", "--json").stdout)
    assert facts["unseen_words"] > 5
    assert facts["used"]["npmi"] == "saved"


def test_samples_have_errors(run: Run, model: Path, posts: Path) -> None:
    given = ("evaluate", model, posts, *TEXTS, "--max-documents", "40")
    result = run(*given, golden=True)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert {len(line) for line in lines} == {4, 5}
    mentions(result, "(±) are estimated from 40 documents drawn at random.")
    facts = json.loads(run(*given, "--json").stdout)
    assert facts["sampled"]["accuracy"] == 40
    assert facts["errors"] == pytest.approx(
        {line[0]: float(line[4]) for line in lines if len(line) == 5}, rel=1e-4
    )
    facts = json.loads(run(*given[:-1], "0", "--json").stdout)
    assert facts["sampled"] == facts["errors"] == {}
    shown = without_escapes(on_a_terminal(*given, columns=120))
    assert any("error" in line for line in shown)
    assert any(line.split()[0:1] == ["neighbours"] and "±" in line for line in shown)


REFUSED: dict[str, tuple[int, tuple[str, ...]]] = {
    "--metrics beauty": (2, ("--metrics", "'beauty'", "npmi, c_v")),
    "--metrics accuracy": (1, ("accuracy", "no labels")),
    "--metrics subspace": (1, ("subspace", "other model")),
    "--against no.model": (1, ("error: no.model: ",)),
    "-n 0": (2, ("-n", "'0'", " 1 ")),
    "--max-documents -1": (2, ("--max-documents", "-1")),
    "--seed -1": (2, ("--seed", "-1")),
    "--seed 99999999999999999999": (2, ("--seed", "99999999999999999999")),
    "--metrics ,": (2, ("--metrics", "at least one")),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_mistakes_get_a_sentence(run: Run, model: Path, posts: Path, arguments: str) -> None:
    status, parts = REFUSED[arguments]
    given = ("evaluate", model, posts, "--text", "body", *arguments.split())
    # click words the message about --seed, so it is not compared with a golden file
    result = run(*given, status=status, golden="--seed" not in arguments)
    mentions(result, *parts)
    assert "Traceback" not in result.stderr


def test_files_that_are_missing(run: Run, model: Path, posts: Path) -> None:
    mentions(run("evaluate", model, "nothing.jsonl", status=1), "error: nothing.jsonl: ")
    mentions(run("evaluate", "nothing.model", posts, status=1), "error: nothing.model: ")
