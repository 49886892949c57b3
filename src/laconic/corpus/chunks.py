"""Chunks: handles of blocks of rows that are in memory or on disk.

A handle is cheap to pickle, and its `load()` returns the rows as CSR. The same fit therefore runs
in memory, out of core (threads that load chunks from disk) and distributed (Dask with the same
handles). A `MappedChunk` loads the rows of another chunk and changes them. Chunk boundaries depend
only on the row pointer, not on whether the rows are in memory or on disk, and not on the number of
workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import share_rows

# Approximate number of entries and maximum number of rows per chunk. Chunks are large enough that
# adding the statistics of a chunk is cheap compared to computing them, and small enough that
# several chunks fit into memory at once (400,000 non-zeros take 3 MB).
CHUNK_NONZEROS = 400_000
CHUNK_ROWS = 1 << 14
MAX_ROWS = 1 << 16  # maximum number of rows per chunk if chunks are larger than usual
# Up to so many chunks, their number is a multiple of EVEN_CHUNKS. Chunks end before a document that
# does not fit, so they may be a little larger than their share.
FEW_CHUNKS = 16
EVEN_CHUNKS = 4
CHUNK_SLACK = 0.02
STATISTICS = 32  # maximum number of statistics (words x topics) per entry of a chunk


class Chunk(Protocol):
    """Handle of consecutive rows of a corpus."""

    @property
    def start(self) -> int: ...

    @property
    def stop(self) -> int: ...

    def load(self) -> sp.csr_matrix: ...


@dataclass(frozen=True)
class MemoryChunk:
    """Rows in memory, optionally also stored by column (CSC) for fits with many passes."""

    X: sp.csr_matrix
    start: int
    stop: int
    columns: sp.csc_matrix | None = None

    def load(self) -> sp.csr_matrix:
        return self.X

    def __reduce__(self) -> tuple[Any, ...]:
        # `columns` is not pickled, because it can be recomputed.
        return MemoryChunk, (self.X, self.start, self.stop)


@dataclass(frozen=True)
class MappedChunk:
    """Rows of another chunk, which functions from CSR to CSR change when the rows are loaded."""

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


@dataclass(frozen=True)
class StripedChunk:
    """Rows of several chunks; they are numbered as if they were consecutive."""

    chunks: tuple[Chunk, ...]
    start: int
    stop: int

    def load(self) -> sp.csr_matrix:
        return sp.vstack([chunk.load() for chunk in self.chunks], format="csr")


def without_mappings(
    chunk: Chunk,
) -> tuple[Chunk, tuple[Callable[[sp.csr_matrix], sp.csr_matrix], ...]]:
    """Return a chunk without the functions that change its rows, and these functions."""
    mappings: tuple[Any, ...] = ()
    while isinstance(chunk, MappedChunk):
        mappings = *chunk.mappings, *mappings
        chunk = chunk.chunk
    return chunk, mappings


def chunk_divisor(n_words: int, n_topics: int, *, much_work: bool = False) -> float:
    """Return the factor by which to divide the chunk size, for statistics of words x topics.

    If there is much work per entry, chunks are smaller, so that all workers stay busy until the
    end. However, a chunk should have several times more entries than there are words. If the
    statistics are large, chunks are larger (the factor is below 1), because adding statistics must
    not take longer than computing them.

    Examples
    --------
    >>> chunk_divisor(10_000, 50), chunk_divisor(10_000, 50, much_work=True)
    (1.0, 8.0)
    >>> chunk_divisor(1_000_000, 100)
    0.128
    """
    smaller = min(max(CHUNK_NONZEROS // (2 * max(n_words, 1)), 1), 8) if much_work else 1
    return CHUNK_NONZEROS / max(CHUNK_NONZEROS / smaller, n_words * n_topics / STATISTICS)


def row_bounds(
    indptr: np.ndarray, nonzeros: int | None = None, rows: int | None = None, *, split: float = 1
) -> list[int]:
    """Return boundaries of chunks of about `nonzeros` / `split` entries and at most `rows` rows.

    The defaults are ``CHUNK_NONZEROS`` and ``CHUNK_ROWS``.

    Examples
    --------
    >>> row_bounds(np.array([0, 3, 6, 9, 12]), nonzeros=6)
    [0, 2, 4]
    """
    n_rows = len(indptr) - 1
    if nonzeros is None:
        nonzeros = _balanced(int(indptr[-1]), int(CHUNK_NONZEROS / split))
    else:
        nonzeros = int(nonzeros / split)
    nonzeros = max(nonzeros, 1)
    rows = rows or max(CHUNK_ROWS, min(int(CHUNK_ROWS / split), MAX_ROWS) if split < 1 else 0)
    bounds = [0]
    while bounds[-1] < n_rows:
        start = bounds[-1]
        # If the types differed, NumPy would convert the whole row pointer for each chunk.
        limit = indptr.dtype.type(min(int(indptr[start]) + nonzeros, int(indptr[-1])))
        by_size = int(np.searchsorted(indptr, limit, "right")) - 1
        bounds.append(min(max(by_size, start + 1), start + rows, n_rows))
    return bounds


def _balanced(n_entries: int, nonzeros: int) -> int:
    """Return the number of entries per chunk, at most `nonzeros`, for an even number of chunks.

    With three chunks, two workers would take as long as with four of the same size.
    """
    n_chunks = -(-n_entries // max(nonzeros, 1))
    if not 2 < n_chunks <= FEW_CHUNKS:
        return nonzeros
    n_chunks = -(-n_chunks // EVEN_CHUNKS) * EVEN_CHUNKS
    return min(int((1 + CHUNK_SLACK) * n_entries / n_chunks) + 1, nonzeros)


def memory_chunks(
    X: sp.csr_matrix, bounds: list[int] | None = None, *, split: float = 1
) -> list[Chunk]:
    """Split `X` into chunks that share its memory."""
    bounds = row_bounds(X.indptr, split=split) if bounds is None else bounds
    return [
        MemoryChunk(share_rows(X, start, stop), start, stop) for start, stop in pairwise(bounds)
    ]


def cut_rows(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Return a new chunk with rows `start` to `stop` (row numbers in the corpus) of a chunk."""
    if isinstance(chunk, MemoryChunk):
        rows = share_rows(chunk.X, start - chunk.start, stop - chunk.start)
        return MemoryChunk(rows, start, stop)
    if isinstance(chunk, MappedChunk):
        return MappedChunk(cut_rows(chunk.chunk, start, stop), chunk.mappings)
    return replace(chunk, start=start, stop=stop)  # type: ignore[type-var]


def map_chunk(chunk: Chunk, mapping: Callable[[sp.csr_matrix], sp.csr_matrix]) -> Chunk:
    """Apply `mapping` to a chunk: at once if the chunk is in memory, otherwise on loading."""
    if isinstance(chunk, MemoryChunk):
        return MemoryChunk(mapping(chunk.X), chunk.start, chunk.stop)
    return MappedChunk(chunk, (mapping,))


def by_column_too(chunk: Chunk) -> Chunk:
    """Add a CSC copy to a chunk in memory, for fits with many passes."""
    if isinstance(chunk, MemoryChunk) and chunk.columns is None:
        return MemoryChunk(chunk.X, chunk.start, chunk.stop, chunk.X.tocsc())
    return chunk
