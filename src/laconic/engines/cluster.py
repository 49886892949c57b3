"""Connection to a Dask cluster on which every wait ends: with a result or with a clear error."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import current_process
from typing import TYPE_CHECKING, Any, TypeVar

from laconic.engines.threads import count_workers
from laconic.errors import LaconicError, warn

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

POLL = 1.0  # seconds between two checks of the cluster
RESPONSE = 15.0  # seconds within which the scheduler must respond
NO_WORKERS = 20.0  # seconds that a fit waits for a worker if there is none
SILENT = 20.0  # seconds without a sign of life after which a worker is reported
WORKER_TTL = 12.0  # In a cluster of our own, a frozen worker is replaced after 12 to 24 seconds.
CLOSING = 5.0  # seconds that closing a connection may take

NO_GUARD = (
    "Dask could not start its worker processes. In a script, put the main code under "
    "\"if __name__ == '__main__':\", or start a cluster and set engine= to the address of its "
    "scheduler."
)
SCHEDULER_LOST = (
    "The connection to the Dask scheduler was lost, so the work cannot continue; check that the "
    "scheduler is running, and start again."
)
NO_WORKER = (
    f"The Dask cluster has had no workers for {NO_WORKERS:.0f} s, so the work cannot continue; "
    "start workers, and start again. Workers that were killed may have run out of memory."
)
KILLED = (
    "A chunk of documents was tried on several Dask workers, and each of them was killed; they "
    "probably ran out of memory. Start workers with more memory, or fewer workers per machine."
)


class StepError(Exception):
    """An exception that a step raised on a worker."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Cluster:
    """Connection to a Dask cluster.

    Parameters
    ----------
    client : Client
    own : list of Client and LocalCluster
        What `close` closes, in this order.
    """

    def __init__(self, client: Client, own: list[Any]) -> None:
        self.client = client
        self._own = own
        self._workers: dict[str, int] = {}
        self._checked = -float("inf")  # time of the last look at the cluster
        self._empty_since: float | None = None  # time since which there have been no workers
        self._reported: set[str] = set()  # workers that have been reported as silent

    @classmethod
    def connect(cls, n_jobs: int | None, address: str | None) -> Cluster:
        """Connect to the scheduler at `address`, use the active client, or start a cluster."""
        try:
            from distributed import Client, LocalCluster, get_client
        except ImportError as error:
            raise LaconicError(
                "engine='dask' requires Dask; install it with: pip install 'laconic[dask]'"
            ) from error
        if address is not None:
            try:
                client = Client(address, timeout="10s", set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                raise LaconicError(
                    f"No Dask scheduler responds at engine={address!r}; start a scheduler at "
                    "this address, or set engine='threads'."
                ) from error
            return cls(client, [client])
        try:
            return cls(get_client(), [])
        except ValueError:  # No client is active.
            # If this process is a worker that imports the script, it must not start a cluster.
            if getattr(current_process(), "_inheriting", False):
                raise LaconicError(NO_GUARD) from None
        try:
            cluster = LocalCluster(
                n_workers=count_workers(n_jobs),
                threads_per_worker=1,
                dashboard_address=":0",
                scheduler_kwargs={"worker_ttl": WORKER_TTL},
                preload=[__name__],  # Each worker then calls `dask_setup`.
            )
        except RuntimeError as error:
            raise LaconicError(NO_GUARD) from error
        client = Client(cluster, set_as_default=False)
        return cls(client, [client, cluster])

    def close(self) -> None:
        """Close what `connect` opened; if the scheduler is lost, do not wait for it."""
        with _silent_client():
            for opened in self._own:
                with suppress(OSError, TimeoutError, RuntimeError):
                    opened.close(timeout=CLOSING)
        self._own = []

    @property
    def n_threads(self) -> int:
        """Current number of threads of all workers, but at least 1."""
        self._look(time.monotonic())
        return max(1, sum(self._workers.values()))

    def submit(self, function: Callable[..., Any], *arguments: Any, priority: int = 0) -> Future:
        """Start a task; its result is recomputed if the worker that holds it is lost."""
        return self.client.submit(function, *arguments, pure=False, priority=priority)

    def hold(self, value: Any) -> Future:
        """Return a future of a value; the scheduler keeps the value to send it again."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.submit(_same, value)

    def wait(self, future: Future) -> Future:
        """Wait until a future is finished, and return it."""
        from distributed import wait

        start = time.monotonic()
        while future.status in ("pending", "lost"):  # Dask computes a lost result again.
            with suppress(TimeoutError), self.client.as_current():
                wait(future, timeout=POLL)
            self._look(start)
        if future.status == "error":
            trace = future.traceback(timeout=RESPONSE)
            raise StepError(future.exception(timeout=RESPONSE).with_traceback(trace))
        if future.status != "finished":
            raise LaconicError(SCHEDULER_LOST)
        return future

    def result(self, future: Future) -> Any:
        """Wait for a future and return its result."""
        self.wait(future)
        start, client = time.monotonic(), self.client

        async def gather() -> Any:
            return await client.gather(future, asynchronous=True)

        loop: Any = client.loop
        task = asyncio.run_coroutine_threadsafe(gather(), loop.asyncio_loop)
        try:
            while not concurrent.futures.wait([task], timeout=POLL).done:
                self._look(start)
            return task.result()
        except Exception as error:
            if future.status == "error":  # The result was lost and could not be computed again.
                raise StepError(error) from error
            raise
        finally:
            task.cancel()

    def on_every_worker(self, function: Callable[..., T], *arguments: Any) -> list[T] | None:
        """Call a function on all workers; return None if they do not all respond in time."""
        start = time.monotonic()
        self._look(start)
        while not self._workers:
            time.sleep(0.1)
            self._look(start)
        for _ in range(3):
            try:
                answers = self.client.run(function, *arguments, callback_timeout=RESPONSE)
            except TimeoutError:
                break
            except OSError:  # A worker was lost just now; ask the others again.
                time.sleep(POLL)
            else:
                return list(answers.values())
        return None

    def _look(self, start: float) -> None:
        """Count the workers; raise if the scheduler or all workers are lost.

        The cluster is asked at most once per second. `start` is the time at which the current wait
        began.
        """
        client, now = self.client, time.monotonic()
        if client.status != "running":
            raise LaconicError(SCHEDULER_LOST)
        if now - self._checked < POLL:
            return
        self._workers = client.nthreads(callback_timeout=RESPONSE)
        self._checked = time.monotonic()
        if self._workers:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since > NO_WORKERS:
            raise LaconicError(NO_WORKER)
        if now - start > SILENT:
            self._report_silent()

    def _report_silent(self) -> None:
        """Warn of workers that give no sign of life while the fit makes no progress."""
        client = self.client
        about = client.sync(client.scheduler.identity, callback_timeout=RESPONSE)
        for address, worker in about["workers"].items():
            silence = time.time() - worker["last_seen"]
            if silence > SILENT and address not in self._reported:
                self._reported.add(address)
                warn(
                    f"The Dask worker {address} has not responded for {silence:.0f} s; laconic "
                    "waits until it responds or the scheduler replaces it. If it is frozen, kill "
                    "it; the other workers then take over its chunks."
                )

    @contextmanager
    def clear_errors(self) -> Iterator[None]:
        """Turn the errors of Dask into clear messages, and raise the errors of steps unchanged."""
        from distributed.scheduler import KilledWorker

        lost = (asyncio.CancelledError, concurrent.futures.CancelledError, OSError, TimeoutError)
        try:
            yield
        except StepError as error:
            if isinstance(error.error, KilledWorker):
                raise LaconicError(KILLED) from error.error
            raise error.error from None
        except lost as error:
            raise LaconicError(SCHEDULER_LOST) from error
        except RuntimeError as error:  # The client was closed in the meantime.
            if self.client.status == "running":
                raise
            raise LaconicError(SCHEDULER_LOST) from error


def dask_setup(worker: Any) -> None:
    """Make a worker ignore Ctrl-C, which the terminal also sends to the workers.

    The fit stops by itself, and then needs the workers once more to finish the model.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _same(value: T) -> T:
    return value


@contextmanager
def _silent_client() -> Iterator[None]:
    """Suppress the log messages of a client that cannot reach its scheduler any more."""
    with ExitStack() as stack:
        for name in ("distributed.client", "distributed.batched"):
            logger = logging.getLogger(name)
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)
        yield
