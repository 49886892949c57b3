"""Tables in memory: pandas and polars data frames, Arrow tables and dicts of lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.errors import ReadError
from laconic.io.columns import TableInfo
from laconic.io.metadata import Row
from laconic.io.options import COLUMNS, Options
from laconic.io.table import SAMPLE, Record, Table, is_null, is_number, table_info

BLOCK = 1 << 22  # number of cells that are converted to a sparse matrix at once


@dataclass(frozen=True)
class Frame:
    """A table in memory.

    Attributes
    ----------
    names : list of str
        Names of the columns, which need not be unique.
    n_rows : int
    values : callable
        Takes the position of a column and a number of rows (None for all); returns the values as
        Python objects, with None for missing values.
    numeric : list of bool
        Whether each column contains numbers.
    matrix : callable
        Takes the positions of columns of numbers; returns them as CSR. Missing values are NaN.
    ids : list of str, optional
        Names of the rows.
    """

    names: list[str]
    n_rows: int
    values: Callable[[int, int | None], list[Any]]
    numeric: list[bool]
    matrix: Callable[[Sequence[int]], sp.csr_matrix]
    ids: list[str] | None = None

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        return self.values(self.names.index(name), None)

    def rows(self, options: Options, where: str | None) -> tuple[Iterator[Row], Options]:
        """Return one Row per row of the table, and options that name the columns of the text."""
        table = Table(self._info(where), self._records)
        rows, chosen = table.rows(options)
        if self.ids is None:
            return rows, chosen
        pairs = zip(rows, self.ids, strict=True)
        return (row if row.id is not None else row._replace(id=id_) for row, id_ in pairs), chosen

    def _info(self, where: str | None) -> TableInfo:
        places = [place for place, numeric in enumerate(self.numeric) if not numeric]
        names = [self.names[place] for place in places]
        columns = [self.values(place, SAMPLE) for place in places]
        sample: list[Record] = [
            (None, dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)
        ]
        info = table_info(sample, self.names, where)
        numbers = [name for name, numeric in zip(self.names, self.numeric, strict=True) if numeric]
        return info._replace(numbers=numbers)

    def _records(self, used: list[str]) -> Iterator[Record]:
        columns = [self.column(name) for name in used]
        for row in zip(*columns, strict=True):
            yield None, dict(zip(used, row, strict=True))


def polars_frame(frame: pl.DataFrame, names: Sequence[str] | None = None) -> Frame:
    """Describe a polars data frame; `names` replaces the names of its columns."""

    def values(position: int, n: int | None) -> list[Any]:
        column = frame.to_series(position)
        return (column if n is None else column.head(n)).to_list()

    def matrix(positions: Sequence[int]) -> sp.csr_matrix:
        chosen = frame.select([frame.columns[position] for position in positions])
        n_rows = max(BLOCK // max(len(positions), 1), 1)
        blocks = [
            sp.csr_matrix(chosen.slice(start, n_rows).cast(pl.Float64).to_numpy())
            for start in range(0, len(chosen), n_rows)
        ]
        return sp.vstack(blocks, format="csr")

    numeric = [kind.is_numeric() for kind in frame.dtypes]
    return Frame(list(names or frame.columns), len(frame), values, numeric, matrix)


def pandas_frame(frame: Any, options: Options) -> Frame:
    """Describe a pandas data frame; columns may also be named levels of the index.

    If the index contains strings, all different, they are the ids of the documents.
    """
    index = frame.index
    names = _pandas_names(frame)
    wanted = {getattr(options, name) for name in COLUMNS if name != "text"} - set(names)
    for level in [level for level in index.names if level is not None and level in wanted]:
        frame = frame.assign(**{str(level): index.get_level_values(level)})
    names = _pandas_names(frame)

    def values(position: int, n: int | None) -> list[Any]:
        column = frame.iloc[:n, position].astype(object)
        pairs = zip(column, column.isna(), strict=True)
        return [None if missing else value for value, missing in pairs]

    def matrix(positions: Sequence[int]) -> sp.csr_matrix:
        chosen = frame.iloc[:, list(positions)]
        if len(positions) and all(hasattr(kind, "fill_value") for kind in chosen.dtypes):
            return chosen.sparse.to_coo().tocsr()
        return sp.csr_matrix(chosen.to_numpy(dtype=float, na_value=math.nan))

    numeric = [getattr(kind, "kind", "O") in "iuf" for kind in frame.dtypes]
    return Frame(names, len(frame), values, numeric, matrix, pandas_ids(index))


def pandas_ids(index: Any) -> list[str] | None:
    """Return the strings of an index as ids, or None if the index has other values."""
    if index.nlevels > 1 or index.dtype.kind not in "OU" or not index.is_unique:
        return None
    values = index.tolist()
    return values if all(isinstance(value, str) for value in values) else None


def arrow_frame(table: Any) -> Frame:
    """Describe a pyarrow Table or RecordBatch, whose names may repeat."""
    numbers = [str(position) for position in range(table.num_columns)]
    data: Any = pl.from_arrow(table.rename_columns(numbers))
    return polars_frame(data, [str(name) for name in table.schema.names])


def columns_frame(columns: Mapping[Any, Any]) -> Frame:
    """Describe a mapping from names to lists of the same length."""
    names = [str(name) for name in columns]
    lists = [_as_list(values) for values in columns.values()]
    for name, values in zip(names, lists, strict=True):
        if len(values) != len(lists[0]):
            raise ReadError(
                None,
                None,
                f"the columns must have the same length, but {names[0]!r} has {len(lists[0])} "
                f"values and {name!r} has {len(values)}",
            )

    def matrix(positions: Sequence[int]) -> sp.csr_matrix:
        chosen = [np.array(lists[position], dtype=float) for position in positions]
        return sp.csr_matrix(np.column_stack(chosen))

    numeric = [
        any(map(is_number, values)) and all(is_number(value) or value is None for value in values)
        for values in lists
    ]
    n_rows = len(lists[0]) if lists else 0
    return Frame(names, n_rows, lambda position, n: lists[position][:n], numeric, matrix)


def _as_list(values: Any) -> list[Any]:
    """Convert a list, array, series or Arrow array to a list of Python values."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    return [None if is_null(value) or _is_na(value) else value for value in values]


def _is_na(value: Any) -> bool:
    """Return whether `value` is the missing value of pandas, without importing pandas."""
    return type(value).__name__ in ("NAType", "NaTType")


def _pandas_names(frame: Any) -> list[str]:
    """Return the names of the columns; the parts of a name with several levels are joined."""
    return [
        ".".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)
        for name in frame.columns
    ]
