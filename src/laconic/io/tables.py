"""Readers for tables with named columns: CSV, TSV, JSON lines, JSON lists and Parquet.

CSV and JSON lines are read line by line, so that errors can give the line number and memory use
stays constant. Parquet is read by polars, which loads only the columns and rows that are needed.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import polars as pl

from laconic.corpus.corpus import Corpus
from laconic.io.columns import (
    SAMPLE,
    Columns,
    Record,
    choose_columns,
    missing_column,
    rows_of,
    string_columns,
)
from laconic.io.options import Options
from laconic.io.rows import count_texts
from laconic.io.source import Source

SLICE = 20_000  # number of rows of a Parquet file that are in memory at once
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)
NO_DOCUMENTS = "contains no documents"


def read_csv(source: Source, options: Options) -> Corpus:
    """Read a CSV file; the separator is ";" if the header has semicolons but no commas."""
    return _read_separated(source, options, None)


def read_tsv(source: Source, options: Options) -> Corpus:
    """Read a file of tab-separated values that starts with a header."""
    return _read_separated(source, options, "\t")


def read_jsonl(source: Source, options: Options) -> Corpus:
    """Read one JSON object per line."""
    records = _json_lines(source)
    sample = list(islice(records, SAMPLE))
    if not sample:
        raise source.error(None, NO_DOCUMENTS)
    keys = list(dict.fromkeys(key for _, record in sample for key in record))
    columns = choose_columns(
        keys, string_columns(sample, keys), options, source.name, complete=False
    )
    checked = _check_keys(chain(sample, records), columns, keys, source)
    return count_texts(rows_of(checked, columns, source.name), options, source.name)


def read_json(source: Source, options: Options) -> Corpus:
    """Read a JSON file that contains a list of objects, or one object per line."""
    start = source.head().decode(source.encoding, "ignore").lstrip("\ufeff").lstrip()
    if not start.startswith("["):
        return read_jsonl(source, options)
    items = _parsed(source.text(), 1, source)
    for position, item in enumerate(items, 1):
        if not isinstance(item, dict):
            kind = _json_type(item)
            raise source.error(None, f"item {position} of the JSON list is {kind}, not an object")
    if not items:
        raise source.error(None, NO_DOCUMENTS)
    records: list[Record] = [(None, item) for item in items]
    keys = list(dict.fromkeys(key for item in items for key in item))
    columns = choose_columns(keys, string_columns(records[:SAMPLE], keys), options, source.name)
    return count_texts(rows_of(records, columns, source.name), options, source.name)


def read_parquet(source: Source, options: Options) -> Corpus:
    """Read a Parquet file, but load only the columns that are needed."""
    try:
        table = _scan_parquet(source)
        schema = table.collect_schema()
        strings = [name for name, kind in schema.items() if kind in TEXT_TYPES]
        columns = choose_columns(schema.names(), strings, options, source.name)
        records = _parquet_records(table.select(columns.used()))
        rows = rows_of(records, columns, source.name)
        return count_texts(rows, options, source.name)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise source.error(None, _damaged_parquet(error)) from error


def _read_separated(source: Source, options: Options, separator: str | None) -> Corpus:
    lines = source.lines(keepends=True)
    first = next(lines, None)
    if first is None:
        raise source.error(None, "is empty; expected a header line with the names of the columns")
    # Raise the size limit (of the whole process), because a field may contain a long document.
    csv.field_size_limit(max(csv.field_size_limit(), sys.maxsize >> 32))
    table = _Separated(source, chain([first], lines), separator or _separator(first))
    sample = list(islice(table.records(), SAMPLE))
    if not sample:
        raise source.error(None, "contains a header but no rows, and so no documents")
    strings = string_columns(_with_numbers(sample), table.header)
    columns = choose_columns(table.header, strings, options, source.name)
    table.require_unique(columns)
    records = _integer_labels(chain(sample, table.records()), columns.label)
    return count_texts(rows_of(records, columns, source.name), options, source.name)


class _Separated:
    """Rows of a CSV file; each row is returned with the number of its first line."""

    def __init__(self, source: Source, lines: Iterator[str], separator: str) -> None:
        self.source = source
        self.reader = csv.reader(lines, delimiter=separator, strict=True)
        self.header = self._next() or []

    def records(self) -> Iterator[Record]:
        width = len(self.header)
        while True:
            line = self.reader.line_num + 1
            row = self._next()
            if row is None:
                return
            if not row:
                if width > 1:
                    continue
                row = [""]  # In a table with one column, this is an empty document.
            if len(row) != width:
                raise self.source.error(
                    line,
                    f"expected {width} fields as in the header, found {len(row)}; "
                    "check for separators or line breaks that are not quoted",
                )
            yield line, dict(zip(self.header, row, strict=True))

    def require_unique(self, columns: Columns) -> None:
        for name in columns.used():
            if self.header.count(name) > 1:
                raise self.source.error(
                    1, f"{self.header.count(name)} columns have the name {name!r}; rename them"
                )

    def _next(self) -> list[str] | None:
        line = self.reader.line_num + 1
        try:
            return next(self.reader, None)
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                problem = (
                    'the quote (") opened here is never closed; '
                    'write a quote inside a quoted field as ""'
                )
            else:
                problem = f"invalid CSV: {error}"
            raise self.source.error(line, problem) from error


def _separator(header: str) -> str:
    return ";" if ";" in header and "," not in header else ","


def _with_numbers(records: Sequence[Record]) -> Iterator[Record]:
    """Replace numbers with 0 and blank values with None, so that they do not count as text."""
    for line, record in records:
        yield line, {name: _zero_if_number(value) for name, value in record.items()}


def _zero_if_number(value: str) -> Any:
    if not value.strip():
        return None
    try:
        float(value)
    except ValueError:
        return value
    return 0


def _integer_labels(records: Iterator[Record], label: str | None) -> Iterator[Record]:
    """Convert labels that are integers to ``int``, unless they have leading zeros."""
    for line, record in records:
        if label is not None:
            value = record[label]
            if value.removeprefix("-").isdecimal() and value == str(int(value)):
                record = {**record, label: int(value)}
            elif value == "":
                record = {**record, label: None}
        yield line, record


def _json_lines(source: Source) -> Iterator[Record]:
    for number, line in enumerate(source.lines(), 1):
        if not line or line.isspace():
            continue
        record = _parsed(line, number, source)
        if not isinstance(record, dict):
            raise source.error(number, f"expected a JSON object {{…}}, found {_json_type(record)}")
        yield number, record


def _parsed(text: str, line: int, source: Source) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"invalid JSON: {error.msg} at column {error.colno}"
        raise source.error(line + error.lineno - 1, problem) from error
    except (ValueError, RecursionError) as error:  # a very long number, or very deep nesting
        raise source.error(line, f"invalid JSON: {error}") from error


def _json_type(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _check_keys(
    records: Iterator[Record], columns: Columns, keys: list[str], source: Source
) -> Iterator[Record]:
    """Yield the records; after the last record, raise if no record had a requested key."""
    absent = [name for name in columns.used() if name not in keys]
    for line, record in records:
        if absent:
            absent = [name for name in absent if name not in record]
        yield line, record
    if absent:
        raise source.error(None, missing_column(absent[0], keys, "key"))


def _scan_parquet(source: Source) -> pl.LazyFrame:
    if source.head()[:4] != b"PAR1":
        raise source.error(
            None, "is not a Parquet file, because it does not start with PAR1; check format="
        )
    plain = source.plain_path()
    if plain is not None:
        return pl.scan_parquet(plain, glob=False)
    with source.open() as stream, source.read_errors():
        return pl.read_parquet(io.BytesIO(stream.read())).lazy()


def _parquet_records(table: pl.LazyFrame) -> Iterator[Record]:
    height = table.select(pl.len()).collect().item()
    for start in range(0, height, SLICE):
        for row in table.slice(start, SLICE).collect().iter_rows(named=True):
            yield None, row


def _damaged_parquet(error: BaseException) -> str:
    reason = str(error).splitlines()[0]
    return f"is an incomplete or damaged Parquet file ({reason}); download or write the file again"
