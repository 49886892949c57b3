"""Exact steps of topics in the unit ball."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.models.sctm.dictionary import extrapolated, improve_topics
from tests.models.sctm import reference


def draw(seed, dtype=np.float64):
    random = np.random.default_rng(seed)
    n_topics, n_words, n_documents = random.integers(1, 12), random.integers(2, 9), 10
    topics = reference.unit_rows(random.gamma(0.5, size=(n_topics, n_words)))
    codes = random.gamma(1.0, size=(n_documents, n_topics)) * random.integers(0, 2, n_topics)
    Y = reference.unit_rows(random.gamma(0.3, size=(n_documents, n_words)))
    return topics.astype(dtype), codes, Y.astype(dtype)


@given(st.integers(0, 10**6))
def test_steps_are_those_of_the_reference(seed):
    topics, codes, Y = draw(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, Y.shape[1])
    products = np.ascontiguousarray(codes.T @ (Y / weights))
    new = improve_topics(topics, codes.T @ codes, products, weights=weights)
    expected = reference.noise_improved(topics, Y, codes, np.ones(len(Y)))
    np.testing.assert_allclose(new, expected, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(new, axis=1), 1)
    unused = ~codes.any(axis=0)
    np.testing.assert_allclose(new[unused], topics[unused])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_are_kept(dtype):
    topics, codes, Y = draw(3, dtype)
    weights = np.ones(Y.shape[1])
    products = np.ascontiguousarray(codes.T @ Y, dtype)
    new = improve_topics(topics, codes.T @ codes, products, weights=weights)
    assert new.dtype == dtype
    beyond = extrapolated(new, topics, 0.9, weights)
    assert beyond.dtype == dtype
    assert beyond.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(beyond, axis=1), 1, rtol=1e-5)


def test_a_topic_that_would_become_zero_stays():
    topics = np.array([[1.0, 0.0], [0.0, 1.0]])
    moments = np.array([[1.0, 0.9], [0.9, 1.0]])
    products = np.array([[-5.0, -5.0], [0.0, 1.0]])
    new = improve_topics(topics, moments, products, weights=np.ones(2))
    np.testing.assert_allclose(new[0], topics[0])
