"""The programs that SCTM is compared with solve the same problem, to many digits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import sparse_coding
from benchmarks.harness import Run
from benchmarks.nips import nips
from laconic import SCTM

needs_spams = pytest.mark.skipif(
    not sparse_coding.has_spams(), reason="spams is not installed; it is in laconic[bench]"
)
SMOKE = Run("made up", smoke=True)


@pytest.fixture(scope="module")
def counts() -> sp.csr_matrix:
    return nips(SMOKE).counts


@pytest.fixture(scope="module")
def coding(counts: sp.csr_matrix) -> sparse_coding.Coding:
    topics = np.random.default_rng(0).dirichlet(np.full(counts.shape[1], 0.05), 8).T
    return sparse_coding.Coding(counts, topics, 1e-3)


def test_objective_and_conditions_are_the_definition(coding: sparse_coding.Coding) -> None:
    theta = np.random.default_rng(1).random(coding.correlations.shape)
    theta[theta < 0.5] = 0
    apart = coding.dense - theta @ coding.topics.T
    value = 0.5 * np.sum(apart**2) + coding.omega * theta.sum()
    assert coding.objective(theta) == pytest.approx(value)
    slope = -apart @ coding.topics + coding.omega
    worst = max(np.abs(slope[theta > 0]).max(), -slope[theta == 0].min())
    assert coding.kkt(theta) == pytest.approx(worst)


def test_codes_of_the_kernel_are_optimal(coding: sparse_coding.Coding) -> None:
    codes = coding.solve()
    assert coding.kkt(codes) < 1e-9
    assert 0 < np.count_nonzero(codes) < codes.size
    np.testing.assert_array_equal(coding.solve(n_threads=2), codes)


def test_sparse_encode_by_coordinate_descent_has_our_objective(
    coding: sparse_coding.Coding, counts: sp.csr_matrix
) -> None:
    model = SCTM(3).fit(counts)
    encode = sparse_coding.coders(coding, model, counts)[sparse_coding.SKLEARN.format("lasso_cd")]
    theirs = encode(1)
    assert coding.objective(theirs) == pytest.approx(coding.objective(coding.solve()), rel=1e-5)
    np.testing.assert_allclose(theirs, coding.solve(), atol=1e-2)


@needs_spams
def test_spams_lasso_has_our_codes(coding: sparse_coding.Coding) -> None:
    ours = coding.solve()
    for solve in sparse_coding.spams_coders(coding).values():
        np.testing.assert_allclose(solve(1).toarray(), ours, atol=1e-7)


@needs_spams
def test_spams_topics_stay_in_the_simplex_and_come_as_low_as_ours(counts: sp.csr_matrix) -> None:
    omega, start = sparse_coding.OMEGA, sparse_coding.first_topics(counts, 4, seed=0)
    options = {"batch": True, "iter_updateD": 2}
    *_, last = sparse_coding.spams_points(counts, start, 1, 60, **options)
    assert last.topics.min() >= 0
    assert last.topics.sum(axis=0).max() <= 1 + 1e-6
    before, theirs = (sparse_coding.exact_objective(counts, t, omega) for t in (start, last.topics))
    ours = SCTM(4, alpha=omega, smoothing=None, tol=0.0, max_iter=60).fit(counts)
    best = sparse_coding.exact_objective(counts, ours.components_.T, omega)
    assert theirs < before
    assert theirs == pytest.approx(best, rel=0.02)


def test_exact_objective_is_that_of_the_fit(counts: sp.csr_matrix) -> None:
    model = SCTM(4, alpha=1e-3, smoothing=None, tol=1e-7, max_iter=300).fit(counts)
    exact = sparse_coding.exact_objective(counts, model.components_.T, 1e-3)
    assert exact == pytest.approx(model.objective_[-1], rel=1e-4)


def test_scaling_columns_up_never_raises_the_objective(counts: sp.csr_matrix) -> None:
    """Topics whose sum may be less than one therefore have the same solution."""
    topics = sparse_coding.first_topics(counts, 4, seed=0)
    shrunk = sparse_coding.Coding(counts, topics * [0.2, 0.5, 0.9, 1.0], 1e-3)
    assert sparse_coding.exact_objective(counts, topics, 1e-3) < shrunk.objective(shrunk.solve())


def test_sklearn_curve_is_timed_and_falls(counts: sp.csr_matrix) -> None:
    start = sparse_coding.first_topics(counts, 4, seed=0)
    points = list(sparse_coding.sklearn_points(counts, start, 1e-3, 64, 5))
    assert len(points) == 5
    assert all(a.seconds < b.seconds for a, b in pairwise(points))
    first, last = (sparse_coding.exact_objective(counts, points[at].topics, 1e-4) for at in (0, -1))
    assert last < first


def test_first_point_within_the_target_counts() -> None:
    curve = sparse_coding.Curve(np.array([1.0, 2.0, 3.0]), np.array([9.0, 5.0, 4.0]))
    assert curve.first_within(5.5) == 2.0
    assert curve.first_within(3.0) is None
