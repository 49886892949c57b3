"""Tests of the files in which a fit on a cluster keeps values."""

from __future__ import annotations

import os
import tempfile

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.engines.spill import Pickled, SpillFolder, can_share, loaded
from laconic.files.scratch_folder import PREFIX
from tests.messages import refused


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = SpillFolder()
    yield folder
    folder.close()
    assert list(tmp_path.glob(f"{PREFIX}*")) == []


def test_a_value_comes_back(folder):
    value = {
        "none": None,
        "empty": np.zeros((0, 3)),
        "odd": np.arange(7, dtype=np.int8),
        "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        "view": np.arange(20.0)[::2],
        "rows": sp.random(30, 20, 0.2, format="csr", random_state=0),
    }
    handle = Pickled(value).write(folder.new_path())
    back = loaded(handle)
    assert back.keys() == value.keys()
    for name in ("empty", "odd", "columns", "view"):
        np.testing.assert_array_equal(back[name], value[name])
        assert back[name].dtype == value[name].dtype
    assert (back["rows"] != value["rows"]).nnz == 0
    assert back["columns"].flags.f_contiguous
    assert back["columns"].ctypes.data % 64 == 0
    assert loaded(back) is back


def test_changes_of_a_loaded_value_stay_in_memory(folder):
    handle = Pickled(np.zeros(1000)).write(folder.new_path())
    first = handle.load()
    first += 1
    handle.delete()
    handle = Pickled(np.zeros(1000)).write(handle.path)
    assert first.sum() == 1000
    assert handle.load().sum() == 0


def test_a_folder_that_cannot_be_seen_or_written(folder):
    assert can_share(folder.path, folder.token)
    assert not can_share(folder.path, "0123")
    assert not can_share(os.path.join(folder.path, "missing"), folder.token)
    with refused("missing", "TMPDIR", golden=False):
        Pickled(0).write(os.path.join(folder.path, "missing", "1"))
