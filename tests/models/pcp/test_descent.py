"""Tests of the first steps of PCP(solver="exact"), and of merged rows."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.models.pcp import descent
from laconic.models.pcp.descent import Merged, descend_from_zero
from laconic.models.pcp.exact import Pursuit
from tests.models.pcp import reference


def counts_with_noise(seed, shape=(30, 80)):
    random = np.random.default_rng(seed)
    rates = random.gamma(0.5, 1.0, shape[1]) * random.gamma(2.0, 1.0, (shape[0], 1))
    X = random.poisson(rates).astype(float)
    X[random.random(shape) < 0.02] += 20
    return X


def objective(D, S, penalties):
    nuclear = np.linalg.svd(D - S, compute_uv=False).sum()
    return nuclear + np.sum(penalties[:, None] * np.abs(S))


@pytest.mark.parametrize("max_density", [0.0, 1.0])  # dense and sparse products
def test_the_descent_comes_near_the_minimum(monkeypatch, max_density):
    monkeypatch.setattr(descent, "MAX_DENSITY", max_density)
    X, c = counts_with_noise(0), 6 / np.sqrt(80)
    points = list(descend_from_zero(sp.csr_matrix(X), np.full(30, c)))
    L, _ = reference.pursue(X, c, gap=1e-6)
    least = reference.objective(X, L, c)
    assert points[0].sparse.nnz == 0
    for point in points:
        direct = objective(X, point.sparse.toarray(), np.full(30, c))
        assert point.objective == pytest.approx(direct, rel=1e-9)
    assert min(p.objective for p in points) <= least * (1 + 1e-4)
    assert min(p.objective for p in points[:6]) <= least * (1 + 1e-2)


def test_the_polar_factor():
    X = counts_with_noise(1, (12, 40))
    point = next(descend_from_zero(sp.csr_matrix(X), np.full(12, 1.0)))
    left, _, right = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(point.polar.T, left @ right, atol=1e-8)


def test_a_plain_step_is_that_of_the_metric():
    X, penalty = counts_with_noise(2, (12, 40)), 0.3
    first, second = islice(descend_from_zero(sp.csr_matrix(X), np.full(12, penalty)), 2)
    Y = first.polar.T
    values, vectors = np.linalg.eigh(X @ X.T)
    R = (vectors / np.sqrt(values)) @ vectors.T
    H = np.diagonal(R)[:, None] * np.maximum(1 - np.sum(Y**2, axis=0) / 2, 0.05)
    expected = np.sign(Y) * np.maximum(np.abs(Y) - penalty, 0) / H
    np.testing.assert_allclose(second.sparse.toarray(), expected, atol=1e-8)


def test_equal_rows_are_merged():
    X = sp.csr_matrix([[1.0, 2, 0], [0, 0, 3], [1, 2, 0], [0, 0, 0], [1, 2, 0], [0, 0, 0]])
    merged = Merged.of(X)
    roots = np.sqrt([3, 1, 2])
    np.testing.assert_array_equal(merged.groups, [0, 1, 0, 2, 0, 2])
    np.testing.assert_allclose(merged.roots, roots)
    np.testing.assert_allclose(
        merged.matrix.toarray(), roots[:, None] * [[1, 2, 0], [0, 0, 3], [0, 0, 0]]
    )
    np.testing.assert_allclose(merged.unmerge(merged.matrix).toarray(), X.toarray())
    np.testing.assert_allclose(merged.unmerge(merged.matrix.toarray()), X.toarray())


@pytest.mark.parametrize("flipped", [False, True])
def test_equal_rows_do_not_change_the_minimum(flipped):
    X = counts_with_noise(3, (20, 50))
    X = X[np.arange(30) % 20]  # ten documents occur twice
    if flipped:
        X = X.T.copy()
    parts = Pursuit(sp.csr_matrix(X)).solve(0.6, 1e-7, 2000)
    L, _ = reference.pursue(X, 0.6, gap=1e-6)
    assert parts.converged
    assert parts.objective[-1] == pytest.approx(reference.objective(X, L, 0.6), rel=1e-5)
    S = parts.sparse.toarray()
    assert reference.objective(X, X - S, 0.6) == pytest.approx(parts.objective[-1], rel=1e-5)
    B = parts.basis
    np.testing.assert_allclose(B @ B.T, np.eye(len(B)), atol=1e-8)
    np.testing.assert_allclose((X - S) @ B.T @ B, X - S, atol=1e-5 * np.abs(X).max())


def test_a_small_penalty_needs_few_steps():
    X = counts_with_noise(4)
    parts = Pursuit(sp.csr_matrix(X)).solve(0.01, 1e-7, 100)
    assert len(parts.objective) <= 20
    assert len(parts.singular_values) == 0
    np.testing.assert_allclose(parts.sparse.toarray(), X)
