"""Tests of ``laconic senses``: the topics of a word, and passages in which it has each topic."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import laconic
from laconic.fitted.notes import TopicNote
from laconic.saving.notes import write_notes
from tests.cli.conftest import fitted
from tests.cli.running import (
    THEMES,
    Run,
    columns,
    documents,
    mentions,
    on_a_terminal,
    without_escapes,
    write_lines,
)


@pytest.fixture(scope="module")
def rolls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of documents in which the word "roll" is used for ships and for bread."""
    path = tmp_path_factory.mktemp("rolls") / "rolls.jsonl"
    found = documents()
    for document in found:
        if document["group"] != "pets":
            document["body"] = f"Roll, {document['body']} rolls. A roll"
    write_lines(path, found)
    return path


@pytest.fixture(scope="module")
def model(rolls: Path) -> Path:
    return fitted(rolls, "rolls.model", "-m", "stc", "-k", 3, "--max-df", "1.0")


def theme_of(words: str) -> str:
    """Return the theme to which most of the words belong."""
    found = set(words.split(", "))
    return max(THEMES, key=lambda name: len(found & set(THEMES[name])))


def test_a_word_with_two_senses(run: Run, model: Path) -> None:
    lines = columns(run("senses", model, "roll").stdout)
    assert [len(line) for line in lines] == [3] * len(lines)
    assert {theme_of(words) for _, _, words in lines[:2]} == {"ships", "bread"}
    weights = [float(weight) for _, weight, _ in lines]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1, abs=1e-5)
    assert min(weights[:2]) > 0.3
    (only,) = columns(run("senses", model, "roll", "-n", 1).stdout)
    assert only == lines[0]


def test_examples_show_the_word_where_it_stands(run: Run, model: Path, rolls: Path) -> None:
    given = ("senses", model, "roll", "--corpus", rolls, "--text", "body")
    for line in columns(run(*given).stdout)[:2]:
        theme = theme_of(line[2])
        assert len(line) == 3 + 3
        assert all(re.fullmatch(f"About {theme}: Roll, [a-z ]+…", example) for example in line[3:])
    assert [len(line) for line in columns(run(*given, "--examples", 1).stdout)[:2]] == [4, 4]
    assert run(*given, "--title", "group").stdout.count("ships: Roll,") == 3


def test_examples_without_texts_are_names(run: Run, model: Path, rolls: Path) -> None:
    run("convert", rolls, "-o", "rolls.corpus", "--text", "body", "--no-texts", "--max-df", "1.0")
    lines = columns(run("senses", model, "roll", "--corpus", "rolls.corpus").stdout)
    assert {example for line in lines[:2] for example in line[3:]} == {"About ships", "About bread"}
    run("convert", rolls, "-o", "rolls.mtx", "--text", "body", "--max-df", "1.0", "-q")
    lines = columns(run("senses", model, "roll", "--corpus", "rolls.mtx").stdout)
    group = {str(row): document["group"] for row, document in enumerate(documents())}
    for line in lines[:2]:
        assert {group[example] for example in line[3:]} == {theme_of(line[2])}


def test_json(run: Run, model: Path, rolls: Path) -> None:
    facts = json.loads(run("senses", model, "roll", "--json").stdout)
    assert (facts["model"], facts["word"]) == (str(model), "roll")
    assert [list(sense) for sense in facts["senses"][:1]] == [["topic", "weight", "words"]]
    given = ("--corpus", rolls, "--text", "body", "--examples", 2)
    facts = json.loads(run("senses", model, "roll", *given, "--json").stdout)
    first = facts["senses"][0]
    assert list(first) == ["topic", "weight", "words", "examples"]
    assert [list(example) for example in first["examples"]] == [["document", "text"]] * 2
    assert first["examples"][0]["text"].startswith("Roll, ")


def test_documents_go_by_their_position(run: Run, model: Path) -> None:
    Path("a.txt").write_text("the cat\nthe anchor and the roll of the deck in a storm\n")
    lines = columns(run("senses", model, "roll", "--corpus", "a.txt").stdout)
    examples = {example for line in lines for example in line[3:]}
    assert examples == {"1: the anchor and the roll of the deck in a storm"}


def test_a_word_that_the_corpus_does_not_have(run: Run, model: Path) -> None:
    Path("a.txt").write_text("cat and kitten\n")
    result = run("senses", model, "roll", "--corpus", "a.txt")
    assert all(len(line) == 3 for line in columns(result.stdout))
    mentions(result, "laconic: ", "'roll'", "a.txt")


def test_words_and_inputs_that_are_unknown(run: Run, coding: Path, model: Path) -> None:
    result = run("senses", model, "rol", "--corpus", "no such file", status=1)
    mentions(result, "laconic: error: ", "'rol'", "roll")
    result = run("senses", coding, "cat", "--corpus", "gone.txt", status=1)
    mentions(result, "error: gone.txt: ", "no such file")
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["sc", "slsa", "plsa", "sctm", "pcp"])
def test_models_without_word_codes_have_senses(run: Run, rolls: Path, name: str) -> None:
    run("fit", rolls, "--text", "body", "-m", name, "-k", 3, "--max-df", "1.0", "-q", "-o", "m")
    lines = columns(run("senses", "m", "roll", "--corpus", rolls, "--text", "body").stdout)
    assert sum(abs(float(line[1])) for line in lines) == pytest.approx(1, abs=1e-5)
    assert {theme_of(line[2]) for line in lines} >= {"ships", "bread"}
    assert all("Roll, " in example for line in lines for example in line[3:])


def test_an_option_of_an_earlier_version(run: Run, model: Path) -> None:
    assert run("senses", model, "roll", "--top", 1).stdout == (
        run("senses", model, "roll", "--senses=1").stdout
    )


def test_a_classifier_has_senses_too(run: Run, groups: Path) -> None:
    assert theme_of(columns(run("senses", groups, "cat").stdout)[0][2]) == "pets"


def test_columns_of_a_model_without_words(run: Run) -> None:
    counts = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]]
    laconic.save(laconic.STC(n_components=2).fit(laconic.Corpus(counts)), "m")
    assert columns(run("senses", "m", 0).stdout)[0][2].split(", ")[:2] in (["0", "1"], ["1", "0"])
    result = run("senses", "m", "cat", status=1)
    mentions(result, "without words", "from 0 to 3", "'cat'")


def test_options_of_a_corpus_need_one(run: Run, model: Path) -> None:
    result = run("senses", model, "roll", "--text", "body", status=2)
    mentions(result, "Error: --text ", "--corpus")
    mentions(run("senses", model, "roll", "-n", 0, status=2), "-n", "'0'", " 1 ")


def test_on_a_terminal(model: Path, rolls: Path) -> None:
    given = ("senses", model, "roll", "--corpus", rolls, "--text", "body")
    out = on_a_terminal(*given, columns=100, NO_COLOR="1")
    lines = without_escapes(out)
    heading = next(i for i, line in enumerate(lines) if line.split()[:1] == ["topic"])
    assert lines[heading].split() == ["topic", "weight", "words", "examples"]
    assert max(map(len, lines[heading:])) <= 100
    assert sum("About ships: Roll," in line for line in lines) == 3


def test_senses_go_by_the_names_of_their_topics(run: Run, model: Path, tmp_path: Path) -> None:
    mine = shutil.copytree(model, tmp_path / "mine.model")
    lines = run("senses", mine, "roll").stdout.splitlines()
    topic, _, words = lines[0].split("\t")
    write_notes(mine, {int(topic): TopicNote("bakery")})
    named = run("senses", mine, "roll").stdout.splitlines()
    assert named[0].split("\t")[2] == f"bakery: {words}"
    assert named[1:] == lines[1:]
    assert json.loads(run("senses", mine, "roll", "--json").stdout)["senses"][0]["name"] == "bakery"
