"""Tests of ``laconic fit --seeds``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic

from .running import Run, documents, mentions, write_lines

FIT = ("fit", "posts.jsonl", "--text", "body", "-k", 4, "--max-iter", 5, "-o", "a.model")


@pytest.fixture(autouse=True)
def _files(run: Run) -> None:
    write_lines("posts.jsonl", documents(60))
    Path("seeds.txt").write_text("Baking: yeast!, Oven, outen\nsea: sail, mast, -milk\n")


@pytest.mark.parametrize("name", ["plsa", "sc"])
def test_topics_have_the_names_and_the_order_of_the_file(run: Run, name: str) -> None:
    told = run(*FIT, "-m", name, "--seeds", "seeds.txt", "--force")
    assert "outen" in told.stderr
    assert "documents found: Baking" in told.stdout
    names = laconic.topics(laconic.load("a.model")).frame.sort("topic")["name"].to_list()
    assert names == ["Baking", "sea", None, None]
    listed = json.loads(run("topics", "a.model", "--json").stdout)
    assert {topic["topic"]: topic["name"] for topic in listed["topics"]}[1] == "sea"


def test_facts_and_streams(run: Run) -> None:
    told = run(*FIT, "-m", "plsa", "--seeds", "seeds.txt", "--json", "--stream")
    seeds = json.loads(told.stdout)["seeds"]
    assert [seed["name"] for seed in seeds] == ["Baking", "sea"]
    assert all(seed["documents"] > 5 for seed in seeds)


def test_invalid_options(run: Run) -> None:
    mentions(run(*FIT, "-m", "pcp", "--seeds", "seeds.txt", status=2), "--seeds", "pcp")
    mentions(run(*FIT, "-m", "plsa", "--seed-strength", 2, status=2), "--seed-strength", "--seeds")
    mentions(run(*FIT, "-m", "plsa", "--seeds", "none.txt", status=1), "none.txt")
    Path("bad.txt").write_text("sail, mast\n")
    mentions(run(*FIT, "-m", "plsa", "--seeds", "bad.txt", status=1), "bad.txt, line 1")
