"""A slow, dense implementation of sparse LSA that computes U and the objective explicitly."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment


class Penalty(NamedTuple):
    """A penalty λΩ and its prox, the A that minimises 1/2 |A - B|^2 + λΩ(A)."""

    value: Callable[[np.ndarray], float]
    prox: Callable[[np.ndarray], np.ndarray]


def l1(alpha):
    return Penalty(
        lambda A: alpha * np.abs(A).sum(),
        lambda B: np.sign(B) * np.maximum(np.abs(B) - alpha, 0),
    )


def positive(alpha):
    return Penalty(lambda A: alpha * A.sum(), lambda B: np.maximum(B - alpha, 0))


def grouped(alpha, groups, weights=None):
    names = np.unique(groups)
    if weights is None:
        weights = [np.sqrt(np.sum(groups == name)) for name in names]

    def value(A):
        return alpha * sum(
            w * np.linalg.norm(A[:, groups == g], axis=1).sum()
            for g, w in zip(names, weights, strict=True)
        )

    def prox(B):
        A = np.zeros_like(B)
        for g, w in zip(names, weights, strict=True):
            for d in range(len(B)):
                part = B[d, groups == g]
                norm = np.linalg.norm(part)
                if norm > alpha * w:
                    A[d, groups == g] = part * (1 - alpha * w / norm)
        return A

    return Penalty(value, prox)


def polar(V):
    """Return the orthonormal U that maximises <U, V>.

    If V does not have full rank, U is one of several solutions.
    """
    left, _, right = np.linalg.svd(V, full_matrices=False)
    return left @ right


def objective(X, U, A, penalty):
    return 0.5 * np.sum((X - U @ A) ** 2) + penalty.value(A)


def best_objective(X, A, penalty):
    """Return the objective of A with the U that is optimal for A."""
    return objective(X, polar(X @ A.T), A, penalty)


def alternate(X, U, penalty, *, passes, momentum=0.0):
    """Alternate from an initial U; return A and the objective after each accepted pass."""
    A, before = penalty.prox(U.T @ X), None
    values = []
    for _ in range(passes):
        leap = 0 if before is None else momentum * (A - before)
        U = polar(X @ (A + leap).T)
        new = penalty.prox(U.T @ X)
        value = objective(X, U, new, penalty)
        if momentum and before is not None and value > values[-1]:
            before = None  # the objective rose, so try again from A without momentum
            continue
        A, before = new, A
        values.append(value)
    return A, np.array(values)


def matched(A, B):
    """Return B with its rows sorted and signed like the matching rows of A."""
    likeness = A @ B.T
    rows, columns = linear_sum_assignment(-np.abs(likeness))
    signs = np.where(likeness[rows, columns] < 0, -1, 1)
    return signs[:, None] * B[columns]


def documents(seed, n_documents, n_words, *, density=0.5, copies=0, rank=None):
    """Draw random non-negative documents, the last `copies` of which repeat the first ones."""
    random = np.random.default_rng(seed)
    X = random.gamma(1.0, size=(n_documents, n_words))
    X *= random.random(X.shape) < density
    if rank is not None:
        X = X[:, :rank] @ random.random((rank, n_words))
    if copies:
        X[-copies:] = X[:copies]
    return X
