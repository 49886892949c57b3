"""Tests of expectation maximisation for the mixtures of documents, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.mixture import TINY, mix_documents, mix_held_out, update_mixture
from tests.kernels import slow_stc_coding as slow

dtypes = st.sampled_from([np.float32, np.float64])
index_types = st.sampled_from([np.int32, np.int64])


def twin(X, words, theta, smoothing, steps):
    """Do the same steps per document; return mixtures, log-likelihood and sums for the topics."""
    theta, sums, total = theta.copy(), np.zeros(words.shape), 0.0
    for d, row in enumerate(X):
        if not row.any():
            theta[d] = 0
            continue
        if not theta[d].any():
            theta[d] = 1 / words.shape[1]
        for _ in range(steps):
            expected = theta[d] * ((row / (words @ theta[d])) @ words)
            cut = np.maximum(0, expected + smoothing)
            theta[d] = cut / cut.sum() if cut.any() else np.eye(len(cut))[expected.argmax()]
        m = words @ theta[d]
        total += row[row > 0] @ np.log(m[row > 0])
        sums += np.outer(row / m, theta[d])
    return theta, total, sums


def run(X, words, theta, smoothing, steps, tol=0.0, index=np.int32):
    theta, ratios = theta.copy(), np.full(X.nnz, np.nan, words.dtype)
    total = mix_documents(
        X.data.astype(words.dtype),
        X.indices.astype(index),
        X.indptr.astype(index),
        words,
        theta,
        smoothing,
        steps,
        tol,
        ratios,
    )
    return theta, total, sp.csr_matrix((ratios, X.indices, X.indptr), X.shape).T @ theta


@given(
    st.integers(0, 999),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.05, -0.3]),
    st.integers(0, 4),
    dtypes,
    index_types,
)
def test_steps_are_the_formulas(seed, n_topics, smoothing, steps, dtype, index):
    random = np.random.default_rng(seed)
    words = slow.draw_dictionary(random, 7, n_topics, density=1.0)
    X = slow.draw_counts(random, 4, 7)
    start = random.dirichlet(np.ones(n_topics), 4) * (random.random((4, 1)) < 0.5)
    expected = twin(X.toarray(), words, start, smoothing, steps)
    found = run(X, words.astype(dtype), start.astype(dtype), smoothing, steps, index=index)
    exact = dtype == np.float64
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9 if exact else 1e-3, atol=1e-4)


def test_documents_that_are_done_stop():
    random = np.random.default_rng(0)
    words = slow.draw_dictionary(random, 7, 3)
    X = slow.draw_counts(random, 4, 7)
    start = np.zeros((4, 3))
    few = run(X, words, start, 0.05, 10_000, 1e-9)
    many = run(X, words, start, 0.05, 10_000, 0.0)
    np.testing.assert_allclose(few[0], many[0], atol=1e-6)
    assert few[1] == pytest.approx(many[1])


def test_likelihood_rises_step_by_step():
    random = np.random.default_rng(1)
    words = slow.draw_dictionary(random, 20, 4, density=1.0)
    X = slow.draw_counts(random, 10, 20)
    values = [run(X, words, np.zeros((10, 4)), 0.0, steps)[1] for steps in range(15)]
    assert np.all(np.diff(values) >= -1e-12 * abs(values[0]))


def test_empty_documents_and_documents_without_known_words_have_zeros():
    random = np.random.default_rng(2)
    words = slow.draw_dictionary(random, 6, 3)
    words[5] = 0
    X = slow.sp.csr_matrix(np.array([[1.0, 2, 0, 0, 0, 0], [0] * 6, [0, 0, 0, 0, 0, 3]]))
    for smoothing in (0.05, 0.0, -0.1):
        theta, total, sums = run(X, words, np.full((3, 3), 1 / 3), smoothing, 5)
        assert theta[0].sum() == pytest.approx(1)
        assert not theta[1:].any()
        assert np.isfinite(total)
        assert not sums[5].any()


def test_a_word_that_no_topic_explains_costs_a_constant():
    words = np.array([[0.5, 0.1], [0.5, 0.9], [0.0, 0.0]])
    known = slow.sp.csr_matrix(np.array([[1.0, 1, 0]]))
    both = slow.sp.csr_matrix(np.array([[1.0, 1, 4]]))
    one, other = (run(X, words, np.zeros((1, 2)), 0.0, 3) for X in (known, both))
    np.testing.assert_allclose(one[0], other[0])
    assert other[1] == pytest.approx(one[1] + 4 * np.log(TINY))
    np.testing.assert_allclose(one[2], other[2])


def test_no_ratios_where_none_are_asked_for():
    random = np.random.default_rng(3)
    words, X = slow.draw_dictionary(random, 6, 2), slow.draw_counts(random, 3, 6)
    theta = np.zeros((3, 2))
    total = mix_documents(X.data, X.indices, X.indptr, words, theta, 0.0, 3, 0.0, np.zeros(0))
    expected = run(X, words, np.zeros((3, 2)), 0.0, 3)
    np.testing.assert_allclose(theta, expected[0])
    assert total == pytest.approx(expected[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_update_keeps_the_strongest_topic_of_a_short_document(dtype):
    mix = np.array([0.2, 0.5, 0.3], dtype)
    change = update_mixture(mix, np.array([0.1, 0.1, 0.1], dtype), -0.5)
    assert mix.tolist() == [0, 1, 0]
    assert change == pytest.approx(0.5)


def held_out_twin(X, words, mass, theta, smoothing, steps, floor):
    """Do the same as `mix_held_out` for dense counts."""
    theta, sums, total = theta.copy(), np.zeros(words.shape), 0.0
    for d, row in enumerate(X):
        seen = row > 0
        if not seen.any() or not theta[d].any():
            continue
        own = np.outer(row / (words @ theta[d]), theta[d]) * words
        others = np.maximum(words * mass - own, floor) / np.maximum(mass - own.sum(axis=0), floor)
        for _ in range(steps):
            expected = theta[d] * ((row / (others @ theta[d])) @ others) + smoothing
            theta[d] = expected / expected.sum()
        m = others @ theta[d]
        total += row[seen] @ np.log(m[seen])
        sums += np.outer(row / m, theta[d]) * others
    return theta, total, sums


@given(st.integers(0, 999), st.integers(1, 20), st.integers(0, 4), dtypes, index_types)
def test_documents_are_left_out_of_their_topics(seed, n_topics, steps, dtype, index):
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, (6, 40)) * 1.0
    X[random.integers(6)] = 0
    words = random.dirichlet(np.full(40, 0.3), n_topics).T + 1e-6
    theta = random.dirichlet(np.ones(n_topics), 6)
    theta[random.integers(6)] = 0
    mass = random.uniform(1, 40, n_topics)
    expected = held_out_twin(X, words, mass, theta, 0.1, steps, 1e-3)
    rows, sums, mixtures = sp.csr_matrix(X), np.zeros((40, n_topics), dtype), theta.astype(dtype)
    total = mix_held_out(
        rows.data.astype(dtype),
        rows.indices.astype(index),
        rows.indptr.astype(index),
        np.ascontiguousarray(words, dtype),
        mass.astype(dtype),
        mixtures,
        0.1,
        steps,
        1e-3,
        sums,
    )
    rtol = 2e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(mixtures, expected[0], rtol=rtol, atol=rtol)
    assert total == pytest.approx(expected[1], rel=rtol)
    np.testing.assert_allclose(sums, expected[2], rtol=rtol, atol=rtol)
