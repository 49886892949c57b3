"""Tests of reading gene sets and of the word groups made from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic.io import groups_from_sets, read_gmt
from tests.io.written import zipped
from tests.messages import refused

SETS = {"big": ["A", "B", "C", "D"], "first": ["A", "B"], "second": ["B", "C"]}


def write(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


@pytest.mark.parametrize("compressed", [False, True])
def test_read_gmt(compressed: bool, tmp_path: Path) -> None:
    content = "big\tna\tA\tB\tA\t\nsmall\t\tC \n\n"
    path = write(tmp_path / "sets.gmt", content)
    path = zipped(path) if compressed else path
    assert read_gmt(path) == {"big": ["A", "B"], "small": ["C"]}


BROKEN: dict[str, tuple[str, int | None, tuple[str, ...]]] = {
    "no genes": ("a\tna\tA\nb\tna\n", 2, ("2 fields", "0 genes")),
    "one field": ("a\n", 1, ("1 field ", "0 genes")),
    "twice": ("a\tna\tA\n\na\tna\tB\n", 3, ("'a'", "twice", "rename")),
    "empty": ("", None, ("no gene sets",)),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_gmt(case: str, tmp_path: Path) -> None:
    content, line, parts = BROKEN[case]
    path = write(tmp_path / "sets.gmt", content)
    with refused(str(path), *parts, kind=laconic.ReadError) as caught:
        read_gmt(path)
    assert isinstance(caught.value, laconic.ReadError)
    assert caught.value.line == line
    assert caught.value.path == str(path)


def test_missing_gmt(tmp_path: Path) -> None:
    with refused("sets.gmt: ", "no such file", kind=laconic.ReadError):
        read_gmt(tmp_path / "sets.gmt")


def test_a_word_goes_to_its_smallest_set_and_to_the_first_of_equals() -> None:
    groups = groups_from_sets(SETS, ["A", "B", "C", "D", "E"])
    assert groups.tolist() == ["first", "first", "second", "big", "E"]
    assert groups.dtype == object


def test_a_lone_word_named_like_a_set_stays_alone() -> None:
    assert groups_from_sets(SETS, ["big", "D"]).tolist() == ["big (alone)", "big"]


def test_the_vocabulary_of_a_corpus() -> None:
    corpus = laconic.read(np.eye(2), vocabulary=["D", "E"])
    assert groups_from_sets(SETS, corpus).tolist() == ["big", "E"]
    with refused("vocabulary", "no words"):
        groups_from_sets(SETS, laconic.read(np.eye(2)))


def test_unknown_rule() -> None:
    with refused("rule", "'smallest'", "'largest'"):
        groups_from_sets(SETS, ["A"], rule="largest")


def test_sets_that_share_no_word_are_a_mistake() -> None:
    with refused("2 words", "MYC"):
        groups_from_sets({"growth": ["MYC", "TP53"]}, ["myc", "tp53"])
