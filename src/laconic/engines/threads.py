"""Engine that runs steps in threads, which is fast because kernels and BLAS release the GIL."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from numbers import Integral
from types import TracebackType
from typing import Any, Self

from laconic.corpus.chunks import Chunk
from laconic.engines.base import Step, merge_all, single_blas_thread
from laconic.errors import LaconicError


class Threads:
    """Engine that runs steps in a pool of threads.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads. None means all cores that this process may use (unlike scikit-learn,
        where it means 1). Negative numbers count back from all cores, as in scikit-learn: -1 means
        all cores, and -2 means all cores but one.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_workers = count_workers(n_jobs)
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        self._pool = ThreadPoolExecutor(self.n_workers, thread_name_prefix="laconic")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._pool is not None
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        return merge_all(self.map(step, params, chunks, local))

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        assert self._pool is not None, "an engine must be used inside a with statement"
        waiting: deque[tuple[int, Future[tuple[Any, Any]]]] = deque()
        todo = iter(enumerate(chunks))
        with single_blas_thread():
            try:
                while True:
                    # At most 2 x n_workers statistics are in memory. Two of these are the sum and
                    # the statistics that are being merged; the others are waiting.
                    while len(waiting) < max(self.n_workers, 2 * self.n_workers - 2):
                        if (task := next(todo, None)) is None:
                            break
                        index, chunk = task
                        state = None if local is None else local[index]
                        waiting.append((index, self._pool.submit(step, params, chunk, state)))
                    if not waiting:
                        return
                    index, future = waiting.popleft()
                    value, state = future.result()
                    if local is not None:
                        local[index] = state
                    del future
                    yield value
                    del value
            finally:
                for _, future in waiting:
                    future.cancel()


def count_workers(n_jobs: int | None) -> int:
    """Return the number of workers for a value of `n_jobs`.

    Examples
    --------
    >>> count_workers(3)
    3
    >>> count_workers(None) == count_workers(-1)
    True
    """
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise LaconicError(
            "n_jobs must be None (all cores), a positive number of workers, or a negative number "
            f"that counts back from all cores (-1 means all cores); got {n_jobs!r}."
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if n_jobs is None:
        return cores or 1
    return int(n_jobs) if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)
