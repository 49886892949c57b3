"""Write files atomically: write a temporary file in the same folder, then rename it."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from laconic.errors import LaconicError
from laconic.files.leftovers import (
    clean_up,
    create_locked,
    delete,
    flush_parent,
    hidden_sibling,
    new_token,
    unlock,
    write_problem,
)


def check_file(path: str | Path, force: bool) -> None:
    """Raise if no file can be written at `path`; called before any other work."""
    target = Path(os.path.realpath(path))
    if os.path.lexists(target):
        if target.is_dir():
            raise LaconicError(f"{path}: is a folder, not a file; choose another name")
        if not target.is_file():
            raise LaconicError(
                f"{path}: is not a regular file and cannot be replaced; choose another name"
            )
        if not force:
            raise LaconicError(f"{path}: already exists; set force=True (--force) to replace it")
    check_parent(target, path)


def check_parent(target: Path, path: str | Path) -> None:
    """Raise an error about `path` if the folder of `target` is missing or not writable."""
    if not target.parent.is_dir():
        raise LaconicError(f"{path}: the folder {target.parent} does not exist; create it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise LaconicError(
            f"{path}: no permission to write to the folder {target.parent}; choose another folder"
        )


@contextmanager
def new_file(path: str, force: bool) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` on success; compress it if `path` ends in ``.gz``."""
    with new_files([path], force) as [file]:
        yield file


@contextmanager
def new_files(paths: Sequence[str], force: bool) -> Iterator[list[IO[bytes]]]:
    """Open files that replace `paths` together on success; compress those that end in ``.gz``.

    If a process is killed while it renames the files, the next process that writes them, or that
    calls `clean_up` with their paths, renames the others.
    """
    for path in paths:
        check_file(path, force)
    targets = [Path(os.path.realpath(path)) for path in paths]
    with _write_errors(paths[0]), replacing_all(targets) as files, ExitStack() as zipped:
        for number, target in enumerate(targets):
            if target.name.lower().endswith(".gz"):
                writer = gzip.GzipFile(target.name, "wb", fileobj=files[number])
                files[number] = zipped.enter_context(writer)  # type: ignore[call-overload]
        yield files
        for path in paths:
            check_file(path, force)  # Another process may have created the file.


def write_bytes(data: bytes, path: str | Path) -> Path:
    """Write bytes to a file atomically; replace an existing file."""
    with _write_errors(path), replacing(Path(os.path.realpath(path))) as file:
        file.write(data)
    return Path(path)


@contextmanager
def _write_errors(path: str | Path) -> Iterator[None]:
    """Convert an OSError raised in the ``with`` block to a LaconicError about `path`."""
    try:
        yield
    except OSError as error:
        raise LaconicError(f"{path}: {write_problem(error)}") from error


@contextmanager
def replacing(target: Path, suffix: str = "tmp") -> Iterator[IO[bytes]]:
    """Open a temporary file that is flushed to disk and then replaces `target`."""
    with replacing_all([target], suffix) as [file]:
        yield file


@contextmanager
def replacing_all(targets: Sequence[Path], suffix: str = "tmp") -> Iterator[list[IO[bytes]]]:
    """Open temporary files that are flushed to disk and then replace `targets` in this order."""
    clean_up(*targets)
    token = new_token()
    temporary: list[Path] = []
    locks: list[int | None] = []
    try:
        with ExitStack() as opened:
            files: list[IO[bytes]] = []
            for target in targets:
                path, file, lock = create_locked(
                    target, suffix, lambda path: path.open("x+b"), token
                )
                temporary.append(path)
                locks.append(lock)
                files.append(opened.enter_context(file))
            yield list(files)
            for opened_file in files:
                opened_file.flush()
                os.fsync(opened_file.fileno())
        _move_into_place(temporary, targets, token)
    finally:
        for path in reversed(temporary):  # The first file decides, so it is deleted last.
            if os.path.lexists(path):
                delete(path)
        for lock in locks:
            unlock(lock)


def _move_into_place(temporary: Sequence[Path], targets: Sequence[Path], token: str) -> None:
    """Rename all files, or none if an error occurs."""
    asides = {target: hidden_sibling(target, "old", token) for target in targets[:-1]}
    moved: list[tuple[Path, Path]] = []
    try:
        for target, aside in asides.items():
            if target.exists():
                _keep_aside(target, aside)
        for path, target in zip(temporary, targets, strict=True):
            path.replace(target)
            moved.append((path, target))
    except BaseException:
        for path, target in reversed(moved):
            target.rename(path)
            with suppress(FileNotFoundError):
                asides[target].replace(target)
        raise
    finally:
        for aside in asides.values():
            if os.path.lexists(aside):
                delete(aside)
    flush_parent(targets[0])


def _keep_aside(target: Path, aside: Path) -> None:
    """Keep the contents of a file under another name; some file systems have no hard links."""
    try:
        os.link(target, aside)
    except OSError:
        shutil.copy2(target, aside)
