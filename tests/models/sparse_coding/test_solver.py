"""The steps of sparse coding against plain NumPy, and the conditions at their minima."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.corpus.chunks import MemoryChunk
from laconic.models.sparse_codes import code, lasso_params
from laconic.models.sparse_coding.solver import (
    DictionaryLearner,
    SumParams,
    code_sums,
    find_caps,
    improve_topics,
)
from tests.models.sparse_coding import reference

signs = pytest.mark.parametrize("positive", [True, False], ids=["positive", "signed"])


def draw(seed, positive=True, n=30, words=20, k=4):
    random = np.random.default_rng(seed)
    X = random.gamma(0.5, size=(n, words)) * (random.random((n, words)) < 0.4)
    topics = random.gamma(0.5, size=(k, words))
    if not positive:
        X *= random.choice([-1, 1], X.shape)
        topics *= random.choice([-1, 1], topics.shape)
    return X, topics / np.linalg.norm(topics, axis=1, keepdims=True)


def chunk_of(X, start=0):
    return MemoryChunk(sp.csr_matrix(X), start, start + len(X))


@signs
@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.5])
def test_codes_are_those_of_coordinate_descent(positive, alpha):
    X, topics = draw(0, positive)
    found, _ = code(sp.csr_matrix(X), lasso_params(topics, alpha, positive))
    np.testing.assert_allclose(found, reference.codes(X, topics, alpha, positive), atol=1e-7)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), alpha=st.floats(0, 1), positive=st.booleans())
def test_no_code_can_be_improved(seed, alpha, positive):
    X, topics = draw(seed, positive)
    found, _ = code(sp.csr_matrix(X), lasso_params(topics, alpha, positive))
    slope = (X - found @ topics) @ topics.T
    used = found != 0
    np.testing.assert_allclose(slope[used], alpha * np.sign(found[used]), atol=1e-6)
    unused = slope[~used] if positive else np.abs(slope[~used])
    assert unused.max(initial=-np.inf) <= alpha + 1e-6


@signs
def test_sums_of_chunks_add_up_to_those_of_the_documents(positive):
    X, topics = draw(1, positive)
    params = SumParams(lasso_params(topics, 0.05, positive), support=5)
    sums, _ = code_sums(params, chunk_of(X[:11]), None)
    sums = sums.merge(code_sums(params, chunk_of(X[11:], 11), None)[0])
    theta = reference.codes(X, topics, 0.05, positive)
    np.testing.assert_allclose(sums.moments, theta.T @ theta, atol=1e-6)
    np.testing.assert_allclose(sums.products, X.T @ theta, atol=1e-6)
    assert sums.objective == pytest.approx(reference.objective(X, theta, topics, 0.05))
    assert (sums.n_documents, sums.n_codes) == (30, np.count_nonzero(np.abs(theta) > 1e-9))
    np.testing.assert_allclose(sums.largest, -np.sort(-np.abs(theta), axis=0)[:5], atol=1e-6)


@signs
def test_topics_are_updated_as_from_the_documents(positive):
    X, topics = draw(2, positive)
    theta = reference.codes(X, topics, 0.05, positive)
    found = improve_topics(topics, theta.T @ theta, X.T @ theta, positive)
    np.testing.assert_allclose(found, reference.update(X, theta, topics, positive), atol=1e-10)
    assert np.linalg.norm(found, axis=1).max() <= 1 + 1e-12
    assert not positive or found.min() >= 0


@pytest.mark.parametrize("support", [1, 4, 100])
def test_support_limits_what_a_document_adds(support):
    X, topics = draw(3)
    learner = DictionaryLearner(topics, 0.05, 0.0, support=support)
    learner.update(code_sums(learner.params, chunk_of(X), None)[0])
    theta = reference.codes(X, topics, 0.05)
    expected = reference.update(X, theta, topics)  # the first pass knows no caps
    np.testing.assert_allclose(learner.topics, expected, atol=1e-7)
    limits = reference.winsorised(theta, support).max(axis=0)
    np.testing.assert_allclose(learner.caps, limits, atol=1e-7)
    sums, _ = code_sums(learner.params, chunk_of(X), None)
    theta = np.minimum(reference.codes(X, expected, 0.05), limits)
    np.testing.assert_allclose(sums.moments, theta.T @ theta, atol=1e-6)
    np.testing.assert_allclose(sums.products, X.T @ theta, atol=1e-6)


def test_topics_without_codes_have_no_cap():
    caps = find_caps(np.array([[3.0, 2.0, 0.0], [1.0, 0.0, 0.0]]))
    assert caps.tolist() == [1.0, 2.0, np.inf]


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 1000), alpha=st.floats(0, 0.5), positive=st.booleans())
def test_the_objective_never_rises(seed, alpha, positive):
    X, topics = draw(seed, positive)
    learner = DictionaryLearner(topics, alpha, 0.0, positive=positive)
    values = []
    for _ in range(6):
        sums, _ = code_sums(learner.params, chunk_of(X), None)
        values.append(sums.objective)
        learner.update(sums)
    assert np.diff(values).max() <= 1e-7 * values[0]
