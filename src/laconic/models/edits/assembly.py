"""Build an array of topics from the topics of another array and from new topics.

`sources` has the old number of each new topic, or -1 for a topic that is not in the old array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def assemble(value: Any, sources: np.ndarray, new: Any, *, columns: bool = False) -> Any:
    """Return an array or a CSR matrix with the topics `sources`; the others come from `new`.

    Examples
    --------
    >>> assemble(np.array([5.0, 6.0, 7.0]), np.array([2, -1]), np.array([9.0])).tolist()
    [7.0, 9.0]
    """
    if sp.issparse(value):
        return _assemble_csr(value, sources, new, columns)
    result = np.take(value, np.maximum(sources, 0), axis=int(columns))
    if columns:
        result[:, sources < 0] = new
    else:
        result[sources < 0] = new
    return result


def _assemble_csr(value: Any, sources: np.ndarray, new: Any, columns: bool) -> Any:
    rows = value.T.tocsr() if columns else value
    added = sp.csr_matrix(new.T if columns else new, dtype=value.dtype)
    numbers = sources.copy()
    numbers[sources < 0] = rows.shape[0] + np.arange(np.count_nonzero(sources < 0))
    result = sp.vstack([rows, added], format="csr")[numbers]
    result = type(value)(result.T.tocsr() if columns else result)
    for part in ("indices", "indptr"):
        setattr(result, part, getattr(result, part).astype(getattr(value, part).dtype, copy=False))
    return result


def assemble_pairs(matrix: np.ndarray, sources: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return a matrix of topics x topics; `new` has the rows and the columns of the new topics."""
    kept = np.flatnonzero(sources >= 0)
    others = np.flatnonzero(sources < 0)
    result = np.empty((len(sources), len(sources)), matrix.dtype)
    result[np.ix_(kept, kept)] = matrix[np.ix_(sources[kept], sources[kept])]
    result[others], result[:, others] = new[0], new[1].T
    return result


def taken(value: Any, numbers: np.ndarray, *, columns: bool = False) -> Any:
    """Return some topics of an array or a CSR matrix."""
    if not columns:
        return value[numbers]
    return value[:, numbers]


def inverse(sources: np.ndarray, n_before: int) -> np.ndarray:
    """Return the new number of each old topic, or -1.

    Examples
    --------
    >>> inverse(np.array([2, -1, 0]), 3).tolist()
    [2, -1, 0]
    """
    result = np.full(n_before, -1, dtype=np.int64)
    kept = np.flatnonzero(sources >= 0)
    result[sources[kept]] = kept
    return result
