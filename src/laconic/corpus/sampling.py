"""Documents drawn from a corpus, documents in batches, and words held out of documents.

What is drawn depends on the seed and on the corpus alone, never on how it is cut into chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk, MemoryChunk, cut_rows, memory_chunks, row_bounds
from laconic.errors import LaconicError

# --- documents -----------------------------------------------------------------------------------


def draw_rows(seed: int, n_rows: int, wanted: int) -> np.ndarray:
    """Numbers of `wanted` different rows in rising order; all of them where there are no more."""
    if wanted >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng([seed, 1]).choice(n_rows, wanted, replace=False))


def take_rows(engine: Any, chunks: Sequence[Chunk], rows: np.ndarray) -> sp.csr_matrix:
    """Some rows of the documents in `chunks`, counted from the first, in rising order.

    The chunks are loaded where `engine` runs its steps.
    """
    rows = rows + chunks[0].start
    touched = [c for c in chunks if np.any((rows >= c.start) & (rows < c.stop))]
    X = sp.vstack(list(engine.map(_rows_of_chunk, rows, touched)), format="csr")
    X.sort_indices()
    return X


def _rows_of_chunk(rows: np.ndarray, chunk: Chunk, state: None) -> tuple[sp.csr_matrix, None]:
    """Step: those of the rows that are in the chunk."""
    return chunk.load()[rows[(rows >= chunk.start) & (rows < chunk.stop)] - chunk.start], None


def sample_documents(engine: Any, chunks: Sequence[Chunk], wanted: int, seed: int) -> sp.csr_matrix:
    """`wanted` documents drawn at random, in the order of the corpus."""
    n_documents = chunks[-1].stop - chunks[0].start
    return take_rows(engine, chunks, draw_rows(seed, n_documents, wanted))


def batches_of(chunks: list[Chunk], batch_size: int) -> tuple[list[Chunk], list[list[int]]]:
    """The documents in batches: other chunks, and the numbers of those of each batch.

    In memory every n-th document goes into the same batch, because a corpus is often sorted; from
    disk a batch is what lies together.
    """
    n_documents = chunks[-1].stop - chunks[0].start
    n_batches = -(-n_documents // batch_size)
    if all(isinstance(chunk, MemoryChunk) for chunk in chunks):
        X = sp.vstack([chunk.load() for chunk in chunks], format="csr")
        pieces: list[Chunk] = []
        start = chunks[0].start
        batches: list[list[int]] = []
        for number in range(n_batches):
            rows = X[number::n_batches]
            parts = memory_chunks(rows, _quarters(rows.shape[0]))
            batches.append(list(range(len(pieces), len(pieces) + len(parts))))
            pieces += [
                MemoryChunk(part.load(), start + part.start, start + part.stop) for part in parts
            ]
            start += rows.shape[0]
        return pieces, batches
    pieces, batches = [], []
    first = chunks[0].start
    for chunk in chunks:
        start = chunk.start
        while start < chunk.stop:
            number = (start - first) // batch_size
            stop = min(chunk.stop, first + (number + 1) * batch_size)
            if number == len(batches):
                batches.append([])
            batches[number].append(len(pieces))
            pieces.append(cut_rows(chunk, start, stop))
            start = stop
    return pieces, batches


def _quarters(n_rows: int) -> list[int]:
    """Borders of up to four parts, so that several workers share a batch."""
    return sorted({n_rows * part // 4 for part in range(5)})


# --- words held out ------------------------------------------------------------------------------


class Dealt(NamedTuple):
    """The words of each document in two parts."""

    observed: sp.csr_matrix
    held: sp.csr_matrix


def deal(X: Any, share: float = 0.5, random_state: int = 0, *, first_row: int = 0) -> Dealt:
    """Deal each occurrence of a word of each document to one of two parts, at random.

    The draw of an occurrence is a function of the seed, the row, the column and the number of the
    occurrence alone, so the parts of a document are the same whatever chunk it is in.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_documents, n_words)
        Counts.
    share : float, default=0.5
        How much goes to the observed part, in the mean.
    random_state : int, default=0
    first_row : int, default=0
        Number of the first row in the corpus, for a chunk of one.

    Returns
    -------
    observed, held : csr_matrix of the shape of `X`
        They add to `X`. A short document may have all its words in one of them.

    Examples
    --------
    >>> observed, held = deal([[4, 0, 3], [0, 1, 0]])
    >>> (observed + held).toarray().tolist()
    [[4, 0, 3], [0, 1, 0]]
    """
    if not 0 <= share <= 1:
        raise LaconicError(f"share must be from 0 to 1; got {share}.")
    if not 0 <= random_state < 2**63:
        raise LaconicError(f"random_state must be from 0 to 2**63 - 1; got {random_state}.")
    X = sp.csr_matrix(X)
    counts = _whole_counts(X)
    seen = np.empty_like(counts)
    for start, stop in pairwise(row_bounds(np.append(0, np.cumsum(counts))[X.indptr])):
        entries = slice(X.indptr[start], X.indptr[stop])
        rows = np.repeat(np.arange(start, stop), np.diff(X.indptr[start : stop + 1]))
        seen[entries] = _draw(
            random_state, rows + first_row, X.indices[entries], counts[entries], share
        )
    return Dealt(_part(X, seen), _part(X, counts - seen))


def _whole_counts(X: sp.csr_matrix) -> np.ndarray:
    counts = np.rint(X.data).astype(np.int64)
    if not np.array_equal(counts, X.data) or (counts.size and counts.min() < 0):
        raise LaconicError("Words are dealt one by one, so counts must be whole and not negative.")
    return counts


def _part(X: sp.csr_matrix, counts: np.ndarray) -> sp.csr_matrix:
    part = sp.csr_matrix((counts.astype(X.dtype), X.indices.copy(), X.indptr.copy()), X.shape)
    part.eliminate_zeros()
    return part


def _draw(
    seed: int, rows: np.ndarray, columns: np.ndarray, counts: np.ndarray, share: float
) -> np.ndarray:
    """How many of each entry's occurrences are observed."""
    entries = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    occurrences = np.arange(len(entries)) - first[entries]
    key = _scramble(np.full(1, seed, dtype=np.int64).astype(np.uint64))
    for part in (rows, columns):
        key = _scramble(key ^ part.astype(np.uint64))
    key = _scramble(key[entries] ^ occurrences.astype(np.uint64))
    uniform = (key >> np.uint64(11)) * 2.0**-53
    return np.bincount(entries[uniform < share], minlength=len(counts))


def _scramble(key: np.ndarray) -> np.ndarray:
    """A bijection of 64 bits that leaves no trace of their order: the one of SplitMix64."""
    key = key + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))
