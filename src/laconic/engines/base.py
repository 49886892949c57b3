"""Interface of the engines that run a fit, and the serial engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from threadpoolctl import ThreadpoolController

from laconic.corpus.chunks import Chunk
from laconic.engines.stats import Mergeable

S = TypeVar("S", bound=Mergeable)
Step = Callable[[Any, Chunk, Any], tuple[Any, Any]]


class Engine(Protocol):
    """Interface of an engine: run a pure function over chunks.

    An engine is a context manager. Thread pools and Dask clients are opened on entry, inside
    ``fit``; the estimator stores only the engine's name, so it can be cloned and pickled.
    """

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
        """Compute the statistics of all chunks and merge them in order: ((0 + 1) + 2) + ...

        The order is fixed, so all engines return bit-identical results. At most 2 x workers
        statistics are in memory at once.

        Parameters
        ----------
        step : callable
            ``step(params, chunk, state) -> (stats, state)``, a pure function at module level.
        params : object
            Current parameters of the model; sent to every worker once.
        chunks : sequence of Chunk
        local : list, optional
            One state per chunk, replaced by the state that the step returns.
        """
        ...

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        """Yield the first value of ``step(params, chunk, state)`` in the order of the chunks."""
        ...


class Serial:
    """Engine that processes one chunk after another in the calling thread."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        return merge_all(self.map(step, params, chunks, local))

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        for index, chunk in enumerate(chunks):
            with single_blas_thread():
                value, state = step(params, chunk, None if local is None else local[index])
            if local is not None:
                local[index] = state
            yield value
            del value


def merge_all(values: Iterator[S]) -> S:
    """Merge the values from left to right."""
    total = next(values)
    while (value := next(values, None)) is not None:
        total = total.merge(value)
        del value  # free it before the next value is computed
    return total


def single_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread inside a step.

    BLAS threads that compete with worker threads make a step many times slower, and the last bits
    of a product may depend on the number of threads.
    """
    return _blas_libraries().limit(limits=1, user_api="blas")


@cache
def _blas_libraries() -> ThreadpoolController:
    # Cached: finding the libraries takes milliseconds, longer than a small step.
    import scipy.linalg  # noqa: F401  # loads its own BLAS, which must be limited too

    return ThreadpoolController()
