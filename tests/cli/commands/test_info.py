"""Tests of ``laconic info``: descriptions of corpora and models in a few lines."""

from __future__ import annotations

import json
from pathlib import Path

import laconic
from tests.cli.running import Run


def test_a_corpus(run: Run, posts: Path) -> None:
    out = run("info", posts, "--text", "body", "--label", "group").stdout
    assert dict(line.split("  ", 1) for line in out.splitlines()) == {
        "kind": "     corpus",
        "format": "   jsonl",
        "documents": "60",
        "words": "    30 different",
        "total": "    720 words",
        "non-zeros": f"{laconic.read(posts, text='body').counts.nnz}",
        "labels": "   3 classes",
        "metadata": " ids and titles",
    }


def test_json_of_a_corpus(run: Run) -> None:
    Path("a.txt").write_text("cat cat dog\n\n")
    assert json.loads(run("info", "a.txt", "--json").stdout) == {
        "kind": "corpus",
        "format": "lines",
        "documents": 2,
        "empty_documents": 1,
        "words": 2,
        "named_words": True,
        "nonzeros": 2,
        "total_count": 3.0,
        "labels": None,
        "ids": False,
        "titles": False,
    }
    assert "2, 1 of them empty" in run("info", "a.txt").stdout


def test_a_bag_without_words(run: Run) -> None:
    Path("a.ldac").write_text("2 0:1 4:2\n0\n")
    result = run("info", "a.ldac")
    assert "5 different, without names" in result.stdout
    assert "ldac" in result.stdout


def test_a_store(run: Run, posts: Path) -> None:
    run("convert", posts, "-o", "posts.corpus", "--text", "body")
    assert "format     store" in run("info", "posts.corpus").stdout


def test_a_pipeline(run: Run, model: Path) -> None:
    out = run("info", model).stdout
    for part in ("SparseCoding", "words_per_topic=5", "scheme=tfidf-distinct", "min_df=2", " kB"):
        assert part in out
    facts = json.loads(run("info", model, "--json").stdout)
    assert facts["kind"] == "pipeline"
    assert facts["class"] == "SparseCoding"
    assert (facts["topics"], facts["words"]) == (3, 30)
    assert facts["laconic"] == laconic.__version__
    assert facts["bytes"] == sum(file.stat().st_size for file in model.iterdir())
    assert 0 < facts["zeros"] < 1


def test_a_bare_model(run: Run, tmp_path: Path) -> None:
    laconic.save(laconic.SparseLSA(2, alpha=0.1).fit([[3.0, 0, 1], [0, 2, 0]]), tmp_path / "m")
    facts = json.loads(run("info", "m", "--json").stdout)
    assert (facts["kind"], facts["topics"], facts["words"]) == ("model", 2, 3)
    assert "without" not in run("info", "m").stdout
