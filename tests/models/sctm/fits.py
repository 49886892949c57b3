"""Helpers that fit SCTM and compute the topics that a fit starts from."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from laconic import SCTM
from laconic.corpus.chunks import memory_chunks
from laconic.engines.base import Serial
from laconic.models.first_topics import seed_topics


def fit(X, n_components, **params):
    """Fit SCTM in this thread, without warnings about convergence or missing topics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".*topics were requested")
        return SCTM(n_components, **{"engine": "serial", **params}).fit(X)


def start_of(X, n_components, seed=0):
    parts = memory_chunks(sp.csr_matrix(np.asarray(X, float)))
    return seed_topics(Serial(), parts, n_components, seed, np.float64)
