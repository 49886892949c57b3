"""Tests of files that are written completely or not changed.

Tests of the command line and of the report cover more cases.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from laconic.files.atomic_file import check_file, new_file, new_files, replacing, write_bytes
from laconic.files.leftovers import clean_up
from tests.messages import refused


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return an existing file that is alone in its folder."""
    (tmp_path / "a.txt").write_text("old")
    return tmp_path / "a.txt"


def test_a_full_disk_leaves_the_old_file_and_nothing_else(old: Path, monkeypatch):
    monkeypatch.setattr("laconic.files.atomic_file.os.fsync", full)
    with refused("a.txt", "cannot be written", "No space left", golden=False):
        write_bytes(b"new", old)
    with (
        refused("a.txt", "cannot be written", "No space left", golden=False),
        new_file(str(old), force=True) as file,
    ):
        file.write(b"new")
    with pytest.raises(OSError, match="No space left"), replacing(old) as file:
        file.write(b"new")
    assert old.read_text() == "old"
    assert list(old.parent.iterdir()) == [old]


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path):
    path = tmp_path / "b.txt"
    with refused("b.txt", "exists", "--force", golden=False), new_file(str(path), False) as file:
        file.write(b"new")
        path.write_text("appeared")
    assert path.read_text() == "appeared"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed(old: Path):
    link = old.with_name("link.txt")
    link.symlink_to(old)
    assert write_bytes(b"new", link) == link
    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_a_name_that_ends_in_gz_is_zipped_by_new_file(tmp_path: Path):
    path = tmp_path / "a.csv.GZ"
    with new_file(str(path), force=False) as file:
        file.write(b"1,2\n")
    assert gzip.decompress(path.read_bytes()) == b"1,2\n"


def test_what_can_be_done_about_an_existing_file(old: Path):
    with refused("a.txt: already exists", "force=True (--force)", golden=False):
        check_file(old, force=False)
    check_file(old, force=True)


def test_what_is_no_file_is_never_replaced(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with refused("pipe: is not a regular file", golden=False):
        check_file(tmp_path / "pipe", force=True)
    with refused("is a folder", "not a file", golden=False):
        check_file(tmp_path, force=True)


# ---- what a killed process leaves ----

TOKEN = "laconic-0123abcd"


def test_the_next_write_deletes_what_a_killed_process_left(old: Path):
    for name in (f".a.txt.{TOKEN}.tmp", f".a.txt.{TOKEN}.old", f".b.txt.{TOKEN}.tmp"):
        old.with_name(name).write_text("half")
    old.with_name(".a.txt.laconic-4567abcd.tmp").mkdir()  # a probe of the command line
    write_bytes(b"new", old)
    assert sorted(os.listdir(old.parent)) == [f".b.txt.{TOKEN}.tmp", "a.txt"]


def test_a_file_that_a_process_is_writing_stays(old: Path):
    with replacing(old) as first:
        with replacing(old) as second:
            second.write(b"second")
        assert old.read_bytes() == b"second"
        first.write(b"first")
    assert old.read_bytes() == b"first"
    assert os.listdir(old.parent) == ["a.txt"]


def test_files_that_belong_together_are_both_new_or_both_old(old: Path, monkeypatch):
    words = old.with_name("a.vocab")
    words.write_text("old words")
    replace = Path.replace

    def stubborn(self: Path, target: Path) -> Path:
        if target == words:
            raise PermissionError(13, "Permission denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stubborn)
    with (
        refused("a.txt: cannot be written", "Permission denied", golden=False),
        new_files([str(old), str(words)], force=True) as files,
    ):
        for file in files:
            file.write(b"new")
    assert (old.read_text(), words.read_text()) == ("old", "old words")
    assert sorted(os.listdir(old.parent)) == ["a.txt", "a.vocab"]


@pytest.mark.parametrize("committed", [False, True])
def test_a_kill_between_the_renames_of_two_files_is_healed(old: Path, committed: bool):
    words = old.with_name("a.vocab")
    words.write_text("old words")
    words.with_name(f".a.vocab.{TOKEN}.tmp").write_text("new words")
    if not committed:
        old.with_name(f".a.txt.{TOKEN}.tmp").write_text("new")
    clean_up(old, words)
    assert words.read_text() == ("new words" if committed else "old words")
    assert sorted(os.listdir(old.parent)) == ["a.txt", "a.vocab"]


def test_words_of_another_unfinished_file_are_not_taken(old: Path):
    for name in (f".a.svm.{TOKEN}.tmp", f".a.vocab.{TOKEN}.tmp"):
        old.with_name(name).write_text("half")
    clean_up(old, old.with_name("a.vocab"))
    assert sorted(os.listdir(old.parent)) == [f".a.svm.{TOKEN}.tmp", "a.txt"]
