"""Answers that were given before, as many as fit, and each question worked on only once at a time.

Whatever the pages show is a function of the address and of the notes on topics, so an answer stays
right until a note changes.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import TypeVar

from laconic.web.server.answers import Answer
from laconic.web.server.workers import Workers

T = TypeVar("T")
LIMIT = 64 * 2**20
WORKERS = 2  # one that takes long holds up nobody; more share one interpreter and get slower
SLOW_WORKERS = 1  # what takes long holds up little else
BIGGEST_SHARE = 8  # an answer above this part of the limit is not kept
OVERHEAD = 1024  # bytes that an answer costs beside its own


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
    >>> from laconic.web.server.answers import make_answer
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
