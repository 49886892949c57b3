"""Folders that appear whole or not at all: how a saved model and a corpus store get to disk.

A folder is written beside its place under a hidden name, flushed to disk and renamed. What may
lie in one is in ``arrays.py``; no file outside the folder is ever read.
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
except ImportError:  # Windows: leftovers of a killed writer then stay until deleted by hand
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

MARKERS = ("model.json", "corpus.json")  # one of them makes a folder ours
SUFFIXES = (".npy", ".txt", ".json", ".parquet")  # all that is ever written into one
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # of a file name; no "..", no hidden file


# ---- writing a folder whole or not at all ----


def check_target(path: str | Path, force: bool = False) -> Path:
    """Return where a folder would be written, or say why it would not be.

    Parameters
    ----------
    path : str or Path
        Folder to write; a symbolic link is followed.
    force : bool
        Whether a saved model or corpus store that is already there may be replaced.

    Raises
    ------
    ModelFileError
        Something is there and `force` is false, or it is not laconic's own.
    """
    target = Path(os.path.realpath(path))
    if not os.path.lexists(target):
        if not target.parent.is_dir():
            raise ModelFileError(path, f"the folder {target.parent} does not exist; make it first")
        return target
    if not force:
        raise ModelFileError(path, "exists; give force=True (--force) to replace it")
    if not target.is_dir():
        raise ModelFileError(path, "is a file, not a saved model or corpus; choose another name")
    stranger = _stranger(target)
    if stranger is not None:
        raise ModelFileError(
            path, f"holds {stranger}, which laconic did not write; it is not replaced"
        )
    return target


def check_folder(path: str, force: bool) -> None:
    """Complain before the work begins if a model or store could not be written at `path`."""
    check_parent(check_target(path, force), path)


def _stranger(folder: Path) -> str | None:
    """Name of an entry that shows that the folder is not (only) ours; None if it may go."""
    entries = sorted(entry for entry in folder.rglob("*") if entry.name != ".DS_Store")
    if entries and not any((folder / marker).is_file() for marker in MARKERS):
        return entries[0].name
    for entry in entries:
        if entry.is_symlink() or not (entry.is_dir() or entry.suffix in SUFFIXES):
            return str(entry.relative_to(folder))
    return None


def write_folder(path: str | Path, force: bool, write: Callable[[Path], None]) -> None:
    """Fill a folder so that it appears at `path` whole or not at all.

    Parameters
    ----------
    path : str or Path
        Where the folder shall be.
    force : bool
        Replace a saved model or corpus store that is already there. It stays whole until the
        new one is complete. Anything else that is there is never touched.
    write : callable
        Called with the path of an empty folder on the same file system, which it fills.

    Raises
    ------
    ModelFileError
        The place is taken, or the disk is full, read-only or out of reach.

    Examples
    --------
    >>> import tempfile
    >>> from laconic.files.arrays import load_json, save_json
    >>> with tempfile.TemporaryDirectory() as home:
    ...     place = Path(home, "small.model")
    ...     write_folder(place, False, lambda folder: save_json(folder, "model", {"format": 1}))
    ...     load_json(place, "model")
    {'format': 1}
    """
    try:
        _tidy(Path(os.path.realpath(path)))
        target = check_target(path, force)
        temporary = hidden_sibling(target, "tmp")
        temporary.mkdir()
        lock = _lock(temporary)
        try:
            write(temporary)
            _flush(temporary)
            _move_in(temporary, check_target(path, force))  # much may have happened meanwhile
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            if lock is not None:
                os.close(lock)
    except OSError as error:
        # numpy reports a short write without an error number
        reason = error.strerror or "the disk is full, or a limit on file sizes is reached"
        raise ModelFileError(path, f"cannot be written: {reason}") from error


def _move_in(temporary: Path, target: Path) -> None:
    """Rename the finished folder into place; if that fails, the old one is put back."""
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


def _tidy(target: Path) -> None:
    """Clear away what killed writers left; put back an old folder that one had moved aside."""
    if not target.parent.is_dir():
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.laconic-[0-9a-f]{{8}}\.(tmp|old)")
    leftovers = [entry for entry in target.parent.iterdir() if pattern.fullmatch(entry.name)]
    temporary = [entry for entry in leftovers if entry.suffix == ".tmp"]
    if any(_is_locked(entry) for entry in temporary):
        return  # another process is writing to this very name
    for aside in sorted((entry for entry in leftovers if entry.suffix == ".old"), key=_age):
        if not target.exists():
            logger.info("%s: put back after an interrupted save", target)
            aside.rename(target)
        else:
            shutil.rmtree(aside, ignore_errors=True)
    for entry in temporary:
        shutil.rmtree(entry, ignore_errors=True)


def _age(entry: Path) -> float:
    """Sort key: newest first."""
    return -entry.stat().st_mtime


def _lock(folder: Path) -> int | None:
    """Lock a folder for as long as this process lives; the descriptor to close, or None."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another process, or a file system without locks
        os.close(descriptor)
        return None
    return descriptor


def _is_locked(folder: Path) -> bool:
    """Whether a living process writes this folder."""
    try:
        descriptor = _lock(folder)
    except FileNotFoundError:  # it has just been renamed into place
        return False
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Have a folder alone among those who ask; where there are no locks, everyone has it."""
    try:
        descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ModelFileError(folder, f"cannot be opened: {error.strerror}") from error
    try:
        if descriptor is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _flush(folder: Path) -> None:
    """Have everything on disk, so that a power cut after the rename cannot undo it."""
    for parent, _, files in os.walk(folder):
        for name in files:
            _flush_one(Path(parent, name))
        _flush_one(Path(parent))


def _flush_one(path: Path) -> None:
    """fsync a file or folder; Windows cannot open a folder for it."""
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# ---- reading one back ----


def open_folder(path: str | Path, marker: str) -> Path:
    """Return the folder as a Path if it carries the marker ("model.json" or "corpus.json").

    Raises
    ------
    ModelFileError
        There is no such folder, or it is something else.
    """
    folder = Path(path)
    if not folder.exists():
        try:
            _tidy(Path(os.path.realpath(folder)))
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    if not folder.exists():
        raise ModelFileError(path, "there is no such folder")
    if not folder.is_dir():
        raise ModelFileError(path, "is a file; a saved model or corpus is a folder")
    if not os.path.lexists(folder / marker):
        raise ModelFileError(path, f"has no {marker}, so it is not what laconic saves")
    return folder


def path_inside(folder: Path, name: str) -> Path:
    """Path of a file of the folder; refuses names and links that lead out of it."""
    path = folder / name
    if not all(PART.fullmatch(part) for part in name.split("/")):
        raise ModelFileError(folder, f"names a file outside itself, {name!r}; do not trust it")
    try:
        resolved, home = path.resolve(), folder.resolve()
    except (OSError, RuntimeError) as error:  # a loop of links
        raise ModelFileError(path, "cannot be followed") from error
    if resolved != home / name:
        raise ModelFileError(path, "is a link that leads elsewhere; do not trust this folder")
    if not path.exists():
        raise ModelFileError(path, "is missing; the folder is damaged or was copied in part")
    if not path.is_file():
        raise ModelFileError(path, "is not a plain file")
    return path
