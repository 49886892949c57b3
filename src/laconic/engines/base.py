"""Interface of the engines that run a fit, and the serial engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import Lock
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from threadpoolctl import ThreadpoolController

from laconic.corpus.chunks import Chunk
from laconic.engines.state_files import StateFiles
from laconic.engines.stats import finished
from laconic.engines.tree import GROUP, chunks_per_group, merge_chunks

T = TypeVar("T")
R = TypeVar("R")
Step = Callable[[Any, Chunk, Any], tuple[Any, Any]]


class Engine(Protocol):
    """Interface of an engine, which applies a pure function to chunks of documents.

    An engine is a context manager. Thread pools and Dask clients are opened on entry, inside
    ``fit``. The estimator stores only the name of the engine, so the estimator can be cloned and
    pickled. While an engine is open, BLAS uses one thread in this process; see
    `single_blas_thread`.

    Attributes
    ----------
    group : int
        Number of chunks per group; see `laconic.engines.tree`.
    report : callable
        Function that `map_reduce` calls with the share of the chunks that are finished.
    states : StateFiles
        Determines whether states of chunks are in memory or in files. On Dask, they are always in
        files.
    """

    group: int
    report: Callable[[float], None]
    states: StateFiles

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        """Compute the statistics of all chunks and merge them.

        The order of merging is fixed (see `laconic.engines.tree`), so all engines return
        bit-identical results. The number of statistics in memory does not grow with the number of
        chunks, except for its logarithm.

        Parameters
        ----------
        step : callable
            A pure function ``step(params, chunk, state) -> (stats, state)``, which must be defined
            at module level.
        params : object
            Current parameters of the model, which are sent to each worker once.
        chunks : sequence of Chunk
        local : list, optional
            One state per chunk. Each state is replaced by the state that the step returns.
        """
        ...

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        """Yield the first value that `step` returns for each chunk, in the order of the chunks."""
        ...

    def run_tasks(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return ``[function(item) for item in items]``, computed in this process.

        The items are parts of work that does not involve documents, such as blocks of the topics
        (see `laconic.engines.blocks`). A step must not call this method.
        """
        ...

    def begin(self, function: Callable[[], R]) -> Callable[[], R]:
        """Begin a task of this process beside the work that follows, if there are several threads.

        The returned function returns the result of the task.
        """
        ...


class Serial:
    """Engine that processes one chunk after another in the calling thread."""

    def __init__(self, group: int = GROUP) -> None:
        self.group = group
        self.report: Callable[[float], None] = ignore
        self.states = StateFiles()

    def __enter__(self) -> Self:
        single_blas_thread().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        single_blas_thread().__exit__(kind, error, trace)
        self.states.close()

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        group = chunks_per_group(self.group, len(chunks))
        values = watch(self.map(step, params, chunks, local), len(chunks), self.report)
        return finished(merge_chunks(values, group), self.run_tasks)

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        self.states.begin(local)
        for index in range(len(chunks)):
            value = self.states.run(step, params, chunks, local, index)
            yield value
            del value

    def run_tasks(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        return [function(item) for item in items]

    def begin(self, function: Callable[[], R]) -> Callable[[], R]:
        return function


def watch(values: Iterator[T], n_values: int, report: Callable[[float], None]) -> Iterator[T]:
    """Yield the values, and report the share of them that has been computed."""
    for number, value in enumerate(values, start=1):
        report(number / n_values)
        yield value
        del value


def ignore(share: float) -> None:
    """Report nothing."""


class _BlasLimit:
    """Limit of BLAS to one thread, which all sections of the process that need it share.

    The first section sets the limit and the last one removes it, because a call to BLAS that sets
    its number of threads takes as long as a small task.
    """

    def __init__(self) -> None:
        self._n_sections = 0
        self._limited: Any = None
        self._counting = Lock()

    def __enter__(self) -> None:
        with self._counting:
            if not self._n_sections:
                self._limited = _blas_libraries().limit(limits=1, user_api="blas")
            self._n_sections += 1

    def __exit__(self, *error: object) -> None:
        with self._counting:
            self._n_sections -= 1
            if not self._n_sections:
                self._restore()

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Context manager that lifts the limit, if it is set."""
        with self._counting:
            self._restore()
        try:
            yield
        finally:
            with self._counting:
                if self._n_sections:
                    self._limited = _blas_libraries().limit(limits=1, user_api="blas")

    def _restore(self) -> None:
        if self._limited is not None:
            self._limited.restore_original_limits()
            self._limited = None


_BLAS_LIMIT = _BlasLimit()


def single_blas_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread, as every open engine does.

    BLAS threads that compete with worker threads make a step many times slower, and after each call
    they wait for the next one without sleeping, which takes a core from the workers. Also, the last
    bits of a matrix product may depend on the number of BLAS threads.
    """
    return _BLAS_LIMIT


def several_blas_threads() -> AbstractContextManager[None]:
    """Lift the limit of an open engine, for a solver whose only work is large dense algebra."""
    return _BLAS_LIMIT.lifted()


@cache
def _blas_libraries() -> ThreadpoolController:
    # The result is cached, because finding the libraries takes longer than a small step.
    import scipy.linalg  # noqa: F401  # SciPy loads its own BLAS, which must be limited too.

    return ThreadpoolController()
