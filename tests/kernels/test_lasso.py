"""Tests of the non-negative lasso against optimality conditions and two implementations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

from laconic.kernels.lasso import nonnegative_lasso

numbers = st.integers(0, 10**6)
shares = st.sampled_from([0.0, 0.01, 0.1, 0.5, 0.9])


def solve(gram, correlations, alpha, start=None, tol=1e-9):
    gram, correlations = np.asarray(gram, float), np.atleast_2d(correlations)
    codes = np.zeros(correlations.shape) if start is None else np.array(np.atleast_2d(start), float)
    nonnegative_lasso(gram, correlations, np.broadcast_to(alpha, len(gram)).copy(), codes, tol)
    return codes


def twin(gram, pull, sweeps=5000):
    """Solve the problem by plain coordinate descent."""
    code = np.zeros(len(pull))
    for _ in range(sweeps):
        before = code.copy()
        for j in np.flatnonzero(np.diag(gram) > 0):
            code[j] = max(0.0, code[j] + (pull[j] - gram[j] @ code) / gram[j, j])
        if np.abs(code - before).max() <= 1e-14 * np.abs(code).max():
            break
    return code


def violation(gram, correlations, alpha, codes):
    """Return the largest violation of the optimality conditions.

    It is relative to the largest pull of each document.
    """
    pulls = correlations - alpha
    slopes = pulls - codes @ gram
    wrong = np.where(codes > 0, np.abs(slopes), np.maximum(slopes, 0)).max(axis=1)
    return float(np.max(wrong / np.maximum(pulls.max(axis=1), 1e-12)))


def value(gram, correlations, alpha, codes):
    return 0.5 * np.einsum("ij,jk,ik->i", codes, gram, codes) - np.sum(
        codes * (correlations - alpha), axis=1
    )


def draw(seed, n_topics=None, signed=False):
    """Draw topics and documents on the simplex or, if `signed`, with entries of both signs."""
    random = np.random.default_rng(seed)
    n_topics = n_topics or int(random.integers(1, 12))
    n_words = int(random.integers(1, 40))
    topics = random.dirichlet(np.full(n_words, 0.3), n_topics)
    X = random.dirichlet(np.full(n_words, 0.3), 6)
    if signed:
        topics, X = topics - topics.mean(), X + random.normal(size=X.shape) / n_words
    return topics, X


@given(numbers, shares, st.booleans())
def test_optimality_and_the_slow_twin(seed, share, signed):
    topics, X = draw(seed, signed=signed)
    gram, correlations = topics @ topics.T, X @ topics.T
    alpha = share * max(correlations.max(), 0)
    codes = solve(gram, correlations, alpha)
    assert (codes >= 0).all()
    assert violation(gram, correlations, alpha, codes) <= 1e-6
    slow = np.array([twin(gram, row - alpha) for row in correlations])
    scale = 1e-9 * (np.abs(correlations).max() ** 2 / np.diag(gram).max() + 1e-12)
    assert (
        value(gram, correlations, alpha, codes) <= value(gram, correlations, alpha, slow) + scale
    ).all()


@given(numbers)
def test_penalties_of_each_topic(seed):
    random = np.random.default_rng(seed)
    A = random.normal(size=(15, 6))
    gram, correlations = A.T @ A, random.normal(size=(4, 15)) @ A
    alpha = random.normal(size=6)  # negative where a prior increases the code
    codes = solve(gram, correlations, alpha)
    assert violation(gram, correlations, alpha, codes) <= 1e-6
    slow = [twin(gram, row - alpha) for row in correlations]
    np.testing.assert_allclose(codes, slow, atol=1e-7)


@given(numbers, st.sampled_from([0.003, 0.05, 0.4]), st.booleans())
def test_is_scikit_learns_positive_lasso(seed, share, correlated):
    random = np.random.default_rng(seed)
    n_words, n_topics = int(random.integers(10, 40)), int(random.integers(1, 9))
    A = random.normal(size=(n_words, n_topics))
    if correlated:
        A += 2 * random.normal(size=(n_words, 1))
    X = random.normal(size=(5, n_words)) + random.gamma(1.0, size=(5, n_topics)) @ A.T
    alpha = share * np.abs(X @ A).max()
    # scikit-learn divides the squared error by the number of rows
    lasso = Lasso(alpha / n_words, positive=True, fit_intercept=False, tol=1e-13, max_iter=10**6)
    expected = lasso.fit(A, X.T).coef_
    codes = solve(A.T @ A, X @ A, alpha)
    np.testing.assert_allclose(codes, np.reshape(expected, codes.shape), atol=1e-6)


@given(numbers, shares, st.sampled_from([1e-3, 1.0, 1e3]))
def test_where_it_starts_does_not_matter(seed, share, far):
    random = np.random.default_rng(seed)
    A = random.normal(size=(20, 7))
    gram, correlations = A.T @ A, random.normal(size=(6, 20)) @ A
    alpha = share * np.abs(correlations).max()
    cold = solve(gram, correlations, alpha)
    start = far * random.gamma(1.0, size=cold.shape) * random.integers(0, 2, cold.shape)
    np.testing.assert_allclose(solve(gram, correlations, alpha, start), cold, atol=1e-7)
    np.testing.assert_allclose(solve(gram, correlations, alpha, cold), cold, atol=1e-9)


@pytest.mark.parametrize("own", [0.3, 0.5, 0.6, 0.8, 2.0])
def test_a_code_that_ends_exactly_at_its_bound(own):
    """The support shrinks in the same step that reaches the solution."""
    gram = np.array([[own, 0, 0], [0, 1, 0.5], [0, 0.5, 1]])
    codes = solve(gram, [[0.0, 1.0, 1.0]], 0.0, start=[[0.5, 0.5, 0.0]])
    np.testing.assert_allclose(codes, [[0, 2 / 3, 2 / 3]], atol=1e-9)


@given(numbers, shares)
def test_copies_and_empty_topics(seed, share):
    topics, X = draw(seed, n_topics=4)
    topics = np.vstack([topics, topics[::-1], topics[:2] * (1 + 1e-9), np.zeros((2, X.shape[1]))])
    topics = topics[np.random.default_rng(seed).permutation(len(topics))]
    gram, correlations = topics @ topics.T, X @ topics.T
    alpha = share * correlations.max()
    codes = solve(gram, correlations, alpha)
    assert np.isfinite(codes).all()
    assert violation(gram, correlations, alpha, codes) <= 1e-6
    assert not codes[:, ~topics.any(axis=1)].any()
    warm = solve(gram, correlations, alpha, np.ones(codes.shape) * topics.any(axis=1))
    np.testing.assert_allclose(warm @ topics, codes @ topics, atol=1e-5)


@given(numbers, st.sampled_from([1e-3, 1e-5, 1e-7]))
def test_topics_that_are_nearly_alike(seed, distance):
    random = np.random.default_rng(seed)
    topics, X = draw(seed, n_topics=3)
    near = topics + distance * random.dirichlet(np.ones(X.shape[1]), 3)
    topics = np.vstack([topics, near / near.sum(axis=1, keepdims=True)])
    gram, correlations = topics @ topics.T, X @ topics.T
    codes = solve(gram, correlations, 1e-3)
    assert violation(gram, correlations, 1e-3, codes) <= 1e-6


@given(numbers)
def test_more_topics_than_words(seed):
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(5, 0.5), 20)
    X = random.dirichlet(np.full(5, 0.5), 4)
    gram, correlations = topics @ topics.T, X @ topics.T
    for alpha in (0.0, 1e-3):
        codes = solve(gram, correlations, alpha)
        assert violation(gram, correlations, alpha, codes) <= 1e-6


def test_a_penalty_that_leaves_nothing():
    topics, X = draw(3)
    correlations = X @ topics.T
    start = np.ones(correlations.shape)
    for from_where in (None, start):
        codes = solve(topics @ topics.T, correlations, correlations.max(), from_where)
        assert not codes.any()
    just_below = solve(topics @ topics.T, correlations, correlations.max() * (1 - 1e-9))
    assert np.count_nonzero(just_below) == 1


def test_one_topic_has_a_formula():
    q, alpha = np.array([[0.3], [0.1], [-2.0]]), 0.2
    np.testing.assert_allclose(solve([[0.5]], q, alpha), [[0.2], [0], [0]], atol=1e-15)


def test_many_topics():
    random = np.random.default_rng(0)
    topics = random.dirichlet(np.full(900, 0.05), 400)
    X = random.dirichlet(np.full(8, 0.3), 3) @ topics[:8] + 1e-4 * random.random((3, 900))
    gram, correlations = topics @ topics.T, X @ topics.T
    codes = solve(gram, correlations, 1e-5)
    assert violation(gram, correlations, 1e-5, codes) <= 1e-6
    assert np.count_nonzero(codes, axis=1).min() >= 4


@given(numbers)
def test_single_precision_of_the_documents(seed):
    topics, X = draw(seed, n_topics=6)
    gram, correlations = topics @ topics.T, (X @ topics.T).astype(np.float32)
    codes = solve(gram, correlations, 1e-3)
    assert codes.dtype == np.float64
    # the tolerance covers two compiled versions, which may round differently
    double = solve(gram, correlations.astype(float), 1e-3)
    np.testing.assert_allclose(codes, double, rtol=1e-9, atol=1e-12)


@given(numbers, st.sampled_from([1e-2, 1e-4, 1e-12]))
def test_tolerance_is_kept(seed, tol):
    topics, X = draw(seed)
    gram, correlations = topics @ topics.T, X @ topics.T
    codes = solve(gram, correlations, 1e-4, tol=tol)
    assert violation(gram, correlations, 1e-4, codes) <= max(tol, 1e-10) * len(topics)


def test_scale_of_the_problem_does_not_matter():
    topics, X = draw(11, n_topics=5)
    codes = solve(topics @ topics.T, X @ topics.T, 1e-3)
    for factor in (1e-12, 1e9):
        scaled = solve(factor * topics @ topics.T, factor * X @ topics.T, factor * 1e-3)
        np.testing.assert_allclose(scaled, codes, rtol=1e-6, atol=1e-12)


def test_no_documents():
    assert solve(np.eye(3), np.zeros((0, 3)), 0.1).shape == (0, 3)
