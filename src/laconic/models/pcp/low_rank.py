"""Two result types of PCP: a low-rank matrix, and documents split into background and keywords."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp


class LowRank:
    """Matrix ``codes @ components`` stored as two factors; ``toarray()`` computes the product.

    A background of documents that were split by the exact solver may also have directions that are
    not in `components`. It is passed as a sparse matrix `values`, which ``toarray()`` then returns;
    ``codes @ components`` is its projection onto the directions of `components`.

    Examples
    --------
    >>> import numpy as np
    >>> L = LowRank(np.array([[1.0], [2.0]]), np.array([[3.0, 0.0, 4.0]]))
    >>> L.shape, L[1:].toarray().tolist()
    ((2, 3), [[6.0, 0.0, 8.0]])
    """

    def __init__(
        self, codes: np.ndarray, components: np.ndarray, values: sp.csr_matrix | None = None
    ) -> None:
        self.codes = codes
        self.components = components
        self.values = values

    @property
    def shape(self) -> tuple[int, int]:
        return self.codes.shape[0], self.components.shape[1]

    @property
    def dtype(self) -> np.dtype:
        return np.result_type(self.codes, self.components)

    def toarray(self) -> np.ndarray:
        """Return the dense array of documents x words."""
        if self.values is not None:
            return self.values.toarray()
        return self.codes @ self.components

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.toarray().astype(self.dtype if dtype is None else dtype, copy=False)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | np.ndarray) -> LowRank:
        """Select documents by a slice, an array of integers or a mask."""
        codes = self.codes[rows] if not isinstance(rows, tuple) else np.zeros(0)
        if codes.ndim != 2:
            raise IndexError(
                "documents of a LowRank must be selected by a slice, an integer array or a mask"
            )
        values = None if self.values is None else self.values[rows]
        return LowRank(codes, self.components, values)

    def __add__(self, other: Any) -> np.ndarray:
        return self.toarray() + (other.toarray() if sp.issparse(other) else np.asarray(other))

    __radd__ = __add__

    def __repr__(self) -> str:
        n, m = self.shape
        return f"LowRank({n} x {m}, rank {self.components.shape[0]})"


class Split(NamedTuple):
    """Result of `PCP.split`: the background and the keywords of documents."""

    background: LowRank
    keywords: sp.csr_matrix
