"""Sums over codes from which the support of topics is computed; see `laconic.metrics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import effective_number
from laconic.errors import LaconicError


@dataclass
class CodeTotals:
    """Sums over the codes x of each topic; `merge` adds the sums of two parts of the documents.

    The sums are divided by the largest |x|, so that squares of tiny or huge codes stay in range.

    Examples
    --------
    >>> first, second = code_totals([[1, 4]]), code_totals([[1, 0], [0, 4]])
    >>> first.merge(second).effective_documents.tolist()
    [2.0, 2.0]
    """

    largest: np.ndarray  # largest |x|
    totals: np.ndarray  # Σ|x| / largest
    squares: np.ndarray  # Σx² / largest²

    @property
    def effective_documents(self) -> np.ndarray:
        return effective_number(self.totals, self.squares)

    def merge(self, other: CodeTotals) -> CodeTotals:
        largest = np.maximum(self.largest, other.largest)
        scale = np.where(largest > 0, largest, 1)
        mine, theirs = self.largest / scale, other.largest / scale
        return CodeTotals(
            largest,
            self.totals * mine + other.totals * theirs,
            self.squares * mine**2 + other.squares * theirs**2,
        )


def code_totals(codes: Any) -> CodeTotals:
    """Return the sums for `effective_documents`; the sums of parts can be merged."""
    weights = abs(sp.csc_matrix(codes, dtype=np.float64))
    if not np.isfinite(weights.data).all():
        raise LaconicError("Codes must be finite; they contain NaN or infinity.")
    if not weights.shape[0]:
        return CodeTotals(*np.zeros((3, weights.shape[1])))
    largest = weights.max(axis=0).toarray().ravel()
    weights.data /= np.repeat(np.where(largest > 0, largest, 1), np.diff(weights.indptr))
    return CodeTotals(largest, weights.sum(axis=0).A1, weights.power(2).sum(axis=0).A1)


def least_support(support: np.ndarray, n_documents: int) -> float:
    """Return the default minimum of `weak_topics`, given the support of each topic."""
    if not support.size:
        return 0.0
    return float(max(np.median(support) / 2, n_documents / support.size / 5))
