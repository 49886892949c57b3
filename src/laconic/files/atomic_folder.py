"""Write folders atomically, for saved models and corpus stores.

A folder is written under a hidden name next to its target, flushed to disk and renamed. The files
in the folder are read and written by ``arrays.py``; no file outside the folder is ever read.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from laconic.errors import ModelFileError
from laconic.files.atomic_file import check_parent, hidden_sibling

try:
    import fcntl
except ImportError:  # Windows: users must delete the leftovers of a killed process
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

MARKERS = ("model.json", "corpus.json")  # every folder written by laconic has one of these files
SUFFIXES = (".npy", ".txt", ".json", ".parquet")  # suffixes of all files in a folder of laconic
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # valid part of a path (no leading dot)


# ---- writing ----


def check_target(path: str | Path, force: bool = False) -> Path:
    """Return the path of a folder to write, with links resolved; raise if it cannot be written.

    Parameters
    ----------
    path : str or Path
        Folder to write; a symbolic link is followed.
    force : bool
        Whether an existing saved model or corpus store may be replaced.

    Raises
    ------
    ModelFileError
        The path exists and `force` is false, or its content was not written by laconic.
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
    """Raise, before any work starts, if a model or store cannot be written at `path`."""
    check_parent(check_target(path, force), path)


def _foreign_entry(folder: Path) -> str | None:
    """Return an entry that laconic did not write; None if the folder may be deleted."""
    entries = sorted(entry for entry in folder.rglob("*") if entry.name != ".DS_Store")
    if entries and not any((folder / marker).is_file() for marker in MARKERS):
        return entries[0].name
    for entry in entries:
        if entry.is_symlink() or not (entry.is_dir() or entry.suffix in SUFFIXES):
            return str(entry.relative_to(folder))
    return None


def write_folder(path: str | Path, force: bool, write: Callable[[Path], None]) -> None:
    """Write a folder atomically: `path` is either complete or unchanged.

    Parameters
    ----------
    path : str or Path
        The folder to create.
    force : bool
        Replace an existing saved model or corpus store, which stays intact until the new folder is
        complete. Any other file or folder at `path` is never changed.
    write : callable
        Function that writes the files; called with the path of an empty folder on the same file
        system.

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
        _clean_up(Path(os.path.realpath(path)))
        target = check_target(path, force)
        temporary = hidden_sibling(target, "tmp")
        temporary.mkdir()
        lock = _lock(temporary)
        try:
            write(temporary)
            _flush(temporary)
            # Check again: the target may have been created in the meantime.
            _move_into_place(temporary, check_target(path, force))
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            if lock is not None:
                os.close(lock)
    except OSError as error:
        # if NumPy cannot write all bytes, its error has no error number
        reason = error.strerror or "the disk is full or the file size limit is reached"
        raise ModelFileError(path, f"cannot be written: {reason}") from error


def _move_into_place(temporary: Path, target: Path) -> None:
    """Rename the finished folder to `target`; if that fails, restore the old folder."""
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
    _flush_one(target.parent)


def _clean_up(target: Path) -> None:
    """Delete leftovers of killed processes; restore the old folder if one had moved it aside."""
    if not target.parent.is_dir():
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.laconic-[0-9a-f]{{8}}\.(tmp|old)")
    leftovers = [entry for entry in target.parent.iterdir() if pattern.fullmatch(entry.name)]
    temporary = [entry for entry in leftovers if entry.suffix == ".tmp"]
    if any(_is_locked(entry) for entry in temporary):
        return  # another process is writing to this path
    for aside in sorted((entry for entry in leftovers if entry.suffix == ".old"), key=_age):
        if not target.exists():
            logger.info("%s: restored after an interrupted save", target)
            aside.rename(target)
        else:
            shutil.rmtree(aside, ignore_errors=True)
    for entry in temporary:
        shutil.rmtree(entry, ignore_errors=True)


def _age(entry: Path) -> float:
    """Return a sort key that puts the newest entry first."""
    return -entry.stat().st_mtime


def _lock(folder: Path) -> int | None:
    """Lock a folder until the returned descriptor is closed; None if it cannot be locked."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # locked by another process, or the file system has no locks
        os.close(descriptor)
        return None
    return descriptor


def _is_locked(folder: Path) -> bool:
    """Return whether a running process is writing this folder."""
    try:
        descriptor = _lock(folder)
    except FileNotFoundError:  # another process has just renamed the folder
        return False
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder (a no-op where locking is unavailable)."""
    try:
        descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ModelFileError(folder, f"cannot be opened: {error.strerror}") from error
    try:
        if descriptor is not None:
            with suppress(OSError):  # the file system has no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _flush(folder: Path) -> None:
    """Flush all files to disk, so that the folder survives a power cut after the rename."""
    for parent, _, files in os.walk(folder):
        for name in files:
            _flush_one(Path(parent, name))
        _flush_one(Path(parent))


def _flush_one(path: Path) -> None:
    """Flush a file or folder to disk (fsync); on Windows, folders are skipped."""
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# ---- reading ----


def open_folder(path: str | Path, marker: str) -> Path:
    """Return the folder as a Path if it contains the marker ("model.json" or "corpus.json").

    Raises
    ------
    ModelFileError
        The folder does not exist or does not contain the marker.
    """
    folder = Path(path)
    if not folder.exists():
        try:
            _clean_up(Path(os.path.realpath(folder)))
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    if not folder.exists():
        raise ModelFileError(path, "no such folder; check the path")
    if not folder.is_dir():
        raise ModelFileError(path, "is a file, but a saved model or corpus is a folder")
    if not os.path.lexists(folder / marker):
        kind = marker.removesuffix(".json")
        raise ModelFileError(path, f"contains no {marker}, so it is not a {kind} saved by laconic")
    return folder


def path_inside(folder: Path, name: str) -> Path:
    """Return the path of a file in the folder; raise if a name or link leads out of it."""
    path = folder / name
    if not all(PART.fullmatch(part) for part in name.split("/")):
        raise ModelFileError(
            folder, f"refers to a file outside the folder, {name!r}; do not trust this folder"
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
        raise ModelFileError(path, "is missing; the folder is damaged or incomplete")
    if not path.is_file():
        raise ModelFileError(path, "is not a regular file")
    return path
