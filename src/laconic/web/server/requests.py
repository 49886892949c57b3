"""What a request may hold: parameters that are known, given once and of their kind, or a small JSON
object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol
from urllib.parse import parse_qsl, unquote_to_bytes

from starlette.requests import Request

from laconic.errors import LaconicError
from laconic.web.server.responses import JSON

LARGEST = 10**9 - 1
WHOLE = re.compile(r"0|[1-9][0-9]{0,8}")
SHOWN = 40  # characters of a bad value that are repeated
NUL = "\x00"
LARGEST_BODY = 64 * 1024


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


# --- bodies ---------------------------------------------------------------------------------------


class BodyError(LaconicError):
    """A body that is not taken, with the status that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def read_object(request: Request) -> dict[str, Any]:
    """The JSON object that a request brings."""
    _check_type(request.headers.get("content-type", ""))
    body = await _read_body(request)
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half of a character
    except (ValueError, RecursionError) as error:
        raise BodyError(400, "What was sent is not JSON in UTF-8.") from error
    if not isinstance(value, dict):
        raise BodyError(400, "What was sent is not a JSON object.")
    return value


def _check_type(given: str) -> None:
    media_type, _, rest = given.partition(";")
    charset = rest.replace(" ", "").lower()
    if media_type.strip().lower() != JSON or charset not in ("", "charset=utf-8"):
        raise BodyError(415, f"Send JSON in UTF-8, with Content-Type: {JSON}.")


async def _read_body(request: Request) -> bytes:
    """The body, read only as far as it may go: its length may be unknown, or a lie."""
    too_large = BodyError(413, f"What was sent has more than {LARGEST_BODY} bytes.")
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdecimal() and int(length[:20]) > LARGEST_BODY:
        raise too_large
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise too_large
    return body


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
