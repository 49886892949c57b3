"""Tables with named columns, from a file or from memory, whose rows become documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from laconic.errors import ReadError, warn
from laconic.io.columns import Columns, TableInfo, choose_columns, clip, missing_column, quoted
from laconic.io.metadata import Row
from laconic.io.options import Options

SAMPLE = 100  # number of rows inspected to find columns of strings
WATCHED = 1000  # number of texts inspected to find a column of identifiers
FEW, NEARLY_ALL = 20, 0.9  # no warning for fewer texts, or for a smaller share of identifiers
LONGEST_IDENTIFIER = 40

Record = tuple[int | None, Mapping[str, Any]]  # line number, if known, and value of each column


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    info : TableInfo
    records : callable
        Takes the names of the columns to read; yields one record per row.
    """

    info: TableInfo
    records: Callable[[list[str]], Iterator[Record]]

    def rows(self, options: Options) -> tuple[Iterator[Row], Options]:
        """Return one Row per record, and options that name the columns of the text."""
        columns = choose_columns(self.info, options)
        records = self.records(columns.used())
        if not self.info.complete:
            records = _check_keys(records, columns, self.info)
        rows = _watch_texts(_rows_of(records, columns, self.info.where), columns, self.info.where)
        return rows, replace(options, text=columns.text)


def table_info(
    sample: Sequence[Record], names: Sequence[str], where: str | None, **more: Any
) -> TableInfo:
    """Describe columns from the values in the first rows."""
    strings: list[str] = []
    numbers: list[str] = []
    texts: list[str] = []
    for name in dict.fromkeys(names):
        values: list[Any] = [
            value for _, record in sample if not is_null(value := record.get(name))
        ]
        if values and all(isinstance(value, str) for value in values):
            strings.append(name)
            if not _are_words(values):
                texts.append(name)
        elif values and all(is_number(value) for value in values):
            numbers.append(name)
    return TableInfo(names, strings, numbers, texts, where, **more)


def _are_words(values: Sequence[str]) -> bool:
    """Return whether most values are single words, such as the names of samples or classes."""
    return 2 * sum(map(_is_identifier, values)) > len(values)


def _are_identifiers(values: Iterable[str]) -> bool:
    """Return whether nearly all values are single words that occur only once."""
    texts = [value for value in values if value]
    short = [text for text in texts if _is_identifier(text)]
    return bool(texts) and len(set(short)) >= NEARLY_ALL * len(texts)


def is_null(value: Any) -> bool:
    """Return whether `value` is None or NaN, which pandas uses for missing values."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_identifier(text: str) -> bool:
    # A text with letters that are not ASCII may be in a language without spaces.
    return len(text) <= LONGEST_IDENTIFIER and text.isascii() and len(text.split()) == 1


def _rows_of(records: Iterable[Record], columns: Columns, where: str | None) -> Iterator[Row]:
    """Yield one Row per record; if the text is null or missing, the document is empty."""
    only = columns.text[0] if len(columns.text) == 1 else None
    for line, record in records:
        if only is not None:
            text = _as_text(record.get(only), only, line, where)
        else:
            parts = (_as_text(record.get(name), name, line, where) for name in columns.text)
            text = "\n".join(part for part in parts if part)
        yield Row(
            text,
            id=as_name(record, columns.id),
            title=as_name(record, columns.title),
            label=as_label(record, columns.label, line, where),
        )


def _watch_texts(rows: Iterator[Row], columns: Columns, where: str | None) -> Iterator[Row]:
    """Yield the rows; warn if the texts are identifiers, so that no document shares a word."""
    watched: list[str] | None = []
    for row in rows:
        if watched is not None:
            watched.append(row.text)
            if len(watched) == WATCHED:
                _check_texts(watched, columns, where)
                watched = None
        yield row
    if watched is not None:
        _check_texts(watched, columns, where)


def _check_texts(texts: list[str], columns: Columns, where: str | None) -> None:
    if len(texts) >= FEW and _are_identifiers(texts):
        names = " and ".join(f'"{clip(name)}"' for name in columns.text)
        warn(
            f"{where or 'table'}: nearly every text in {names} is a single word that occurs only "
            "once, such as an id; name the column with the text with text="
        )


def _check_keys(records: Iterator[Record], columns: Columns, info: TableInfo) -> Iterator[Record]:
    """Yield the records; after the last record, raise if no record had a requested key."""
    absent = [name for name in columns.used() if name not in info.names]
    for line, record in records:
        if absent:
            absent = [name for name in absent if name not in record]
        yield line, record
    if absent:
        raise ReadError(info.where, None, missing_column(absent[0], info))


def _as_text(value: Any, name: str, line: int | None, where: str | None) -> str:
    if isinstance(value, str):
        return value
    if is_null(value):
        return ""
    if is_number(value):
        return str(value)
    kind = type(value).__name__
    raise ReadError(
        where, line, f"the text in column {quoted(name)} has type {kind}, but must be a string"
    )


def as_name(record: Mapping[str, Any], name: str | None) -> str | None:
    value = None if name is None else record.get(name)
    return None if is_null(value) else str(value)


def as_label(
    record: Mapping[str, Any], name: str | None, line: int | None, where: str | None
) -> Any:
    value = None if name is None else record.get(name)
    if is_null(value):
        return None
    if isinstance(value, (list, dict)):
        kind = type(value).__name__
        raise ReadError(
            where,
            line,
            f"the label in column {quoted(str(name))} has type {kind}, but must be a string or a "
            "number",
        )
    return value
