"""Sums over chunks of X'V (words x topics), which are computed when all chunks are finished.

Each row of X'V needs only the entries of one word. If the documents are in memory, the workers
therefore divide the words among themselves and add up the chunks in the CPU cache. An array of
words x topics for each chunk, most of whose entries are zero, is neither written nor merged. The
order of additions is that of merging such arrays, so the results have the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.engines.blocks import RunTasks, run_here
from laconic.engines.scratch import take
from laconic.engines.stats import Deferred
from laconic.kernels.projection import add_gathered, gather_rows, order_by_column

TASKS = 16  # number of blocks of words, with about the same number of entries
STRIDE = 32  # a block starts at a multiple of this number, which saves reading every indptr
ROW_COST = 2  # time for a row without entries, relative to an entry
# The factors V of all chunks are in memory at once, so they may have at most so many numbers for
# each entry of X.
MAX_FACTORS = 2


class Factors(NamedTuple):
    """The factors X and V of a chunk, where X is CSC with the given data."""

    data: np.ndarray
    columns: sp.csc_matrix
    V: np.ndarray


class Products(Deferred):
    """Sum of X'V over some chunks; `terms` are added from left to right.

    A term is a `Factors`, or a list of terms that are added first.
    """

    def __init__(self, terms: list[Any]) -> None:
        self.terms = terms

    def __iadd__(self, other: Any) -> Any:
        if not isinstance(other, Products):
            return self.compute() + other
        self.terms.append(other.terms if len(other.terms) > 1 else other.terms[0])
        return self

    def copy(self) -> Products:
        """Return a copy, so that adding to it keeps the original."""
        return Products(list(self.terms))

    def compute(self, run: RunTasks = run_here) -> np.ndarray:
        """Return the sum as an array (words x topics); `run` runs the tasks."""
        factors = list(_leaves(self.terms))
        V = factors[0].V
        total = take((factors[0].columns.shape[1], V.shape[1]), V.dtype)

        def fill(rows: slice) -> None:
            total[rows] = 0
            _add(self.terms, rows, total[rows])

        run(fill, _balanced_blocks([part.columns for part in factors]))
        return total


def multiply_columns(
    chunk: Any,
    X: sp.csr_matrix,
    columns: sp.csc_matrix,
    V: np.ndarray,
    values: np.ndarray | None = None,
) -> Any:
    """Return X'V of a chunk: as `Products` if the chunk is in memory, otherwise as an array.

    `columns` is X as CSC. If `values` are passed, they replace the data of X, in their order.
    """
    if values is None:
        data = columns.data.astype(V.dtype, copy=False)
    else:
        data = np.empty(X.nnz, V.dtype)
        order_by_column(values, X.indices, columns.indptr, data)
    if getattr(chunk, "columns", None) is columns and V.size <= MAX_FACTORS * X.nnz:
        return Products([Factors(data, columns, V)])
    products = take((X.shape[1], V.shape[1]), V.dtype)
    gather_rows(data, columns.indices, columns.indptr, V, products)
    return products


def _leaves(terms: list[Any]) -> Iterator[Factors]:
    for term in terms:
        if isinstance(term, list):
            yield from _leaves(term)
        else:
            yield term


def _add(terms: list[Any], rows: slice, total: np.ndarray) -> None:
    """Add some rows of the terms to `total`, which is zero."""
    scratch = np.empty(total.shape[1], total.dtype)
    for term in terms:
        if isinstance(term, list):
            part = np.zeros_like(total)
            _add(term, rows, part)
            total += part
        else:
            data, columns, V = term
            starts = columns.indptr[rows.start : rows.stop + 1]
            add_gathered(data, columns.indices, starts, V, total, scratch)


def _balanced_blocks(matrices: list[sp.csc_matrix]) -> list[slice]:
    """Divide the words into blocks that take about the same time."""
    n_words = matrices[0].shape[1]
    words = np.append(np.arange(0, n_words, STRIDE), n_words)
    cost = words * ROW_COST * len(matrices)
    for columns in matrices:
        cost += columns.indptr[words]
    goals = np.linspace(0, cost[-1], TASKS + 1)[1:-1]
    borders = [0, *words[np.searchsorted(cost, goals)].tolist(), n_words]
    return [slice(a, b) for a, b in pairwise(borders) if a < b]
