"""Responses of the server, with ETags, compression and a cache.

A response depends only on the URL and on the notes on topics, so it is cached until a note changes.
If several requests for the same URL arrive at the same time, the response is computed only once.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from laconic.web.server.workers import Workers

SMALLEST_ZIPPED = 1024  # minimum size in bytes of a body for which gzip pays off
LEVEL = 4  # gzip level; takes half the time of the highest level, with 10 % larger output
CACHE_CONTROL = "no-cache"  # a browser may store a response, but must revalidate it before use
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
T = TypeVar("T")
LIMIT = 64 * 2**20  # maximum size of the cache in bytes
# Number of threads: two, so that a long computation does not block other requests. More threads
# would compete for the GIL.
WORKERS = 2
SLOW_WORKERS = 1
BIGGEST_SHARE = 8  # a response larger than `limit` / 8 is not cached
OVERHEAD = 1024  # memory in bytes that each cached response needs in addition to its body


@dataclass(frozen=True)
class CachedResponse:
    """A response body with its media type and ETag; large bodies are also stored gzipped."""

    body: bytes
    zipped: bytes | None
    media_type: str
    tag: str

    @property
    def size(self) -> int:
        """Size in bytes of the body and the gzipped body."""
        return len(self.body) + len(self.zipped or b"")


def make_response(body: bytes, media_type: str, level: int = LEVEL) -> CachedResponse:
    """Create a response from its body."""
    zipped = gzip.compress(body, level, mtime=0) if len(body) >= SMALLEST_ZIPPED else None
    tag = hashlib.blake2b(body, digest_size=12).hexdigest()
    return CachedResponse(body, zipped, media_type, f'W/"{tag}"')


def json_bytes(value: Any) -> bytes:
    """Encode a value as compact JSON.

    Examples
    --------
    >>> json_bytes({"word": "caf\u00e9", "share": 0.5})
    b'{"word":"caf\\xc3\\xa9","share":0.5}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # UTF-8 cannot encode a lone surrogate, but an escape such as \udc80 is valid JSON
    return text.encode("utf-8", errors="backslashreplace")


def csv_bytes(text: str) -> bytes:
    """Encode a CSV file; the byte order mark tells spreadsheets that it is UTF-8."""
    return text.encode("utf-8-sig", errors="backslashreplace")


def attachment(name: str) -> dict[str, str]:
    """Return the header that makes a browser save a response as a file."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def to_response(
    request: Request, response: CachedResponse, headers: Mapping[str, str] | None = None
) -> Response:
    """Return status 304 if the browser has the response, else the body, gzipped if accepted."""
    all_headers = {
        "ETag": response.tag,
        "Cache-Control": CACHE_CONTROL,
        "Vary": "Accept-Encoding",
        **(headers or {}),
    }
    if _matches(request.headers.get("if-none-match"), response.tag):
        return Response(status_code=304, headers=all_headers)
    body = response.body
    if response.zipped is not None and _accepts_gzip(request.headers.get("accept-encoding", "")):
        body, all_headers["Content-Encoding"] = response.zipped, "gzip"
    return Response(body, headers=all_headers, media_type=response.media_type)


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error response with a one-line message as JSON."""
    all_headers = {"Cache-Control": "no-store", **(headers or {})}
    return Response(json_bytes({"error": message}), status, all_headers, media_type=JSON)


def _matches(if_none_match: str | None, tag: str) -> bool:
    """Tell whether an If-None-Match header lists a tag; the prefix ``W/`` is ignored."""
    if if_none_match is None:
        return False
    tags = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return "*" in tags or tag.removeprefix("W/") in tags


def _accepts_gzip(accepted: str) -> bool:
    for part in accepted.split(","):
        name, _, quality = part.partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


# --- cache ----------------------------------------------------------------------------------------


class ResponseCache:
    """Compute responses in worker threads and keep them in a least-recently-used cache.

    Parameters
    ----------
    limit : int
        Maximum size of the cache in bytes.
    workers : int
        Number of threads for quick responses.

    Examples
    --------
    >>> import asyncio
    >>> responses = ResponseCache()
    >>> asyncio.run(responses.get("/", lambda: make_response(b"hello", "text/plain"))).body
    b'hello'
    >>> asyncio.run(responses.get("/", lambda: 1 / 0)).body  # cached
    b'hello'
    """

    def __init__(self, limit: int = LIMIT, workers: int = WORKERS) -> None:
        self.limit = limit
        self.size = 0
        self._cached: OrderedDict[Hashable, CachedResponse] = OrderedDict()
        self._pending: dict[Hashable, Future[CachedResponse]] = {}
        self._lock = Lock()
        self._age = 0  # number of times the cache was cleared
        self._workers = (workers, SLOW_WORKERS)
        self._quick, self._slow = self._new_workers()

    async def get(
        self, key: Hashable, make: Callable[[], CachedResponse], *, slow: bool = False
    ) -> CachedResponse:
        """Return the cached response for a key; otherwise, run `make` in another thread.

        Slow responses are computed in a separate thread, so that they never block quick responses.
        """
        with self._lock:
            cached = self._cached.get(key)
            if cached is not None:
                self._cached.move_to_end(key)
                return cached
            future = self._pending.get(key)
            if future is None:
                workers = self._slow if slow else self._quick
                future = workers.submit(self._make, key, make, self._age)
                self._pending[key] = future
        # if this request is cancelled, other requests may still wait for the same future
        return await asyncio.shield(asyncio.wrap_future(future))

    async def run(self, make: Callable[[], T], *, slow: bool = False) -> T:
        """Run `make` in another thread and return its result, which is not cached."""
        pool = self._slow if slow else self._quick
        return await asyncio.wrap_future(pool.submit(make))

    def clear(self) -> None:
        """Clear the cache; responses that are still being computed will not be cached."""
        with self._lock:
            self._age += 1
            self._cached.clear()
            self._pending.clear()
            self.size = 0

    def close(self) -> None:
        """Stop the threads after their current tasks; later requests start new threads."""
        old = (self._quick, self._slow)
        self._quick, self._slow = self._new_workers()
        for workers in old:
            workers.close()
        self.clear()

    def _new_workers(self) -> tuple[Workers, Workers]:
        quick, slow = self._workers
        return Workers(quick), Workers(slow)

    def _make(self, key: Hashable, make: Callable[[], CachedResponse], age: int) -> CachedResponse:
        response = None
        try:
            response = make()
            return response
        finally:
            with self._lock:
                if age == self._age:  # the cache was not cleared meanwhile
                    self._pending.pop(key, None)
                    if response is not None:
                        self._store(key, response)

    def _store(self, key: Hashable, response: CachedResponse) -> None:
        if response.size > self.limit // BIGGEST_SHARE:
            return
        self._cached[key] = response
        self.size += response.size + OVERHEAD
        while self.size > self.limit:
            _, oldest = self._cached.popitem(last=False)
            self.size -= oldest.size + OVERHEAD
