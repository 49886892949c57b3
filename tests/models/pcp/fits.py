"""Helpers that fit PCP models, and values that the tests compare the models with."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from laconic import PCP
from tests.models.pcp import reference


def fit(X, n_components=None, **params):
    """Fit PCP in this thread and ignore warnings about missing convergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return PCP(n_components, **{"engine": "serial", **params}).fit(X)


def draw_counts(seed):
    random = np.random.default_rng(seed)
    n_documents, n_words = random.integers(4, 25, 2)
    rates = random.gamma(1.0, 1.0, n_words) * random.gamma(2.0, 1.0, (n_documents, 1))
    return random.poisson(rates).astype(float)


def principal_of(model):
    """Return the principal directions of a model, along which each code is shrunk separately."""
    return model.rotation_.T @ model.components_


def reference_split(model, X):
    codes, keywords = reference.split(
        X, principal_of(model), model.alpha_, model.document_length_, model.shrinkage_
    )
    return codes @ model.rotation_.T, keywords


def distance(A, B):
    return np.linalg.norm(A - B) / max(np.linalg.norm(B), 1e-300)
