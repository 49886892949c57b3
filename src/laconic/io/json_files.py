"""Tables in JSON: one object per line, a list of objects, or an object that contains the list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from laconic.io.columns import listed, quoted
from laconic.io.options import Options
from laconic.io.source import Source
from laconic.io.table import SAMPLE, Record, Table, table_info

DECODER = json.JSONDecoder()
NO_DOCUMENTS = "contains no documents"


def open_jsonl(source: Source, options: Options) -> Table:
    """Open a file with one JSON object per line."""
    records = _json_lines(source)
    sample = list(islice(records, SAMPLE))
    if not sample:
        raise source.error(None, NO_DOCUMENTS)
    if len(sample) == 1 and _holds_table(sample[0][1]):
        return _table_of(sample[0][1], source)
    keys = list(dict.fromkeys(key for _, record in sample for key in record))
    info = table_info(sample, keys, source.name, noun="key", complete=False)
    return Table(info, lambda _: chain(sample, records))


def open_json(source: Source, options: Options) -> Table:
    """Open a JSON file: a list of objects or of texts, one object, or one object per line."""
    start = source.head_text().lstrip()
    if start.startswith("{") and not _is_one_object(source):
        return open_jsonl(source, options)
    if not start.startswith(("[", "{")):
        return open_jsonl(source, options)
    return _table_of(_parsed(source.text(), 1, source), source)


def _is_one_object(source: Source) -> bool:
    """Return whether a file that starts with "{" is one JSON value, not one value per line."""
    if source.is_stream:
        return False  # The first lines of a stream cannot be read twice.
    first = next(line for line in source.lines() if line.strip())
    return not first.rstrip().endswith("}")


def _holds_table(value: Any) -> bool:
    """Return whether an object contains a list of objects or columns, not one document."""
    return any(map(_is_list_of_objects, value.values())) or _columns_of(value) is not None


def _table_of(value: Any, source: Source) -> Table:
    """Return the table in a JSON list or object."""
    if isinstance(value, dict):
        value = _list_in(value, source)
    if value and all(isinstance(item, str) for item in value):
        value = [{"text": item} for item in value]
    for position, item in enumerate(value, 1):
        if not isinstance(item, dict):
            raise source.error(
                None, f"item {position} of the JSON list is {_json_type(item)}, not an object"
            )
    if not value:
        raise source.error(None, NO_DOCUMENTS)
    records: list[Record] = [(None, item) for item in value]
    keys = list(dict.fromkeys(key for item in value for key in item))
    return Table(table_info(records[:SAMPLE], keys, source.name), lambda _: iter(records))


def _list_in(value: dict[str, Any], source: Source) -> list[Any]:
    """Return the list of objects in an object, or the rows of an object of columns."""
    lists = [name for name, part in value.items() if _is_list_of_objects(part)]
    if len(lists) == 1:
        return list(value[lists[0]])
    if lists:
        raise source.error(
            None,
            f"the documents are inside an object, and {len(lists)} of its keys hold lists of "
            f"objects: {listed(lists)}; write the list with the documents to a file of its own",
        )
    columns = _columns_of(value)
    if columns is not None:
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    inner = next((name for name, part in value.items() if isinstance(part, dict)), None)
    if inner is None:
        return [value]
    raise source.error(
        None,
        f"expected a list of objects, or one object per line, found one object; if the documents "
        f"are inside {quoted(inner)}, write them to a file of their own",
    )


def _columns_of(value: dict[str, Any]) -> dict[str, list[Any]] | None:
    """Return the columns of a table such as ``{"text": [...], "label": [...]}``, or None.

    The columns may also be objects with the same keys, as pandas writes them.
    """
    parts = list(value.values())
    if parts and all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts):
        return {name: list(part.values()) for name, part in value.items()}
    if parts and all(isinstance(part, list) and len(part) == len(parts[0]) for part in parts):
        return dict(value)
    return None


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _json_lines(source: Source) -> Iterator[Record]:
    for number, line in enumerate(source.lines(), 1):
        if not line or line.isspace():
            continue
        record = _parsed_line(line, number, source)
        if not isinstance(record, dict):
            raise source.error(number, f"expected a JSON object {{…}}, found {_json_type(record)}")
        yield number, record


def _parsed_line(line: str, number: int, source: Source) -> Any:
    """Parse a line without the checks of `json.loads`, which take longer than parsing does."""
    try:
        value, end = DECODER.raw_decode(line)
    except (ValueError, RecursionError):
        return _parsed(line, number, source)  # This raises an error, unless spaces come first.
    return value if end == len(line) else _parsed(line, number, source)


def _parsed(text: str, line: int, source: Source) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"invalid JSON: {error.msg} at column {error.colno}"
        raise source.error(line + error.lineno - 1, problem) from error
    except (ValueError, RecursionError) as error:  # a very long number, or very deep nesting
        raise source.error(line, f"invalid JSON: {error}") from error


def _json_type(value: Any) -> str:
    names = {
        list: "a list", dict: "an object", str: "a string", bool: "a boolean", type(None): "null"
    }  # fmt: skip
    return names.get(type(value), "a number")
