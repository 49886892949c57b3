"""Codes of documents with one row per document, in memory or in files that are read in blocks.

Sparse codes are the three arrays of a CSR matrix. Codes that are more than half full are a dense
array, which takes less space. Its values may be rounded to float16; then the codes of a document
are the values times a factor, which prevents overflow.

Codes in files are checked when a block is read, because compiled code does not check indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import csr, ranges
from laconic.errors import ModelFileError
from laconic.files.array_collector import ArrayCollector
from laconic.files.arrays import is_sorted
from laconic.files.scratch_folder import ScratchFolder

ENTRIES = 1 << 20  # approximate number of weights per block
MAX_WEIGHT = 1e15
INT32 = np.iinfo(np.int32).max


class SparseRows:
    """Sparse codes: `data`, `indices` and `indptr` are arrays or readers of arrays.

    Examples
    --------
    >>> rows = SparseRows.of(sp.csr_matrix([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]))
    >>> rows.shape, rows.nnz, rows.block(1, 3).toarray().tolist()
    ((3, 2), 2, [[1.0, 0.0], [0.0, 0.0]])
    """

    def __init__(
        self, data: Any, indices: Any, indptr: Any, n_topics: int, path: Path | None = None
    ) -> None:
        self.data, self.indices, self.indptr = data, indices, indptr
        self.shape = (len(indptr) - 1, n_topics)
        self.path = path  # None if the arrays need no checks

    @classmethod
    def of(cls, codes: sp.csr_matrix) -> SparseRows:
        return cls(codes.data, codes.indices, codes.indptr, codes.shape[1])

    @property
    def nnz(self) -> int:
        return len(self.indices)

    def block(self, start: int, stop: int) -> sp.csr_matrix:
        """Return the codes of the documents ``start:stop``."""
        bounds = self.indptr[start : stop + 1]
        self._check_bounds(bounds[:-1], bounds[1:])
        first, last = int(bounds[0]), int(bounds[-1])
        indptr = (bounds - first).astype(np.int32 if last - first <= INT32 else np.int64)
        rows = csr(
            self.data[first:last], self.indices[first:last], indptr, (stop - start, self.shape[1])
        )
        rows.has_canonical_format = True
        return rows if self.path is None else self._checked(rows)

    def take(self, numbers: np.ndarray) -> sp.csr_matrix:
        """Return the codes of some documents."""
        starts, stops = _entries(self.indptr, numbers), _entries(self.indptr, numbers + 1)
        self._check_bounds(starts, stops)
        lengths = stops - starts
        if isinstance(self.data, np.ndarray):
            entries = ranges(starts, lengths)
            data, indices = self.data[entries], self.indices[entries]
        else:
            data, indices = (
                _ranges_of(array, starts, stops) for array in (self.data, self.indices)
            )
        indptr = np.zeros(len(numbers) + 1, np.int32)
        np.cumsum(lengths, out=indptr[1:])
        rows = csr(data, indices, indptr, (len(numbers), self.shape[1]))
        rows.has_canonical_format = True
        return rows if self.path is None else self._checked(rows)

    def _check_bounds(self, starts: np.ndarray, stops: np.ndarray) -> None:
        """Raise if a file has positions at which the codes of a document cannot be."""
        if self.path is not None and not (
            np.all(starts >= 0) and np.all(starts <= stops) and np.all(stops <= self.nnz)
        ):
            raise _damaged(self.path, "the positions of the codes of the documents are not valid")

    def _checked(self, rows: sp.csr_matrix) -> sp.csr_matrix:
        assert self.path is not None
        if rows.nnz:
            _check_weights(self.path, rows.data)
            if not (rows.indices.min() >= 0 and rows.indices.max() < self.shape[1]):
                raise _damaged(self.path, "the codes of the documents refer to unknown topics")
            if not is_sorted(rows.indices, rows.indptr):
                raise _damaged(self.path, "the topics in a code are not sorted or occur twice")
            if not rows.data.all():  # Their length would be zero, and a divisor.
                raise _damaged(self.path, "the codes of the documents contain stored zeros")
        return rows


class DenseRows:
    """Dense codes: `values` (float32 or float16), and optionally a factor of each document.

    Examples
    --------
    >>> rows = DenseRows(np.array([[0.0, 2.0], [1.0, 3.0]], dtype=np.float32))
    >>> rows.nnz, rows.block(0, 1).indices.tolist()
    (4, [1])
    """

    def __init__(self, values: Any, scales: Any = None, path: Path | None = None) -> None:
        self.values, self.scales = values, scales
        self.shape: tuple[int, int] = values.shape
        self.path = path

    @property
    def nnz(self) -> int:
        """Number of stored values, some of which may be zero."""
        return self.shape[0] * self.shape[1]

    def array(self, start: int, stop: int) -> np.ndarray:
        """Return the codes of the documents ``start:stop`` as a float32 array."""
        values = np.asarray(self.values[start:stop], np.float32)
        if self.scales is not None:
            values *= np.asarray(self.scales[start:stop], np.float32)[:, None]
        return self._checked(values)

    def _checked(self, values: np.ndarray) -> np.ndarray:
        if self.path is not None:
            _check_weights(self.path, values)
        return values

    def block(self, start: int, stop: int) -> sp.csr_matrix:
        """Return the codes of the documents ``start:stop``."""
        rows = sp.csr_matrix(self.array(start, stop))
        rows.has_canonical_format = True
        return rows

    def take(self, numbers: np.ndarray) -> sp.csr_matrix:
        """Return the codes of some documents."""
        values = np.asarray(_entries(self.values, numbers), np.float32)
        if self.scales is not None:
            values *= np.asarray(_entries(self.scales, numbers), np.float32)[:, None]
        return sp.csr_matrix(self._checked(values))


Rows = SparseRows | DenseRows


def _ranges_of(array: Any, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Return the entries of an array in a file that are in some ranges."""
    if len(starts):
        first, last = int(starts.min()), int(stops.max())
        if array.reads_at_once(first, last, len(starts)):
            return np.asarray(array[first:last][ranges(starts - first, stops - starts)])
    pairs = zip(starts.tolist(), stops.tolist(), strict=True)
    return np.concatenate([array[:0], *(array[start:stop] for start, stop in pairs)])


def _entries(array: Any, positions: np.ndarray) -> np.ndarray:
    """Return some entries of an array, or of an array in a file."""
    if isinstance(array, np.ndarray):
        return array[positions]
    return array.take(positions.tolist())


def blocks(rows: Rows, most: int = ENTRIES) -> Iterator[tuple[int, int]]:
    """Yield the bounds of consecutive blocks of about `ENTRIES` weights and at most `most` rows."""
    n_rows = rows.shape[0]
    step = max(min(ENTRIES * n_rows // max(rows.nnz, n_rows, 1), most), 1)
    for start in range(0, n_rows, step):
        yield start, min(start + step, n_rows)


class RowsCollector:
    """Collects codes in parts, in memory or in a scratch folder.

    Parameters
    ----------
    scratch : ScratchFolder or None
    name : str
        Beginning of the names of the files.
    n_topics : int, default=0
        Number of topics if there are no documents.
    """

    def __init__(self, scratch: ScratchFolder | None, name: str, n_topics: int = 0) -> None:
        self._data = ArrayCollector(scratch, f"{name}.data", np.float32)
        self._indices = ArrayCollector(scratch, f"{name}.indices", np.int32)
        self._indptr = ArrayCollector(scratch, f"{name}.indptr", np.int64)
        self._indptr.append([0])
        self._n_topics = n_topics

    def append(self, part: sp.csr_matrix) -> None:
        self._indptr.append(part.indptr[1:].astype(np.int64) + self._data.length)
        self._data.append(part.data)
        self._indices.append(part.indices)
        self._n_topics = part.shape[1]

    def finish(self) -> SparseRows:
        arrays = self._data.finish(), self._indices.finish(), self._indptr.finish()
        return SparseRows(*arrays, self._n_topics)


def _check_weights(path: Path, weights: np.ndarray) -> None:
    # The comparison is also false if a weight is NaN.
    if weights.size and not (weights.min() >= -MAX_WEIGHT and weights.max() <= MAX_WEIGHT):
        raise _damaged(path, "the codes of the documents must contain only finite numbers")


def _damaged(path: Path, problem: str) -> ModelFileError:
    return ModelFileError(path, f"is damaged: {problem}")
