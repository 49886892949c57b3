"""Functions shared by the bag-of-words readers, which parse matrix entries in batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.io.options import Options
from laconic.io.source import Source

LARGEST = 2**31 - 1  # maximum number of rows and columns
# A matrix with more rows or columns than this must have some entries in them.
LARGE, MOST_EMPTY = 10_000_000, 100


class Entries(NamedTuple):
    """Entries of a sparse matrix; each list contains one array per batch of lines."""

    rows: list[np.ndarray]
    columns: list[np.ndarray]
    values: list[np.ndarray]

    @classmethod
    def empty(cls) -> Entries:
        return cls([], [], [])

    def add(self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> None:
        """Add a batch; values are stored as int32 if all are integers, otherwise as float32."""
        integers = bool((values == np.rint(values)).all()) and values.max(initial=0) < 2**31
        self.rows.append(rows)
        self.columns.append(columns)
        self.values.append(values.astype(np.int32 if integers else np.float32))

    def matrix(
        self, n_rows: int, n_columns: int | None = None, first_column: int = 0
    ) -> sp.csr_matrix:
        """Return a CSR matrix; if `n_columns` is None, the largest column index sets the width."""
        rows, columns, values = (
            np.concatenate(part) if part else np.zeros(0, np.int32)
            for part in (self.rows, self.columns, self.values)
        )
        columns = columns - first_column if first_column else columns
        width = int(columns.max(initial=-1)) + 1 if n_columns is None else n_columns
        if max(n_rows, width) > LARGEST:
            raise LaconicError(
                f"a matrix may have at most {LARGEST:,} rows or columns; got {n_rows:,} rows and "
                f"{width:,} columns"
            )
        if values.dtype == np.int32 and values.sum(dtype=np.float64) > LARGEST:
            values = values.astype(np.float32)  # A sum of repeated entries may be too large.
        return sp.csr_matrix((values, (rows, columns)), shape=(n_rows, width))


class PairLines(NamedTuple):
    """A parsed batch of lines of the form ``head column:value column:value …``."""

    lines: np.ndarray  # line number of each row
    heads: pl.Series
    lengths: np.ndarray  # number of pairs in each row
    rows: np.ndarray  # row number of each pair within the batch
    columns: np.ndarray
    values: np.ndarray


def reject_options(source: Source, options: Options) -> None:
    """Raise if options that apply only to tables or to text are set."""
    options.reject_columns(source.name, "each column of a bag of words is a word; omit it")
    options.reject_settings(source.name, "the words of a bag of words are already counted")


def batches(lines: Iterator[Any], size: int) -> Iterator[list[Any]]:
    """Split an iterator into lists of at most `size` items."""
    while batch := list(islice(lines, size)):
        yield batch


def parse_pairs(numbered: list[tuple[int, str]], source: Source) -> PairLines:
    """Parse lines of pairs; if a pair is invalid, raise an error that gives the line number."""
    lines = np.array([number for number, _ in numbered])
    tokens = [line.split() for _, line in numbered]
    lengths = np.array([len(line) - 1 for line in tokens])
    pairs = pl.Series(chain.from_iterable(line[1:] for line in tokens), dtype=pl.String)
    parts = pairs.str.splitn(":", 2).struct.unnest()
    columns = parts["field_0"].cast(pl.Int64, strict=False)
    values = parts["field_1"].cast(pl.Float64, strict=False)
    rows = np.repeat(np.arange(len(lines)), lengths)
    bad = (columns.is_null() | values.is_null() | (columns < 0).fill_null(True)).to_numpy()
    if bad.any():
        first = int(np.argmax(bad))
        raise source.error(
            int(lines[rows[first]]), f"expected column:count such as 7:2, found {pairs[first]!r}"
        )
    if len(columns) and columns.max() > LARGEST - 1:  # type: ignore[operator]
        first = int(np.argmax(columns.to_numpy()))
        raise source.error(
            int(lines[rows[first]]),
            f"column {columns[first]:,} is too large; a matrix may have at most {LARGEST:,} "
            "columns",
        )
    counts = values.to_numpy()
    require_counts(counts, lines[rows], source)
    heads = pl.Series([line[0] for line in tokens])
    return PairLines(lines, heads, lengths, rows, columns.to_numpy(), counts)


def check_size(name: str, size: int, n_entries: int, source: Source, line: int) -> None:
    """Raise if a header states more rows or columns than there can be; memory would not suffice."""
    if size > LARGEST:
        raise source.error(line, f"a matrix may have at most {LARGEST:,} {name}, found {size:,}")
    if size > max(LARGE, MOST_EMPTY * n_entries):
        raise source.error(
            line,
            f"the header states {size:,} {name}, but only {n_entries:,} entries; check that the "
            "header is right",
        )


def require_counts(values: np.ndarray, lines: np.ndarray, source: Source) -> None:
    """Raise if a count is negative, infinite or NaN."""
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        first = int(np.argmax(bad))
        raise source.error(
            int(lines[first]),
            f"invalid count {values[first]:g}; counts must be finite and not negative",
        )
