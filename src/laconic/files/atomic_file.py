"""Files that appear whole or not at all: written beside their place, then renamed."""

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
    """Complain before the work begins if a file could not be written at `path`."""
    target = Path(os.path.realpath(path))
    if os.path.lexists(target):
        if target.is_dir():
            raise LaconicError(f"{path}: is a folder; name a file")
        if not target.is_file():
            raise LaconicError(f"{path}: is not a file that can be replaced; name another")
        if not force:
            raise LaconicError(f"{path}: exists; give force=True (--force) to replace it")
    check_parent(target, path)


def check_parent(target: Path, path: str | Path) -> None:
    """Complain if nothing can be written beside `target`, which the user calls `path`."""
    if not target.parent.is_dir():
        raise LaconicError(f"{path}: the folder {target.parent} does not exist; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise LaconicError(f"{path}: the folder {target.parent} cannot be written to")


@contextmanager
def new_file(path: str, force: bool) -> Iterator[IO[bytes]]:
    """A file to write, gzipped if its name ends so; it replaces `path` when all went well."""
    check_file(path, force)
    target = Path(os.path.realpath(path))
    with _explained_errors(path), replacing(target) as file:
        if target.name.lower().endswith(".gz"):
            with gzip.GzipFile(target.name, "wb", fileobj=file) as zipped:
                yield zipped  # type: ignore[misc]
        else:
            yield file
        check_file(path, force)  # much may have happened meanwhile


def write_bytes(data: bytes, path: str | Path) -> Path:
    """Write a whole file; one that is there is replaced."""
    with _explained_errors(path), replacing(Path(os.path.realpath(path))) as file:
        file.write(data)
    return Path(path)


@contextmanager
def _explained_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LaconicError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def replacing(target: Path, suffix: str = "tmp") -> Iterator[IO[bytes]]:
    """A new file beside `target`, which takes its place once it is whole and on disk."""
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
    """A fresh hidden name beside the target."""
    return target.with_name(f".{target.name}.laconic-{secrets.token_hex(4)}.{suffix}")
