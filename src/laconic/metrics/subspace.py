"""How far apart the spaces are that two sets of topics span."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from laconic.corpus.matrices import dense
from laconic.errors import LaconicError


def principal_angles(first: Any, second: Any) -> np.ndarray:
    """Angles between the spaces spanned by the rows of two matrices, largest first.

    Parameters
    ----------
    first, second : sparse matrix or array of shape (n_topics, n_words)
        Topics over the same words; the numbers of topics may differ. Rows that others already span
        add nothing.

    Returns
    -------
    ndarray
        In radians, from 0 (a direction of both) to π/2; as many as the smaller space has
        dimensions.

    Examples
    --------
    >>> principal_angles([[1, 0, 0]], [[1, 0, 0], [0, 1, 0]]).tolist()
    [0.0]
    >>> principal_angles([[1, 0]], [[1, 1]]).round(4).tolist()  # 45 degrees
    [0.7854]
    """
    return _angles(*_bases(first, second))


def subspace_distance(first: Any, second: Any) -> float:
    """Root of the sum of the angles between the spaces spanned by the rows of two matrices.

    0 for the same space. A direction that the smaller space lacks is at a right angle. This is
    eq. (13) of the paper on principal component pursuit.

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
    lacking = abs(A.shape[1] - B.shape[1])
    return float(np.sqrt(_angles(A, B).sum() + lacking * np.pi / 2))


def _bases(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal columns for each space."""
    rows = [_dense(matrix) for matrix in (first, second)]
    if rows[0].shape[1] != rows[1].shape[1]:
        raise LaconicError(
            f"The spaces lie in {rows[0].shape[1]:,} and {rows[1].shape[1]:,} dimensions; give "
            "rows over the same words."
        )
    return _basis(rows[0]), _basis(rows[1])


def _basis(rows: np.ndarray) -> np.ndarray:
    """Orthonormal columns; none for a space of nothing, which scipy before 1.14 refuses."""
    return scipy.linalg.orth(rows.T) if rows.size else np.zeros((rows.shape[1], 0))


def _dense(matrix: Any) -> np.ndarray:
    rows = dense(matrix).astype(np.float64)
    if rows.ndim != 2:
        raise LaconicError(f"A space is given by rows of a matrix; got {rows.ndim} dimensions.")
    if not np.isfinite(rows).all():
        raise LaconicError("A space cannot be spanned by rows with NaN or infinite values.")
    return rows


def _angles(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """From sines and cosines together: either alone loses half the digits at one end.

    scipy's subspace_angles chooses between the two by the wrong angle where some are large and some
    small, and gives 1e-8 for 0.
    """
    if A.shape[1] < B.shape[1]:
        A, B = B, A
    if not B.shape[1]:
        return np.zeros(0)
    products = A.T @ B
    cosines = scipy.linalg.svdvals(products)
    sines = scipy.linalg.svdvals(B - A @ products)
    return np.arctan2(sines, cosines[::-1])
