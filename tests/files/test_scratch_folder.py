"""Tests of temporary folders."""

from __future__ import annotations

import gc
import os
import tempfile

import pytest

from laconic.files.scratch_folder import PREFIX, ScratchFolder


@pytest.mark.skipif(os.name == "nt", reason="needs locks of folders")
def test_the_next_folder_replaces_those_of_killed_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = ScratchFolder()
    abandoned, new = (tmp_path / f"{PREFIX}{name}" for name in ("abandoned", "new"))
    abandoned.mkdir()
    new.mkdir()
    (abandoned / "1").touch()
    for path in (abandoned, folder.path):
        os.utime(path, (1, 1))
    ScratchFolder().close()
    assert not abandoned.exists()
    assert new.exists()  # A process may just have created it, without a lock so far.
    assert os.path.exists(folder.path)  # It has a lock.
    folder.close()
    assert not folder.path.exists()


def test_an_unused_folder_is_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = ScratchFolder()
    assert folder.path.is_dir()
    del folder
    gc.collect()
    assert list(tmp_path.iterdir()) == []
