"""Tests of the options that say how to read files, and of several files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from laconic import describe

from .running import Run, documents, mentions, write_lines


def words_of(run: Run, *arguments: object) -> int:
    run("fit", *arguments, "-k", 2, "-o", "m", "--force")
    return int(describe("m")["words"])


def halves() -> None:
    posts = documents()
    write_lines(Path("a.jsonl"), posts[:30])
    write_lines(Path("b.jsonl"), posts[30:])


def test_several_files_and_patterns(run: Run, posts: Path) -> None:
    halves()
    expected = words_of(run, posts, "--text", "body")
    for inputs in (["a.jsonl", "b.jsonl"], ["*.jsonl"]):
        assert words_of(run, *inputs, "--text", "body") == expected
        assert describe("m")["documents"] == 60
    run("transform", "m", "a.jsonl", "b.jsonl", "--text", "body", "-o", "codes.csv")
    run("convert", "a.jsonl", "b.jsonl", "-o", "both.corpus", "--text", "body")
    assert describe("m")["documents"] == 60
    result = run("keywords", "a.jsonl", "b.jsonl", "--text", "body", "--json")
    assert len(json.loads(result.stdout)["documents"]) == 60


def test_tune_repeats_its_files(run: Run) -> None:
    halves()
    result = run(
        "tune", "a.jsonl", "b.jsonl", "--text", "body", "-m", "slsa", "-k", "2,3", "--min-df", 1
    )
    mentions(result, "fit a.jsonl b.jsonl --text body")


def test_pattern_without_files(run: Run) -> None:
    run("fit", "*.csv", "-o", "m", status=1)


def test_the_text_column_is_named(run: Run, posts: Path) -> None:
    result = run("fit", posts, "-k", 2, "-o", "m")
    mentions(result, "text from the key 'body'")


def test_columns_by_commas(run: Run, posts: Path) -> None:
    both = words_of(run, posts, "--text", "title", "--text", "body", "--min-df", 1)
    assert words_of(run, posts, "--text", "title,body", "--min-df", 1) == both


def test_delimiter(run: Run) -> None:
    rows = [f"{post['group']}#{post['body']}" for post in documents()]
    Path("posts.dat").write_text("\n".join(["group#body", *rows]) + "\n")
    options = ["--delimiter", "#", "--text", "body", "--label", "group"]
    assert words_of(run, "posts.dat", *options) > 10
    run("fit", "posts.dat", "--delimiter", "##", "-o", "n", status=1)


def expression() -> np.ndarray:
    values = np.random.default_rng(0).poisson(3, (8, 20))
    rows = [",".join([f"S{row}", *map(str, line)]) for row, line in enumerate(values)]
    header = ",".join(["sample", *(f"GENE{gene}" for gene in range(20))])
    Path("expr.csv").write_text("\n".join([header, *rows]) + "\n")
    return values


def test_table_of_numbers(run: Run) -> None:
    expression()
    result = run("fit", "expr.csv", "-o", "n", status=1)
    mentions(result, "--format matrix", "--transpose", "--text")
    assert words_of(run, "expr.csv", "--format", "matrix") == 20
    assert words_of(run, "expr.csv", "--format", "matrix", "--transpose") == 8
    run("fit", "expr.csv", "--format", "matrix", "--min-df", 2, "-o", "n", status=1)
    result = run("transform", "m", "expr.csv", "--format", "matrix", "--transpose", "-o", "c.csv")
    assert Path("c.csv").exists()


def test_labels_that_are_not_dates(run: Run) -> None:
    posts = [
        {**post, "date": f"{1 + n % 28}-MAR-1987 01:{n:02d}"} for n, post in enumerate(documents())
    ]
    write_lines(Path("dated.jsonl"), posts)
    arguments = ["dated.jsonl", "--text", "body", "--label", "date", "-k", 2, "-o", "m"]
    result = run("fit", *arguments)
    mentions(result, "warning", "look like dates", "1999-12-31")
    result = run("transform", "m", "dated.jsonl", "--text", "body", "-o", "codes.csv")
    assert "look like dates" not in result.stderr
