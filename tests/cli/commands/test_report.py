"""Tests of ``laconic report``, which writes an HTML page about a saved model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic
from tests.cli.running import Run, mentions, on_a_terminal, without_escapes


def test_the_page_is_that_of_the_library(run: Run, model: Path, tmp_path: Path) -> None:
    result = run("report", model, "-o", "r.html")
    assert result.stdout == ""
    mentions(result, "Wrote ", "r.html (", "B).")
    same = laconic.report(model, path=tmp_path / "same.html")
    assert (tmp_path / "r.html").read_bytes() == same.read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["r.html", "same.html"]


def test_the_file_is_named_after_the_model(run: Run, model: Path, tmp_path: Path) -> None:
    run("report", model, "-q")
    assert "<h1>Topics of posts</h1>" in (tmp_path / "posts.html").read_text(encoding="utf-8")


def test_a_heading_and_a_number_of_documents(run: Run, model: Path, tmp_path: Path) -> None:
    run("report", model, "--heading", "What <we> wrote", "--documents", 2)
    page = (tmp_path / "posts.html").read_text(encoding="utf-8")
    assert "<h1>What &lt;we&gt; wrote</h1>" in page
    assert page.count("<cite>") == 6
    run("report", model, "--documents", 0, "--force")
    assert "<cite>" not in (tmp_path / "posts.html").read_text(encoding="utf-8")


def test_other_documents_with_their_labels(
    run: Run, model: Path, posts: Path, tmp_path: Path
) -> None:
    columns = ["--text", "body", "--label", "group", "--title", "title", "--id", "id"]
    run("report", model, "--corpus", posts, *columns)
    page = (tmp_path / "posts.html").read_text(encoding="utf-8")
    assert "<cite>About pets</cite>" in page
    assert "Topics by class" in page
    assert "<strong>Top classes</strong>" in page


def test_a_corpus_store(run: Run, model: Path, posts: Path, tmp_path: Path) -> None:
    run("convert", posts, "-o", "posts.corpus", "--text", "body", "--title", "title")
    run("report", model, "--corpus", "posts.corpus")
    assert "<cite>About pets</cite>" in (tmp_path / "posts.html").read_text(encoding="utf-8")


def test_facts_as_json(run: Run, model: Path, tmp_path: Path) -> None:
    facts = json.loads(run("report", model, "--json").stdout)
    size = (tmp_path / "posts.html").stat().st_size
    assert facts == {"model": str(model), "report": "posts.html", "bytes": size}


def test_an_existing_file_stays(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "posts.html").write_text("mine")
    result = run("report", model, status=1)
    mentions(result, "laconic: error: posts.html: ", "exists", "--force")
    assert result.stderr.count("\n") == 1
    assert (tmp_path / "posts.html").read_text(encoding="utf-8") == "mine"
    run("report", model, "--force")
    assert (tmp_path / "posts.html").read_text(encoding="utf-8") != "mine"


REFUSED: dict[str, tuple[int, tuple[str, ...]]] = {
    "-o missing/r.html": (1, ("error: missing/r.html: ", "does not exist")),
    "-o .": (1, ("error: .: ", "folder")),
    "-o r.pdf": (1, ("error: r.pdf: ", ".html")),
    "--documents -1": (2, ("--documents", "'-1'", " 0 ")),
    "--documents 500": (1, ("--documents", "from 0 to 100", "500")),
    "--text body": (2, ("Error: --text ", "--corpus")),
    "--corpus none.jsonl": (1, ("error: none.jsonl: ",)),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_refusals_in_a_sentence(arguments: str, run: Run, model: Path, tmp_path: Path) -> None:
    status, parts = REFUSED[arguments]
    result = run("report", model, *arguments.split(), status=status)
    mentions(result, *parts)
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_there(run: Run) -> None:
    result = run("report", "none.model", status=1)
    mentions(result, "laconic: error: none.model: ", "no such folder")
    assert result.stderr.count("\n") == 1


def test_on_a_terminal_something_moves_while_drawing(model: Path, tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    lines = without_escapes(on_a_terminal("report", model, "-o", target, columns=200))
    assert any("report" in line and "3 of 3 topics" in line for line in lines)
    assert any(f"{target} (" in line for line in lines)
