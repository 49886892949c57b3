"""Tests of arrays that are written part by part."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.files.array_writer import ArrayWriter
from laconic.files.npy import map_array


@pytest.mark.parametrize("parts", [[], [0], [3, 0, 5], [1_000_003]])
def test_parts_become_one_array(tmp_path, parts):
    rows = [np.random.default_rng(i).random((n, 2)).astype(np.float32) for i, n in enumerate(parts)]
    with ArrayWriter(tmp_path / "a.npy", np.float32, width=2) as writer:
        for part in rows:
            writer.append(part)
    expected = np.vstack([np.zeros((0, 2), np.float32), *rows])
    np.testing.assert_array_equal(map_array(tmp_path / "a.npy"), expected)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), expected)


def test_rows_of_another_width_are_refused(tmp_path):
    with (
        ArrayWriter(tmp_path / "a.npy", np.int64, width=2) as writer,
        pytest.raises(ValueError, match="shape"),
    ):
        writer.append(np.zeros((1, 3)))
