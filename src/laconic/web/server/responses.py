"""What the server sends: bytes that are made once, with a tag by which a browser knows them.

Whatever the pages show is a function of the address and of the notes on topics, so an answer is
kept until a note changes. Each question is worked on only once at a time.
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

SMALLEST_ZIPPED = 1024  # below this, zipping saves less than its header costs
LEVEL = 4  # a tenth bigger than the best, in half of the time
ASK_AGAIN = "no-cache"  # a browser may keep it, and asks whether it is still the same
JSON = "application/json"
T = TypeVar("T")
LIMIT = 64 * 2**20
WORKERS = 2  # one that takes long holds up nobody; more share one interpreter and get slower
SLOW_WORKERS = 1  # what takes long holds up little else
BIGGEST_SHARE = 8  # an answer above this part of the limit is not kept
OVERHEAD = 1024  # bytes that an answer costs beside its own


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


# --- answers that are kept ------------------------------------------------------------------------


class Answers:
    """Makes answers in a few threads and keeps the latest ones.

    Parameters
    ----------
    limit : int
        Bytes to keep; the answers that were not asked for longest go first.
    workers : int
        Threads.

    Examples
    --------
    >>> import asyncio
    >>> answers = Answers()
    >>> asyncio.run(answers.get("/", lambda: make_answer(b"hello", "text/plain"))).body
    b'hello'
    >>> asyncio.run(answers.get("/", lambda: 1 / 0)).body  # not asked again
    b'hello'
    """

    def __init__(self, limit: int = LIMIT, workers: int = WORKERS) -> None:
        self.limit = limit
        self.size = 0
        self._kept: OrderedDict[Hashable, Answer] = OrderedDict()
        self._under_way: dict[Hashable, Future[Answer]] = {}
        self._lock = Lock()
        self._age = 0  # how often everything was forgotten
        self._workers = (workers, SLOW_WORKERS)
        self._quick, self._slow = self._new_workers()

    async def get(self, key: Hashable, make: Callable[[], Answer], *, slow: bool = False) -> Answer:
        """The answer that is kept under a key, or what `make` gives, made in another thread.

        What is `slow` waits for its like, so that quick answers find a thread at any time.
        """
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept
            future = self._under_way.get(key)
            if future is None:
                workers = self._slow if slow else self._quick
                future = workers.submit(self._make, key, make, self._age)
                self._under_way[key] = future
        # shielded: whoever else waits for it is not cancelled together with this request
        return await asyncio.shield(asyncio.wrap_future(future))

    async def run(self, make: Callable[[], T], *, slow: bool = False) -> T:
        """What `make` gives, made in another thread and not kept."""
        pool = self._slow if slow else self._quick
        return await asyncio.wrap_future(pool.submit(make))

    def forget(self) -> None:
        """Drop all answers, also those that are being made now."""
        with self._lock:
            self._age += 1
            self._kept.clear()
            self._under_way.clear()
            self.size = 0

    def close(self) -> None:
        """End the threads when they are done with what they do; new ones start when asked for."""
        ended = (self._quick, self._slow)
        self._quick, self._slow = self._new_workers()
        for workers in ended:
            workers.close()
        self.forget()

    def _new_workers(self) -> tuple[Workers, Workers]:
        quick, slow = self._workers
        return Workers(quick), Workers(slow)

    def _make(self, key: Hashable, make: Callable[[], Answer], age: int) -> Answer:
        answer = None
        try:
            answer = make()
            return answer
        finally:
            with self._lock:
                if age == self._age:  # else the notes changed meanwhile
                    self._under_way.pop(key, None)
                    if answer is not None:
                        self._keep(key, answer)

    def _keep(self, key: Hashable, answer: Answer) -> None:
        if answer.size > self.limit // BIGGEST_SHARE:
            return
        self._kept[key] = answer
        self.size += answer.size + OVERHEAD
        while self.size > self.limit:
            _, oldest = self._kept.popitem(last=False)
            self.size -= oldest.size + OVERHEAD
