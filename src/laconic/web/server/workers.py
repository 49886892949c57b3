"""Threads that do not keep the program from ending, whatever they are at."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar

T = TypeVar("T")
_busy: set[Thread] = set()  # of all workers


class Workers:
    """A few threads that work off what is submitted, in its order.

    Those of ``concurrent.futures`` are waited for when Python ends, and a chart of a large model
    takes seconds.

    Examples
    --------
    >>> workers = Workers(1)
    >>> workers.submit(sum, [1, 2]).result()
    3
    >>> workers.close()
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._threads: list[Thread] = []
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock = Lock()

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Have a function called in one of the threads."""
        future: Future[T] = Future()
        self._waiting.put((future, lambda: work(*arguments)))
        with self._lock:
            if len(self._threads) < self._n:
                thread = Thread(target=self._work, name="laconic-explorer", daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def close(self) -> None:
        """Drop what waits, and end the threads when they are done with what they do."""
        while not self._waiting.empty():
            item = self._waiting.get()
            if item is not None:
                item[0].cancel()
        self._end()

    def finish(self) -> None:
        """Wait until all is done."""
        self._end()
        for thread in self._threads:
            thread.join()

    def _end(self) -> None:
        for _ in self._threads:
            self._waiting.put(None)

    def _work(self) -> None:
        thread = current_thread()
        while (item := self._waiting.get()) is not None:
            future, work = item
            if not future.set_running_or_notify_cancel():
                continue
            _busy.add(thread)
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            finally:
                _busy.discard(thread)


def at_work() -> bool:
    """Whether a thread of any workers is at something."""
    return bool(_busy)
