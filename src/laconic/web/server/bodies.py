"""What a browser sends: a small JSON object, or a sentence why it is not taken."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from starlette.requests import Request

from laconic.errors import LaconicError
from laconic.web.server.answers import JSON

LARGEST = 64 * 1024


class BodyError(LaconicError):
    """A body that is not taken, with the status that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def read_object(request: Request) -> dict[str, Any]:
    """The JSON object that a request brings."""
    _check_type(request.headers.get("content-type", ""))
    body = await _read(request)
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


async def _read(request: Request) -> bytes:
    """The body, read only as far as it may go: its length may be unknown, or a lie."""
    too_large = BodyError(413, f"What was sent has more than {LARGEST} bytes.")
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdecimal() and int(length[:20]) > LARGEST:
        raise too_large
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise too_large
    return body


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
