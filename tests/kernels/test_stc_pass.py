"""Tests of a pass over documents: codes, sums for the dictionary and objectives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.stc_pass import (
    COUPLED,
    EXPLAINED,
    MIXTURE_STEPS,
    NOTHING,
    PAPER,
    code_documents,
)
from laconic.kernels.stc_workspace import Penalties
from tests.kernels import slow_stc_coding as slow
from tests.kernels.test_stc_coding import numbers, penalised, penalties_of_all_kinds

PENALTIES = Penalties(1.0, 0.05, 0.0, 0.0, 0.1, 1e-3, True)


def run(X, words, penalties, collect, theta=None, *, tol=1e-9, max_steps=2000, index=np.int32):
    """Return codes, objective, log-likelihood, and the numerator and denominator of the update."""
    warm = theta is not None
    theta = np.zeros((X.shape[0], words.shape[1]), words.dtype) if theta is None else theta.copy()
    numerator, denominator = (
        np.zeros(words.shape if is_asked_for else (0, words.shape[1]), words.dtype)
        for is_asked_for in (collect != NOTHING, collect == PAPER)
    )
    objective, likelihood = code_documents(
        X.data.astype(words.dtype), X.indices.astype(index), X.indptr.astype(index), words, theta,
        penalties, tol, max_steps, warm, collect, numerator, denominator,
    )  # fmt: skip
    return theta, objective, likelihood, numerator, denominator


def draw(seed):
    random = np.random.default_rng(seed)
    n_words, n_topics = random.integers(1, 12), random.integers(1, 5)
    words = slow.draw_dictionary(random, n_words, n_topics)
    return slow.draw_counts(random, 3, n_words), words


def documents(X, words):
    for d, row in enumerate(X):
        if row.nnz:
            yield d, row.data, row.indices, words[row.indices]


@given(numbers, penalties_of_all_kinds, st.sampled_from([np.int32, np.int64]))
def test_sums_of_word_codes_and_the_objective(seed, penalties, index):
    X, words = draw(seed)
    a, b, sums = np.zeros(words.shape), np.zeros(words.shape), np.zeros(words.shape)
    total = 0.0
    theta, objective, _, numerator, denominator = run(X, words, penalties, PAPER, index=index)
    for d, counts, columns, betas in documents(X, words):
        assert slow.residual(counts, betas, theta[d], penalties) <= 1e-6
        s = slow.word_codes(counts, betas, theta[d], penalties)
        total += slow.objective(counts, betas, s, theta[d], penalties)
        m = (s * betas).sum(axis=1)
        ratio, cost = (counts / (m + 1e-3), 1 + 0 * m) if penalties.poisson else (counts, m)
        a[columns] += s * ratio[:, None]
        b[columns] += s * cost[:, None]
        sums[columns] += s * betas * (counts / (m + 1e-3))[:, None]
    close = {"rtol": 1e-5, "atol": 1e-5}
    assert objective == pytest.approx(total, rel=1e-7, abs=1e-7)
    np.testing.assert_allclose(numerator, a, **close)
    np.testing.assert_allclose(denominator, b, **close)
    only = run(X, words, penalties, EXPLAINED)
    np.testing.assert_allclose(only[3], sums, **close)
    assert only[1] == pytest.approx(total, rel=1e-7, abs=1e-7)
    np.testing.assert_allclose(run(X, words, penalties, NOTHING)[0], theta, atol=1e-6)


@given(numbers)
def test_coupled_sums_are_those_of_the_mixture_beside_the_code(seed):
    X, words = draw(seed)
    theta, _, likelihood, numerator, denominator = run(X, words, PENALTIES, COUPLED)
    expected, total = np.zeros(words.shape), 0.0
    for d, counts, columns, betas in documents(X, words):
        if not theta[d].any():
            continue
        mix = theta[d] / theta[d].sum()
        for _ in range(MIXTURE_STEPS):
            mix = mix * ((counts / np.maximum(betas @ mix, 1e-300)) @ betas)
            mix /= mix.sum()
        m = betas @ mix
        if (m < 1e-25).any():
            return  # a word that occurs only in topics with code zero
        expected[columns] += np.outer(counts / m, mix)
        total += counts @ np.log(m)
    np.testing.assert_allclose(numerator, expected, rtol=1e-5, atol=1e-6)
    assert likelihood == pytest.approx(total, rel=1e-7, abs=1e-7)
    assert denominator.shape[0] == 0


@given(numbers, penalties_of_all_kinds, st.integers(1, 3))
def test_a_warm_start_never_raises_the_objective(seed, penalties, steps):
    """This holds for any start and any number of allowed steps."""
    X, words = draw(seed)
    start = np.random.default_rng(seed).gamma(0.5, size=(3, words.shape[1]))
    start[np.diff(X.indptr) == 0] = 0
    before = sum(
        slow.objective(
            counts, betas, slow.word_codes(counts, betas, start[d], penalties), start[d], penalties
        )
        for d, counts, _, betas in documents(X, words)
    )
    objective = run(X, words, penalties, PAPER, start, max_steps=steps)[1]
    assert objective <= before + 1e-7 * (1 + abs(before))


@given(numbers, penalties_of_all_kinds)
def test_warm_and_cold_agree(seed, penalties):
    X, words = draw(seed)
    cold = run(X, words, penalties, PAPER, max_steps=20_000)
    start = np.random.default_rng(seed).gamma(0.5, size=cold[0].shape)
    warm = run(X, words, penalties, PAPER, start, max_steps=20_000)
    assert warm[1] == pytest.approx(cold[1], rel=1e-7, abs=1e-7)


@given(numbers, penalised)
def test_single_precision(seed, penalties):
    X, words = draw(seed)
    exact, rough = (
        run(X, words.astype(dtype), penalties, PAPER, tol=1e-4, max_steps=100)
        for dtype in (np.float64, np.float32)
    )
    assert rough[1] == pytest.approx(exact[1], rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("collect", [NOTHING, COUPLED, PAPER, EXPLAINED])
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("poisson", [True, False])
def test_empty_documents_and_words_without_a_topic(collect, warm, poisson):
    words = np.array([[0.5, 0.1], [0.0, 0.0], [0.5, 0.9]])
    X = sp.csr_matrix(np.array([[0.0, 0, 0], [1, 2, 3], [0, 4, 0], [1, 0, 3]]))
    penalties = PENALTIES._replace(poisson=poisson)
    start = np.ones((4, 2)) if warm else None
    theta, objective, likelihood, numerator, denominator = run(X, words, penalties, collect, start)
    assert not theta[[0, 2]].any()
    np.testing.assert_allclose(theta[1], theta[3])  # the unknown word has no effect
    for sums in (numerator, denominator):
        assert not len(sums) or not sums[1].any()
    if collect != NOTHING:
        alone = run(X[[3, 3]], words, penalties, collect)[1]
        constant = -6 * np.log(1e-3) if poisson else (2**2 + 4**2) / 2
        assert objective == pytest.approx(alone + constant)
    assert np.isfinite(likelihood)
