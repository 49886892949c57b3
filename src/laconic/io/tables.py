"""Tables with named columns: CSV, TSV, lines of JSON, a JSON list, Parquet.

CSV and JSON are read line by line, so that a complaint can name the line and memory stays flat;
Parquet goes through polars, which reads only the columns and the rows asked for.
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
    no_such_column,
    rows_of,
    string_columns,
)
from laconic.io.options import Options
from laconic.io.rows import count_texts
from laconic.io.source import Source

SLICE = 20_000  # rows of a Parquet file held at once
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)
NO_DOCUMENTS = "holds no documents"


def read_csv(source: Source, options: Options) -> Corpus:
    """Comma-separated values with a header; semicolons where the header has no comma."""
    return _read_separated(source, options, None)


def read_tsv(source: Source, options: Options) -> Corpus:
    """Tab-separated values with a header."""
    return _read_separated(source, options, "\t")


def read_jsonl(source: Source, options: Options) -> Corpus:
    """One JSON object on each line."""
    records = _json_lines(source)
    sample = list(islice(records, SAMPLE))
    if not sample:
        raise source.error(None, NO_DOCUMENTS)
    keys = list(dict.fromkeys(key for _, record in sample for key in record))
    columns = choose_columns(
        keys, string_columns(sample, keys), options, source.name, complete=False
    )
    checked = _all_turn_up(chain(sample, records), columns, keys, source)
    return count_texts(rows_of(checked, columns, source.name), options, source.name)


def read_json(source: Source, options: Options) -> Corpus:
    """A JSON list of objects, or one object on each line."""
    start = source.head().decode(source.encoding, "ignore").lstrip("\ufeff").lstrip()
    if not start.startswith("["):
        return read_jsonl(source, options)
    items = _parsed(source.text(), 1, source)
    for place, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise source.error(None, f"item {place} of the list is {_kind(item)}, not an object")
    if not items:
        raise source.error(None, NO_DOCUMENTS)
    records: list[Record] = [(None, item) for item in items]
    keys = list(dict.fromkeys(key for item in items for key in item))
    columns = choose_columns(keys, string_columns(records[:SAMPLE], keys), options, source.name)
    return count_texts(rows_of(records, columns, source.name), options, source.name)


def read_parquet(source: Source, options: Options) -> Corpus:
    """A Parquet file, of which only the named columns are read."""
    try:
        table = _scan_parquet(source)
        schema = table.collect_schema()
        strings = [name for name, kind in schema.items() if kind in TEXT_TYPES]
        columns = choose_columns(schema.names(), strings, options, source.name)
        records = _parquet_records(table.select(columns.used()))
        rows = rows_of(records, columns, source.name)
        return count_texts(rows, options, source.name)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise source.error(None, _not_parquet(error)) from error


def _read_separated(source: Source, options: Options, separator: str | None) -> Corpus:
    lines = source.lines(keepends=True)
    first = next(lines, None)
    if first is None:
        raise source.error(None, "is empty; the first line must name the columns")
    # A field may be as long as a document; the limit is one for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), sys.maxsize >> 32))
    table = _Separated(source, chain([first], lines), separator or _separator(first))
    sample = list(islice(table.records(), SAMPLE))
    if not sample:
        raise source.error(None, "has a header but no rows")
    strings = string_columns(_numbers_apart(sample), table.header)
    columns = choose_columns(table.header, strings, options, source.name)
    table.require_unique(columns)
    records = _integer_labels(chain(sample, table.records()), columns.label)
    return count_texts(rows_of(records, columns, source.name), options, source.name)


class _Separated:
    """Rows of a CSV file with the line on which each begins."""

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
                row = [""]  # of a single column, a blank line is an empty document
            if len(row) != width:
                raise self.source.error(
                    line, f"expected {width} fields as in the header, found {len(row)}"
                )
            yield line, dict(zip(self.header, row, strict=True))

    def require_unique(self, columns: Columns) -> None:
        for name in columns.used():
            if self.header.count(name) > 1:
                raise self.source.error(
                    1, f"the column {name!r} is there {self.header.count(name)} times; rename one"
                )

    def _next(self) -> list[str] | None:
        line = self.reader.line_num + 1
        try:
            return next(self.reader, None)
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                problem = "a quote that opens here is never closed; a quote inside is doubled"
            else:
                problem = f"broken CSV: {error}"
            raise self.source.error(line, problem) from error


def _separator(header: str) -> str:
    return ";" if ";" in header and "," not in header else ","


def _numbers_apart(records: Sequence[Record]) -> Iterator[Record]:
    """The records with numbers as numbers and blanks as nulls, as the choice of columns needs."""
    for line, record in records:
        yield line, {name: _as_number(value) for name, value in record.items()}


def _as_number(value: str) -> Any:
    if not value.strip():
        return None
    try:
        float(value)
    except ValueError:
        return value
    return 0


def _integer_labels(records: Iterator[Record], label: str | None) -> Iterator[Record]:
    """Labels that are integers as ``int``; those of text and those with leading zeros as text."""
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
            raise source.error(number, f"expected a JSON object {{…}}, found {_kind(record)}")
        yield number, record


def _parsed(text: str, line: int, source: Source) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{error.msg} at column {error.colno}"
        raise source.error(line + error.lineno - 1, f"broken JSON: {place}") from error
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond Python's limits
        raise source.error(line, f"broken JSON: {error}") from error


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _all_turn_up(
    records: Iterator[Record], columns: Columns, keys: list[str], source: Source
) -> Iterator[Record]:
    """Pass the records on; at the end, complain about a column that no line had."""
    absent = [name for name in columns.used() if name not in keys]
    for line, record in records:
        if absent:
            absent = [name for name in absent if name not in record]
        yield line, record
    if absent:
        raise source.error(None, no_such_column(absent[0], keys, "key"))


def _scan_parquet(source: Source) -> pl.LazyFrame:
    if source.head()[:4] != b"PAR1":
        raise source.error(None, "is not a Parquet file; it does not begin with PAR1")
    plain = source.plain_path()
    if plain is not None:
        return pl.scan_parquet(plain, glob=False)
    with source.open() as stream, source.naming_damage():
        return pl.read_parquet(io.BytesIO(stream.read())).lazy()


def _parquet_records(table: pl.LazyFrame) -> Iterator[Record]:
    height = table.select(pl.len()).collect().item()
    for start in range(0, height, SLICE):
        for row in table.slice(start, SLICE).collect().iter_rows(named=True):
            yield None, row


def _not_parquet(error: BaseException) -> str:
    return f"is not a whole Parquet file ({str(error).splitlines()[0]}); was it cut short?"
