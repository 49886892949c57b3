"""Penalties on topics, their proximal operators, and the projection on the simplex.

Topics are the rows of A (topics x words). ``value(A)`` is the penalty of A. ``prox(B)`` returns the
A that minimises ``1/2 |A - B|^2 + value(A)``; ``prox`` is a reference implementation. ``shrink``
computes the transpose of the same A from blocks of rows of B' (words x topics), so that B is never
stored as a whole, except by `OverlappingGroup`. ``shrink`` returns CSR, because A is very sparse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import csr
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.errors import LaconicError
from laconic.kernels.prox import group_norms, shrink_groups, shrink_overlapping, shrink_rows
from laconic.kernels.simplex import project_rows

R = TypeVar("R")


@dataclass(frozen=True)
class Blocks:
    """Blocks of rows of B' (words x topics), which are computed whenever they are needed.

    Examples
    --------
    >>> blocks = Blocks([slice(0, 2), slice(2, 3)], np.ones((3, 5)).__getitem__)
    >>> blocks.map(lambda block, start: block.sum())
    [np.float64(10.0), np.float64(5.0)]
    """

    rows: Sequence[slice]
    compute: Callable[[slice], np.ndarray]
    run: RunTasks = run_here

    @classmethod
    def of(cls, B: np.ndarray, run: RunTasks = run_here) -> Blocks:
        """Divide an array into blocks."""
        return cls(row_blocks(*B.shape), B.__getitem__, run)

    def map(self, function: Callable[[np.ndarray, int], R]) -> list[R]:
        """Return ``function(block, first row)`` of each block, computed by the workers."""
        return self.run(lambda rows: function(self.compute(rows), rows.start), self.rows)

    def all(self) -> np.ndarray:
        """Return all rows as one array."""
        return np.concatenate(self.run(self.compute, self.rows))


class Penalty(Protocol):
    """Interface of a penalty, which is a norm of the topics and may require non-negative topics."""

    def prox(self, B: np.ndarray) -> np.ndarray: ...

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        """Return the result of ``prox`` as CSR (words x topics), and its sum of squares."""
        ...


@dataclass(frozen=True)
class L1:
    """l1 penalty: the sum of absolute values, where each topic is weighted by its alpha.

    Examples
    --------
    >>> L1(np.array([1.0])).prox(np.array([[3.0, -0.5, -2.0]])).tolist()
    [[2.0, -0.0, -1.0]]
    """

    alpha: np.ndarray
    positive = False

    def value(self, A: np.ndarray) -> float:
        return float(np.sum(self.alpha[:, None] * np.abs(A)))

    def prox(self, B: np.ndarray) -> np.ndarray:
        return np.sign(B) * np.maximum(np.abs(B) - self.alpha[:, None], 0)

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        def shrink_one(block: np.ndarray, start: int, *out: np.ndarray) -> float:
            return shrink_rows(block, self.alpha.astype(block.dtype), self.positive, *out)

        return _collect(blocks, shrink_one, len(self.alpha))


class NonNegative(L1):
    """l1 penalty with the constraint that topics are non-negative.

    Examples
    --------
    >>> NonNegative(np.array([1.0])).prox(np.array([[3.0, -0.5, -2.0]])).tolist()
    [[2.0, 0.0, 0.0]]
    """

    positive = True

    def value(self, A: np.ndarray) -> float:
        return super().value(A) if (A >= 0).all() else np.inf

    def prox(self, B: np.ndarray) -> np.ndarray:
        return np.maximum(B - self.alpha[:, None], 0)


@dataclass(frozen=True)
class Group:
    """Group lasso penalty: the weighted sum of the norms of all groups of words.

    Each topic keeps or removes a group of words as a whole.

    Parameters
    ----------
    alpha : ndarray of shape (n_topics,)
    groups : ndarray of int of shape (n_words,)
        Group number of each word.
    weights : ndarray of shape (n_groups,)
    positive : bool
        Whether topics must be non-negative.
    """

    alpha: np.ndarray
    groups: np.ndarray
    weights: np.ndarray
    positive: bool = False

    def value(self, A: np.ndarray) -> float:
        if self.positive and (A < 0).any():
            return np.inf
        norms = np.sqrt(self._squares(A))
        return float(np.sum(self.alpha[:, None] * norms * self.weights))

    def prox(self, B: np.ndarray) -> np.ndarray:
        B = np.maximum(B, 0) if self.positive else B
        return B * self._factors(self._squares(B).T).T[:, self.groups]

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        squares = np.zeros((len(self.weights), len(self.alpha)))
        for rows in blocks.rows:  # one after another, because a group may be in several blocks
            group_norms(blocks.compute(rows), self.groups[rows], self.positive, squares)
        factors = self._factors(squares)

        def shrink_one(block: np.ndarray, start: int, *out: np.ndarray) -> float:
            groups = self.groups[start : start + len(block)]
            return shrink_groups(block, groups, factors.astype(block.dtype), self.positive, *out)

        return _collect(blocks, shrink_one, len(self.alpha))

    def _squares(self, A: np.ndarray) -> np.ndarray:
        """Return the squared norm of each group in each topic (topics x groups)."""
        member = sp.csr_matrix(
            (np.ones(len(self.groups)), (np.arange(len(self.groups)), self.groups)),
            shape=(len(self.groups), len(self.weights)),
        )
        return np.asarray((A * A) @ member)

    def _factors(self, squares: np.ndarray) -> np.ndarray:
        """Return the shrinkage factors max(1 - alpha w_g / |B_g|, 0) (groups x topics)."""
        limit = self.weights[:, None] * self.alpha
        norms = np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(norms > limit, 1 - limit / norms, 0.0)


@dataclass
class OverlappingGroup:
    """Latent group lasso (Jacob, Obozinski, Vert, ICML 2009): groups of words may overlap.

    Each word has a copy in each of its groups, and the weight of a word is the sum of its copies.
    The penalty of a topic is the weighted sum of the norms of all groups of copies, for the copies
    with the smallest penalty. Therefore, the words of a topic are a union of groups. If no groups
    overlap, the penalty is equal to `Group`.

    The remainder R = B - A has the norm ``alpha * weight`` in each selected group and at most this
    norm in all other groups, and the copies of a selected group are a multiple of R. These
    conditions determine A, and they imply that the objective is 1/2 (|X|^2 - |A|^2), as for the
    other penalties.

    Parameters
    ----------
    alpha : ndarray of shape (n_topics,)
    members : csr_matrix of shape (n_groups, n_words)
        The words of each group; the entries are the copies.
    weights : ndarray of shape (n_groups,)
    positive : bool
        Whether copies must be non-negative.

    Attributes
    ----------
    copies : csr_matrix of shape (n_topics, n_copies)
        Copies of the last call of `prox` or `shrink`, in the order of the entries of `members`.
    """

    TOL = 1e-9
    MAX_SWEEPS = 2000

    alpha: np.ndarray
    members: sp.csr_matrix
    weights: np.ndarray
    positive: bool = False
    copies: sp.csr_matrix | None = None

    def prox(self, B: np.ndarray) -> np.ndarray:
        words, starts = self.members.indices, self.members.indptr
        copies = np.zeros((len(B), len(words)))
        limits = self.weights[:, None] * self.alpha
        rows = np.ascontiguousarray(B, dtype=np.float64)
        sizes = self.TOL, self.MAX_SWEEPS
        shrink_overlapping(rows, words, starts, limits, self.positive, *sizes, copies)
        self.copies = sp.csr_matrix(copies)
        one_each = np.ones(len(words)), words, np.arange(len(words) + 1)
        sums = sp.csr_matrix(one_each, shape=(len(words), rows.shape[1]))
        return np.asarray((self.copies @ sums).todense())

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        B = blocks.all()
        A = self.prox(B.T)
        return sp.csr_matrix(A.T.astype(B.dtype)), float(np.sum(A * A))


def project_simplex(x: Any, total: float = 1.0) -> np.ndarray:
    """Project points on the simplex of non-negative points whose entries sum to `total`.

    The projection of a point is the nearest point of the simplex.

    Parameters
    ----------
    x : array-like of shape (n,) or (n_rows, n)
        One point, or one point per row.
    total : float, default=1
        Sum of the entries of a projected point.

    Returns
    -------
    ndarray
        Projected points, with the shape of `x`. The type is float32 if `x` is float32, otherwise
        float64.

    Examples
    --------
    >>> project_simplex([0.5, 0.5, -1.0, 1.0]).round(3).tolist()
    [0.167, 0.167, 0.0, 0.667]
    """
    x = np.asarray(x)
    if x.ndim not in (1, 2) or x.shape[-1] == 0:
        raise LaconicError(
            f"x of project_simplex must be a non-empty vector or a matrix with at least one "
            f"column; got shape {x.shape}."
        )
    if not total > 0 or not np.isfinite(total):
        raise LaconicError(
            f"total of project_simplex must be a positive, finite number; got {total}."
        )
    points = np.array(np.atleast_2d(x), np.float32 if x.dtype == np.float32 else np.float64)
    if not np.isfinite(points).all():
        raise LaconicError("x of project_simplex must not contain NaN or infinity.")
    project_rows(points, float(total))
    return points.reshape(x.shape)


class SparseRows(NamedTuple):
    """Thresholded rows of a block as CSR, and their sum of squares."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    energy: float


def _collect(
    blocks: Blocks, shrink_one: Callable[..., float], n_topics: int
) -> tuple[sp.csr_matrix, float]:
    """Shrink all blocks, and stack the results into one CSR matrix."""

    def shrink_block(block: np.ndarray, start: int) -> SparseRows:
        return sparse_rows(block.size, len(block), block.dtype, shrink_one, block, start)

    return stack_rows(blocks.map(shrink_block), n_topics, blocks.run)


def sparse_rows(
    size: int, n_rows: int, dtype: Any, shrink: Callable[..., Any], *arguments: Any
) -> SparseRows:
    """Call a kernel that writes rows as CSR, with at most `size` entries."""
    data, indices = np.empty(size, dtype), np.empty(size, np.int32)
    indptr = np.empty(n_rows + 1, np.int64)
    energy = shrink(*arguments, data, indices, indptr)
    n_entries = int(indptr[-1])
    return SparseRows(data[:n_entries].copy(), indices[:n_entries].copy(), indptr, energy)


def stack_rows(
    parts: Sequence[SparseRows], n_topics: int, run: RunTasks = run_here
) -> tuple[sp.csr_matrix, float]:
    """Stack the rows of all blocks into one CSR matrix, and sum their energies in order."""
    starts = np.cumsum([0, *(len(part.data) for part in parts)])
    rows = np.cumsum([0, *(len(part.indptr) - 1 for part in parts)])
    index = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    data = np.empty(starts[-1], parts[0].data.dtype)
    indices, indptr = np.empty(starts[-1], index), np.zeros(rows[-1] + 1, index)

    def copy(number: int) -> None:
        part, start, row = parts[number], starts[number], rows[number]
        data[start : starts[number + 1]] = part.data
        indices[start : starts[number + 1]] = part.indices
        np.add(part.indptr[1:], start, out=indptr[row + 1 : rows[number + 1] + 1], casting="unsafe")

    run(copy, range(len(parts)))
    W = csr(data, indices, indptr, (len(indptr) - 1, n_topics))
    return W, float(sum(part.energy for part in parts))
