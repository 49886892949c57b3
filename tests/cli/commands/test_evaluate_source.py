"""``laconic evaluate --source``: the column of authors, in every format that has columns."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import laconic
from tests.cli.running import Run, documents, mentions, write_lines

OF_SOURCES = {"lone_topics", "npmi_sources"}


def posts_with_authors() -> list[dict[str, Any]]:
    """One author writes all about bread; the other posts have ten authors, or none."""
    records = documents()
    for number, record in enumerate(records):
        record["author"] = "Baker" if record["group"] == "bread" else f"author {number % 10}"
    records[0]["author"] = None
    return records


def write_csv(path: Path, records: list[dict[str, Any]], separator: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(records)


@pytest.fixture
def expected(model: Path) -> dict[str, float]:
    records = posts_with_authors()
    corpus = laconic.read([record["body"] for record in records], vocabulary=laconic.load(model))
    authors = [record["author"] for record in records]
    found = laconic.evaluate(laconic.load(model), corpus, source=authors)
    assert found["lone_topics"] == pytest.approx(1 / 3)
    return {name: found[name] for name in OF_SOURCES}


@pytest.mark.parametrize("name", ["posts.jsonl", "posts.csv", "posts.tsv", "posts.json"])
def test_the_column_of_authors(
    run: Run, model: Path, tmp_path: Path, expected: dict[str, float], name: str
) -> None:
    path, records = tmp_path / name, posts_with_authors()
    if name.endswith(".jsonl"):
        write_lines(path, records)
    elif name.endswith(".json"):
        path.write_text(json.dumps(records), encoding="utf-8")
    else:
        write_csv(path, records, "\t" if name.endswith(".tsv") else ",")
    out = run("evaluate", model, path, "--text", "body", "--source", "author", "--json").stdout
    measures = json.loads(out)["measures"]
    assert {name: measures[name] for name in OF_SOURCES} == pytest.approx(expected)


def test_from_standard_input_and_only_these_metrics(
    run: Run, model: Path, expected: dict[str, float]
) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in posts_with_authors())
    given = ("--text", "body", "--source", "author", "--metrics", "lone_topics,npmi_sources")
    out = run("evaluate", model, "-", *given, "--format", "jsonl", input=lines).stdout
    found = [line.split("\t") for line in out.splitlines()]
    assert [(name, better) for name, _, better, _ in found] == [
        ("lone_topics", "lower"),
        ("npmi_sources", "higher"),
    ]
    assert float(found[0][1]) == pytest.approx(expected["lone_topics"], rel=1e-4)


def test_a_column_may_also_be_the_label_or_the_title(run: Run, model: Path, posts: Path) -> None:
    for column in ("group", "title", "id"):
        given = ("--text", "body", "--label", "group", "--source", column, "--json")
        measures = json.loads(run("evaluate", model, posts, *given).stdout)["measures"]
        assert measures["accuracy"] == 1
        assert measures["lone_topics"] == (column != "id")


def test_without_the_option_there_are_no_metrics_of_sources(
    run: Run, model: Path, posts: Path
) -> None:
    facts = json.loads(run("evaluate", model, posts, "--text", "body", "--json").stdout)
    assert not OF_SOURCES & (facts["measures"].keys() | facts["left_out"].keys())
    result = run("evaluate", model, posts, "--text", "body", "--metrics", "lone_topics", status=1)
    mentions(result, "lone_topics", "--source")


def test_a_column_that_is_missing(run: Run, model: Path, posts: Path, tmp_path: Path) -> None:
    given = ("--text", "body", "--source", "autor")
    mentions(run("evaluate", model, posts, *given, status=1), "'autor'", "group", "body")
    write_csv(tmp_path / "posts.csv", posts_with_authors())
    result = run("evaluate", model, "posts.csv", *given, status=1)
    mentions(result, "posts.csv", "'autor'", "did you mean 'author'")


def test_a_column_without_values(run: Run, model: Path, tmp_path: Path) -> None:
    records = [{**record, "author": None} for record in documents()]
    for name in ("posts.jsonl", "posts.csv"):
        (write_lines if name.endswith("jsonl") else write_csv)(tmp_path / name, records)
        given = ("--text", "body", "--source", "author")
        mentions(run("evaluate", model, name, *given, status=1), "No document has a source")


def test_documents_without_columns(run: Run, model: Path, tmp_path: Path) -> None:
    text = "\n".join(record["body"] for record in documents())
    (tmp_path / "posts.txt").write_text(text, encoding="utf-8")
    result = run("evaluate", model, "posts.txt", "--source", "author", status=1)
    mentions(result, "posts.txt", "--source author", "no columns")
    mentions(run("evaluate", model, "pydocs", "--source", "author", status=2), "pydocs", "--source")
