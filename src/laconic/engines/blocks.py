"""Dense algebra on fixed blocks of rows, which the workers of an engine share.

BLAS with several threads would be as fast, but the last bits of its results depend on the number of
threads. The borders of the blocks depend only on the shape of an array, each block is computed by
one thread, and sums over blocks are added in order, so the results are the same for any number of
workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add
from typing import Any, Protocol

import numpy as np

from laconic.engines.base import single_blas_thread

BLOCK_ENTRIES = 1 << 18  # number of entries per block, so that a block fits in the CPU cache
# A block of a Gram matrix has at least so many rows per column; otherwise, the Gram matrices of the
# blocks would take more memory than the array.
GRAM_ROWS = 4


class RunTasks(Protocol):
    """Interface of `Engine.run_tasks`, which functions take that need nothing else of an engine."""

    def __call__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]: ...


def run_here(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Call a function for each item, one after another, in the calling thread."""
    with single_blas_thread():
        return [function(item) for item in items]


def row_blocks(n_rows: int, n_columns: int, least: int = 1) -> list[slice]:
    """Divide the rows of an array into blocks of at least `least` rows; without rows, one block.

    Examples
    --------
    >>> row_blocks(5000, 100)
    [slice(0, 2621, None), slice(2621, 5000, None)]
    """
    height = max(BLOCK_ENTRIES // max(n_columns, 1), least, 1)
    return [slice(i, min(i + height, n_rows)) for i in range(0, max(n_rows, 1), height)]


def multiply(A: np.ndarray, B: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Return A B, for a tall matrix A and a small matrix B."""
    result = np.empty((len(A), B.shape[1]), np.result_type(A, B))

    def multiply_rows(rows: slice) -> None:
        np.matmul(A[rows], B, out=result[rows])

    run(multiply_rows, row_blocks(*A.shape))
    return result


def transpose(A: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Return a copy of A', for a tall or wide matrix A."""
    result = np.empty(A.shape[::-1], A.dtype)
    source, target = (A, result.T) if len(A) > len(result) else (A.T, result)

    def copy_rows(rows: slice) -> None:
        target[rows] = source[rows]

    run(copy_rows, row_blocks(*source.shape))
    return result


def gram(A: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Return A'A in float64, for a tall matrix A."""

    def gram_of_rows(rows: slice) -> np.ndarray:
        exact = A[rows].astype(np.float64, copy=False)
        return exact.T @ exact

    n_rows, n_columns = A.shape
    return reduce(add, run(gram_of_rows, row_blocks(n_rows, n_columns, GRAM_ROWS * n_columns)))
