"""Varimax rotation, which rotates a basis so that each word belongs to few directions."""

from __future__ import annotations

import numpy as np
import scipy.linalg

MAX_WORDS = 5_000  # maximum number of (strongest) words from which the rotation is computed
MAX_STEPS = 50
TOL = 1e-4


def varimax(words: np.ndarray) -> np.ndarray:
    """Return the rotation that maximises the variance of the squared entries of each column.

    The method is described in Kaiser 1958.

    Parameters
    ----------
    words : ndarray of shape (n_words, rank)

    Returns
    -------
    ndarray of shape (rank, rank)
        Orthonormal matrix ``rotation``; ``words @ rotation`` is the rotated basis.

    Examples
    --------
    >>> import numpy as np
    >>> simple = np.array([[3.0, 0], [2, 0], [0, 2], [0, 1]])
    >>> mixed = simple @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    >>> np.abs(mixed @ varimax(mixed)).round(2).tolist()
    [[3.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 1.0]]
    """
    if not words.size:
        return np.eye(words.shape[1])
    strength = np.einsum("jk,jk->j", words, words)
    strongest = np.argsort(-strength, kind="stable")[:MAX_WORDS]
    A = words[np.sort(strongest)].astype(np.float64)
    rotation, criterion = _pivot_rotation(A), 0.0
    for _ in range(MAX_STEPS):
        rotated = A @ rotation
        squares = rotated * rotated
        left, values, right = np.linalg.svd(A.T @ (rotated * (squares - squares.mean(axis=0))))
        rotation = left @ right
        if values.sum() <= criterion * (1 + TOL):
            break
        criterion = values.sum()
    return rotation


def _pivot_rotation(A: np.ndarray) -> np.ndarray:
    """Return an initial rotation that brings each direction near a different word.

    If varimax started from the identity, symmetric directions would never move.
    """
    _, pivots = scipy.linalg.qr(A.T, mode="r", pivoting=True)
    left, _, right = np.linalg.svd(A[pivots[: A.shape[1]]])
    return (left @ right).T


def readable_rotation(words: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the rotation from principal directions to directions with few words.

    The strongest direction comes first. In each direction, the entry with the largest absolute
    value is positive.
    """
    if not words.size:
        return np.eye(words.shape[1])
    rotation = varimax(words).T
    rotation = rotation[np.argsort(-(rotation**2 @ values**2), kind="stable")]
    rotated = rotation @ words.T.astype(np.float64)
    largest = rotated[np.arange(len(rotated)), np.argmax(np.abs(rotated), axis=1)]
    return rotation * np.where(largest < 0, -1.0, 1.0)[:, None]
