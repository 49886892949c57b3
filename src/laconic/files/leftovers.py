"""Temporary files and folders next to a target, and what killed processes leave of them.

A temporary entry is locked by the process that writes it until it is complete and renamed. An entry
that nobody has locked was therefore left by a process that was killed, and is deleted by the next
process that writes the same target.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

try:
    import fcntl
except ImportError:  # On Windows, leftovers of killed processes are not deleted.
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

ATTEMPTS = 20  # how often a temporary entry is created again if another process deletes it

T = TypeVar("T")

ADVICE = {
    errno.ENOSPC: "free some space on the disk, or choose another folder",
    errno.EDQUOT: "delete files to stay within your quota, or choose another folder",
    errno.EFBIG: "raise the limit (ulimit -f), or choose another file system",
    errno.EROFS: "choose another folder",
    errno.EACCES: "choose a folder for which you have permission",
    errno.EPERM: "choose a folder for which you have permission",
    errno.EIO: "check the disk, or choose a folder on another disk",
}


def write_problem(error: OSError) -> str:
    """Return a sentence about an error while writing, which says what to do.

    Examples
    --------
    >>> write_problem(OSError(errno.EROFS, "Read-only file system"))
    'cannot be written: Read-only file system; choose another folder'
    """
    # If NumPy cannot write all bytes, its error has no error number.
    reason = error.strerror or "the disk is full or the file has reached the size limit"
    advice = ADVICE.get(error.errno or errno.ENOSPC, "try again, or choose another folder")
    return f"cannot be written: {reason}; {advice}"


def hidden_sibling(target: Path, suffix: str, token: str | None = None) -> Path:
    """Return the path of a hidden entry in the folder of `target`, with a random token."""
    return target.with_name(f".{target.name}.laconic-{token or new_token()}.{suffix}")


def new_token() -> str:
    return secrets.token_hex(4)


def create_locked(
    target: Path, suffix: str, make: Callable[[Path], T], token: str | None = None
) -> tuple[Path, T, int | None]:
    """Create a hidden entry next to `target` with `make`, and lock it.

    Returns
    -------
    tuple
        The path, the result of `make`, and the descriptor that holds the lock until it is closed
        (None if locks are not supported).
    """
    for _ in range(ATTEMPTS):
        path = hidden_sibling(target, suffix, token)
        made = make(path)
        try:
            descriptor = lock(path, wait=True)
            # Another process may have deleted the entry before it was locked.
            if descriptor is None or _is_at(descriptor, path):
                return path, made, descriptor
            os.close(descriptor)
        except FileNotFoundError:
            pass
        except BaseException:
            delete(path)
            raise
        if hasattr(made, "close"):
            made.close()
    raise OSError(errno.EBUSY, "another process keeps deleting the temporary file")


def lock(path: Path, wait: bool = False) -> int | None:
    """Lock a file or folder until the returned descriptor is closed.

    Return None if another process has locked it (unless `wait` is true), or if the system does not
    support locks.
    """
    if fcntl is None:
        return None
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def unlock(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file or folder is still at `path`."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def delete(path: Path) -> None:
    """Delete a file or folder as far as possible; the next process deletes the rest."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def clean_up(*targets: Path) -> None:
    """Finish or undo what killed processes did to targets that are always written together.

    The targets are renamed into place in the given order. If the temporary file of the first target
    is gone, the others are therefore complete, and are renamed; otherwise all are deleted. A target
    that was moved aside is moved back if it is missing.
    """
    first = targets[0]
    if fcntl is None:
        return
    found = {target: _entries(target) for target in targets}
    if not any(found.values()):
        return
    started = _unfinished(first.parent, {target.name for target in targets[1:]})
    locks: dict[Path, int] = {}
    try:
        for _, suffix, path in (entry for entries in found.values() for entry in entries):
            if suffix != "old":
                try:
                    descriptor = lock(path)
                except FileNotFoundError:  # Another process has just renamed it.
                    continue
                except PermissionError:  # It belongs to another user.
                    return
                if descriptor is None:
                    return  # Another process is writing to this path.
                locks[path] = descriptor
        for target, entries in found.items():
            _restore(target, [path for _, suffix, path in entries if suffix == "old"])
            for token, suffix, path in entries:
                if suffix == "old" or path not in locks or not _is_at(locks[path], path):
                    continue
                if target == first or token in started:
                    continue
                logger.info("%s: finished a write that was interrupted", target)
                path.replace(target)
        for target in reversed(targets):  # The first target decides, so it is deleted last.
            for _, suffix, path in found[target]:
                if suffix != "old" and path in locks and _is_at(locks[path], path):
                    delete(path)
    finally:
        for descriptor in locks.values():
            os.close(descriptor)


def _entries(target: Path) -> Sequence[tuple[str, str, Path]]:
    """Return the token, the suffix and the path of the hidden entries next to `target`."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.laconic-([0-9a-f]{{8}})\.(tmp|json|old)")
    try:
        names = os.listdir(target.parent)
    except FileNotFoundError:
        return []
    matches = [match for match in map(pattern.fullmatch, names) if match]
    return [(match[1], match[2], target.with_name(match[0])) for match in matches]


def _unfinished(folder: Path, others: set[str]) -> set[str]:
    """Return the tokens of temporary files in a folder, except those of the files `others`."""
    pattern = re.compile(r"\.(.+)\.laconic-([0-9a-f]{8})\.(tmp|json)")
    matches = (match for match in map(pattern.fullmatch, os.listdir(folder)) if match)
    return {match[2] for match in matches if match[1] not in others}


def _restore(target: Path, asides: list[Path]) -> None:
    """Move the newest of `asides` back if `target` is missing; delete the others."""
    for aside in sorted(asides, key=_age):
        if not os.path.lexists(target):
            logger.info("%s: restored, because a later write was interrupted", target)
            aside.rename(target)
        else:
            delete(aside)


def _age(entry: Path) -> float:
    """Return a sort key that puts the newest entry first."""
    try:
        return -entry.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def flush(path: Path) -> None:
    """Flush a file or folder to disk with ``fsync``; do nothing for folders on Windows."""
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_parent(target: Path) -> None:
    """Flush the folder of a renamed target, which is already complete, so errors are logged."""
    try:
        flush(target.parent)
    except OSError as error:
        logger.warning("%s was written, but may be lost in a power cut: %s", target, error.strerror)
