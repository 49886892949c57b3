"""Engine that distributes chunks over the workers of a local or remote Dask cluster.

A task sums the statistics of many consecutive chunks: a subtree of the tree in which all engines
merge them (see `laconic.engines.tree`). Further tasks merge the sums. Parameters, sums and states
are files that all workers can see (see `SpillFolder`), so the scheduler and the client pass on
paths only, and the loss of a worker costs no more than the task that it was running. If there is no
folder that all workers can see, these values are results and arguments of tasks, which Dask sends
over the network and computes again if they are lost.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from socket import gethostname
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from laconic.corpus.chunks import (
    Chunk,
    MappedChunk,
    MemoryChunk,
    StripedChunk,
    without_mappings,
)
from laconic.engines.base import R, Step, T, ignore, single_blas_thread, watch
from laconic.engines.blocks import run_here
from laconic.engines.cluster import Cluster
from laconic.engines.malloc import reused_memory
from laconic.engines.scratch import scratch_arrays
from laconic.engines.spill import (
    Inline,
    Pickled,
    Spilled,
    SpillFolder,
    can_share,
    delete_files,
    loaded,
)
from laconic.engines.state_files import StateFiles
from laconic.engines.stats import finished
from laconic.engines.tree import GROUP, chunks_per_group, merge_chunks, merge_groups, subtrees
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from distributed import Future

TASKS = 4  # minimum number of tasks per thread in a pass, if there are enough groups
AHEAD = 2  # number of tasks per thread that are submitted before the first of them is finished
MAPPED = 4  # number of chunks per task whose values are returned one by one
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
        self.group = GROUP
        self.report: Callable[[float], None] = ignore
        self.states = StateFiles()  # not used, because workers write states to files
        self._cluster: Cluster | None = None
        self._folder: SpillFolder | None = None
        self._has_looked = False  # whether a folder was created and shown to the workers
        # chunks and mappings of chunks, and what is sent instead of them
        self._handles: dict[int, tuple[Any, Any]] = {}

    def __enter__(self) -> Self:
        self._cluster = Cluster.connect(self.n_jobs, self.address)
        single_blas_thread().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        single_blas_thread().__exit__(kind, error, trace)
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
        group = chunks_per_group(self.group, len(chunks))
        trees = subtrees(-(-len(chunks) // group), TASKS * cluster.n_threads)
        pieces = [range(t.start * group, min(t.stop * group, len(chunks))) for t in trees]
        used: list[Any] = []
        tasks = self._submit(
            partial(_reduce, group=group), step, params, chunks, pieces, local, used
        )
        with cluster.clear_errors(), closing(tasks):
            value = merge_groups(watch(tasks, len(pieces), self.report)).take()
        delete_files(used)
        return value

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        cluster = self._connected()
        n_chunks = len(chunks)
        size = max(1, min(MAPPED, n_chunks // (TASKS * cluster.n_threads)))
        pieces = [range(i, min(i + size, n_chunks)) for i in range(0, n_chunks, size)]
        used: list[Any] = []
        tasks = self._submit(list, step, params, chunks, pieces, local, used)
        with cluster.clear_errors(), closing(tasks):
            for task in tasks:
                yield from task.take()
        delete_files(used)

    def run_tasks(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        # Sending the arrays to the workers would take longer than the tasks.
        return [function(item) for item in items]

    def begin(self, function: Callable[[], R]) -> Callable[[], R]:
        return function

    def _submit(
        self,
        collect: Callable[[Iterator[Any]], Any],
        step: Step,
        params: Any,
        chunks: Sequence[Chunk],
        pieces: Sequence[range],
        local: list[Any] | None,
        used: list[Any],
    ) -> Generator[TaskValue]:
        """Run the step on the chunks of each piece, a limited number of pieces at a time.

        `collect` turns the values of the chunks of a piece into one value, which is yielded when
        the piece is finished. The new states of the chunks have then replaced those in `local`.

        The parameters and the old states are appended to `used`. Their files can be deleted after
        the call, but not earlier, because a task that must be repeated needs them.
        """
        cluster = self._connected()
        shared = self._sent(params)
        used.append(shared)
        running: deque[tuple[range, list[str], TaskValue]] = deque()
        todo = iter(pieces)
        try:
            while True:
                while len(running) < AHEAD * cluster.n_threads:
                    if (piece := next(todo, None)) is None:
                        break
                    states = [] if local is None else [self._sent(local[i]) for i in piece]
                    used.extend(states)
                    path = self._new_path()
                    kept = local is not None and path is None
                    paths = [str(self._new_path()) for _ in states] if path is not None else []
                    rows, mappings = self._sent_chunks([chunks[i] for i in piece])
                    task = Inline((collect, step)), shared, rows, mappings, states
                    future = cluster.submit(_run, *task, paths, path, kept)
                    running.append((piece, paths, TaskValue(self, future, path)))
                    del future
                if not running:
                    return
                piece, paths, value = running.popleft()
                value.wait()
                if local is not None:
                    states = [Spilled(path) for path in paths] or value.states()
                    for i, state in zip(piece, states, strict=True):
                        local[i] = state
                yield value
                del value
        finally:
            for _, _, value in running:
                value.release()

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

    def _sent_chunks(self, chunks: Sequence[Chunk]) -> tuple[list[Any], list[Any]]:
        """Return what is sent instead of chunks, and instead of the mappings that they share.

        The mappings are sent once. The rest of a chunk on disk is a path and two numbers.
        """
        plain, mappings = zip(*map(without_mappings, chunks), strict=True)
        if len({tuple(map(id, each)) for each in mappings}) > 1:
            return [self._sent_once(chunk) for chunk in chunks], []
        sent = [self._sent_once(chunk) for chunk in plain]
        return sent, [self._sent_once(mapping) for mapping in mappings[0]]

    def _sent_once(self, value: Any) -> Any:
        """Return what is sent instead of a value; it is the same for all passes of a fit."""
        # Chunks with and without a copy by column are equal for the workers.
        source = value.X if isinstance(value, MemoryChunk) else value
        if id(source) not in self._handles:  # Keep the source, so that its id is not reused.
            self._handles[id(source)] = source, self._sent(value)
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


class TaskValue:
    """Value that a task computes: in a file or, without a shared folder, on a worker."""

    def __init__(
        self, engine: Dask, future: Future, path: str | None, inputs: Sequence[TaskValue] = ()
    ) -> None:
        self._engine = engine
        self._future: Future | None = future
        self._path = path
        self._inputs = inputs  # values that are not needed once this value is complete

    def wait(self) -> None:
        """Wait until the value is complete."""
        if self._future is None:
            return
        self._engine._connected().wait(self._future)
        if self._path is not None:
            self._future = None  # The file outlives the worker, so Dask may forget the task.
        delete_files(value._handle() for value in self._inputs)
        self._inputs = ()

    def merge(self, other: TaskValue) -> TaskValue:
        """Return the merged value, which a worker computes."""
        self.wait()
        other.wait()
        path = self._engine._new_path()
        arguments = self._handle(), other._handle(), path
        future = self._engine._connected().submit(_merge, *arguments, priority=1)
        return TaskValue(self._engine, future, path, [self, other])

    def take(self) -> Any:
        """Wait for the value, return it, and delete its file."""
        self.wait()
        handle = self._handle()
        if self._path is None:
            return self._engine._connected().result(handle).value
        value = handle.load()
        handle.delete()
        return value

    def states(self) -> list[Any]:
        """Return the new states of the chunks, if there is no shared folder."""
        cluster = self._engine._connected()
        states: list[Any] = cluster.result(cluster.submit(_states, self._handle()))
        return states

    def release(self) -> None:
        """Let Dask forget the task."""
        if self._future is not None:
            self._future.release()

    def copy(self) -> TaskValue:
        return self

    def _handle(self) -> Any:
        return self._future if self._path is None else Spilled(self._path)


class Outcome(NamedTuple):
    """Result of a task if there is no shared folder."""

    value: Any
    states: list[Any]


def _run(
    functions: Inline,
    params: Any,
    chunks: list[Any],
    mappings: list[Any],
    states: list[Any],
    paths: list[str],
    path: str | None,
    kept: bool,
) -> Outcome | None:
    """Task: run a step on some chunks, and write the value and the new states to files.

    If there is no path, the value is returned, and so are the states if `kept` is true.
    """
    collect, step = functions.load()
    try:
        params, steps = loaded(params), tuple(map(loaded, mappings))
        pieces = [loaded(chunk) for chunk in chunks]
        old = [loaded(state) for state in states] or [None] * len(pieces)
    except OSError as error:
        raise LaconicError(
            f"{_this_worker()} cannot read {error.filename}, a file of the fit that the workers "
            "share. Start only workers that can read and write this folder, or none that can."
        ) from error
    new_states: list[Any] = []

    def values() -> Iterator[Any]:
        for i, chunk in enumerate(pieces):
            rows = MappedChunk(chunk, steps) if steps else chunk
            value, state = _step(step, params, rows, old[i])
            if paths:
                Pickled(state).write(paths[i])
            elif kept:
                new_states.append(state)
            old[i] = None
            yield value
            del value

    with single_blas_thread(), scratch_arrays(), reused_memory():
        value = collect(values())
        if path is None:
            return Outcome(value, new_states)
        Pickled(value).write(path)
    return None


def _reduce(values: Iterator[Any], group: int) -> Any:
    return finished(merge_chunks(values, group), run_here)


def _step(step: Step, params: Any, chunk: Chunk, state: Any) -> tuple[Any, Any]:
    try:
        return step(params, chunk, state)
    except (OSError, LaconicError) as error:
        plain = without_mappings(chunk)[0]
        plain = plain.chunks[0] if isinstance(plain, StripedChunk) else plain
        store = getattr(plain, "path", None)
        if store is None or os.path.isdir(store):
            raise
        raise LaconicError(
            f"{_this_worker()} cannot see the corpus at {store}. Save the corpus in a folder that "
            "all workers can read under the same path, or fit the model to documents in memory, "
            "such as corpus.matrix."
        ) from error


def _this_worker() -> str:
    from distributed import get_worker

    return f"The Dask worker {get_worker().address} on {gethostname()}"


def _states(outcome: Outcome) -> list[Any]:
    return outcome.states


def _merge(one: Any, other: Any, path: str | None) -> Outcome | None:
    """Task: merge two values, and write the result to a file or return it."""
    if path is None:
        # Merging may change both arguments, but Dask may use them again in another task.
        return Outcome(one.value.copy().merge(other.value.copy()), [])
    Pickled(one.load().merge(other.load())).write(path)
    return None
