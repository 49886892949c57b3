"""Tests of ``laconic compare``: its output as lines, JSON, a table and an HTML page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import (
    Run,
    documents,
    mentions,
    on_a_terminal,
    without_escapes,
    write_lines,
)

TEXTS = ("--text", "body", "--label", "group")
FAST = ("--models", "slsa,nmf", "-k", "3")


def test_in_a_pipe_one_line_for_each_model(run: Run, posts: Path) -> None:
    out = run("compare", posts, *TEXTS, "--models", "slsa, plsa,lsa", "-k", "2,3").stdout
    head, *lines = [line.split("\t") for line in out.splitlines()]
    assert head[:4] == ["model", "topics", "npmi", "c_v"]
    assert [(line[0], line[1]) for line in lines] == [
        (model, k) for k in ("2", "3") for model in ("slsa", "plsa", "lsa")
    ]
    assert all(len(line) == len(head) for line in lines)
    perplexity = head.index("perplexity")
    assert [bool(line[perplexity]) for line in lines[:3]] == [False, True, False]


def test_json_and_a_page(run: Run, posts: Path, tmp_path: Path) -> None:
    result = run("compare", posts, *TEXTS, *FAST, "-o", "c.html", "--json")
    mentions(result, "Wrote c.html (", "B).")
    facts = json.loads(result.stdout)
    assert [row["model"] for row in facts["rows"]] == ["slsa", "nmf"]
    assert facts["about"]["classes"] == 3
    assert facts["output"] == "c.html"
    assert "<h1>Topic models compared</h1>" in (tmp_path / "c.html").read_text(encoding="utf-8")
    again = run("compare", posts, *TEXTS, *FAST, "-o", "c.html", status=1)
    mentions(again, "c.html: ", "exists", "--force")


def test_on_a_terminal_a_table(posts: Path) -> None:
    out = on_a_terminal("compare", posts, *TEXTS, *FAST, columns=140)
    lines = without_escapes(out)
    assert any(line.split()[:3] == ["model", "topics", "NPMI"] for line in lines)
    assert any(line.split()[:2] == ["slsa", "3"] for line in lines)


def test_quiet_prints_nothing(run: Run, posts: Path) -> None:
    result = run("compare", posts, *TEXTS, *FAST, "-q")
    assert result.stdout == ""
    assert result.stderr == ""


REFUSED: dict[str, tuple[int, tuple[str, ...]]] = {
    "--models bert": (1, ("'bert'", "slsa, plsa")),
    "--models ,": (1, ("at least one",)),
    "-k ten": (2, ("-k", "'ten'", " 20,50")),
    "-k 0": (2, ("-k", "'0'", " 20,50")),
    "--out c.pdf": (2, ("--output", "'c.pdf'", ".html")),
    "--out no/c.html": (1, ("error: no/c.html: ", "folder")),
    "--models medstc": (1, ("medstc", "classes")),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_mistakes_get_a_sentence(run: Run, posts: Path, arguments: str) -> None:
    status, parts = REFUSED[arguments]
    result = run("compare", posts, "--text", "body", *arguments.split(), status=status)
    mentions(result, *parts)
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_pydocs_is_the_built_in_corpus_unless_a_file_has_that_name(
    run: Run, posts: Path, tmp_path: Path
) -> None:
    (tmp_path / "pydocs").write_bytes(posts.read_bytes())
    out = run("compare", "pydocs", "--format", "jsonl", *TEXTS, *FAST).stdout
    assert len(out.splitlines()) == 3
    (tmp_path / "pydocs").unlink()
    refused = run("compare", "pydocs", "--ngrams", "1-2", status=2)
    mentions(refused, "pydocs", "leave out --ngrams")


def test_source_column(run: Run, tmp_path: Path) -> None:
    """One author writes all about bread; the other posts have ten authors."""
    records = documents()
    for number, record in enumerate(records):
        record["author"] = "Baker" if record["group"] == "bread" else f"author {number % 10}"
    path = tmp_path / "posts.jsonl"
    write_lines(path, records)
    given = "compare", path, "--text", "body", "--models", "plsa", "-k", "3"
    row = json.loads(run(*given, "--source", "author", "--json").stdout)["rows"][0]
    assert row["lone_topics"] == pytest.approx(1 / 3)
    assert 0 < row["topics_per_document"] <= 3
    head = run(*given, "--source", "author").stdout.splitlines()[0].split("\t")
    assert {"weak_topics", "lone_topics", "topics_per_document"} <= set(head)
    assert "lone_topics" not in run(*given).stdout.splitlines()[0]
