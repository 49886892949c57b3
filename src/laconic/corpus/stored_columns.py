"""The metadata of the documents of a corpus store: ids, titles, labels and texts in Parquet.

The rows are written in small groups, and only the groups that contain the wanted rows are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.corpus.vocabulary import as_objects
from laconic.errors import LaconicError, ModelFileError
from laconic.files.tables import disk_errors
from laconic.wording import plural

if TYPE_CHECKING:
    import polars as pl

ROW_GROUP = 4096
"""Number of rows that are compressed together. To read one row, its whole group is read."""

LEVEL = 1
"""Level of compression with zstd; level 3 takes twice the time to save 15 % of the space."""

METADATA = ("ids", "titles", "labels", "texts")
# A column of strings may take `MAX_TEXT` bytes plus `MAX_RATIO` times the size of the compressed
# file; a small file could otherwise fill the memory.
MAX_TEXT = 1 << 29
MAX_RATIO = 100


@dataclass
class StoredColumns:
    """The columns of ``documents.parquet``; only the wanted columns and rows are read."""

    path: Path
    names: tuple[str, ...]
    n_documents: int

    def load(self, name: str) -> np.ndarray:
        """Read a whole column."""
        return self.read([name], 0, self.n_documents)[name]

    def read(self, names: Sequence[str], start: int, stop: int) -> dict[str, np.ndarray]:
        """Read the rows ``start:stop`` of some columns."""
        table = self._read(names, start, stop)
        return {name: self._as_array(table[name]) for name in names}

    def take(self, names: Sequence[str], rows: np.ndarray) -> dict[str, np.ndarray]:
        """Read some rows of some columns, in the given order."""
        distinct, positions = np.unique(rows, return_inverse=True)
        borders = np.flatnonzero(np.diff(distinct // ROW_GROUP)) + 1
        parts = []
        for part in np.split(distinct, borders):
            first, last = (int(part[0]), int(part[-1]) + 1) if len(part) else (0, 0)
            table = self._read(names, first, last)[part - first]
            # Arrays are made for each part, because the rows of polars share the memory of a group.
            parts.append([self._as_array(table[name]) for name in names])
        columns = map(np.concatenate, zip(*parts, strict=True))
        return {name: column[positions] for name, column in zip(names, columns, strict=True)}

    def scan(self, names: Sequence[str]) -> pl.LazyFrame:
        """Return some columns as a lazy table, without checks."""
        import polars as pl

        return pl.scan_parquet(self.path, glob=False).select(names)

    def _read(self, names: Sequence[str], start: int, stop: int) -> pl.DataFrame:
        """Read rows; the number of all rows is read first, because compressed rows can be many."""
        import polars as pl

        what = f"column{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))}"
        try:
            if self._n_rows != self.n_documents:
                raise self._damaged(
                    f"the number of {names[0]} is {self._n_rows}, but there are "
                    f"{plural(self.n_documents, 'document')}"
                )
            table = self.scan(names).slice(start, stop - start).collect()
            for name in names:
                self._check(name, table[name])
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            problem = (str(error) or type(error).__name__).splitlines()[0]
            raise ModelFileError(
                self.path, f"{what} cannot be read ({problem}); save the corpus again"
            ) from error
        return table

    @cached_property
    def _n_rows(self) -> int:
        import polars as pl

        return int(pl.scan_parquet(self.path, glob=False).select(pl.len()).collect().item())

    @cached_property
    def _labels_are_complete(self) -> bool:
        """Whether each document has a label; otherwise, labels are Python objects."""
        return not self.scan(["labels"]).null_count().collect().item()

    def _check(self, name: str, column: pl.Series) -> None:
        import polars as pl

        plain = column.dtype.is_numeric() or column.dtype in (
            pl.String, pl.Boolean, pl.Date, pl.Datetime, pl.Null
        )  # fmt: skip
        if not plain or column.dtype == pl.Decimal:
            raise self._damaged(f"the {name} have the type {column.dtype}")
        if column.dtype == pl.String:
            size = int(column.str.len_bytes().sum() or 0)
            if size > MAX_TEXT + MAX_RATIO * self.path.stat().st_size:
                raise self._damaged(f"the {name} would take {size:,} bytes of memory")

    def _as_array(self, column: pl.Series) -> np.ndarray:
        if column.name != "labels" or not self._labels_are_complete:
            return as_objects(column.to_list())
        values = column.to_numpy()
        return values.astype(str) if values.dtype == object else values

    def _damaged(self, problem: str) -> ModelFileError:
        return ModelFileError(self.path, f"is damaged: {problem}; save the corpus again")


def as_table(columns: dict[str, np.ndarray]) -> pl.LazyFrame:
    """Convert metadata in memory to a table."""
    import polars as pl

    return pl.DataFrame(
        [_as_series(name, values.tolist()) for name, values in columns.items()]
    ).lazy()


def write_columns(table: pl.LazyFrame, path: Path) -> None:
    """Write the metadata of documents group by group."""
    with disk_errors():
        table.sink_parquet(path, row_group_size=ROW_GROUP, compression_level=LEVEL)


def _as_series(name: str, values: Iterable[Any]) -> pl.Series:
    import polars as pl

    try:
        return pl.Series(name, values, strict=True)
    except TypeError as error:
        raise LaconicError(
            f"The {name} of this corpus have several types and cannot be saved as one column; "
            "convert them all to strings."
        ) from error
