"""Tests of ``laconic.write``, which writes counts in the formats of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

import laconic
from laconic import Corpus, Weighting
from laconic.io.write import STORE, WRITERS
from tests.messages import refused, warned

NAMES = {
    "store": "pets.corpus",
    "matrixmarket": "pets.mtx",
    "svmlight": "pets.svm",
    "ldac": "pets.ldac",
    "uci": "docword.pets.txt",
}
PETS = Corpus([[1, 0, 2], [0, 0, 0], [0, 3, 1]], ["cat", "dog", "purr"])


@pytest.mark.parametrize("format", [STORE, *WRITERS])
@pytest.mark.parametrize("kind", [str, Path])
def test_what_is_written_is_read(format, kind, tmp_path):
    files = laconic.write(PETS, kind(tmp_path / NAMES[format]))
    assert files[0] == str(tmp_path / NAMES[format])
    back = laconic.read(files[0])
    assert back.counts.toarray().tolist() == PETS.counts.toarray().tolist()
    assert back.vocabulary.tolist() == PETS.vocabulary.tolist()


def test_a_format_that_the_name_does_not_say(tmp_path):
    laconic.write(PETS, tmp_path / "pets.counts", format="uci")
    back = laconic.read(tmp_path / "pets.counts", format="uci")
    assert back.counts.toarray().tolist() == PETS.counts.toarray().tolist()


def test_nothing_is_replaced_without_force(tmp_path):
    (tmp_path / "pets.vocab").write_text("mine")
    with refused("pets.vocab", "exists", "force=True"):
        laconic.write(PETS, tmp_path / "pets.mtx")
    assert [path.name for path in tmp_path.iterdir()] == ["pets.vocab"]
    assert len(laconic.write(PETS, tmp_path / "pets.mtx", force=True)) == 2


def test_what_a_format_cannot_hold_is_named(tmp_path):
    corpus = PETS.replace(titles=["one", "two", "three"])
    with warned("ldac", "titles", "store"):
        laconic.write(corpus, tmp_path / "pets.ldac")
    laconic.write(corpus, tmp_path / "pets.corpus")
    assert laconic.read(tmp_path / "pets.corpus").titles.tolist() == ["one", "two", "three"]


def test_wrong_formats(tmp_path):
    with refused("pets.xlsx", "format=", "uci", golden=False):
        laconic.write(PETS, tmp_path / "pets.xlsx")
    with refused("'excel'", "uci"):
        laconic.write(PETS, tmp_path / "pets", format="excel")
    with refused("weighted", "counts"):
        laconic.write(Weighting().fit_transform(PETS), tmp_path / "pets.mtx")
    assert not list(tmp_path.iterdir())
