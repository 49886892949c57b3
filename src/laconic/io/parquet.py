"""Parquet files, which polars reads; only the columns and rows that are needed are in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator

import polars as pl

from laconic.errors import ReadError
from laconic.io.columns import TableInfo
from laconic.io.options import Options
from laconic.io.source import Source
from laconic.io.table import SAMPLE, Record, Table, table_info

SLICE = 20_000  # number of rows of a Parquet file that are in memory at once
MANY, MOST_ROWS = 1_000_000, 100  # a file with more rows than these has fewer rows per byte
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)
DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def open_parquet(source: Source, options: Options) -> Table:
    """Open a Parquet file."""
    try:
        table = scan_parquet(source)
        schema = table.collect_schema()
        names = schema.names()
        _check_height(table.select(pl.len()).collect().item(), source)
        sample = list(_records(table.select(pl.col(pl.String)).head(SAMPLE)))
        strings = [name for name, kind in schema.items() if kind in TEXT_TYPES]
        numbers = [name for name, kind in schema.items() if kind.is_numeric()]
        texts = table_info(sample, names, source.name).texts
    except DAMAGED as error:
        raise damaged(error, source) from error
    info = TableInfo(names, strings, numbers, texts, source.name)

    def records(used: list[str]) -> Iterator[Record]:
        try:
            yield from _records(table.select(used))
        except DAMAGED as error:
            raise damaged(error, source) from error

    return Table(info, records)


def scan_parquet(source: Source) -> pl.LazyFrame:
    """Return a lazy table, which polars reads when its rows are needed."""
    if source.head()[:4] != b"PAR1":
        raise source.error(
            None, "is not a Parquet file, because it does not start with PAR1; check format="
        )
    plain = source.plain_path()
    if plain is not None:
        return pl.scan_parquet(plain, glob=False)
    return pl.read_parquet(io.BytesIO(source.data())).lazy()


def _check_height(n_rows: int, source: Source) -> None:
    """Raise if a small file states so many rows that they would fill the memory."""
    plain = source.plain_path()
    n_bytes = 0 if plain is None else plain.stat().st_size
    if plain is not None and n_rows > max(MANY, MOST_ROWS * n_bytes):
        raise source.error(
            None,
            f"states {n_rows:,} rows, but has only {n_bytes:,} bytes, so it is damaged or contains "
            "no documents",
        )


def damaged(error: BaseException, source: Source) -> ReadError:
    """Convert an error of polars to an error that names the file."""
    reason = str(error).splitlines()[0]
    return source.error(
        None,
        f"is an incomplete or damaged Parquet file ({reason}); download or write the file again",
    )


def _records(table: pl.LazyFrame) -> Iterator[Record]:
    height = table.select(pl.len()).collect().item()
    for start in range(0, height, SLICE):
        for row in table.slice(start, SLICE).collect().iter_rows(named=True):
            yield None, row
