"""Names of output files and folders: default names, and checks before any other work."""

from __future__ import annotations

import glob
import os
from contextlib import suppress
from pathlib import Path

import click

from laconic.errors import LaconicError
from laconic.files.atomic_file import check_file
from laconic.files.atomic_folder import check_folder
from laconic.files.leftovers import hidden_sibling, write_problem

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
FOLDERS = (".model", ".corpus")  # extensions of folders that laconic writes


def default_output(source: str | tuple[str, ...], extension: str) -> str:
    """Return the name of the output for an input: its own name with another extension.

    The output is written to the working directory, wherever the input is.

    Examples
    --------
    >>> default_output("data/posts.jsonl.gz", ".model"), default_output("posts.model", ".html")
    ('posts.model', 'posts.html')
    """
    if source == "-":
        raise click.UsageError("Set the output with -o, because standard input has no name.")
    if isinstance(source, tuple) or (glob.has_magic(source) and not Path(source).exists()):
        raise click.UsageError("Set the output with -o, because there are several inputs.")
    path = Path(os.path.abspath(source))
    name = path.name
    if path.suffix.lower() in COMPRESSED:
        name = path.stem
    if not path.is_dir() or Path(name).suffix in FOLDERS:
        name = Path(name).stem
    return f"{name}{extension}"


def check_new_file(path: str, force: bool) -> None:
    """Raise if no file can be written at `path`."""
    check_file(path, force=True)
    _check_existing(path, force)
    _check_writable(path)


def check_new_folder(path: str, force: bool) -> None:
    """Raise if no model or corpus store can be written at `path`."""
    check_folder(path, force=True)
    _check_existing(path, force)
    _check_writable(path)


def _check_existing(path: str, force: bool) -> None:
    if not force and os.path.lexists(path):
        raise LaconicError(
            f"{path}: already exists; set --force to replace it, or choose another name with -o"
        )


def _check_writable(path: str) -> None:
    """Raise if nothing can be created next to `path`; permissions alone do not tell."""
    probe = hidden_sibling(Path(os.path.realpath(path)), "tmp")
    try:
        probe.mkdir()
        with suppress(FileNotFoundError):  # Another process that cleans up may have deleted it.
            probe.rmdir()
    except OSError as error:
        raise LaconicError(f"{path}: {write_problem(error)}") from error
