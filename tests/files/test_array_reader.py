"""Tests of arrays that are read from files slice by slice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from laconic.files import array_reader
from laconic.files.array_reader import ArrayReader


@pytest.mark.parametrize("worth_a_read", [0, array_reader.WORTH_A_READ])
def test_rows_are_the_same_read_together_or_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth_a_read: int
):
    monkeypatch.setattr(array_reader, "WORTH_A_READ", worth_a_read)
    numbers = np.arange(60, dtype=np.int32).reshape(20, 3)
    np.save(tmp_path / "numbers.npy", numbers)
    reader = ArrayReader(tmp_path / "numbers.npy")
    rows = [17, 3, 3, 19, 0]
    np.testing.assert_array_equal(reader.take(rows), numbers[rows])
    np.testing.assert_array_equal(reader.take(np.array([-1, 2])), numbers[[-1, 2]])
    assert reader.take([]).shape == (0, 3)
    assert reader.reads_at_once(0, 20, 5) == bool(worth_a_read)
    with pytest.raises(IndexError, match="20 rows"):
        reader.take([1, 20])
