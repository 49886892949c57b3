"""Engine that distributes chunks over the workers of a local or remote Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from multiprocessing import current_process
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from laconic.corpus.chunks import Chunk
from laconic.engines.base import Step, single_blas_thread
from laconic.engines.threads import count_workers
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from distributed import Client, Future


NO_GUARD = (
    "Dask could not start its worker processes. In a script, put the main code under "
    "\"if __name__ == '__main__':\", or start a cluster and set engine= to the address of its "
    "scheduler."
)


class Dask:
    """Engine that runs steps on a Dask cluster.

    Parameters
    ----------
    n_jobs : int, optional
        Number of worker processes, if a cluster is started for the fit. None means all cores.
    address : str, optional
        Address of a scheduler to connect to, such as ``"tcp://127.0.0.1:8786"``. By default, the
        active Dask client of this process is used. If no client is active, a local cluster is
        started for the fit.
    """

    def __init__(self, n_jobs: int | None = None, address: str | None = None) -> None:
        self.n_jobs = n_jobs
        self.address = address
        self._client: Client | None = None
        self._opened: list[Any] = []
        self._handles: dict[int, tuple[Chunk, Future]] = {}

    def __enter__(self) -> Self:
        try:
            from distributed import Client, LocalCluster, get_client
        except ImportError as error:
            raise LaconicError(
                "engine='dask' requires Dask; install it with: pip install 'laconic[dask]'"
            ) from error
        if self.address is not None:
            try:
                self._client = Client(self.address, timeout="10s", set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                raise LaconicError(
                    f"No Dask scheduler responds at engine={self.address!r}; start a scheduler at "
                    "this address, or set engine='threads'."
                ) from error
            self._opened = [self._client]
            return self
        try:
            self._client = get_client()
        except ValueError:  # No client is active.
            # If this process is a worker that imports the script, it must not start a cluster.
            if getattr(current_process(), "_inheriting", False):
                raise LaconicError(NO_GUARD) from None
            try:
                cluster = LocalCluster(
                    n_workers=count_workers(self.n_jobs),
                    threads_per_worker=1,
                    dashboard_address=":0",
                )
            except RuntimeError as error:
                raise LaconicError(NO_GUARD) from error
            self._client = Client(cluster, set_as_default=False)
            self._opened = [self._client, cluster]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._handles.clear()
        for opened in self._opened:
            opened.close()
        self._opened = []
        self._client = None

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        assert self._client is not None
        total: Future | None = None
        for future in self._submit(step, params, chunks, local):
            # The sums stay on the workers; only the last sum is transferred. If merging is slower
            # than the steps, waiting for each sum prevents statistics from piling up.
            total = future if total is None else self._client.submit(_merge, total, future)
            self._wait(total)
        assert total is not None
        return total.result()

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        for future in self._submit(step, params, chunks, local):
            yield future.result()

    def _submit(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None
    ) -> Iterator[Future]:
        """Run the step on all chunks, a limited number at a time.

        Yields a future for the first value that the step returns for each chunk.
        """
        client = self._client
        assert client is not None, "an engine must be used inside a with statement"
        # Use a list, because older versions of Dask scatter the fields of a NamedTuple separately.
        (shared,) = client.scatter([params], broadcast=True, hash=False)
        window = 2 * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        running: list[Future] = []
        for index, handle in enumerate(self._scatter(chunks)):
            state = None if local is None else local[index]
            pair = client.submit(_run, step, shared, handle, state, pure=False)
            if local is not None:
                local[index] = client.submit(_second, pair)
            running.append(pair)
            if len(running) >= window:
                yield client.submit(_first, self._wait(running.pop(0)))
        for pair in running:
            yield client.submit(_first, self._wait(pair))

    def _wait(self, future: Future) -> Future:
        from distributed import wait

        assert self._client is not None
        with self._client.as_current():  # because this process may have no default client
            wait(future)
        return future

    def _scatter(self, chunks: Sequence[Chunk]) -> list[Future]:
        """Return a future for each chunk; chunks are sent only once for all passes of a fit."""
        assert self._client is not None
        new = [chunk for chunk in chunks if id(chunk) not in self._handles]
        sent = self._client.scatter(new, hash=False) if new else []  # Dask rejects an empty list.
        for chunk, future in zip(new, sent, strict=True):
            self._handles[id(chunk)] = (chunk, future)  # Keep the chunk, so its id is not reused.
        return [self._handles[id(chunk)][1] for chunk in chunks]


def _run(step: Step, params: Any, chunk: Chunk, state: Any) -> tuple[Any, Any]:
    with single_blas_thread():
        return step(params, chunk, state)


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def _merge(total: Any, value: Any) -> Any:
    # `total` must not be changed in place, because Dask may also use it in another task.
    return total.copy().merge(value)
