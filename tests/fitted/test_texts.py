"""Tests of compressed texts and of names in files."""

from __future__ import annotations

import pytest

from laconic.errors import ModelFileError
from laconic.files.array_reader import ArrayReader
from laconic.files.scratch_folder import ScratchFolder
from laconic.fitted.names import Names, NamesWriter
from laconic.fitted.texts import Texts, TextsWriter
from tests.messages import refused

TEXTS = ["", "cats purr", None, "ünïcode " * 30, "", "dogs bark", None]


@pytest.mark.parametrize("block", [1, 20, 1 << 16])
def test_texts_come_back(block, monkeypatch):
    monkeypatch.setattr("laconic.fitted.texts.BLOCK", block)
    monkeypatch.setattr("laconic.files.array_reader.BLOCK", 16)
    expected = [text or "" for text in TEXTS]
    for scratch in (None, ScratchFolder()):
        writer = TextsWriter(scratch, "texts")
        writer.append(TEXTS[:4])
        writer.append(TEXTS[4:])
        texts = writer.finish()
        assert isinstance(texts.packed, ArrayReader) == (scratch is not None)
        assert list(texts) == expected
        assert [texts[row] for row in reversed(range(len(texts)))] == expected[::-1]
        assert texts[-2] == "dogs bark"
        with pytest.raises(IndexError):
            texts[len(TEXTS)]
    assert list(Texts.of([])) == []
    assert list(Texts.of([None])) == [""]


def test_a_text_that_is_larger_than_stated_is_refused():
    texts = Texts.of(["a" * 1000, "b"])
    texts.blocks[0, 0] = 100
    texts.ends[:] = [99, 100]
    with refused("inconsistent", kind=ModelFileError):
        texts[0]


def test_names_in_files_are_read_in_blocks(monkeypatch):
    monkeypatch.setattr("laconic.fitted.names.ROWS", 2)
    values = ["one", None, "two", "three", "one", "Twofold"]
    writer = NamesWriter(ScratchFolder(), "names")
    writer.append(values[:3])
    writer.append(values[3:])
    names, same = writer.finish(), Names.of(values)
    for found in (names, same):
        assert list(found) == [value or "" for value in values]
        assert found.rows_of("one").tolist() == [0, 4]
        assert found.rows_of("").tolist() == [1]
        assert found.suggest("two") == ["two", "Twofold"]
        assert found.suggest("thre") == ["three"]
        assert found.suggest("oen") == ["one"]
        distinct, numbers = found.distinct()
        assert distinct == ["", "Twofold", "one", "three", "two"]
        assert numbers.tolist() == [2, 0, 4, 3, 2, 1]
