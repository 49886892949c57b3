"""Tests of ``laconic classify``: predicted classes, and the comparison with known classes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import laconic
from laconic.cli.commands.classify import compare, count_pairs, decide
from tests.cli.running import Run, documents, mentions, on_a_terminal, without_escapes, write_lines
from tests.messages import check

TEXT = ("--text", "body")
HEADER = "id,label,margin"


def test_tables(run: Run, groups: Path, posts: Path) -> None:
    fitted = laconic.load(groups)
    texts = [document["body"] for document in documents()]
    lines = run("classify", groups, posts, *TEXT).stdout
    for name in ("c.csv", "c.parquet", "C.CSV.GZ"):
        result = run("classify", groups, posts, *TEXT, "-o", name)
        mentions(result, f"Wrote {name} (")
        assert "predicted  bread 20, pets 20, ships 20" in result.stdout
    assert Path("c.csv").read_text(encoding="utf-8") == lines
    with gzip.open("C.CSV.GZ", "rt", encoding="utf-8") as zipped:
        assert zipped.read() == lines
    table = pl.read_parquet("c.parquet")
    assert table.columns == HEADER.split(",")
    assert table["id"].to_list() == [document["id"] for document in documents()]
    assert table["label"].to_list() == fitted.predict(texts).tolist()
    assert np.allclose(table["margin"], fitted.decision_function(texts).max(axis=1), atol=1e-5)
    assert not list(Path().glob(".*"))


def test_two_classes_have_one_value(run: Run) -> None:
    two = [document for document in documents() if document["group"] != "pets"]
    write_lines("two.jsonl", two)
    read = ("two.jsonl", *TEXT)
    run("fit", *read, "--label", "group", "-m", "medstc", "-k", 2, "-q", "-o", "m")
    run("classify", "m", *read, "-o", "c.parquet")
    table = pl.read_parquet("c.parquet")
    assert table["label"].to_list() == [document["group"] for document in two]
    assert (table["margin"] > 0).all()


def test_deciding_is_predicting() -> None:
    numbers, margins = decide(np.array([-0.5, 0.0, 2.0]))
    assert (numbers.tolist(), margins.tolist()) == ([0, 0, 1], [0.5, 0.0, 2.0])
    numbers, margins = decide(np.array([[-3.0, -1.0, -2.0]]))
    assert (numbers.tolist(), margins.tolist()) == ([1], [-1.0])


def test_known_classes_are_compared(run: Run, groups: Path, posts: Path) -> None:
    read = (posts, *TEXT, "--label", "group")
    result = run("classify", groups, *read)
    assert result.stdout.startswith(f"{HEADER}\nd0,pets,")
    assert result.stderr.splitlines() == [
        "accuracy   100 % of 60",
        "class\tdocuments\tprecision\trecall\tf1",
        *(f"{name}\t20\t1.000\t1.000\t1.000" for name in ("bread", "pets", "ships")),
    ]
    in_file = run("classify", groups, *read, "-o", "c.csv")
    assert in_file.stdout.splitlines()[2] == "accuracy   100 % of 60"
    mentions(in_file, "Wrote c.csv (")
    quiet = run("classify", groups, *read, "-q")
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")


def test_comparing() -> None:
    truth = np.array(["a", "a", "b", None, "", "c"], dtype=object)
    predicted = np.array(["a", "b", "b", "a", "a", "a"])
    found = compare(count_pairs(truth, predicted), np.array(["a", "b"]))
    assert (found["documents"], found["accuracy"]) == (4, 0.5)
    assert found["classes"] == [
        {"class": "a", "documents": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5},
        {"class": "b", "documents": 1, "precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)},
        {"class": "c", "documents": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0},
    ]
    assert compare(count_pairs(truth[3:5], predicted[3:5]), np.array(["a"])) == {
        "documents": 0,
        "accuracy": None,
        "classes": [],
    }


def test_numbers_as_classes(run: Run, posts: Path) -> None:
    run("convert", posts, "-o", "posts.svm", *TEXT, "--label", "group", "-q")
    run("fit", "posts.svm", "-m", "medstc", "-k", 3, "-q", "-o", "m")
    result = run("classify", "m", "posts.svm", "-o", "c.csv")
    assert "accuracy   100 % of 60" in result.stdout
    assert pl.read_csv("c.csv").head(3)["label"].to_list() == [1, 2, 0]


def test_classes_that_the_model_does_not_have(run: Run, groups: Path, posts: Path) -> None:
    result = run("classify", groups, posts, *TEXT, "--label", "title", golden=True)
    warning, accuracy = result.stderr.splitlines()[:2]
    check(
        warning,
        "laconic: warning: ", "About bread, About pets, About ships", " bread, pets, ships",
        golden=False,
    )  # fmt: skip
    assert accuracy == "accuracy   0 % of 60"


def test_documents_without_a_class(run: Run, groups: Path) -> None:
    given = ("classify", groups, "a.jsonl", *TEXT, "--label", "group")
    for label in ("null", '""'):
        Path("a.jsonl").write_text(f'{{"body": "cat", "group": {label}}}\n')
        result = run(*given, golden=True)
        assert result.stdout.startswith(f"{HEADER}\n0,pets,")
        mentions(result, "laconic: no document has a label")
        assert result.stderr.count("\n") == 1
    with Path("a.jsonl").open("a") as file:
        file.write('{"body": "cat", "group": "pets"}\n')
    assert run(*given).stderr.startswith("accuracy   100 % of 1\n")


def test_documents_without_a_known_word_get_a_class(run: Run, groups: Path) -> None:
    Path("a.txt").write_text("zebra\n\nthe cat and her kitten\n")
    result = run("classify", groups, "a.txt")
    assert len(result.stdout.splitlines()) == 4
    assert result.stdout.splitlines()[3].startswith("2,pets,")
    mentions(result, "2 of 3", "empty")


def test_json(run: Run, groups: Path, posts: Path) -> None:
    read = ("classify", groups, posts, *TEXT, "--json")
    facts = json.loads(run(*read, "-o", "c.csv").stdout)
    assert facts == {
        "documents": 60,
        "predicted": {"bread": 20, "pets": 20, "ships": 20},
        "output": "c.csv",
        "comparison": None,
    }
    facts = json.loads(run(*read, "-o", "c.csv", "--force", "--label", "group").stdout)
    assert list(facts["comparison"]) == ["documents", "accuracy", "classes"]
    assert facts["comparison"]["accuracy"] == 1
    mentions(run(*read, status=2), "--json", "-o FILE")


def test_raw_text_from_standard_input_into_a_pipe(run: Run, groups: Path) -> None:
    result = run("classify", groups, "-", input="the cat and her kitten\n")
    assert result.stdout.startswith(f"{HEADER}\n0,pets,")
    assert result.stderr == ""


def test_on_a_terminal_a_table_of_the_classes(tmp_path: Path, groups: Path, posts: Path) -> None:
    given = ("classify", groups, posts, *TEXT, "--label", "group")
    out = on_a_terminal(*given, "-o", tmp_path / "c.csv", columns=100, NO_COLOR="1")
    lines = without_escapes(out)
    heading = next(i for i, line in enumerate(lines) if line.split()[:1] == ["class"])
    assert lines[heading].split() == ["class", "documents", "precision", "recall", "f1"]
    assert lines[heading + 2].split() == ["bread", "20", "1.000", "1.000", "1.000"]


def test_models_without_classes(run: Run, model: Path, coding: Path) -> None:
    for path, name in ((model, "SparseCoding"), (coding, "STC")):
        result = run("classify", path, "no such input", status=1)
        mentions(result, f"laconic: error: {path}: {name} ", "laconic fit -m medstc --label ")
        assert result.stderr.count("\n") == 1


def test_outputs_that_cannot_be(run: Run, groups: Path) -> None:
    Path("c.csv").write_text("precious")
    cases = {
        "c.npz": (2, "'c.npz'", ".csv, .csv.gz, .parquet"),
        "c.csv": (1, "c.csv: ", "exists", "--force"),
        "no/c.csv": (1, "no/c.csv: ", "does not exist"),
    }
    for name, (status, *parts) in cases.items():
        result = run("classify", groups, "no such input", "-o", name, status=status)
        mentions(result, *parts)
    assert Path("c.csv").read_text(encoding="utf-8") == "precious"
