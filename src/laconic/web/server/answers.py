"""What the server sends: bytes that are made once, with a tag by which a browser knows them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

SMALLEST_ZIPPED = 1024  # below this, zipping saves less than its header costs
LEVEL = 4  # a tenth bigger than the best, in half of the time
ASK_AGAIN = "no-cache"  # a browser may keep it, and asks whether it is still the same
JSON = "application/json"


@dataclass(frozen=True)
class Answer:
    """The whole of an answer, zipped beforehand where that pays."""

    body: bytes
    zipped: bytes | None
    media_type: str
    tag: str

    @property
    def size(self) -> int:
        """Bytes that it takes in memory."""
        return len(self.body) + len(self.zipped or b"")


def make_answer(body: bytes, media_type: str, level: int = LEVEL) -> Answer:
    """An answer of these bytes."""
    zipped = gzip.compress(body, level, mtime=0) if len(body) >= SMALLEST_ZIPPED else None
    tag = hashlib.blake2b(body, digest_size=12).hexdigest()
    return Answer(body, zipped, media_type, f'W/"{tag}"')


def json_bytes(value: Any) -> bytes:
    """JSON as short as it gets.

    Examples
    --------
    >>> json_bytes({"word": "caf\u00e9", "share": 0.5})
    b'{"word":"caf\\xc3\\xa9","share":0.5}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # half of a pair of UTF-16 has no bytes in UTF-8; as \udc80 it is JSON all the same
    return text.encode("utf-8", errors="backslashreplace")


def reply(request: Request, answer: Answer, headers: Mapping[str, str] | None = None) -> Response:
    """Send an answer, or say that the browser has it already."""
    about = {
        "ETag": answer.tag,
        "Cache-Control": ASK_AGAIN,
        "Vary": "Accept-Encoding",
        **(headers or {}),
    }
    if _known(request.headers.get("if-none-match"), answer.tag):
        return Response(status_code=304, headers=about)
    body = answer.body
    if answer.zipped is not None and _takes_gzip(request.headers.get("accept-encoding", "")):
        body, about["Content-Encoding"] = answer.zipped, "gzip"
    return Response(body, headers=about, media_type=answer.media_type)


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Say in one sentence why there is no answer."""
    about = {"Cache-Control": "no-store", **(headers or {})}
    return Response(json_bytes({"error": sentence}), status, about, media_type=JSON)


def _known(tags: str | None, tag: str) -> bool:
    """Whether a browser named this tag; weak and strong ones are the same here."""
    if tags is None:
        return False
    named = {part.strip().removeprefix("W/") for part in tags.split(",")}
    return "*" in named or tag.removeprefix("W/") in named


def _takes_gzip(accepted: str) -> bool:
    for part in accepted.split(","):
        name, _, quality = part.partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
