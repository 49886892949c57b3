"""Write the folders of saved models and corpus stores atomically.

A folder is first written under a hidden name next to its final path, then flushed to disk and
renamed. The files in the folder are read and written by ``arrays.py``, which never reads a file
outside the folder.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from laconic.errors import ModelFileError
from laconic.files.atomic_file import check_parent
from laconic.files.leftovers import (
    clean_up,
    create_locked,
    flush,
    flush_parent,
    hidden_sibling,
    unlock,
    write_problem,
)

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

MARKERS = ("model.json", "corpus.json")  # each folder that laconic writes has one of these files
SUFFIXES = (".npy", ".txt", ".json", ".parquet")  # suffixes of files that laconic writes
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # valid part of a path; has no leading dot


# ---- Functions that write folders ----


def check_target(path: str | Path, force: bool = False) -> Path:
    """Return the path of a folder to write, without links; raise if it cannot be written.

    Parameters
    ----------
    path : str or Path
        Folder to write. Symbolic links are followed.
    force : bool
        Whether an existing saved model or corpus store may be replaced.

    Raises
    ------
    ModelFileError
        The path exists and `force` is false, or the folder contains files that laconic did not
        write.
    """
    target = Path(os.path.realpath(path))
    if not os.path.lexists(target):
        if not target.parent.is_dir():
            raise ModelFileError(
                path, f"the folder {target.parent} does not exist; create it first"
            )
        return target
    if not force:
        raise ModelFileError(path, "already exists; set force=True (--force) to replace it")
    if not target.is_dir():
        raise ModelFileError(path, "is a file, not a saved model or corpus; choose another name")
    foreign = _foreign_entry(target)
    if foreign is not None:
        raise ModelFileError(
            path,
            f"contains {foreign}, which was not written by laconic, so the folder is not replaced; "
            "choose another name",
        )
    return target


def check_folder(path: str, force: bool) -> None:
    """Raise if no model or store can be written at `path`; called before any other work."""
    check_parent(check_target(path, force), path)


def _foreign_entry(folder: Path) -> str | None:
    """Return the name of an entry that laconic did not write, or None if there is no such entry."""
    entries = sorted(entry for entry in folder.rglob("*") if entry.name != ".DS_Store")
    if entries and not any((folder / marker).is_file() for marker in MARKERS):
        return entries[0].name
    for entry in entries:
        if entry.is_symlink() or not (entry.is_dir() or entry.suffix in SUFFIXES):
            return str(entry.relative_to(folder))
    return None


def write_folder(path: str | Path, force: bool, write: Callable[[Path], None]) -> None:
    """Write a folder atomically; if an error occurs, `path` stays unchanged.

    Parameters
    ----------
    path : str or Path
        Folder to create.
    force : bool
        Whether to replace an existing saved model or corpus store, which stays intact until the new
        folder is complete. Any other file or folder at `path` is never changed.
    write : callable
        Function that writes the files. The function is called with the path of an empty folder on
        the same file system.

    Raises
    ------
    ModelFileError
        The path exists, or the disk is full, read-only or unavailable.

    Examples
    --------
    >>> import tempfile
    >>> from laconic.files.arrays import load_json, save_json
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = Path(home, "small.model")
    ...     write_folder(path, False, lambda folder: save_json(folder, "model", {"format": 1}))
    ...     load_json(path, "model")
    {'format': 1}
    """
    try:
        clean_up(Path(os.path.realpath(path)))
        target = check_target(path, force)
        temporary, _, lock = create_locked(target, "tmp", Path.mkdir)
        try:
            write(temporary)
            _flush(temporary)
            # Check again, because another process may have created the target.
            _move_into_place(temporary, check_target(path, force))
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            unlock(lock)
    except OSError as error:
        raise ModelFileError(path, write_problem(error)) from error


def _move_into_place(temporary: Path, target: Path) -> None:
    """Rename the finished folder to `target`; if renaming fails, restore the old folder."""
    if target.exists():
        aside = hidden_sibling(target, "old")
        target.rename(aside)
        try:
            temporary.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    else:
        temporary.rename(target)
    flush_parent(target)


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder; do nothing if the system does not support locks."""
    try:
        descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ModelFileError(
            folder, f"cannot be opened: {error.strerror}; save the model again"
        ) from error
    try:
        if descriptor is not None:
            with suppress(OSError):  # The file system may not support locks.
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _flush(folder: Path) -> None:
    """Flush all files to disk, so that the folder survives a power cut after the rename."""
    for parent, _, files in os.walk(folder):
        for name in files:
            flush(Path(parent, name))
        flush(Path(parent))


# ---- Functions that read folders ----


def open_folder(path: str | Path, marker: str) -> Path:
    """Return the path of a folder that contains `marker` ("model.json" or "corpus.json").

    Raises
    ------
    ModelFileError
        The folder does not exist or does not contain the file `marker`.
    """
    folder = Path(path)
    if not folder.exists():
        try:
            clean_up(Path(os.path.realpath(folder)))
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    if not folder.exists():
        raise ModelFileError(path, "no such folder; check the path")
    if not folder.is_dir():
        raise ModelFileError(
            path, "is a file, not a folder; pass the folder of a saved model or corpus"
        )
    if not os.path.lexists(folder / marker):
        kind = marker.removesuffix(".json")
        raise ModelFileError(path, f"contains no {marker}, so it is not a {kind} saved by laconic")
    return folder


def path_inside(folder: Path, name: str) -> Path:
    """Return the path of a file in `folder`; raise if the name or a link leads out of `folder`."""
    path = folder / name
    if not all(PART.fullmatch(part) for part in name.split("/")):
        raise ModelFileError(
            folder,
            f"refers to the file {name!r}, which is outside the folder; do not trust this folder",
        )
    try:
        resolved, home = path.resolve(), folder.resolve()
    except (OSError, RuntimeError) as error:  # circular links
        raise ModelFileError(path, "is a symbolic link that cannot be resolved") from error
    if resolved != home / name:
        raise ModelFileError(
            path, "is a symbolic link that leads out of the folder; do not trust this folder"
        )
    if not path.exists():
        raise ModelFileError(path, "is missing, so the folder is damaged or incomplete")
    if not path.is_file():
        raise ModelFileError(path, "is not a regular file")
    return path
