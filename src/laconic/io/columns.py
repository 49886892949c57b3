"""Selection of the text, label, title and id columns of a table.

The text is read from the column that the caller names. By default, the text is read from the only
column of strings or, if there is not exactly one, from a column called "text", "body", "content" or
"abstract". Columns called exactly ``id`` and ``title`` are used automatically, but the label column
is used only if the caller names it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from laconic.errors import ReadError
from laconic.io.options import Options

logger = logging.getLogger(__name__)

TEXT_NAMES = ("text", "body", "content", "abstract")
MATRIX_WIDTH = 10  # number of numeric columns from which a table without texts may be a matrix
MAX_LISTED, MAX_NAME = 10, 40  # in messages: number of names, and of characters in a name
MAX_HEADER = 60  # a longer name of a column is probably a text


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


class TableInfo(NamedTuple):
    """What is known about the columns of a table before its rows are read."""

    names: Sequence[str]
    strings: Sequence[str]  # names of the columns that contain only strings
    numbers: Sequence[str]  # names of the columns that contain only numbers
    texts: Sequence[str]  # names of the columns of strings that have several words
    where: str | None = None
    noun: str = "column"
    complete: bool = True  # False if `names` are the keys of a sample of the rows
    headed: bool = False  # whether the names are the first line of a file


def choose_columns(table: TableInfo, options: Options) -> Columns:
    """Choose the columns to read.

    If the names are not complete, no error is raised for a missing column that the caller names.
    """
    named = _named_columns(options.text, table.names)
    if table.complete:
        for name in (*named, options.label, options.title, options.id):
            if name is not None and name not in table.names:
                raise ReadError(table.where, None, missing_column(name, table))
    title = options.title or ("title" if "title" in table.names else None)
    id_ = options.id or ("id" if "id" in table.names else None)
    if not named:
        explicit = {options.label, options.title, options.id}
        named = [_guess_text(table, explicit)]
        title = options.title if named == [title] else title
        id_ = options.id if named == [id_] else id_
        logger.info("%s: text from the %s %s", table.where or "table", table.noun, quoted(named[0]))
    columns = Columns(named, options.label, title, id_)
    _require_unique(columns, table)
    return columns


def missing_column(name: str, table: TableInfo) -> str:
    """Return an error message that names a missing column and lists the existing columns."""
    near = get_close_matches(name, table.names, n=1)
    hint = f"; did you mean {quoted(near[0])}?" if near else ""
    if _is_headless(table):
        hint += "; does the first line name the columns?"
    noun = table.noun
    return f"there is no {noun} {quoted(name)}; the {noun}s are: {listed(table.names)}{hint}"


def listed(names: Iterable[object], n: int = MAX_LISTED) -> str:
    """Join names for a message; shorten long names, and give only the number of the last names.

    Names that contain a comma are quoted.

    Examples
    --------
    >>> listed(["id", "body"]), listed("abcdef", 3), listed([])
    ('id, body', 'a, b, c and 3 more', 'none')
    """
    texts = [repr(text) if "," in text else text for text in map(clip, map(str, names))]
    more = f" and {len(texts) - n:,} more" if len(texts) > n else ""
    return ", ".join(texts[:n]) + more or "none"


def clip(name: str) -> str:
    """Shorten a name for a message."""
    name = " ".join(name.split()) if "\n" in name else name
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def quoted(name: str) -> str:
    return repr(clip(name))


def as_matrix_advice(table: TableInfo, n_numbers: int) -> str:
    """Return a sentence that explains how to read a table of numbers."""
    return (
        f"the table has {n_numbers:,} {table.noun}s of numbers, but no {table.noun} with texts; to "
        "use the numbers as counts, set format='matrix'; if each row is a word or gene, also set "
        f"transpose=True (--transpose); to read short texts, name their {table.noun} with text="
    )


def _named_columns(text: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the columns that the caller named; ``"title,body"`` may stand for two columns."""
    named = [text] if isinstance(text, str) else list(text or [])
    columns: list[str] = []
    for name in named:
        parts = [part.strip() for part in name.split(",")]
        columns += [name] if name in names or "" in parts else parts
    return columns


def _guess_text(table: TableInfo, explicit: set[str | None]) -> str:
    free = [name for name in table.strings if name not in explicit]
    named = any(name.lower() in TEXT_NAMES for name in free)
    if len(table.numbers) >= MATRIX_WIDTH and not named and not set(free) & set(table.texts):
        raise ReadError(table.where, None, as_matrix_advice(table, len(table.numbers)))
    for candidates in ([name for name in free if name not in ("id", "title")], free):
        if len(candidates) == 1:
            _require_header(candidates[0], table)
            return candidates[0]
    by_name = {name.lower(): name for name in reversed(table.names) if name not in explicit}
    for name in TEXT_NAMES:
        if name in by_name:
            return by_name[name]
    reason = "no column contains strings" if not free else f"{len(free)} columns contain strings"
    hint = "; does the first line name the columns?" if _is_headless(table) else ""
    raise ReadError(
        table.where,
        None,
        f"cannot tell which column contains the text, because {reason}; name the column with text= "
        f"(columns: {listed(table.names)}){hint}",
    )


def _require_unique(columns: Columns, table: TableInfo) -> None:
    for name in columns.used():
        n_columns = list(table.names).count(name)
        if n_columns > 1:
            raise ReadError(
                table.where,
                1 if table.headed else None,
                f"{n_columns} columns have the name {quoted(name)}; rename them",
            )


def _require_header(name: str, table: TableInfo) -> None:
    """Raise if the only candidate for the text has a text as its name, which would be lost."""
    if table.headed and len(name) > MAX_HEADER:
        raise ReadError(
            table.where,
            1,
            f"the name of the column with the text is {quoted(name)}; does the first line name the "
            "columns? If it is a document, add a line with the names of the columns before it; "
            "otherwise name the column with text=",
        )


def _is_headless(table: TableInfo) -> bool:
    """Return whether the names in the first line of a file look like values."""
    return table.headed and any(len(name) > MAX_HEADER or _is_number(name) for name in table.names)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
