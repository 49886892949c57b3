"""Helpers for sparse matrices, without checks: select rows or columns, and remap columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


def csr(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> Any:
    """Build a CSR matrix from canonical arrays, without checks or copies."""
    X = sp.csr_matrix(shape, dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    return X


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Concatenate ranges of integers, which are given by their starts and lengths.

    Examples
    --------
    >>> ranges(np.array([5, 0, 2]), np.array([2, 0, 3])).tolist()
    [5, 6, 2, 3, 4]
    """
    ends = np.cumsum(lengths)
    offsets = np.repeat(starts - (ends - lengths), lengths)
    return offsets + np.arange(len(offsets))


def share_rows(X: sp.csr_matrix, start: int, stop: int) -> sp.csr_matrix:
    """Return a block of rows of `X` without copying the entries."""
    first, last = X.indptr[start], X.indptr[stop]
    return csr(
        X.data[first:last],
        X.indices[first:last],
        X.indptr[start : stop + 1] - first,
        (stop - start, X.shape[1]),
    )


def dense(matrix: Any) -> np.ndarray:
    """Convert a sparse or dense matrix to an array."""
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)


def as_codes(theta: np.ndarray, sparse: bool) -> Any:
    """Return the codes of a chunk as CSR if `sparse` is true, otherwise as a dense array."""
    if not sparse:
        return theta
    from laconic.kernels.prox import keep_nonzeros  # loading numba takes longer than most commands

    size = np.count_nonzero(theta)
    index = np.int32 if theta.size <= np.iinfo(np.int32).max else np.int64
    data, indices = np.empty(size + 1, theta.dtype), np.empty(size + 1, index)
    indptr = np.empty(len(theta) + 1, index)
    keep_nonzeros(np.ascontiguousarray(theta), data, indices, indptr)
    return csr(data[:size], indices[:size], indptr, theta.shape)


def as_csr(array: np.ndarray) -> Any:
    """Convert an array to CSR without stored zeros; unlike `as_codes`, this needs no kernel.

    SciPy's conversion builds a COO matrix first and takes several times as long.

    Examples
    --------
    >>> as_csr(np.array([[0.0, 2.0], [1.0, 0.0]])).indices.tolist()
    [1, 0]
    """
    nonzero = array != 0
    index = np.int32 if array.size <= np.iinfo(np.int32).max else np.int64
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(nonzero, axis=1))])
    columns = np.broadcast_to(np.arange(array.shape[1], dtype=index), array.shape)
    return csr(array[nonzero], columns[nonzero], indptr.astype(index), array.shape)


def unit_rows(matrix: Any, dtype: Any = None) -> Any:
    """Return an array or a CSR matrix with rows of unit length; rows of zeros stay zero.

    The result has the given `dtype`, by default the one of `matrix`.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    if not sp.issparse(matrix):
        rows = np.asarray(matrix, dtype)
        squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        return rows / _lengths(squares).astype(rows.dtype)[:, None]
    rows = matrix.tocsr()
    rows = csr(rows.data.astype(dtype or rows.dtype), rows.indices, rows.indptr, rows.shape)
    squares = rows.data.astype(np.float64) ** 2
    numbers = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    lengths = _lengths(np.bincount(numbers, squares, minlength=rows.shape[0]))
    rows.data /= lengths.astype(rows.dtype)[numbers]
    return rows


def _lengths(squares: np.ndarray) -> np.ndarray:
    return np.sqrt(np.where(squares > 0, squares, 1.0))


def effective_number(sums: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Return (Σ|x|)² / Σx² for given sums of |x| and x², or 0 where the squares are 0.

    The effective number is n if n values are equal and all others are zero.

    Examples
    --------
    >>> effective_number(np.array([4.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [4.0, 0.0]
    """
    return np.divide(sums**2, squares, where=squares > 0, out=np.zeros(len(sums)))


def column_entries(X: sp.csr_matrix, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that have an entry in the given column, and the values of these entries.

    Examples
    --------
    >>> rows, values = column_entries(sp.csr_matrix([[0, 5], [1, 0], [0, 7]]), 1)
    >>> rows.tolist(), values.tolist()
    ([0, 2], [5, 7])
    """
    positions = np.flatnonzero(X.indices == column)
    return np.searchsorted(X.indptr, positions, side="right") - 1, X.data[positions]


def column_totals(X: sp.csr_matrix, values: np.ndarray) -> np.ndarray:
    """Return the sum of `values`, one per entry of `X`, in each column.

    Unlike those of `numpy.bincount`, the sums are floats even if there are no entries.
    """
    return np.bincount(X.indices, values, minlength=X.shape[1]).astype(np.float64, copy=False)


def columns_of(chunk: Any, X: sp.csr_matrix) -> sp.csc_matrix:
    """Return the CSC matrix stored in a chunk, or convert the chunk's rows `X` to CSC."""
    stored = getattr(chunk, "columns", None)
    return X.tocsc() if stored is None else stored


@dataclass(frozen=True)
class ColumnMap:
    """Move column j of a matrix to column ``target[j]``, or drop it if ``target[j]`` is -1.

    The result has `n_words` columns.
    """

    target: np.ndarray
    n_words: int

    def __call__(self, X: sp.csr_matrix) -> sp.csr_matrix:
        moved = self.move(X)
        moved.sort_indices()
        return moved

    def move(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """Move the columns without sorting the indices of each row."""
        columns = self.target[X.indices]
        keep = columns >= 0
        n_kept_before = np.concatenate([[0], np.cumsum(keep)])
        return sp.csr_matrix(
            (X.data[keep], columns[keep].astype(np.int32), n_kept_before[X.indptr]),
            shape=(X.shape[0], self.n_words),
        )

    def then(self, other: ColumnMap) -> ColumnMap:
        """Return the mapping that applies this mapping and then `other`."""
        target = np.append(other.target, -1)  # so that a dropped column (index -1) stays dropped
        return ColumnMap(target[self.target], other.n_words)
