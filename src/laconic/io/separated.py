"""Tables whose rows are lines with delimiters: CSV, TSV and the like.

The rows are read one by one, so that errors can give the line number and memory use stays constant.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from laconic.io.options import Options
from laconic.io.source import LONGEST_LINE, Source
from laconic.io.table import SAMPLE, Record, Table, table_info

DELIMITERS = (",", ";", "\t", "|")
SNIFFED = 1 << 16  # number of characters inspected to detect the delimiter


def open_csv(source: Source, options: Options) -> Table:
    """Open a table with one row per line; the delimiter is detected from the first lines."""
    return open_separated(source, options)


def open_tsv(source: Source, options: Options) -> Table:
    """Open a table that is probably separated by tabs."""
    return open_separated(source, options, preferred="\t")


def open_separated(source: Source, options: Options, preferred: str = ",") -> Table:
    lines, separator = separated_lines(source, options, preferred)
    reader = _Reader(source, lines, separator)
    sample = list(islice(reader.records(), SAMPLE))
    if not sample:
        raise source.error(None, "contains a header but no rows, and so no documents")
    info = table_info(list(_with_numbers(sample)), reader.header, source.name, headed=True)
    return Table(info, lambda _: _typed_labels(chain(sample, reader.records()), options.label))


def separated_lines(
    source: Source, options: Options, preferred: str = ","
) -> tuple[Iterator[str], str]:
    """Return the lines of a file, with their ends, and the delimiter."""
    # Raise the size limit (of the whole process), because a field may contain a long document.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    lines = source.lines(keepends=True)
    first: list[str] = []
    n_characters = 0
    for line in lines:
        first.append(line)
        n_characters += len(line)
        if n_characters >= SNIFFED:
            break
    if not first:
        raise source.error(None, "is empty; expected a header line with the names of the columns")
    separator = options.separator() or detect_delimiter(
        first, preferred, complete=n_characters < SNIFFED
    )
    return chain(first, lines), separator


def detect_delimiter(lines: Sequence[str], preferred: str = ",", complete: bool = True) -> str:
    """Return the delimiter that splits most lines into as many fields as the header has.

    Parameters
    ----------
    lines : sequence of str
        The first lines, including the header.
    preferred : str
        The delimiter to return if several fit equally well, or none.
    complete : bool
        False if the last row may be incomplete, so that its fields are not counted.

    Examples
    --------
    >>> detect_delimiter(["name, first;text", "Ann;a cat", "Bob;a dog, an emu"])
    ';'
    """
    best, best_score = preferred, (0.0, 0)
    for separator in (preferred, *DELIMITERS):
        widths = _widths(lines, separator)
        widths = widths if complete else widths[:-1]
        if not widths or widths[0] < 2:
            continue
        agreeing = sum(width == widths[0] for width in widths) / len(widths)
        score = (round(agreeing, 2), widths[0])
        if score > best_score:
            best, best_score = separator, score
    return best


def _widths(lines: Iterable[str], separator: str) -> list[int]:
    """Return the number of fields in each row up to an invalid row; blank lines are not rows."""
    widths: list[int] = []
    with suppress(csv.Error):
        widths.extend(len(row) for row in csv.reader(lines, delimiter=separator) if row)
    return widths


class _Reader:
    """Rows of a CSV file; each row is returned with the number of its first line."""

    def __init__(self, source: Source, lines: Iterator[str], separator: str) -> None:
        self.source = source
        self.separator = separator
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
                raise self.source.error(line, self._wrong_width(len(row)))
            yield line, dict(zip(self.header, row, strict=True))

    def _wrong_width(self, n_fields: int) -> str:
        name = {"\t": "tab"}.get(self.separator, self.separator)
        return (
            f"expected {len(self.header)} fields as in the header, found {n_fields}; check for "
            f"delimiters ({name}) or line breaks that are not quoted, or set delimiter="
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


def _with_numbers(records: Sequence[Record]) -> Iterator[Record]:
    """Replace numbers with 0 and blank values with None, so that they do not count as text."""
    for line, record in records:
        yield line, {name: _zero_if_number(value) for name, value in record.items()}


def _zero_if_number(value: str) -> Any:
    if not value.strip() or value == "NA":
        return None
    try:
        float(value)
    except ValueError:
        return value
    return 0


def _typed_labels(records: Iterator[Record], label: str | None) -> Iterator[Record]:
    """Convert labels that are integers to ``int``, unless they have leading zeros."""
    for line, record in records:
        if label is not None and label in record:
            value = record[label]
            if value.removeprefix("-").isdecimal() and value == str(int(value)):
                record = {**record, label: int(value)}
            elif value == "":
                record = {**record, label: None}
        yield line, record
