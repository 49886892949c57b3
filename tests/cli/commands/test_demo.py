"""Tests of ``laconic demo``, with a small corpus instead of the built-in corpus."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import laconic
from laconic import datasets
from tests.cli.running import Run, documents, mentions


@pytest.fixture(autouse=True)
def small_corpus(monkeypatch: pytest.MonkeyPatch) -> laconic.Corpus:
    texts = [document["body"] for document in documents()]
    corpus = laconic.read(texts, **datasets.SETTINGS)
    monkeypatch.setattr(datasets, "load_pydocs", lambda **options: corpus)
    return corpus


def test_it_shows_saves_and_says_what_next(run: Run) -> None:
    result = run("demo", "-k", 3)
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["0", "1", "2"]
    mentions(result, "60 docstrings", "30 different words", "3 topics", "pydocs.model")
    example = laconic.top_documents(laconic.load("pydocs.model"), 0, n=1)["id"][0]
    similar = f"similar pydocs.model {example}"
    for command in ("topics pydocs.model", similar, "transform pydocs.model", "fit YOUR_FILE"):
        mentions(result, f"laconic {command}")
    assert laconic.load("pydocs.model")[-1].n_components == 3


def test_it_replaces_its_own_model_only(run: Run, model: Path) -> None:
    for topics in (2, 3):
        run("demo", "-k", topics)
    assert laconic.load("pydocs.model")[-1].n_components == 3
    shutil.copytree(model, "mine")
    result = run("demo", "-k", 3, "-o", "mine", status=1)
    mentions(result, "laconic: error: mine: ", "exists", "--force")
    run("demo", "-k", 3, "-o", "mine", "--force")
    Path("pydocs.model", "model.json").write_text("{")
    mentions(run("demo", "-k", 3, status=1), "pydocs.model: ", "exists")


def test_json_and_quiet(run: Run) -> None:
    facts = json.loads(run("demo", "-k", 3, "--json").stdout)
    assert list(facts) == ["documents", "words", "seconds", "output", "topics"]
    result = run("demo", "-k", 3, "-q")
    assert (result.stdout, result.stderr) == ("", "")
