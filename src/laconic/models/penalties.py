"""Penalties on topics: what they cost, and the step that minimises cost plus distance; and the
simplex, on which the nearest point is that step.

Topics are the rows of A (topics x words). ``prox(B)`` is the A that minimises
``1/2 |A - B|^2 + value(A)``, the plain formula. ``shrink`` is the same from blocks of B' (words x
topics) straight to CSR, because almost nothing of B is left and B itself need never exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import csr
from laconic.errors import LaconicError
from laconic.kernels.prox import group_norms, shrink_groups, shrink_rows
from laconic.kernels.simplex import project_rows

Blocks = Callable[[], Iterator[np.ndarray]]


class Penalty(Protocol):
    """A norm, or a norm on the non-negative orthant."""

    def value(self, A: np.ndarray) -> float: ...

    def prox(self, B: np.ndarray) -> np.ndarray: ...

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float]:
        """``prox`` as CSR (words x topics), and the sum of its squares."""
        ...


@dataclass(frozen=True)
class L1:
    """Sum of absolute values, weighted by the alpha of each topic.

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

        return _collect(blocks, shrink_one)


class NonNegative(L1):
    """`L1` over topics without negative words.

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
    """Sum of the norms of groups of words, each weighted: whole groups stay or go.

    Parameters
    ----------
    alpha : ndarray of shape (n_topics,)
    groups : ndarray of int of shape (n_words,)
        Number of each word's group.
    weights : ndarray of shape (n_groups,)
    positive : bool
        Only topics without negative words.
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
        start = 0
        for block in blocks():
            group_norms(block, self.groups[start : start + len(block)], self.positive, squares)
            start += len(block)
        factors = self._factors(squares)

        def shrink_one(block: np.ndarray, start: int, *out: np.ndarray) -> float:
            groups = self.groups[start : start + len(block)]
            return shrink_groups(block, groups, factors.astype(block.dtype), self.positive, *out)

        return _collect(blocks, shrink_one)

    def _squares(self, A: np.ndarray) -> np.ndarray:
        """Squared norms, topics x groups."""
        member = sp.csr_matrix(
            (np.ones(len(self.groups)), (np.arange(len(self.groups)), self.groups)),
            shape=(len(self.groups), len(self.weights)),
        )
        return np.asarray((A * A) @ member)

    def _factors(self, squares: np.ndarray) -> np.ndarray:
        """max(1 - alpha w_g / |B_g|, 0), groups x topics."""
        limit = self.weights[:, None] * self.alpha
        norms = np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(norms > limit, 1 - limit / norms, 0.0)


def project_simplex(x: Any, total: float = 1.0) -> np.ndarray:
    """The nearest point without negative entries whose sum is `total`.

    Parameters
    ----------
    x : array-like of shape (n,) or (n_rows, n)
        A point, or one in each row.
    total : float, default=1

    Returns
    -------
    ndarray
        Of the same shape, float32 where `x` is, else float64.

    Examples
    --------
    >>> project_simplex([0.5, 0.5, -1.0, 1.0]).round(3).tolist()
    [0.167, 0.167, 0.0, 0.667]
    """
    given = np.asarray(x)
    if given.ndim not in (1, 2) or given.shape[-1] == 0:
        raise LaconicError(
            f"project_simplex needs a vector or rows of at least one number; got shape "
            f"{given.shape}."
        )
    if not total > 0 or not np.isfinite(total):
        raise LaconicError(f"total must be a positive number; got {total}.")
    points = np.array(np.atleast_2d(given), np.float32 if given.dtype == np.float32 else np.float64)
    if not np.isfinite(points).all():
        raise LaconicError("project_simplex needs finite numbers.")
    project_rows(points, float(total))
    return points.reshape(given.shape)


def _collect(blocks: Blocks, shrink_one: Callable[..., Any]) -> tuple[sp.csr_matrix, float]:
    """Shrink block after block and put the rows together."""
    datas, columns, counts = [], [], [np.zeros(1, np.int64)]
    start, total, energy, n_topics = 0, 0, 0.0, 0
    room: tuple[np.ndarray, np.ndarray] | None = None
    for block in blocks():
        n_topics = block.shape[1]
        if room is None or len(room[0]) < block.size:
            room = np.empty(block.size, block.dtype), np.empty(block.size, np.int32)
        indptr = np.empty(len(block) + 1, np.int64)
        energy += shrink_one(block, start, *room, indptr)
        size = int(indptr[-1])
        datas.append(room[0][:size].copy())
        columns.append(room[1][:size].copy())
        counts.append(indptr[1:] + total)
        total += size
        start += len(block)
    index = np.int32 if total <= np.iinfo(np.int32).max else np.int64
    W = csr(
        np.concatenate(datas),
        np.concatenate(columns).astype(index, copy=False),
        np.concatenate(counts).astype(index),
        (start, n_topics),
    )
    return W, energy
