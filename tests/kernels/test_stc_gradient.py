"""Tests of the gradient through the codes, compared with finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.kernels.stc_gradient import add_gradient
from laconic.kernels.stc_workspace import Penalties
from laconic.models.stc.solver import code

KINDS = {
    "poisson": Penalties(1.0, 0.01, 0.0, 0.0, 0.1, 1e-3, True),
    "both norms": Penalties(1.0, 0.05, 0.1, 0.2, 0.1, 1e-3, True),
    "gaussian": Penalties(1.0, 1e-4, 0.0, 0.0, 1e-3, 1e-3, False),
}


def solve(X, words, penalties):
    return code(X, words, penalties, tol=1e-13)[0]


@pytest.mark.parametrize("penalties", KINDS.values(), ids=KINDS)
def test_gradient_is_that_of_finite_differences(penalties):
    random = np.random.default_rng(0)
    words = random.dirichlet(np.full(30, 0.5), 6).T.copy()
    X = sp.csr_matrix(random.poisson(0.5, (5, 30)).astype(float))
    pull = random.normal(size=(5, 6))
    gradient = np.zeros_like(words)
    theta = solve(X, words, penalties)
    add_gradient(X.data, X.indices, X.indptr, words, theta, pull, penalties, 1e-12, gradient)
    for _ in range(4):
        direction = random.normal(size=words.shape) * np.maximum(words, 1e-3)
        ends = [
            (solve(X, words + step * direction, penalties) * pull).sum() for step in (1e-6, -1e-6)
        ]
        slope = (ends[0] - ends[1]) / 2e-6
        # conjugate gradients stop at a relative residual of a thousandth
        scale = np.linalg.norm(gradient * direction)
        assert np.sum(gradient * direction) == pytest.approx(slope, rel=0.02, abs=1e-3 * scale)


def test_documents_without_code_or_pull_add_nothing():
    words = np.array([[0.5, 0.1], [0.0, 0.0], [0.5, 0.9]])
    X = sp.csr_matrix([[0.0, 0, 0], [0, 4, 0], [1, 0, 3]])
    penalties = KINDS["poisson"]
    theta = solve(X, words, penalties)
    pull = np.ones_like(theta)
    pull[2] = 0
    gradient = np.zeros_like(words)
    add_gradient(X.data, X.indices, X.indptr, words, theta, pull, penalties, 1e-9, gradient)
    assert not gradient.any()
