"""Where a command writes a table: a file whose name says how, or CSV on standard output."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, TypeVar

import click

from laconic.files.atomic import check_file, new_file

if TYPE_CHECKING:
    import polars as pl

W = TypeVar("W")


def choose_writer(output: str, writers: Mapping[str, W], force: bool, as_json: bool) -> W:
    """The writer for the ending of a name; complains before the work begins if none will do."""
    if output == "-":
        if as_json:
            raise click.UsageError("--json needs -o FILE: standard output cannot hold both.")
        return writers[".csv"]
    writer = next((writers[end] for end in writers if output.lower().endswith(end)), None)
    if writer is None:
        raise click.BadParameter(
            f"{output!r} has none of the endings {', '.join(writers)}.",
            param_hint="'-o' / '--output'",
        )
    check_file(output, force)
    return writer


@contextmanager
def open_output(output: str, force: bool) -> Iterator[IO[bytes]]:
    """Standard output for ``-``, else a file that appears when it is whole."""
    if output == "-":
        yield sys.stdout.buffer
    else:
        with new_file(output, force) as file:
            yield file


def write_all(data: bytes, file: IO[bytes]) -> None:
    """Standard output may be unbuffered, and then takes a part when its reader goes away."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def write_as_parquet(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table; what the disk refuses is an OSError, as from other writers."""
    import polars as pl

    try:
        table.write_parquet(file)
    except pl.exceptions.PolarsError as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error
