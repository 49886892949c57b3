"""Principal angles and distance between the subspaces spanned by two sets of topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from laconic.corpus.matrices import dense
from laconic.errors import LaconicError
from laconic.wording import plural


def principal_angles(first: Any, second: Any) -> np.ndarray:
    """Principal angles between the spaces spanned by the rows of two matrices, largest first.

    Parameters
    ----------
    first, second : sparse matrix or array of shape (n_topics, n_words)
        Topics with the same vocabulary; the numbers of topics may differ. Linearly dependent rows
        do not change the result.

    Returns
    -------
    ndarray
        Angles in radians, from 0 (the spaces share a direction) to π/2. The number of angles is the
        dimension of the smaller space.

    Examples
    --------
    >>> principal_angles([[1, 0, 0]], [[1, 0, 0], [0, 1, 0]]).tolist()
    [0.0]
    >>> principal_angles([[1, 0]], [[1, 1]]).round(4).tolist()  # 45 degrees
    [0.7854]
    """
    return _angles(*_bases(first, second))


def subspace_distance(first: Any, second: Any) -> float:
    """Square root of the sum of the principal angles between two row spaces.

    The distance is 0 if the spaces are equal. If the dimensions differ, each extra dimension of the
    larger space adds a right angle. The distance is eq. (13) of the paper on principal component
    pursuit.

    Parameters
    ----------
    first, second : sparse matrix or array of shape (n_topics, n_words)

    Returns
    -------
    float

    Examples
    --------
    >>> subspace_distance([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [1, -1, 0]]) < 1e-7
    True
    >>> round(subspace_distance([[1, 0, 0]], [[1, 0, 0], [0, 1, 0]]) ** 2, 4)  # a right angle
    1.5708
    """
    A, B = _bases(first, second)
    n_missing = abs(A.shape[1] - B.shape[1])
    return float(np.sqrt(_angles(A, B).sum() + n_missing * np.pi / 2))


def _bases(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal basis (as columns) of the row space of each matrix."""
    rows = [_dense(matrix) for matrix in (first, second)]
    if rows[0].shape[1] != rows[1].shape[1]:
        raise LaconicError(
            f"The two sets of topics have {rows[0].shape[1]:,} and {rows[1].shape[1]:,} columns, "
            "but must have equal numbers of columns; pass topics with the same words."
        )
    return _basis(rows[0]), _basis(rows[1])


def _basis(rows: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis as columns.

    Empty input is handled here, because scipy < 1.14 fails on it.
    """
    return scipy.linalg.orth(rows.T) if rows.size else np.zeros((rows.shape[1], 0))


def _dense(matrix: Any) -> np.ndarray:
    rows = dense(matrix).astype(np.float64)
    if rows.ndim != 2:
        raise LaconicError(
            "Topics must be a matrix (two dimensions); got an array with "
            f"{plural(rows.ndim, 'dimension')}."
        )
    if not np.isfinite(rows).all():
        raise LaconicError("Topics must be finite; they contain NaN or infinity.")
    return rows


def _angles(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Compute angles from both sines and cosines.

    Angles from cosines alone are inexact near 0, and angles from sines alone are inexact near π/2.
    If some angles are large and some small, scipy's ``subspace_angles`` uses the wrong angle to
    choose between sine and cosine, and returns 1e-8 instead of 0.
    """
    if A.shape[1] < B.shape[1]:
        A, B = B, A
    if not B.shape[1]:
        return np.zeros(0)
    products = A.T @ B
    cosines = scipy.linalg.svdvals(products)
    sines = scipy.linalg.svdvals(B - A @ products)
    return np.arctan2(sines, cosines[::-1])
