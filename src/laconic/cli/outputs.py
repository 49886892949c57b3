"""Write a table to standard output, or to a file whose extension sets the format."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, TypeVar

import click

from laconic.cli.output_paths import check_new_file
from laconic.files.atomic_file import new_file
from laconic.files.tables import disk_errors, write_parquet

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

ROW_GROUP = 1 << 19  # number of rows in a row group of a Parquet file

W = TypeVar("W")


def choose_writer(output: str, writers: Mapping[str, W], force: bool, as_json: bool) -> W:
    """Return the writer for the extension of `output`; raise if `output` cannot be written."""
    if output == "-":
        if as_json:
            raise click.UsageError(
                "--json needs -o FILE, because the table and the JSON cannot both go to standard "
                "output."
            )
        return writers[".csv"]
    writer = next(
        (writers[extension] for extension in writers if output.lower().endswith(extension)), None
    )
    if writer is None:
        raise click.BadParameter(
            f"the file name {output!r} must end in one of {', '.join(writers)}.",
            param_hint="'-o' / '--output'",
        )
    check_new_file(output, force)
    return writer


@contextmanager
def open_output(output: str, force: bool) -> Iterator[IO[bytes]]:
    """Open standard output if `output` is ``-``, else a file that appears once it is complete."""
    if output == "-":
        yield sys.stdout.buffer
    else:
        with new_file(output, force) as file:
            yield file


def write_all(data: bytes, file: IO[bytes]) -> None:
    """Write all bytes, in several calls if unbuffered standard output accepts only some bytes."""
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[file.write(remaining) :]


def write_csv(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table as CSV, with a header."""
    write_all(table.write_csv().encode(), file)


TABLE_WRITERS = {".csv": write_csv, ".csv.gz": write_csv, ".parquet": write_parquet}


# ---- Tables that are written in parts, of which at least one is needed ----


def write_csv_parts(parts: Iterable[pl.DataFrame], file: IO[bytes]) -> None:
    """Write a table as CSV, part by part."""
    for number, part in enumerate(parts):
        write_all(part.write_csv(include_header=number == 0).encode(), file)


def write_parquet_parts(parts: Iterable[pl.DataFrame], file: IO[bytes]) -> None:
    """Write a table as Parquet, part by part; the parts are collected in temporary files."""
    import polars as pl

    from laconic.files.scratch_folder import ScratchFolder

    with ScratchFolder() as scratch:
        paths = []
        for number, part in enumerate(parts):
            paths.append(scratch.path / f"{number}.parquet")
            with paths[-1].open("wb") as part_file:
                write_parquet(part, part_file)
        whole = paths[0]
        if len(paths) > 1:
            whole = scratch.path / "whole.parquet"
            with disk_errors():
                pl.scan_parquet(paths).sink_parquet(whole, row_group_size=ROW_GROUP)
        with whole.open("rb") as source:
            shutil.copyfileobj(source, file, 1 << 20)


PART_WRITERS = {
    ".csv": write_csv_parts,
    ".csv.gz": write_csv_parts,
    ".parquet": write_parquet_parts,
}


def name_column(ids: np.ndarray | None, n_documents: int, first: int = 0) -> pl.Series:
    """Return the column ``id``, which contains the ids of the documents or their positions."""
    import numpy as np
    import polars as pl

    positions = np.arange(first, first + n_documents)
    return pl.Series("id", positions if ids is None else ids.astype(str).tolist())
