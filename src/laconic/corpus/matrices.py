"""Sparse matrices without copies and checks: rows, columns, and columns in another order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


def csr(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> Any:
    """CSR from arrays known to be canonical; they are neither checked nor copied."""
    X = sp.csr_matrix(shape, dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    return X


def share_rows(X: sp.csr_matrix, start: int, stop: int) -> sp.csr_matrix:
    """Rows of `X` without a copy of their entries."""
    first, last = X.indptr[start], X.indptr[stop]
    return csr(
        X.data[first:last],
        X.indices[first:last],
        X.indptr[start : stop + 1] - first,
        (stop - start, X.shape[1]),
    )


def dense(matrix: Any) -> np.ndarray:
    """A matrix as an array, sparse or not."""
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)


def column_entries(X: sp.csr_matrix, column: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows that have an entry in a column, and the entries.

    Examples
    --------
    >>> rows, values = column_entries(sp.csr_matrix([[0, 5], [1, 0], [0, 7]]), 1)
    >>> rows.tolist(), values.tolist()
    ([0, 2], [5, 7])
    """
    places = np.flatnonzero(X.indices == column)
    return np.searchsorted(X.indptr, places, side="right") - 1, X.data[places]


def columns_of(chunk: Any, X: sp.csr_matrix) -> sp.csc_matrix:
    """The rows of a chunk in CSC, kept or made."""
    kept = getattr(chunk, "columns", None)
    return X.tocsc() if kept is None else kept


@dataclass(frozen=True)
class ColumnMap:
    """Moves each column to ``target[column]`` of `n_words`, or drops it where that is -1."""

    target: np.ndarray
    n_words: int

    def __call__(self, X: sp.csr_matrix) -> sp.csr_matrix:
        moved = self.move(X)
        moved.sort_indices()
        return moved

    def move(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """The columns at their places; the entries of a row are in the order they had."""
        columns = self.target[X.indices]
        keep = columns >= 0
        before = np.concatenate([[0], np.cumsum(keep)])
        return sp.csr_matrix(
            (X.data[keep], columns[keep].astype(np.int32), before[X.indptr]),
            shape=(X.shape[0], self.n_words),
        )

    def then(self, other: ColumnMap) -> ColumnMap:
        """This mapping followed by another one."""
        onward = np.append(other.target, -1)  # so that -1 leads to -1
        return ColumnMap(onward[self.target], other.n_words)
