"""Values that are estimated from a sample of documents, with their standard errors."""

from __future__ import annotations

import math
from typing import Self

import numpy as np


class Estimate(float):
    """A number that was estimated from a sample of documents.

    Attributes
    ----------
    error : float
        Standard error, the standard deviation of the estimate over random samples.
    n_documents : int
        Number of documents in the sample.

    Examples
    --------
    >>> share = Estimate(0.25, 0.01, 20_000)
    >>> share + 0.5, share.error, share.n_documents
    (0.75, 0.01, 20000)
    """

    error: float
    n_documents: int

    def __new__(cls, value: float, error: float, n_documents: int) -> Self:
        estimate = super().__new__(cls, value)
        estimate.error, estimate.n_documents = float(error), n_documents
        return estimate


def unseen_share(n_sampled: int, n_documents: int) -> float:
    """Return the factor by which the error is smaller because the sample is drawn from few.

    A sample of all documents has no error.

    Examples
    --------
    >>> unseen_share(100, 100), round(unseen_share(100, 1_000_000), 3)
    (0.0, 1.0)
    """
    return math.sqrt(max(1 - n_sampled / max(n_documents, 1), 0.0))


def error_of_share(share: float, n_sampled: int) -> float:
    """Return the standard error of the share of documents in a sample that have some property."""
    return math.sqrt(max(share * (1 - share), 0.0) / max(n_sampled, 1))


def error_of_mean(values: np.ndarray) -> float:
    """Return the standard error of the mean of independent values."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.inf
