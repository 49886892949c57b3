"""Counts that all tests of SCTM share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def counts():
    X = np.random.default_rng(0).poisson(0.6, (40, 25)).astype(float)
    X[:, 0] += 1  # every document has a word and every word occurs
    X[0] += 1
    return X


@pytest.fixture
def blocks():
    """Return documents of words 0-7 or of words 8-15.

    Word 16 is rare, and word 17 never occurs.
    """
    X = np.zeros((40, 18))
    X[:20, :8] = 1 + np.random.default_rng(0).poisson(5.0, (20, 8))
    X[20:, 8:16] = 1 + np.random.default_rng(1).poisson(5.0, (20, 8))
    X[0, 16] = 1
    return X
