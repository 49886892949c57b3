"""Tests of the projection on the simplex, and of exact updates of topics on the simplex."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic import project_simplex
from laconic.kernels.simplex import (
    descend_topics,
    largest_value,
    least_threshold,
    least_threshold_of_some,
    simplex_threshold,
)
from laconic.models.sctm.dictionary import extrapolated, improve_topics
from tests.messages import refused

numbers = st.integers(0, 10**6)
values = st.floats(-3, 3) | st.sampled_from([0.0, 1.0, 0.5, -1.0, 1e-12, 1e-300, 250.0, -1e9])
points = hnp.arrays(np.float64, st.integers(1, 12), elements=values)


def by_sorting(x, total=1.0):
    x = np.asarray(x, float)
    x = x - x.max()
    falling = np.sort(x)[::-1]
    thresholds = (np.cumsum(falling) - total) / np.arange(1, len(x) + 1)
    return np.maximum(x - thresholds[falling > thresholds][-1], 0)


@given(points, st.sampled_from([1.0, 0.01, 7.5]))
def test_is_the_projection_by_sorting(x, total):
    found = project_simplex(x, total)
    np.testing.assert_allclose(found, by_sorting(x, total), atol=1e-12 * (1 + np.abs(x).max()))
    assert found.sum() == pytest.approx(total, rel=1e-6)


@given(numbers, st.integers(1, 300))
def test_rows_of_many_numbers(seed, n):
    random = np.random.default_rng(seed)
    X = random.normal(size=(4, n)) * 10.0 ** random.integers(-4, 5, (4, 1))
    X[1] = np.round(X[1])  # a row with ties
    X[2].sort()
    expected = [by_sorting(row) for row in X]
    np.testing.assert_allclose(project_simplex(X), expected, atol=1e-9)
    np.testing.assert_allclose(project_simplex(X[:, ::-1]), np.array(expected)[:, ::-1], atol=1e-9)


@pytest.mark.parametrize("size", [1e8, 1e15, 1e17, 1e20, 1e300])
def test_huge_values_stay_on_the_simplex(size):
    np.testing.assert_allclose(project_simplex([size, size]), [0.5, 0.5])
    np.testing.assert_allclose(project_simplex([0.0, size, -size]), [0, 1, 0])
    np.testing.assert_allclose(project_simplex([-size, -size, -size]), np.full(3, 1 / 3))
    if size < 1e30:
        single = project_simplex(np.array([0, size, size], np.float32))
        np.testing.assert_allclose(single, [0, 0.5, 0.5])


def test_simple_answers():
    for x, expected in [
        ([5.0], [1.0]),
        ([-5.0], [1.0]),
        ([0.0, 0.0, 0.0, 0.0], [0.25] * 4),
        ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
        ([1e-300, 0.0], [0.5, 0.5]),
        ([-1.0, -1.0, -9.0], [0.5, 0.5, 0]),
        ([[2, 0], [0, 3]], [[1, 0], [0, 1]]),
    ]:
        np.testing.assert_allclose(project_simplex(x), expected, atol=1e-15)


@given(numbers, st.integers(1, 300))
def test_lower_bounds_of_the_threshold_lead_to_the_same_threshold(seed, n):
    random = np.random.default_rng(seed)
    x = random.normal(size=n) * 10.0 ** random.integers(-3, 4)
    largest, kept = largest_value(x), np.empty(n)
    plain = least_threshold(x, largest, 1.0)
    threshold = simplex_threshold(x, largest, plain, 1.0, kept)
    slack = 1e-12 * (1 + np.abs(x).max())
    positive = (x - largest > threshold).astype(float)
    tight = least_threshold_of_some(x, largest, 1.0, positive)
    assert tight == pytest.approx(threshold, abs=slack)
    for chosen in positive, random.integers(0, 2, n).astype(float), np.zeros(n):
        bound = least_threshold_of_some(x, largest, 1.0, chosen)
        assert bound <= threshold + slack
        found = simplex_threshold(x, largest, max(bound, plain), 1.0, kept)
        assert found == pytest.approx(threshold, abs=slack)


@given(points)
def test_no_point_of_the_simplex_is_nearer(x):
    found = project_simplex(x)
    others = np.random.default_rng(0).dirichlet(np.full(len(x), 0.3), 40)
    slack = 1e-9 * (1 + np.abs(x).max()) ** 2
    assert (np.sum((others - x) ** 2, axis=1) >= np.sum((found - x) ** 2) - slack).all()


def test_types_and_what_was_given():
    x = np.array([0.9, 0.4, -1.0])
    before = x.copy()
    single = project_simplex(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, project_simplex(x), rtol=1e-6)
    assert project_simplex([3, 1]).dtype == np.float64
    assert np.array_equal(x, before)
    assert project_simplex(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("x", "total", "parts"),
    [
        (3.0, 1, ["vector", "matrix", "shape ()"]),
        (np.zeros((2, 2, 2)), 1, ["shape (2, 2, 2)"]),
        ([], 1, ["shape (0,)"]),
        (np.zeros((3, 0)), 1, ["shape (3, 0)"]),
        ([1.0], 0, ["total", "positive", "got 0"]),
        ([1.0], -1.0, ["total", "positive", "got -1"]),
        ([1.0], np.nan, ["total", "positive", "got nan"]),
        ([1.0], np.inf, ["total", "positive", "got inf"]),
        ([1.0, np.nan], 1, ["NaN"]),
        ([1.0, -np.inf], 1, ["NaN"]),
    ],
)
def test_wrong_points_get_a_sentence(x, total, parts):
    with refused(*parts) as caught:
        project_simplex(x, total)
    assert "\n" not in str(caught.value)


# ---- topics ----


def draw(seed, dtype=np.float64, unused=True):
    """Draw documents, codes and topics."""
    random = np.random.default_rng(seed)
    n_topics, n_words = int(random.integers(1, 6)), int(random.integers(1, 12))
    F = random.dirichlet(np.full(n_words, 0.5), 8)
    codes = random.gamma(0.3, size=(8, n_topics)) * random.integers(0, 2, (8, n_topics))
    if unused:
        codes[:, 0] = 0
    topics = random.dirichlet(np.full(n_words, 0.5), n_topics).astype(dtype)
    return F, codes, topics


def misfit(F, codes, topics):
    return 0.5 * float(np.sum((F - codes @ topics.astype(float)) ** 2))


def products(F, codes, dtype=np.float64):
    return (codes.T @ F).astype(dtype)


@given(numbers)
def test_each_step_lowers_the_misfit_and_is_exact(seed):
    F, codes, topics = draw(seed)
    moments = codes.T @ codes
    diagonal = np.diag(moments).copy()
    scale = np.divide(1, diagonal, where=diagonal > 0, out=np.zeros(len(diagonal)))
    coupling = moments * scale[:, None]
    for _ in range(3):
        before, expected = topics.copy(), topics.copy()
        for j in np.flatnonzero(diagonal):
            without = F - codes @ expected + np.outer(codes[:, j], expected[j])
            expected[j] = by_sorting(codes[:, j] @ without * scale[j])
        slopes = scale[:, None] * products(F, codes) - coupling @ topics
        descend_topics(topics, slopes, coupling)
        np.testing.assert_allclose(topics, expected, atol=1e-9)
        assert misfit(F, codes, topics) <= misfit(F, codes, before) + 1e-12


@given(numbers)
def test_one_topic_is_at_its_minimum_after_one_step(seed):
    F, codes, topics = draw(seed, unused=False)
    codes, topics = codes[:, :1] + 0.1, topics[:1]
    new = improve_topics(topics, codes.T @ codes, products(F, codes), sweeps=1)
    best = misfit(F, codes, new)
    for other in np.random.default_rng(seed).dirichlet(np.full(F.shape[1], 0.4), 30):
        assert misfit(F, codes, other[None]) >= best - 1e-12
        nearby = 0.999 * new + 0.001 * other
        assert misfit(F, codes, nearby) >= best - 1e-12
    again = improve_topics(new, codes.T @ codes, products(F, codes), sweeps=1)
    np.testing.assert_allclose(again, new, atol=1e-12)


@given(numbers, st.sampled_from([np.float32, np.float64]))
def test_topics_improve_on_the_simplex(seed, dtype):
    F, codes, topics = draw(seed, dtype)
    given_topics = topics.copy()
    new = improve_topics(topics, codes.T @ codes, products(F, codes, dtype))
    assert np.array_equal(topics, given_topics)
    assert new.dtype == dtype
    assert (new >= 0).all()
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=1e-5)
    slack = 1e-12 if dtype == np.float64 else 1e-5
    assert misfit(F, codes, new) <= misfit(F, codes, topics) + slack
    np.testing.assert_array_equal(new[0], topics[0] / topics[0].sum(dtype=float).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("code", [1e-3, 1e-6, 1e-8, 1e-12, 1e-18, 1e-30])
def test_topics_that_are_hardly_used_stay_on_the_simplex(dtype, code):
    random = np.random.default_rng(0)
    F = random.dirichlet(np.ones(6), 3)
    codes = np.array([[1.0, 0, 0], [0.5, code, 0], [0, 0, 0.3]])
    topics = random.dirichlet(np.ones(6), 3).astype(dtype)
    new = improve_topics(topics, codes.T @ codes, products(F, codes, dtype))
    assert (new >= 0).all()
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("n_topics", [31, 32, 33, 70])
def test_blocks_of_topics_are_one_sweep(n_topics):
    random = np.random.default_rng(n_topics)
    F = random.dirichlet(np.full(9, 0.5), 50)
    codes = random.gamma(0.3, size=(50, n_topics))
    topics = random.dirichlet(np.full(9, 0.5), n_topics)
    expected = topics.copy()
    for j in range(n_topics):
        without = F - codes @ expected + np.outer(codes[:, j], expected[j])
        expected[j] = by_sorting(codes[:, j] @ without / (codes[:, j] @ codes[:, j]))
    new = improve_topics(topics, codes.T @ codes, products(F, codes), sweeps=1)
    np.testing.assert_allclose(new, expected, atol=1e-9)


@given(numbers, st.sampled_from([0.0, 0.5, 0.9]))
def test_extrapolated_topics_are_on_the_simplex(seed, momentum):
    F, codes, topics = draw(seed)
    new = improve_topics(topics, codes.T @ codes, products(F, codes))
    beyond = extrapolated(new, topics, momentum)
    expected = [by_sorting(row) for row in new + momentum * (new - topics)]
    np.testing.assert_allclose(beyond, expected, atol=1e-12)
