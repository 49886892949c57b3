"""Apply a fitted weighting to word counts, for example frequencies or tf-idf. The schemes are:

=================  ================================================================================
``counts``         unchanged counts
``log-counts``     log2(1 + count), which reduces the weight of repeated words
``frequencies``    each row divided by its sum
``tfidf``          (1 + ln tf) (ln((1 + N) / (1 + df)) + 1), rows normalised to unit length
``tfidf-balanced`` like ``tfidf``, then each column divided by the square root of its norm and rows
                   normalised again, so that frequent words do not dominate the first topics
``tfidf-distinct`` like ``tfidf-balanced``, but each column is also divided by the square of the
                   number of words that occur in the same documents, so that the words of a
                   signature together weigh less than one other word
``z-scores``       each column minus its mean, divided by its standard deviation, for measurements
                   such as gene expression; nearly all weighted values differ from zero
``log-z-scores``   like ``z-scores``, of log2(1 + value)
=================  ================================================================================

The module imports no estimator, so that a query is weighted without scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import csr

Z_SCORES = ("z-scores", "log-z-scores")
SCHEMES = (
    "counts", "log-counts", "frequencies", "tfidf", "tfidf-balanced", "tfidf-distinct", *Z_SCORES
)  # fmt: skip


@dataclass(frozen=True)
class Weights:
    """A fitted weighting scheme: a function that weights a CSR matrix when a chunk is loaded."""

    scheme: str
    scale: np.ndarray | None = None
    dtype: str = "float32"
    center: np.ndarray | None = None

    def __call__(self, X: sp.csr_matrix) -> sp.csr_matrix:
        if self.scale is not None and self.center is not None:
            values = (logs(X, self.scheme).toarray() - self.center) * self.scale
            return sp.csr_matrix(values.astype(self.dtype))
        return csr(self.weigh(X.data, X.indices, X.indptr), X.indices, X.indptr, X.shape)

    def weigh(self, values: np.ndarray, indices: np.ndarray, indptr: np.ndarray) -> np.ndarray:
        """Return the weighted values of a CSR matrix; z-scores have other entries than counts."""
        data = values.astype(self.dtype)
        if self.scheme == "log-counts":
            return np.log2(1 + data)
        if self.scheme == "frequencies":
            rows = np.add.reduceat(np.append(data, 0), indptr[:-1]) if len(data) else np.zeros(0)
        elif self.scale is not None:
            # Fractional counts below one are left unchanged.
            np.copyto(data, 1 + np.log(data), where=data > 1)
            if len(indices) < len(self.scale):
                data *= self.scale[indices].astype(self.dtype)
            else:
                data *= self.scale.astype(self.dtype)[indices]
            squares = np.append(data * data, 0)
            rows = np.sqrt(np.add.reduceat(squares, indptr[:-1])) if len(data) else np.zeros(0)
        else:
            return data
        # For empty rows, reduceat returns wrong values, but np.repeat repeats them zero times.
        if len(data):
            data /= np.repeat(rows, np.diff(indptr)).astype(self.dtype)
        return data


def weights_of(weighting: Any) -> Weights:
    """Return the function of a fitted `Weighting`, or of a stand-in for one."""
    center = getattr(weighting, "center_", None)
    return Weights(weighting.scheme, weighting.scale_, weighting.dtype, center)


def logs(X: sp.csr_matrix, scheme: str) -> sp.csr_matrix:
    """Return the values as float64, or their logarithms if the scheme is ``log-z-scores``."""
    data = X.data.astype(np.float64)
    data = np.log2(1 + data) if scheme == "log-z-scores" else data
    return csr(data, X.indices, X.indptr, X.shape)
