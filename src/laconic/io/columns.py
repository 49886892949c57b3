"""Selection of the text, label, title and id columns of a table.

The text is read from the column that the caller names. By default, the text is read from the only
column of strings or, if there is not exactly one, from a column called "text", "body", "content" or
"abstract". Columns called exactly ``id`` and ``title`` are used automatically, but the label column
is used only if the caller names it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from laconic.errors import ReadError
from laconic.io.options import Options
from laconic.io.rows import Row

TEXT_NAMES = ("text", "body", "content", "abstract")
SAMPLE = 100  # number of rows inspected to find columns of strings

Record = tuple[int | None, Mapping[str, Any]]  # line number, if known, and value of each column


class Columns(NamedTuple):
    """Names of the columns to read."""

    text: list[str]
    label: str | None
    title: str | None
    id: str | None

    def used(self) -> list[str]:
        """Return the names of all columns to read, without duplicates."""
        names = [*self.text, self.label, self.title, self.id]
        return list(dict.fromkeys(name for name in names if name is not None))


def choose_columns(
    columns: Sequence[str],
    strings: Sequence[str],
    options: Options,
    where: str | None,
    *,
    complete: bool = True,
) -> Columns:
    """Choose the columns to read; `strings` are the names of the columns that contain strings.

    If `complete` is false, `columns` are the keys in a sample of JSON lines, and no error is raised
    if a column that the caller names is missing from the sample.
    """
    named = [options.text] if isinstance(options.text, str) else list(options.text or [])
    if complete:
        for name in (*named, options.label, options.title, options.id):
            if name is not None and name not in columns:
                raise ReadError(where, None, missing_column(name, columns))
    title = options.title or ("title" if "title" in columns else None)
    id_ = options.id or ("id" if "id" in columns else None)
    if not named:
        explicit = {options.label, options.title, options.id}
        named = [_guess_text(columns, strings, explicit, where)]
        title = options.title if named == [title] else title
        id_ = options.id if named == [id_] else id_
    return Columns(named, options.label, title, id_)


def missing_column(name: str, columns: Sequence[str], noun: str = "column") -> str:
    """Return an error message that names a missing column and lists the existing columns."""
    near = get_close_matches(name, columns, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no {noun} {name!r}; the {noun}s are: {', '.join(columns) or 'none'}{hint}"


def string_columns(records: Iterable[Record], columns: Sequence[str]) -> list[str]:
    """Return the columns that contain strings and no other values except nulls."""
    kinds: dict[str, bool] = {}
    for _, record in records:
        for name in columns:
            value = record.get(name)
            if not is_null(value):
                kinds[name] = kinds.get(name, True) and isinstance(value, str)
    return [name for name in columns if kinds.get(name)]


def rows_of(records: Iterable[Record], columns: Columns, where: str | None) -> Iterator[Row]:
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
            id=_as_name(record, columns.id),
            title=_as_name(record, columns.title),
            label=_as_label(record, columns.label, line, where),
        )


def is_null(value: Any) -> bool:
    """Return whether `value` is None or NaN, which pandas uses for missing values."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _guess_text(
    columns: Sequence[str], strings: Sequence[str], explicit: set[str | None], where: str | None
) -> str:
    free = [name for name in strings if name not in explicit]
    for candidates in ([name for name in free if name not in ("id", "title")], free):
        if len(candidates) == 1:
            return candidates[0]
    by_name = {name.lower(): name for name in reversed(columns) if name not in explicit}
    for name in TEXT_NAMES:
        if name in by_name:
            return by_name[name]
    reason = "no column contains strings" if not free else f"{len(free)} columns contain strings"
    listed = ", ".join(columns) or "none"
    raise ReadError(
        where,
        None,
        f"cannot tell which column contains the text, because {reason}; name the column with text= "
        f"(columns: {listed})",
    )


def _as_text(value: Any, name: str, line: int | None, where: str | None) -> str:
    if isinstance(value, str):
        return value
    if is_null(value):
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    kind = type(value).__name__
    raise ReadError(
        where, line, f"the text in column {name!r} has type {kind}, but must be a string"
    )


def _as_name(record: Mapping[str, Any], name: str | None) -> str | None:
    value = None if name is None else record.get(name)
    return None if is_null(value) else str(value)


def _as_label(
    record: Mapping[str, Any], name: str | None, line: int | None, where: str | None
) -> Any:
    value = None if name is None else record.get(name)
    if is_null(value):
        return None
    if isinstance(value, (list, dict)):
        kind = type(value).__name__
        problem = f"the label in column {name!r} has type {kind}, but must be a string or a number"
        raise ReadError(where, line, problem)
    return value
