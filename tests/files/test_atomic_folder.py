"""Tests of folders that are written completely or not changed, even after a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from laconic.errors import ModelFileError
from laconic.files.arrays import (
    load_array,
    load_csr,
    load_json,
    load_words,
    save_array,
    save_csr,
    save_json,
    save_words,
)
from laconic.files.atomic_folder import open_folder, write_folder
from tests.messages import check, refused

# ---- completely or not at all ----


def write_number(number: int) -> Callable[[Path], None]:
    return lambda folder: save_json(folder, "model", {"format": 1, "number": number})


def number_at(path: Path) -> int:
    return load_json(open_folder(path, "model.json"), "model", newest=1)["number"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a saved folder that is alone in its parent folder."""
    write_folder(tmp_path / "a.model", False, write_number(1))
    return tmp_path / "a.model"


def test_an_existing_folder_is_kept_without_force(place: Path) -> None:
    with refused("a.model", "force=True", "--force", kind=ModelFileError):
        write_folder(place, False, write_number(2))
    assert number_at(place) == 1
    write_folder(place, True, write_number(2))
    assert number_at(place) == 2
    assert os.listdir(place.parent) == ["a.model"]


def test_force_replaces_an_empty_folder_and_an_older_store(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_folder(tmp_path / "empty", True, write_number(1))
    assert number_at(tmp_path / "empty") == 1


def test_force_never_deletes_what_is_not_ours(place: Path) -> None:
    stranger = place.parent / "photos"
    stranger.mkdir()
    (stranger / "holiday.jpg").write_text("")
    (place.parent / "file").write_text("")
    with refused("photos", "holiday.jpg", kind=ModelFileError):
        write_folder(stranger, True, write_number(2))
    with refused("file: is a file", kind=ModelFileError):
        write_folder(place.parent / "file", True, write_number(2))
    (place / "notes").mkdir()
    (place / "notes" / "mine.docx").write_text("")
    with refused("a.model", "mine.docx", kind=ModelFileError):
        write_folder(place, True, write_number(2))
    assert (place / "notes" / "mine.docx").exists()
    assert (stranger / "holiday.jpg").exists()


def test_a_link_is_followed(place: Path) -> None:
    link = place.parent / "latest"
    link.symlink_to("a.model")
    write_folder(link, True, write_number(2))
    assert link.is_symlink()
    assert number_at(link) == number_at(place) == 2


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_error_while_writing_leaves_the_old_one(place: Path, error: BaseException) -> None:
    def fail(folder: Path) -> None:
        write_number(2)(folder)
        raise error

    expected = ModelFileError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_folder(place, True, fail)
    if isinstance(error, OSError):
        check(str(caught.value), str(place), "No space left on device")
    assert number_at(place) == 1
    assert os.listdir(place.parent) == ["a.model"]


def test_the_old_one_is_put_back_if_the_new_one_cannot_move_in(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def stubborn(self: Path, target: Path) -> Path:
        if self.suffix == ".tmp":
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", stubborn)
    with refused("a.model", "Permission denied", kind=ModelFileError):
        write_folder(place, True, write_number(2))
    assert number_at(place) == 1
    assert os.listdir(place.parent) == ["a.model"]


def test_a_missing_parent_is_named(tmp_path: Path) -> None:
    with refused("nowhere", "does not exist", kind=ModelFileError):
        write_folder(tmp_path / "nowhere" / "a.model", False, write_number(1))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with refused("a.model", "Permission denied", kind=ModelFileError, golden=False):
            write_folder(tmp_path / "a.model", False, write_number(1))
    finally:
        tmp_path.chmod(0o700)


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a Python script that can use `write_folder` and the functions for saving."""
    prelude = "import sys, time, signal, resource\nfrom pathlib import Path\nimport numpy as np\n"
    prelude += "from laconic.errors import ModelFileError\n"
    prelude += "from laconic.files.arrays import save_array, save_json\n"
    prelude += "from laconic.files.atomic_folder import write_folder\n"
    return subprocess.Popen(
        [sys.executable, "-c", prelude + textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_writer_killed_in_the_middle_leaves_the_old_one(place: Path) -> None:
    writer = start(
        """
        def write(folder):
            save_array(folder, "x", np.arange(1000))
            print("half", flush=True)
            time.sleep(60)
        write_folder(sys.argv[1], True, write)
        """,
        place,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    write_folder(place, True, write_number(2))  # while the other process is still writing
    assert len(os.listdir(place.parent)) == 2
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert number_at(place) == 2
    assert len(os.listdir(place.parent)) == 2
    write_folder(place, True, write_number(3))
    assert number_at(place) == 3
    assert os.listdir(place.parent) == ["a.model"]


def test_a_full_disk_leaves_the_old_one(place: Path) -> None:
    writer = start(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            write_folder(sys.argv[1], True, lambda f: save_array(f, "x", np.zeros(100_000)))
        except ModelFileError as error:
            print(error)
        """,
        place,
    )
    said, _ = writer.communicate(timeout=60)
    check(said.strip(), str(place), "File too large", "ulimit", golden=False)
    assert number_at(place) == 1
    assert os.listdir(place.parent) == ["a.model"]


@pytest.mark.parametrize("next_deed", ["read", "write"])
def test_a_kill_between_the_two_renames_is_healed(place: Path, next_deed: str) -> None:
    place.rename(place.with_name(".a.model.laconic-0123abcd.old"))
    temporary = place.with_name(".a.model.laconic-4567abcd.tmp")
    temporary.mkdir()
    if next_deed == "write":
        with refused("a.model", "force=True", kind=ModelFileError):
            write_folder(place, False, write_number(2))
    assert number_at(place) == 1
    assert os.listdir(place.parent) == ["a.model"]


def test_leftovers_of_other_names_are_left_alone(place: Path) -> None:
    others = [".b.model.laconic-0123abcd.tmp", ".a.model.laconic-notes.tmp", ".a.model.tmp"]
    for name in others:
        (place.parent / name).mkdir()
    write_folder(place, True, write_number(2))
    assert sorted(os.listdir(place.parent)) == sorted(["a.model", *others])


# ---- words and matrices ----


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=[]), max_size=5)))
def test_words_survive_any_character(tmp_path_factory: pytest.TempPathFactory, words: Any) -> None:
    folder = tmp_path_factory.mktemp("words")
    save_words(folder, "vocabulary", words)
    assert load_words(folder, "vocabulary", count=len(words)).tolist() == words


def test_csr_without_entries_is_checked_too(tmp_path: Path) -> None:
    for part, values in {"data": [], "indices": [], "indptr": [0, 5, 0]}.items():
        save_array(tmp_path, f"x.{part}", np.array(values, dtype=np.int32))
    with refused("x.indptr.npy", "entries", kind=ModelFileError):
        load_csr(tmp_path, "x", shape=(2, 3))


def test_arrays_of_the_other_byte_order_are_turned(tmp_path: Path) -> None:
    other = np.dtype(np.float64).newbyteorder()
    save_array(tmp_path, "x", np.arange(3).astype(other))
    array = load_array(tmp_path, "x", dtype=np.float64, shape=(None,))
    assert array.dtype.isnative
    assert array.tolist() == [0, 1, 2]


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(1, 6))
def test_any_csr_matrix_returns(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n_rows: int, n_columns: int
) -> None:
    folder = tmp_path_factory.mktemp("csr")
    matrix = sparse.random(n_rows, n_columns, 0.4, format="csr", random_state=seed)
    save_csr(folder, "x", matrix)
    assert (load_csr(folder, "x", shape=matrix.shape) != matrix).nnz == 0


def test_a_matrix_is_put_in_order_when_it_is_saved(tmp_path: Path) -> None:
    matrix = sparse.csr_matrix(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3]), shape=(1, 3))
    save_csr(tmp_path, "x", matrix)
    assert load_csr(tmp_path, "x", shape=(1, 3)).toarray().tolist() == [[2.0, 0.0, 4.0]]
    assert matrix.indices.tolist() == [2, 0, 2]
