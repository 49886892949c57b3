"""Random samples of documents, batches of documents, and held-out words.

Samples depend only on the seed and on the corpus, not on how the corpus is split into chunks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import (
    Chunk,
    MappedChunk,
    MemoryChunk,
    StripedChunk,
    cut_rows,
    row_bounds,
    without_mappings,
)
from laconic.errors import LaconicError

STRIPS = 256  # number of strips of consecutive documents in a batch

# --- documents -----------------------------------------------------------------------------------


def draw_rows(seed: int, n_rows: int, n_sample: int) -> np.ndarray:
    """Draw `n_sample` distinct rows (all if there are fewer), and sort them in ascending order."""
    if n_sample >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng([seed, 1]).choice(n_rows, n_sample, replace=False))


def take_rows(engine: Any, chunks: Sequence[Chunk], rows: np.ndarray) -> sp.csr_matrix:
    """Return the given rows of `chunks`; the workers of `engine` load the chunks.

    `rows` must be in ascending order. Row 0 is the first row of the first chunk.
    """
    rows = rows + chunks[0].start
    touched = [c for c in chunks if np.any((rows >= c.start) & (rows < c.stop))]
    X = sp.vstack(list(engine.map(_rows_of_chunk, rows, touched)), format="csr")
    X.sort_indices()
    return X


def _rows_of_chunk(rows: np.ndarray, chunk: Chunk, state: None) -> tuple[sp.csr_matrix, None]:
    """Step of `engine.map`: return those of the given rows that are in the chunk."""
    return chunk.load()[rows[(rows >= chunk.start) & (rows < chunk.stop)] - chunk.start], None


def sample_documents(
    engine: Any, chunks: Sequence[Chunk], n_sample: int, seed: int
) -> sp.csr_matrix:
    """Draw `n_sample` documents at random; return them in the order of the corpus."""
    n_documents = chunks[-1].stop - chunks[0].start
    return take_rows(engine, chunks, draw_rows(seed, n_documents, n_sample))


def batches_of(chunks: list[Chunk], batch_size: int) -> tuple[list[Chunk], list[list[int]]]:
    """Split the documents into batches; return new chunks and the chunk numbers of each batch.

    A corpus is often sorted. Therefore, a batch consists of many strips of consecutive documents,
    which are spread evenly over the corpus: with n batches, every n-th strip.
    """
    first, n_documents = chunks[0].start, chunks[-1].stop - chunks[0].start
    n_batches = -(-n_documents // batch_size)
    strip = max(batch_size // STRIPS, 1)
    starts = np.arange(first, first + n_documents, strip)
    pieces: list[Chunk] = []
    batches: list[list[int]] = []
    start = first
    for strips in _dealt(len(starts), n_batches):
        batches.append([])
        # A batch has up to four chunks, so that several workers can process it.
        for quarter in np.array_split(strips, min(4, len(strips))):
            rows = [
                (row, min(row + strip, first + n_documents)) for row in starts[quarter].tolist()
            ]
            piece = _striped(chunks, rows, start)
            batches[-1].append(len(pieces))
            pieces.append(piece)
            start = piece.stop
    return pieces, batches


def _dealt(n_strips: int, n_batches: int) -> list[np.ndarray]:
    return [np.arange(number, n_strips, n_batches) for number in range(min(n_batches, n_strips))]


def _striped(chunks: list[Chunk], rows: list[tuple[int, int]], start: int) -> Chunk:
    """Return a chunk of several ranges of rows, whose rows are numbered from `start`."""
    ends = [chunk.stop for chunk in chunks]
    plain: list[Chunk] = []
    mappings: tuple[Any, ...] = ()
    for first, last in rows:
        while first < last:
            chunk, mappings = without_mappings(chunks[bisect_right(ends, first)])
            stop = min(last, chunk.stop)
            plain.append(cut_rows(chunk, first, stop))
            first = stop
    striped = StripedChunk(tuple(plain), start, start + sum(last - first for first, last in rows))
    if all(isinstance(chunk, MemoryChunk) for chunk in plain):
        return MemoryChunk(striped.load(), striped.start, striped.stop)
    return MappedChunk(striped, mappings) if mappings else striped


# --- held-out words ------------------------------------------------------------------------------


class WordSplit(NamedTuple):
    """Observed and held-out words of each document."""

    observed: sp.csr_matrix
    held: sp.csr_matrix


def deal(X: Any, share: float = 0.5, random_state: int = 0, *, first_row: int = 0) -> WordSplit:
    """Split the words of each document at random into an observed and a held-out part.

    A hash of the seed, the row, the column and the number of the occurrence assigns each occurrence
    of a word to a part. Therefore, the split of a document does not depend on its chunk.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_documents, n_words)
        Counts.
    share : float, default=0.5
        Expected share of occurrences in the observed part.
    random_state : int, default=0
    first_row : int, default=0
        Row number of the first row of `X` in the corpus, if `X` is a chunk of it.

    Returns
    -------
    observed, held : csr_matrix of the shape of `X`
        ``observed + held`` equals `X`. All words of a short document may be in the same part.

    Examples
    --------
    >>> observed, held = deal([[4, 0, 3], [0, 1, 0]])
    >>> (observed + held).toarray().tolist()
    [[4, 0, 3], [0, 1, 0]]
    """
    if not 0 <= share <= 1:
        raise LaconicError(f"share must be between 0 and 1; got {share}.")
    if not 0 <= random_state < 2**63:
        raise LaconicError(f"random_state must be from 0 to 2**63 - 1; got {random_state}.")
    X = sp.csr_matrix(X)
    counts = _integer_counts(X)
    observed = np.empty_like(counts)
    for start, stop in pairwise(row_bounds(np.append(0, np.cumsum(counts))[X.indptr])):
        entries = slice(X.indptr[start], X.indptr[stop])
        rows = np.repeat(np.arange(start, stop), np.diff(X.indptr[start : stop + 1]))
        observed[entries] = _draw(
            random_state, rows + first_row, X.indices[entries], counts[entries], share
        )
    return WordSplit(_with_counts(X, observed), _with_counts(X, counts - observed))


def _integer_counts(X: sp.csr_matrix) -> np.ndarray:
    counts = np.rint(X.data).astype(np.int64)
    if not np.array_equal(counts, X.data) or (counts.size and counts.min() < 0):
        raise LaconicError(
            "X must contain counts (non-negative integers), because single occurrences are held "
            "out; pass the counts before weighting."
        )
    return counts


def _with_counts(X: sp.csr_matrix, counts: np.ndarray) -> sp.csr_matrix:
    part = sp.csr_matrix((counts.astype(X.dtype), X.indices.copy(), X.indptr.copy()), X.shape)
    part.eliminate_zeros()
    return part


def _draw(
    seed: int, rows: np.ndarray, columns: np.ndarray, counts: np.ndarray, share: float
) -> np.ndarray:
    """Draw the number of observed occurrences of each entry."""
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
    """Hash 64-bit numbers with the mixing function of SplitMix64, which is a bijection."""
    key = key + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))
