"""Engine that runs steps in threads, which is fast because kernels and BLAS release the GIL."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from numbers import Integral
from types import TracebackType
from typing import Any, Self

from laconic.corpus.chunks import Chunk
from laconic.engines.base import R, Step, T, ignore, single_blas_thread, watch
from laconic.engines.state_files import StateFiles
from laconic.engines.stats import finished
from laconic.engines.tree import GROUP, chunks_per_group, merge_chunks, merge_groups
from laconic.errors import LaconicError

GROUPS_PER_THREAD = 4  # with fewer groups, threads would wait for each other at the end of a pass


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
        self.group = GROUP
        self.report: Callable[[float], None] = ignore
        self.states = StateFiles()
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        # The calling thread is one of the workers. If it only waited for the others and merged,
        # it would take turns with them on the same core.
        self._pool = ThreadPoolExecutor(max(self.n_workers - 1, 1), thread_name_prefix="laconic")
        single_blas_thread().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._pool is not None
        single_blas_thread().__exit__(kind, error, trace)
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None
        self.states.close()

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        group = chunks_per_group(self.group, len(chunks))
        if len(chunks) < GROUPS_PER_THREAD * group * self.n_workers:
            values = watch(self.map(step, params, chunks, local), len(chunks), self.report)
            return finished(merge_chunks(values, group), self.run_tasks)
        # With many groups, each thread merges the chunks of its own groups.
        groups = [range(i, min(i + group, len(chunks))) for i in range(0, len(chunks), group)]
        self.states.begin(local)
        call = self.states.run, step, params, chunks, local
        calls = ((_sum_group, *call, group) for group in groups)
        total = merge_groups(watch(self._run(calls), len(groups), self.report))
        return finished(total, self.run_tasks)

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        self.states.begin(local)
        call = self.states.run, step, params, chunks, local
        return self._run((*call, i) for i in range(len(chunks)))

    def run_tasks(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        assert self._pool is not None, "an engine must be used inside a with statement"
        waiting = deque(enumerate(items))
        results: dict[int, R] = {}

        def work() -> None:
            while True:
                try:
                    number, item = waiting.popleft()
                except IndexError:
                    return
                results[number] = function(item)

        n_tasks = len(waiting)
        helpers = [self._pool.submit(work) for _ in range(min(self.n_workers, n_tasks) - 1)]
        try:
            work()
        finally:
            waiting.clear()
            running = [helper for helper in helpers if not helper.cancel()]
            wait(running)
        for helper in running:
            helper.result()  # raises the error of a task
        return [results[number] for number in range(n_tasks)]

    def begin(self, function: Callable[[], R]) -> Callable[[], R]:
        if self.n_workers == 1:
            return function
        assert self._pool is not None, "an engine must be used inside a with statement"
        return self._pool.submit(function).result

    def _run(self, calls: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        """Call functions in all workers, and yield their results in the order of the calls."""
        assert self._pool is not None, "an engine must be used inside a with statement"
        pool = self._pool
        if self.n_workers == 1:
            for function, *arguments in calls:
                value = function(*arguments)
                yield value
                del value
            return
        waiting: deque[_Call] = deque()
        # Results are taken in order, so a thread may be far ahead of a slow call. At most
        # 3 x n_workers statistics are in memory, apart from sums that wait for the rest of their
        # tree: those that calls are computing, their results, and the one that is being merged.
        limit = 2 * self.n_workers

        def submit() -> None:
            for call in islice(calls, limit - len(waiting)):
                waiting.append(_Call(pool, call))

        try:
            submit()
            while waiting:
                while not waiting[0].done() and any(call.run_here() for call in waiting):
                    pass
                value = waiting.popleft().result()
                submit()  # The threads go on while the caller merges.
                yield value
                del value
                submit()
        finally:
            for call in waiting:
                call.future.cancel()


class _Call:
    """Call of a function that a thread of the pool makes, or the calling thread if it is first."""

    def __init__(self, pool: ThreadPoolExecutor, call: tuple[Any, ...]) -> None:
        self.future: Future[Any] = pool.submit(*call)
        self._call = call
        self._results: list[Any] = []  # the result, if the calling thread has computed it

    def done(self) -> bool:
        """Return whether the result is known."""
        return bool(self._results) or self.future.done()

    def run_here(self) -> bool:
        """Make the call in this thread, unless a thread of the pool has begun it."""
        if self._results or not self.future.cancel():
            return False
        function, *arguments = self._call
        self._results.append(function(*arguments))
        return True

    def result(self) -> Any:
        """Wait for the result, and return it."""
        return self._results.pop() if self._results else self.future.result()


def _sum_group(run: Callable[..., Any], *call: Any) -> Any:
    """Return the merged statistics of the chunks of a group."""
    *arguments, group = call
    return merge_chunks((run(*arguments, i) for i in group), len(group))


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
