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


def check_folder(path: str, force: bool) -> None:
    """Complain before the work begins if a model or store could not be written at `path`."""
    from laconic.files.folders import check_target

    _require_writable(check_target(path, force), path)


def check_file(path: str, force: bool) -> None:
    """Complain before the work begins if a file could not be written at `path`."""
    target = Path(os.path.realpath(path))
    if os.path.lexists(target):
        if target.is_dir():
            raise LaconicError(f"{path}: is a folder; name a file")
        if not target.is_file():
            raise LaconicError(f"{path}: is not a file that can be replaced; name another")
        if not force:
            raise LaconicError(f"{path}: exists; give --force to replace it")
    _require_writable(target, path)


@contextmanager
def new_file(path: str, force: bool) -> Iterator[IO[bytes]]:
    """A file to write, gzipped if its name ends so; it replaces `path` when all went well."""
    check_file(path, force)
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.laconic-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("x+b") as file:
            if target.name.lower().endswith(".gz"):
                with gzip.GzipFile(target.name, "wb", fileobj=file) as zipped:
                    yield zipped  # type: ignore[misc]
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        check_file(path, force)  # much may have happened meanwhile
        temporary.replace(target)
    except OSError as error:
        raise LaconicError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _require_writable(target: Path, path: str) -> None:
    if not target.parent.is_dir():
        raise LaconicError(f"{path}: the folder {target.parent} does not exist; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise LaconicError(f"{path}: the folder {target.parent} cannot be written to")
