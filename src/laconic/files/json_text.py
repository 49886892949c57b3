"""Parse JSON from files, within limits on size, number of entries, depth and numbers.

The limits on size and entries are checked before the text is parsed, because the values of a JSON
text can take fifty times the memory of the text.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from laconic.errors import ModelFileError

MAX_BYTES = 64 << 20
MAX_ENTRIES = 2_000_000  # of all lists and objects together
MAX_DEPTH = 50
MAX_NAME = 500  # maximum length of the key of an object
MAX_BITS = 128  # maximum size of an integer


def parse_json(path: Path) -> Any:
    """Parse a JSON file.

    Raises
    ------
    ModelFileError
        The file cannot be read, is not valid JSON in UTF-8, contains duplicate keys, NaN or
        infinity, or exceeds a limit.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB")
        if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_ENTRIES:
            raise ValueError(f"it has more than {MAX_ENTRIES:,} entries")
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
        _check_tree(value)
    except RecursionError as error:
        raise ModelFileError(path, f"is damaged: {_too_deep()}") from error
    except ValueError as error:
        problem = (str(error) or type(error).__name__).splitlines()[0]
        raise ModelFileError(path, f"is damaged: {problem}") from error
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"it contains the key {twice[:50]!r} twice in one object")
    return values


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"it contains {name}, which is not valid JSON")


def _check_tree(tree: Any) -> None:
    """Raise if a parsed value is too deep, or contains numbers or names that are too large."""
    level, depth = [tree], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError(_too_deep())
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                if any(len(key) > MAX_NAME for key in value):
                    raise ValueError(f"it contains a key of more than {MAX_NAME} characters")
                inner += value.values()
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, int):
                if value.bit_length() > MAX_BITS:
                    raise ValueError(f"it contains an integer of more than {MAX_BITS} bits")
            elif isinstance(value, float) and not math.isfinite(value):
                raise ValueError("it contains a number that is too large")
        level = inner


def _too_deep() -> str:
    return f"its values are nested more than {MAX_DEPTH} levels deep"
