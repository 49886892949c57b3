"""Write files atomically: write a temporary file in the same folder, then rename it."""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from laconic.errors import LaconicError


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
    check_file(path, force)
    target = Path(os.path.realpath(path))
    with _write_errors(path), replacing(target) as file:
        if target.name.lower().endswith(".gz"):
            with gzip.GzipFile(target.name, "wb", fileobj=file) as zipped:
                yield zipped  # type: ignore[misc]
        else:
            yield file
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
        raise LaconicError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def replacing(target: Path, suffix: str = "tmp") -> Iterator[IO[bytes]]:
    """Open a temporary file that is flushed to disk and then replaces `target`."""
    temporary = hidden_sibling(target, suffix)
    try:
        with temporary.open("x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def hidden_sibling(target: Path, suffix: str) -> Path:
    """Return the path of a hidden file in the folder of `target`, with a random name."""
    return target.with_name(f".{target.name}.laconic-{secrets.token_hex(4)}.{suffix}")
