"""Multiply sparse documents by sparse or dense topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.kernels.projection import gather_rows, project_columns


def project(X: sp.csr_matrix, W: Any, columns: sp.csc_matrix | None = None) -> np.ndarray:
    """Return the product X W, where W is CSR or dense.

    If X is already available in CSC format, pass it as `columns`.
    """
    V = np.empty((X.shape[0], W.shape[1]), X.dtype)
    if sp.issparse(W):
        C = X.tocsc() if columns is None else columns
        data = W.data.astype(X.dtype, copy=False)
        project_columns(C.data, C.indices, C.indptr, data, W.indices, W.indptr, V)
    else:
        gather_rows(X.data, X.indices, X.indptr, W, V)
    return V
