"""Chunks: handles of blocks of rows that are in memory or on disk, or mapped when loaded.

A handle is cheap to pickle and `load()` returns its rows as CSR, so the same fit runs in memory,
out of core (threads over disk chunks) and distributed (Dask over the same handles). Chunk
boundaries depend only on the row pointer, not on where the rows are or on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import share_rows

# Large enough that summing a chunk's statistics is cheap compared to computing them, small enough
# that a few chunks at once fit into any memory: 400,000 non-zeros are 3 MB.
CHUNK_NONZEROS = 400_000
CHUNK_ROWS = 1 << 14


class Chunk(Protocol):
    """Consecutive rows of a corpus."""

    @property
    def start(self) -> int: ...

    @property
    def stop(self) -> int: ...

    def load(self) -> sp.csr_matrix: ...


@dataclass(frozen=True)
class MemoryChunk:
    """Rows in memory, and the same data by column (CSC) if many passes need it."""

    X: sp.csr_matrix
    start: int
    stop: int
    columns: sp.csc_matrix | None = None

    def load(self) -> sp.csr_matrix:
        return self.X

    def __reduce__(self) -> tuple[Any, ...]:
        return MemoryChunk, (self.X, self.start, self.stop)  # columns can be recomputed


@dataclass(frozen=True)
class MappedChunk:
    """Rows of another chunk; functions from CSR to CSR are applied when they are loaded."""

    chunk: Chunk
    mappings: tuple[Callable[[sp.csr_matrix], sp.csr_matrix], ...]

    @property
    def start(self) -> int:
        return self.chunk.start

    @property
    def stop(self) -> int:
        return self.chunk.stop

    def load(self) -> sp.csr_matrix:
        X = self.chunk.load()
        for mapping in self.mappings:
            X = mapping(X)
        return X


def chunk_divisor(n_words: int) -> int:
    """How much smaller chunks may be for a step that does much with every entry.

    Smaller chunks keep all workers busy to the end; but the statistics of a chunk are as large as
    the vocabulary, so a chunk should have several times as many entries.
    """
    return min(max(CHUNK_NONZEROS // (2 * max(n_words, 1)), 1), 8)


def row_bounds(
    indptr: np.ndarray, nonzeros: int | None = None, rows: int | None = None, *, split: int = 1
) -> list[int]:
    """Return boundaries of chunks of about `nonzeros` / `split` entries and at most `rows` rows.

    The defaults are ``CHUNK_NONZEROS`` and ``CHUNK_ROWS``.

    Examples
    --------
    >>> row_bounds(np.array([0, 3, 6, 9, 12]), nonzeros=6)
    [0, 2, 4]
    """
    n_rows = len(indptr) - 1
    nonzeros = max((nonzeros or CHUNK_NONZEROS) // split, 1)
    rows = rows or CHUNK_ROWS
    bounds = [0]
    while bounds[-1] < n_rows:
        start = bounds[-1]
        by_size = int(np.searchsorted(indptr, int(indptr[start]) + nonzeros, "right")) - 1
        bounds.append(min(max(by_size, start + 1), start + rows, n_rows))
    return bounds


def memory_chunks(
    X: sp.csr_matrix, bounds: list[int] | None = None, *, split: int = 1
) -> list[Chunk]:
    """Split `X` into chunks that share its memory."""
    bounds = row_bounds(X.indptr, split=split) if bounds is None else bounds
    return [
        MemoryChunk(share_rows(X, start, stop), start, stop) for start, stop in pairwise(bounds)
    ]


def cut_rows(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Return rows `start` to `stop` (row numbers of the corpus) of a chunk that contains them."""
    if isinstance(chunk, MemoryChunk):
        rows = share_rows(chunk.X, start - chunk.start, stop - chunk.start)
        return MemoryChunk(rows, start, stop)
    if isinstance(chunk, MappedChunk):
        return MappedChunk(cut_rows(chunk.chunk, start, stop), chunk.mappings)
    return replace(chunk, start=start, stop=stop)  # type: ignore[type-var]


def map_chunk(chunk: Chunk, mapping: Callable[[sp.csr_matrix], sp.csr_matrix]) -> Chunk:
    """Apply `mapping` to a chunk: now if its rows are in memory, else when they are loaded."""
    if isinstance(chunk, MemoryChunk):
        return MemoryChunk(mapping(chunk.X), chunk.start, chunk.stop)
    return MappedChunk(chunk, (mapping,))


def by_column_too(chunks: list[Chunk]) -> list[Chunk]:
    """Add the columns (CSC) to chunks in memory, for fits with many passes."""
    return [
        MemoryChunk(chunk.X, chunk.start, chunk.stop, chunk.X.tocsc())
        if isinstance(chunk, MemoryChunk)
        else chunk
        for chunk in chunks
    ]
