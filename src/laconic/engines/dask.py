"""Engine that distributes chunks over the workers of a local or remote Dask cluster.

A worker may be lost at any time. Therefore nothing that a fit needs later exists only in the memory
of a worker: Dask computes a lost result again from the arguments of its task, and these are small,
or files that outlive the worker (see `SpillFolder`), or values that the scheduler keeps.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from socket import gethostname
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from laconic.corpus.chunks import Chunk, MappedChunk, MemoryChunk
from laconic.engines.base import Step, single_blas_thread
from laconic.engines.cluster import Cluster
from laconic.engines.spill import (
    Inline,
    Pickled,
    Spilled,
    SpillFolder,
    can_share,
    delete_files,
    loaded,
)
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from distributed import Future

LINEAGE = 8  # merged statistics per worker after which the sum is stored
INLINE = 1 << 15  # bytes up to which a value is sent with each task


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
        self._cluster: Cluster | None = None
        self._folder: SpillFolder | None = None
        self._has_looked = False  # whether a folder was created and shown to the workers
        self._handles: dict[int, tuple[Any, Any]] = {}  # chunks and what is sent instead of them

    def __enter__(self) -> Self:
        self._cluster = Cluster.connect(self.n_jobs, self.address)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._handles.clear()
        try:
            if self._cluster is not None:
                self._cluster.close()
        finally:
            self._cluster = None
            if self._folder is not None:
                self._folder.close()
            self._folder, self._has_looked = None, False

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        cluster = self._connected()
        total: Future | None = None  # The sums stay on the workers; only the last is transferred.
        n_merged = 0
        used: list[Any] = []

        def merge(pair: Future) -> Future:
            nonlocal total
            task = (_first, pair) if total is None else (_merge, total, pair)
            total = cluster.submit(*task)
            return total

        calls = self._submit(step, params, chunks, local, used, merge)
        with cluster.clear_errors(), closing(calls):
            for _ in calls:
                n_merged += 1
                if n_merged >= LINEAGE * cluster.n_workers:
                    assert total is not None
                    total, n_merged = self._stored(total, used), 0
            assert total is not None
            value = cluster.result(total)
        delete_files(used)
        return value

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        cluster = self._connected()
        used: list[Any] = []
        calls = self._submit(step, params, chunks, local, used)
        with cluster.clear_errors(), closing(calls):
            for pair in calls:
                yield cluster.result(pair)[0]
        delete_files(used)

    def _submit(
        self,
        step: Step,
        params: Any,
        chunks: Sequence[Chunk],
        local: list[Any] | None,
        used: list[Any],
        then: Callable[[Future], Future] = lambda pair: pair,
    ) -> Generator[Future]:
        """Run the step on all chunks, a limited number at a time.

        The first value of each result is the first value that the step returns. `then` is called
        with the future of each result; it may submit another task and return its future. When this
        task is finished, its future is yielded, and the new state has replaced the state in
        `local`.

        The parameters and the old states are appended to `used`. Their files can be deleted after
        the call, but not earlier, because a task that must be repeated needs them.
        """
        cluster = self._connected()
        shared = self._sent(params)
        used.append(shared)
        running: deque[tuple[int, Any, Future]] = deque()
        todo = iter(enumerate(chunks))
        try:
            while True:
                while len(running) < 2 * cluster.n_workers:
                    if (task := next(todo, None)) is None:
                        break
                    index, chunk = task
                    state = path = new_state = None
                    if local is not None:
                        state, path = self._sent(local[index]), self._new_path()
                        used.append(state)
                    kept = local is not None and path is None
                    arguments = step, shared, self._sent_once(chunk), state, path, kept
                    pair = cluster.submit(_run, *arguments)
                    if local is not None:
                        new_state = cluster.submit(_second, pair) if kept else Spilled(str(path))
                    running.append((index, new_state, then(pair)))
                    del pair  # so that the workers drop the statistics as soon as they are merged
                if not running:
                    return
                index, new_state, future = running.popleft()
                cluster.wait(future)
                if local is not None:
                    is_stored = isinstance(new_state, Spilled)
                    local[index] = new_state if is_stored else cluster.result(new_state)
                yield future
                del future, new_state
        finally:
            for _, _, future in running:
                future.release()

    def _stored(self, total: Future, used: list[Any]) -> Future:
        """Return a future with the same sum, which Dask can restore without the tasks before it.

        Otherwise, the loss of one worker could cost the work of the whole pass. Also, Dask would
        repeat the tasks of the pass without a limit on the statistics in memory.
        """
        cluster = self._connected()
        path = self._new_path()
        if path is None:
            return cluster.wait(cluster.hold(cluster.result(total)))
        handle = cluster.result(cluster.submit(_store, total, path))
        used.append(handle)
        return cluster.wait(cluster.submit(_load, handle))

    def _sent(self, value: Any) -> Any:
        """Return what is sent to the workers instead of a value: a handle or a future.

        A large value is written to a file. If the workers cannot see the file, the value becomes
        the argument of a task, so that the scheduler can send it again.
        """
        if value is None or isinstance(value, Spilled):
            return value
        pickled = Pickled(value)
        if pickled.size <= INLINE:
            return Inline(value)
        path = self._new_path()
        return self._connected().hold(value) if path is None else pickled.write(path)

    def _sent_once(self, chunk: Chunk) -> Any:
        """Return what is sent instead of a chunk; it is the same for all passes of a fit."""
        # Chunks with and without a copy by column are equal for the workers.
        source = chunk.X if isinstance(chunk, MemoryChunk) else chunk
        if id(source) not in self._handles:  # Keep the source, so that its id is not reused.
            self._handles[id(source)] = source, self._sent(chunk)
        return self._handles[id(source)][1]

    def _new_path(self) -> str | None:
        """Return the path of a new file; return None if the workers cannot see the folder."""
        if not self._has_looked:
            self._has_looked = True
            with suppress(OSError):  # There may be no temporary folder.
                self._folder = SpillFolder()
            if self._folder is not None and not self._is_shared(self._folder):
                self._folder.close()
                self._folder = None
        return None if self._folder is None else self._folder.new_path()

    def _is_shared(self, folder: SpillFolder) -> bool:
        """Return whether all workers can see the folder."""
        seen = self._connected().on_every_worker(can_share, str(folder.path), folder.token)
        return seen is not None and all(seen)

    def _connected(self) -> Cluster:
        assert self._cluster is not None, "an engine must be used inside a with statement"
        return self._cluster


def _run(
    step: Step, params: Any, chunk: Any, state: Any, path: str | None, kept: bool
) -> tuple[Any, Any]:
    """Task: run a step, and write the new state to the file `path`.

    If there is no path, the new state is returned if `kept` is true, and dropped otherwise.
    """
    try:
        params, chunk, state = loaded(params), loaded(chunk), loaded(state)
    except OSError as error:
        raise LaconicError(
            f"{_this_worker()} cannot read {error.filename}, a file of the fit that the workers "
            "share. Start only workers that can read and write this folder, or none that can."
        ) from error
    try:
        with single_blas_thread():
            value, state = step(params, chunk, state)
    except (OSError, LaconicError) as error:
        store = _store_of(chunk)
        if store is None or os.path.isdir(store):
            raise
        raise LaconicError(
            f"{_this_worker()} cannot see the corpus at {store}. Save the corpus in a folder that "
            "all workers can read under the same path, or fit the model to documents in memory, "
            "such as corpus.matrix."
        ) from error
    if path is not None:
        Pickled(state).write(path)
    return value, state if kept else None


def _store_of(chunk: Any) -> Any:
    """Return the path of the corpus store that a chunk reads; return None if there is none."""
    while isinstance(chunk, MappedChunk):
        chunk = chunk.chunk
    return getattr(chunk, "path", None)


def _this_worker() -> str:
    from distributed import get_worker

    return f"The Dask worker {get_worker().address} on {gethostname()}"


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def _merge(total: Any, pair: tuple[Any, Any]) -> Any:
    # Merging may change both arguments, but Dask may use them again in another task.
    return total.copy().merge(pair[0].copy())


def _store(value: Any, path: str) -> Spilled:
    return Pickled(value).write(path)


def _load(handle: Spilled) -> Any:
    return handle.load()
