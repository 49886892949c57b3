"""Thread pool whose threads do not delay the exit of Python."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar

T = TypeVar("T")
_busy: set[Thread] = set()  # threads of all pools that are running a task


class Workers:
    """Pool of daemon threads that run submitted functions in order.

    Python exits without waiting for daemon threads. With ``concurrent.futures``, it would wait for
    running tasks, and drawing a chart of a large model takes seconds.

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
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock = Lock()

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call a function in one of the threads and return a future of its result."""
        future: Future[T] = Future()
        self._queue.put((future, lambda: work(*arguments)))
        with self._lock:
            if len(self._threads) < self._n:
                thread = Thread(target=self._work, name="laconic-explorer", daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def close(self) -> None:
        """Cancel waiting tasks, and stop the threads after their current tasks."""
        while not self._queue.empty():
            item = self._queue.get()
            if item is not None:
                item[0].cancel()
        self._end()

    def finish(self) -> None:
        """Wait until all tasks are done, and stop the threads."""
        self._end()
        for thread in self._threads:
            thread.join()

    def _end(self) -> None:
        for _ in self._threads:
            self._queue.put(None)

    def _work(self) -> None:
        thread = current_thread()
        while (item := self._queue.get()) is not None:
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
    """Tell whether a thread of any pool is running a task."""
    return bool(_busy)
