"""Engine that measures each call of a fit: reading, computing and merging of chunks."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.engines import ENGINES
from laconic.engines.base import Serial, Step

NAME = "measuring"  # name of the engine while it is registered


@dataclass
class Call:
    """What one call of an engine used, in CPU seconds and bytes."""

    n_chunks: int
    on_disk: bool  # False if the chunks are a sample in memory, which does not grow
    read: float = 0.0
    step: float = 0.0
    merge: float = 0.0
    stats: int = 0  # largest statistics of a chunk
    params: int = 0
    states: int = 0  # states of all chunks


class MeasuringEngine(Serial):
    """Engine that records what each call used; it merges statistics from left to right."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.seconds = 0.0  # in all calls

    def map_reduce(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Any:
        """Compute and merge the statistics of all chunks; see `Engine.map_reduce`."""
        total = None
        for value in self.map(step, params, chunks, local):
            start = time.thread_time()
            total = value if total is None else total.merge(value)
            seconds = time.thread_time() - start
            self.calls[-1].merge += seconds
            self.seconds += seconds
        return total

    def map(
        self, step: Step, params: Any, chunks: Sequence[Chunk], local: list[Any] | None = None
    ) -> Iterator[Any]:
        """Yield the first value that `step` returns for each chunk; see `Engine.map`."""
        on_disk = not all(isinstance(chunk, MemoryChunk) for chunk in chunks)
        call = Call(len(chunks), on_disk, params=n_bytes(params))
        self.calls.append(call)
        for index, chunk in enumerate(chunks):
            timed = chunk if isinstance(chunk, MemoryChunk) else TimedChunk(chunk)
            start = time.thread_time()
            value, state = step(params, timed, None if local is None else local[index])
            seconds = time.thread_time() - start
            read = timed.seconds if isinstance(timed, TimedChunk) else 0.0
            self.seconds += seconds
            call.read += read
            call.step += seconds - read
            call.stats = max(call.stats, n_bytes(value))
            if local is not None:
                local[index] = state
                call.states += n_bytes(state)
            yield value
            del value

    @contextmanager
    def registered(self) -> Iterator[str]:
        """Register this engine for the duration of a fit, and yield its name."""
        name = f"{NAME}-{id(self)}"
        ENGINES[name] = lambda n_jobs: self
        try:
            yield name
        finally:
            del ENGINES[name]


class TimedChunk:
    """Chunk that measures how long its rows take to load."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk, self.start, self.stop = chunk, chunk.start, chunk.stop
        self.seconds = 0.0

    def load(self) -> sp.csr_matrix:
        start = time.thread_time()
        rows = self.chunk.load()
        self.seconds += time.thread_time() - start
        return rows


def n_bytes(value: Any) -> int:
    """Return the size of all arrays in a value.

    Examples
    --------
    >>> n_bytes((np.zeros(3), {"a": np.zeros(2, np.float32)}, None))
    32
    """
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if sp.issparse(value):
        return sum(n_bytes(part) for part in vars(value).values() if isinstance(part, np.ndarray))
    if isinstance(value, dict):
        return sum(map(n_bytes, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(n_bytes, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return sum(n_bytes(getattr(value, field.name)) for field in dataclasses.fields(value))
    return 0
