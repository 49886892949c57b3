"""``laconic report``: one page of a saved model."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import laconic

from .running import Run, on_a_terminal, without_escapes


def test_the_page_is_that_of_the_library(run: Run, model: Path, tmp_path: Path) -> None:
    result = run("report", model, "-o", "r.html")
    assert result.stdout == ""
    assert result.stderr.startswith("Wrote r.html, ")
    same = laconic.report(model, path=tmp_path / "same.html")
    assert (tmp_path / "r.html").read_bytes() == same.read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["r.html", "same.html"]


def test_the_name_of_the_file_is_report_html(run: Run, model: Path, tmp_path: Path) -> None:
    run("report", model, "-q")
    assert "<h1>Topics of posts</h1>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_heading_and_a_number_of_documents(run: Run, model: Path, tmp_path: Path) -> None:
    run("report", model, "--heading", "What <we> wrote", "--documents", 2)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>What &lt;we&gt; wrote</h1>" in page
    assert page.count("<cite>") == 6
    run("report", model, "--documents", 0, "--force")
    assert "<cite>" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_other_documents_with_their_labels(
    run: Run, model: Path, posts: Path, tmp_path: Path
) -> None:
    columns = ["--text", "body", "--label", "group", "--title", "title", "--id", "id"]
    run("report", model, "--corpus", posts, *columns)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<cite>About pets</cite>" in page
    assert "Topics over classes" in page
    assert "<strong>Most in</strong>" in page


def test_a_corpus_store(run: Run, model: Path, posts: Path, tmp_path: Path) -> None:
    run("convert", posts, "posts.corpus", "--text", "body", "--title", "title")
    run("report", model, "--corpus", "posts.corpus")
    assert "<cite>About pets</cite>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_facts_as_json(run: Run, model: Path, tmp_path: Path) -> None:
    facts = json.loads(run("report", model, "--json").stdout)
    size = (tmp_path / "report.html").stat().st_size
    assert facts == {"model": str(model), "report": "report.html", "bytes": size}


def test_an_existing_file_stays(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    result = run("report", model, status=1)
    assert result.stderr == "laconic: error: report.html: exists; give --force to replace it\n"
    assert (tmp_path / "report.html").read_text() == "mine"
    run("report", model, "--force")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["-o", "missing/r.html"], 1, "does not exist; make it first"),
        (["-o", "."], 1, "is a folder; name a file"),
        (["-o", "r.pdf"], 1, "r.pdf: a report is a page of HTML; name a file that ends in .html"),
        (["--documents", "-1"], 2, "is not a whole number of 0 or more"),
        (["--documents", "500"], 1, "--documents must be a whole number from 0 to 100; got 500"),
        (["--text", "body"], 2, "--text says how to read a corpus; name one with --corpus"),
        (["--corpus", "none.jsonl"], 1, "none.jsonl"),
    ],
)
def test_refusals_in_a_sentence(
    arguments: list[str], status: int, sentence: str, run: Run, model: Path, tmp_path: Path
) -> None:
    result = run("report", model, *arguments, status=status)
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_there(run: Run) -> None:
    result = run("report", "none.model", status=1)
    assert result.stderr == "laconic: error: none.model: there is no such folder\n"


def test_on_a_terminal_something_moves_while_drawing(model: Path, tmp_path: Path) -> None:
    target = os.fspath(tmp_path / "r.html")
    lines = without_escapes(on_a_terminal("report", os.fspath(model), "-o", target, columns=200))
    assert any("Drawing the report" in line for line in lines)
    assert any("Drawing the report: 3 of 3 topics" in line for line in lines)
    assert any(line.startswith("Wrote ") for line in lines)
