"""Tests of ``laconic name``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import laconic
from tests.cli.conftest import fitted
from tests.cli.running import Run, columns, mentions


@pytest.fixture(scope="module")
def unnamed(posts: Path) -> Path:
    return fitted(posts, "unnamed.model", "-m", "plsa", "-k", 4)


@pytest.fixture
def named(unnamed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(unnamed, tmp_path / "named.model"))


def test_names_are_printed_and_saved(run: Run, named: Path) -> None:
    lines = columns(run("name", named).stdout)
    assert len({line[1] for line in lines}) == 4
    shown = {topic.number: topic.name for topic in laconic.topics(laconic.load(named, verify=True))}
    assert {int(number): name for number, name, _ in lines} == shown
    for number, _, text in columns(run("topics", named).stdout):
        assert text.startswith(f"{shown[int(number)]}: ")


def test_json(run: Run, named: Path) -> None:
    facts = json.loads(run("name", named, "--json").stdout)
    assert [set(topic) for topic in facts["topics"]] == [{"topic", "name", "words"}] * 4


def test_options_of_the_input_need_an_input(run: Run, named: Path) -> None:
    mentions(run("name", named, "--text", "body", status=2), "--text")
