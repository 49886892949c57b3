"""Where a fit runs: the contract of an engine, and the plainest one."""

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
    """Runs a pure function over chunks.

    An engine is a context manager: pools and clients open on entry, inside ``fit``, so that the
    estimator that names one stays a bag of plain values.
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
        """Statistics of all chunks, merged in the order of the chunks: ((0 + 1) + 2) + ...

        The order is fixed, so every engine gives the same bits, and at most 2 x workers
        statistics are alive at once.

        Parameters
        ----------
        step : callable
            ``step(params, chunk, state) -> (stats, state)``, pure and at module level.
        params : object
            What the model knows; sent to every worker once.
        chunks : sequence of Chunk
        local : list, optional
            One state for each chunk, replaced by what its step returns.
        """
        ...

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        """Yield the first value of ``step(params, chunk, state)`` in the order of the chunks."""
        ...


class Serial:
    """One chunk after another in the calling thread."""

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
    """Left fold by ``merge``."""
    total = next(values)
    while (value := next(values, None)) is not None:
        total = total.merge(value)
        del value  # or it would live on beside the next one
    return total


def single_blas_thread() -> AbstractContextManager[Any]:
    """One BLAS thread inside a step.

    BLAS threads that compete with worker threads are many times slower than none, and the bits of
    a product may depend on their number.
    """
    return _blas_libraries().limit(limits=1, user_api="blas")


@cache
def _blas_libraries() -> ThreadpoolController:
    # Looking for the libraries takes milliseconds, which a small step does not.
    import scipy.linalg  # noqa: F401  # brings its own BLAS, which must be found too

    return ThreadpoolController()
