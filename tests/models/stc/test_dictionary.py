"""Tests of dictionary updates with fixed codes, which stay on the simplex and converge."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.models.stc.dictionary import Coupled, Paper
from tests.models.plsa import reference as mixtures

OFFSET = 1e-3
NO_SUMS = np.zeros((0, 3))


def draw(seed):
    """Draw counts (documents x words), codes (documents x words x topics) and a dictionary.

    Some topics have words that no document uses with them, and some topics are not used.
    """
    random = np.random.default_rng(seed)
    n_documents, n_words, n_topics = random.integers(1, 8, 3)
    words = random.gamma(0.5, size=(n_words, n_topics))
    words *= random.random(words.shape) < random.choice([0.6, 1.0])
    words[0, words.sum(axis=0) == 0] = 1
    words /= words.sum(axis=0)
    counts = random.poisson(2.0, (n_documents, n_words)) * random.choice([1.0, 1e6, 1e-6])
    codes = random.gamma(1.0, size=(n_documents, n_words, n_topics))
    codes *= random.random(codes.shape) < random.choice([0.3, 1.0])
    codes *= random.choice([1.0, 50.0, 1e-3])
    codes[counts == 0] = 0
    return counts, codes, words


def objective(counts, codes, words, poisson):
    m = np.sum(codes * words, axis=-1)
    if poisson:
        return float(np.sum(m - counts * np.log(m + OFFSET)))
    return float(0.5 * np.sum((counts - m) ** 2))


def gradient(counts, codes, words, poisson):
    m = np.sum(codes * words, axis=-1)
    slope = 1 - counts / (m + OFFSET) if poisson else m - counts
    return np.sum(slope[..., None] * codes, axis=0)


def step(counts, codes, words, poisson):
    m = np.sum(codes * words, axis=-1)
    if poisson:
        a = words * np.sum((counts / (m + OFFSET))[..., None] * codes, axis=0)
        return Paper(True)(a, codes.sum(axis=0), words)
    a = np.sum(counts[..., None] * codes, axis=0)
    return Paper(False)(a, np.sum(m[..., None] * codes, axis=0), words)


def simplex(values):
    """Return the nearest point of the simplex to each column, computed by bisection."""
    low, high = values.min(axis=0) - 1, values.max(axis=0)
    for _ in range(100):
        middle = (low + high) / 2
        above = np.maximum(values - middle, 0).sum(axis=0) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.maximum(values - high, 0)


def check_descent(poisson, seed, steps):
    counts, codes, words = draw(seed)
    last = objective(counts, codes, words, poisson)
    scale = 1 + abs(last)
    for _ in range(steps):
        words = step(counts, codes, words, poisson)
        assert np.isfinite(words).all()
        assert (words >= 0).all()
        np.testing.assert_allclose(words.sum(axis=0), 1, rtol=1e-9)
        value = objective(counts, codes, words, poisson)
        assert value <= last + 1e-9 * scale
        last = value


@pytest.mark.parametrize("poisson", [True, False], ids=["poisson", "gaussian"])
@given(seed=st.integers(0, 10**6))
def test_paper_step_never_raises_the_objective(poisson, seed):
    check_descent(poisson, seed, 20)


@pytest.mark.parametrize("seed", [8, 9, 30, 51, 55])
@pytest.mark.parametrize("poisson", [True, False], ids=["poisson", "gaussian"])
def test_paper_step_survives_words_that_vanish(poisson, seed):
    """After many steps some entries of β are the smallest positive floating-point numbers."""
    check_descent(poisson, seed, 300)


@pytest.mark.parametrize("poisson", [True, False], ids=["poisson", "gaussian"])
@pytest.mark.parametrize("seed", range(4))
def test_paper_step_ends_at_an_optimum(poisson, seed):
    """At the end, a projected gradient step changes nothing."""
    random = np.random.default_rng(seed)
    words = random.dirichlet(np.ones(15), 4).T
    counts = random.poisson(2.0, (30, 15)).astype(float)
    codes = random.gamma(0.5, size=(30, 15, 4)) * (random.random((30, 15, 4)) < 0.5) * 20
    codes[counts == 0] = 0
    for _ in range(1500):
        words = step(counts, codes, words, poisson)
    slope = gradient(counts, codes, words, poisson)
    moved = simplex(words - slope / np.abs(slope).max())
    assert np.abs(moved - words).max() <= 1e-4


def test_paper_step_is_the_best_of_its_bound():
    """For the Poisson loss, β = a / (b + ν) minimises Σ (b β - a ln β) on the simplex."""
    random = np.random.default_rng(3)
    a, b = random.gamma(1.0, size=(6, 2)), random.gamma(1.0, size=(6, 2))
    best = Paper(True)(a, b, np.full((6, 2), 1 / 6))

    def bound(words):
        return np.sum(b * words - a * np.log(words), axis=0)

    for _ in range(200):
        other = random.dirichlet(np.ones(6), 2).T
        assert (bound(best) <= bound(other) + 1e-9).all()
        near = 0.99 * best + 0.01 * other
        assert (bound(best) <= bound(near) + 1e-9).all()


@pytest.mark.parametrize("poisson", [True, False], ids=["poisson", "gaussian"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_topic_that_nothing_uses_stays_as_it_is(poisson, dtype):
    words = np.array([[0.25, 0.5], [0.75, 0.5]], dtype)
    a, b = np.array([[3.0, 0], [1.0, 0]], dtype), np.array([[1.0, 0], [1.0, 0]], dtype)
    new = Paper(poisson)(a, b, words)
    assert new.dtype == dtype
    assert new[:, 1].tolist() == [0.5, 0.5]
    assert new[0, 0] > new[1, 0]


@given(seed=st.integers(0, 10**6))
def test_coupled_step_lowers_the_divergence_of_fixed_mixtures(seed):
    random = np.random.default_rng(seed)
    X = random.poisson(2.0, (8, 10)).astype(float)
    words = random.dirichlet(np.ones(10), 3).T
    theta = random.dirichlet(np.ones(3), 8)
    last = mixtures.likelihood(X, words, theta)
    for _ in range(5):
        words = Coupled(0.0)(mixtures.expected_counts(X, words, theta), NO_SUMS, words)
        np.testing.assert_allclose(words.sum(axis=0), 1)
        value = mixtures.likelihood(X, words, theta)
        assert value >= last - 1e-9 * abs(last)
        last = value


def test_coupled_step_smooths_what_occurs():
    counts = np.array([[4.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    words = Coupled(0.5)(counts, NO_SUMS, counts)
    np.testing.assert_allclose(words, [[9 / 10, 1 / 6], [1 / 10, 5 / 6], [0, 0]])


def test_statistics_merge():
    from dataclasses import astuple

    from laconic.corpus.chunks import memory_chunks
    from laconic.kernels.stc_pass import PAPER
    from laconic.kernels.stc_workspace import Penalties
    from laconic.models.stc.solver import CodingParams, CodingStats, code_chunk

    random = np.random.default_rng(0)
    X = sp.csr_matrix(random.poisson(1.0, (20, 12)).astype(float))
    words = random.dirichlet(np.ones(12), 3).T.copy()
    params = CodingParams(words, Penalties(1.0, 0.05, 0.0, 0.0, 0.1, 1e-3, True), PAPER, 1e-8)
    whole, theta = code_chunk(params, memory_chunks(X)[0], None)
    parts = [code_chunk(params, chunk, None) for chunk in memory_chunks(X, [0, 1, 9, 20])]
    merged = parts[0][0].merge(parts[1][0]).merge(parts[2][0])
    assert isinstance(merged, CodingStats)
    for one, other in zip(astuple(merged), astuple(whole), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.vstack([part[1] for part in parts]), theta, rtol=1e-9)
