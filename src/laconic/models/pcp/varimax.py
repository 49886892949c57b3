"""Directions that can be read: a basis turned so that each word belongs to few of them."""

from __future__ import annotations

import numpy as np
import scipy.linalg

MOST_WORDS = 5_000  # the strongest, by which the turn is found
MOST_STEPS = 50
TOL = 1e-4


def varimax(words: np.ndarray) -> np.ndarray:
    """The rotation after which the squares of each column vary most (Kaiser 1958).

    Parameters
    ----------
    words : ndarray of shape (n_words, rank)

    Returns
    -------
    ndarray of shape (rank, rank)
        Orthonormal; ``words @ rotation`` is the turned basis.

    Examples
    --------
    >>> import numpy as np
    >>> turned = np.array([[3.0, 0], [2, 0], [0, 2], [0, 1]])
    >>> mixed = turned @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    >>> np.abs(mixed @ varimax(mixed)).round(2).tolist()
    [[3.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 1.0]]
    """
    if not words.size:
        return np.eye(words.shape[1])
    strength = np.einsum("jk,jk->j", words, words)
    strongest = np.argsort(-strength, kind="stable")[:MOST_WORDS]
    A = words[np.sort(strongest)].astype(np.float64)
    rotation, before = _by_pivots(A), 0.0
    for _ in range(MOST_STEPS):
        turned = A @ rotation
        squares = turned * turned
        left, values, right = np.linalg.svd(A.T @ (turned * (squares - squares.mean(axis=0))))
        rotation = left @ right
        if values.sum() <= before * (1 + TOL):
            break
        before = values.sum()
    return rotation


def _by_pivots(A: np.ndarray) -> np.ndarray:
    """A start: each direction near a word of its own. Without a turn, symmetric ones never move."""
    _, pivots = scipy.linalg.qr(A.T, mode="r", pivoting=True)
    left, _, right = np.linalg.svd(A[pivots[: A.shape[1]]])
    return (left @ right).T


def readable(words: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The turn from principal directions to ones of few words: the strongest first, upright."""
    if not words.size:
        return np.eye(words.shape[1])
    rotation = varimax(words).T
    rotation = rotation[np.argsort(-(rotation**2 @ values**2), kind="stable")]
    turned = rotation @ words.T.astype(np.float64)
    largest = turned[np.arange(len(turned)), np.argmax(np.abs(turned), axis=1)]
    return rotation * np.where(largest < 0, -1.0, 1.0)[:, None]
