"""What an address may ask for: each parameter is known, given once, and of its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote_to_bytes

from laconic.errors import LaconicError

LARGEST = 10**9 - 1
WHOLE = re.compile(r"0|[1-9][0-9]{0,8}")
SHOWN = 40  # characters of a bad value that are repeated
NUL = "\x00"


class Kind(Protocol):
    """Reads a value from its text."""

    def read(self, name: str, text: str) -> Any: ...


@dataclass(frozen=True)
class Whole:
    """A whole number within limits."""

    least: int = 0
    most: int = LARGEST

    def read(self, name: str, text: str) -> int:
        if WHOLE.fullmatch(text) and self.least <= int(text) <= self.most:
            return int(text)
        limits = f"from {self.least} to {self.most}"
        raise LaconicError(f"{name} is a whole number {limits}, not {shown(text)}.")


@dataclass(frozen=True)
class Text:
    """Characters, not too many of them."""

    longest: int = 200
    least: int = 0

    def read(self, name: str, text: str) -> str:
        if len(text) < self.least:
            raise LaconicError(f"The {name} is missing.")
        if len(text) > self.longest:
            raise LaconicError(
                f"{name} has {len(text)} characters; at most {self.longest} are taken."
            )
        return text


def shown(text: str) -> str:
    """A value as an error repeats it.

    Examples
    --------
    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'"
    """
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def read_query(raw: bytes, known: Mapping[str, Kind]) -> dict[str, Any]:
    """The parameters of a query.

    Parameters
    ----------
    raw : bytes
        What stands behind the question mark of an address.
    known : mapping of str to Kind
        The parameters that there are.

    Returns
    -------
    dict
        Those that were given.

    Examples
    --------
    >>> read_query(b"page=2&label=a%20b", {"page": Whole(), "label": Text()})
    {'page': 2, 'label': 'a b'}
    """
    values: dict[str, Any] = {}
    for name, text in _pairs(raw):
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "this address takes none"
            raise LaconicError(f"There is no parameter {shown(name)}; {there_are}.")
        if name in values:
            raise LaconicError(f"{name} is given twice; give it once.")
        values[name] = known[name].read(name, text)
    return values


def _pairs(raw: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError as error:  # a UnicodeDecodeError is one
        raise LaconicError("The query of the address is not UTF-8 in percent escapes.") from error
    if any(NUL in part for pair in pairs for part in pair):
        raise LaconicError("The query of the address has a NUL character; leave it out.")
    return pairs


def read_path(raw: bytes) -> str:
    """The path of an address.

    Examples
    --------
    >>> read_path(b"/words/caf%C3%A9")
    '/words/caf\u00e9'
    """
    try:
        path = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LaconicError("The address is not UTF-8 in percent escapes.") from error
    if NUL in path:
        raise LaconicError("The address has a NUL character; leave it out.")
    return path
