"""Parse and validate query parameters, paths and JSON bodies of requests."""

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
INTEGER = re.compile(r"0|[1-9][0-9]{0,8}")
SHOWN = 40  # maximum number of characters of an invalid value in an error message
NUL = "\x00"
LARGEST_BODY = 64 * 1024  # maximum size of a request body in bytes


class ParameterType(Protocol):
    """Parses and validates the text of a parameter."""

    def read(self, name: str, text: str) -> Any: ...


@dataclass(frozen=True)
class Integer:
    """An integer within limits."""

    least: int = 0
    most: int = LARGEST

    def read(self, name: str, text: str) -> int:
        if INTEGER.fullmatch(text) and self.least <= int(text) <= self.most:
            return int(text)
        limits = f"from {self.least} to {self.most}"
        raise LaconicError(f"{name} must be an integer {limits}; got {shown(text)}.")


@dataclass(frozen=True)
class Text:
    """A string of limited length."""

    longest: int = 200
    least: int = 0

    def read(self, name: str, text: str) -> str:
        if len(text) < self.least:
            raise LaconicError(f"The {name} is missing.")
        if len(text) > self.longest:
            raise LaconicError(
                f"{name} has {len(text)} characters; at most {self.longest} are allowed."
            )
        return text


@dataclass(frozen=True)
class Choice:
    """One of several words."""

    words: tuple[str, ...]

    def read(self, name: str, text: str) -> str:
        if text not in self.words:
            raise LaconicError(f"{name} must be {' or '.join(self.words)}; got {shown(text)}.")
        return text


def shown(text: str) -> str:
    """Quote a value for an error message; a long value is shortened.

    Examples
    --------
    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'"
    """
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def read_query(raw: bytes, types: Mapping[str, ParameterType]) -> dict[str, Any]:
    """Parse the parameters of a query string.

    Parameters
    ----------
    raw : bytes
        The query string: the part of a URL after the question mark.
    types : mapping of str to ParameterType
        The allowed parameters.

    Returns
    -------
    dict
        The values of the parameters that are present.

    Examples
    --------
    >>> read_query(b"page=2&label=a%20b", {"page": Integer(), "label": Text()})
    {'page': 2, 'label': 'a b'}
    """
    values: dict[str, Any] = {}
    for name, text in _pairs(raw):
        if name not in types:
            allowed = f"allowed: {', '.join(types)}" if types else "this URL has no parameters"
            raise LaconicError(f"Unknown parameter {shown(name)}; {allowed}.")
        if name in values:
            raise LaconicError(f"The parameter {name!r} occurs twice; pass it only once.")
        values[name] = types[name].read(name, text)
    return values


def _pairs(raw: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError as error:  # includes UnicodeDecodeError
        raise LaconicError("The query string is not percent-encoded UTF-8.") from error
    if any(NUL in part for pair in pairs for part in pair):
        raise LaconicError("The query string contains a NUL character; remove it.")
    return pairs


def read_path(raw: bytes) -> str:
    """Decode the path of a URL.

    Examples
    --------
    >>> read_path(b"/words/caf%C3%A9")
    '/words/caf\u00e9'
    """
    try:
        path = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LaconicError("The URL path is not percent-encoded UTF-8.") from error
    if NUL in path:
        raise LaconicError("The URL path contains a NUL character; remove it.")
    return path


# --- bodies ---------------------------------------------------------------------------------------


class BodyError(LaconicError):
    """An invalid request body, with the HTTP status to return."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def read_object(request: Request) -> dict[str, Any]:
    """Read the JSON object in the body of a request."""
    _check_type(request.headers.get("content-type", ""))
    body = await _read_body(request)
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_reject_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # raises for lone surrogates
    except (ValueError, RecursionError) as error:
        raise BodyError(400, "The request body is not valid JSON in UTF-8.") from error
    if not isinstance(value, dict):
        raise BodyError(400, "The request body is not a JSON object.")
    return value


def _check_type(content_type: str) -> None:
    media_type, _, rest = content_type.partition(";")
    charset = rest.replace(" ", "").lower()
    if media_type.strip().lower() != JSON or charset not in ("", "charset=utf-8"):
        raise BodyError(415, f"Send JSON in UTF-8, with Content-Type: {JSON}.")


async def _read_body(request: Request) -> bytes:
    """Read a body of at most `LARGEST_BODY` bytes, even if Content-Length is missing or wrong."""
    too_large = BodyError(413, f"The request body has more than {LARGEST_BODY} bytes.")
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdecimal() and int(length[:20]) > LARGEST_BODY:
        raise too_large
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise too_large
    return body


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
