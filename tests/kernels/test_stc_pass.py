"""A pass over documents: codes, sums for the dictionary and objectives, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.stc_pass import (
    COUPLED,
    MIXTURE_STEPS,
    NOTHING,
    PAPER,
    SUMS,
    code_documents,
)
from tests.kernels import slow_stc_coding as slow
from tests.kernels.test_stc_coding import numbers, penalised, settings_of_all_kinds

SETTINGS = (1.0, 0.05, 0.0, 0.0, 0.1, 1e-3, True)


def run(X, words, settings, what, theta=None, *, tol=1e-9, max_steps=2000, index=np.int32):
    """Codes, objective, log-likelihood and the two sums."""
    warm = theta is not None
    theta = np.zeros((X.shape[0], words.shape[1]), words.dtype) if theta is None else theta.copy()
    first, second = (
        np.zeros(words.shape if what in users else (0, words.shape[1]), words.dtype)
        for users in ((COUPLED, PAPER), (PAPER, SUMS))
    )
    objective, likelihood = code_documents(
        X.data.astype(words.dtype), X.indices.astype(index), X.indptr.astype(index), words, theta,
        settings, tol, max_steps, warm, what, first, second,
    )  # fmt: skip
    return theta, objective, likelihood, first, second


def draw(seed):
    random = np.random.default_rng(seed)
    n_words, n_topics = random.integers(1, 12), random.integers(1, 5)
    words = slow.draw_dictionary(random, n_words, n_topics)
    return slow.draw_counts(random, 3, n_words), words


def documents(X, words):
    for d, row in enumerate(X):
        if row.nnz:
            yield d, row.data, row.indices, words[row.indices]


@given(numbers, settings_of_all_kinds, st.sampled_from([np.int32, np.int64]))
def test_sums_of_word_codes_and_the_objective(seed, settings, index):
    X, words = draw(seed)
    a, b, sums = np.zeros(words.shape), np.zeros(words.shape), np.zeros(words.shape)
    total = 0.0
    theta, objective, _, first, second = run(X, words, settings, PAPER, index=index)
    for d, counts, columns, betas in documents(X, words):
        assert slow.residual(counts, betas, theta[d], settings) <= 1e-6
        s = slow.word_codes(counts, betas, theta[d], settings)
        total += slow.objective(counts, betas, s, theta[d], settings)
        m = (s * betas).sum(axis=1)
        ratio, cost = (counts / (m + 1e-3), 1 + 0 * m) if settings[6] else (counts, m)
        a[columns] += s * ratio[:, None]
        b[columns] += s * cost[:, None]
        sums[columns] += s * betas * (counts / (m + 1e-3))[:, None]
    close = {"rtol": 1e-5, "atol": 1e-5}
    assert objective == pytest.approx(total, rel=1e-7, abs=1e-7)
    np.testing.assert_allclose(first, a, **close)
    np.testing.assert_allclose(second, b, **close)
    only = run(X, words, settings, SUMS)
    np.testing.assert_allclose(only[4], sums, **close)
    assert only[1] == pytest.approx(total, rel=1e-7, abs=1e-7)
    np.testing.assert_allclose(run(X, words, settings, NOTHING)[0], theta, atol=1e-6)


@given(numbers)
def test_coupled_sums_are_those_of_the_mixture_beside_the_code(seed):
    X, words = draw(seed)
    theta, _, likelihood, first, second = run(X, words, SETTINGS, COUPLED)
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
            return  # a word that only topics outside the code have
        expected[columns] += np.outer(counts / m, mix)
        total += counts @ np.log(m)
    np.testing.assert_allclose(first, expected, rtol=1e-5, atol=1e-6)
    assert likelihood == pytest.approx(total, rel=1e-7, abs=1e-7)
    assert second.shape[0] == 0


@given(numbers, settings_of_all_kinds, st.integers(1, 3))
def test_a_warm_start_never_raises_the_objective(seed, settings, steps):
    """However few steps are allowed, and whatever the start."""
    X, words = draw(seed)
    start = np.random.default_rng(seed).gamma(0.5, size=(3, words.shape[1]))
    start[np.diff(X.indptr) == 0] = 0
    before = sum(
        slow.objective(
            counts, betas, slow.word_codes(counts, betas, start[d], settings), start[d], settings
        )
        for d, counts, _, betas in documents(X, words)
    )
    objective = run(X, words, settings, PAPER, start, max_steps=steps)[1]
    assert objective <= before + 1e-7 * (1 + abs(before))


@given(numbers, settings_of_all_kinds)
def test_warm_and_cold_agree(seed, settings):
    X, words = draw(seed)
    cold = run(X, words, settings, PAPER, max_steps=20_000)
    start = np.random.default_rng(seed).gamma(0.5, size=cold[0].shape)
    warm = run(X, words, settings, PAPER, start, max_steps=20_000)
    assert warm[1] == pytest.approx(cold[1], rel=1e-7, abs=1e-7)


@given(numbers, penalised)
def test_single_precision(seed, settings):
    X, words = draw(seed)
    exact, rough = (
        run(X, words.astype(dtype), settings, PAPER, tol=1e-4, max_steps=100)
        for dtype in (np.float64, np.float32)
    )
    assert rough[1] == pytest.approx(exact[1], rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("what", [NOTHING, COUPLED, PAPER, SUMS])
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("poisson", [True, False])
def test_empty_documents_and_words_without_a_topic(what, warm, poisson):
    words = np.array([[0.5, 0.1], [0.0, 0.0], [0.5, 0.9]])
    X = sp.csr_matrix(np.array([[0.0, 0, 0], [1, 2, 3], [0, 4, 0], [1, 0, 3]]))
    settings = (*SETTINGS[:6], poisson)
    start = np.ones((4, 2)) if warm else None
    theta, objective, likelihood, first, second = run(X, words, settings, what, start)
    assert not theta[[0, 2]].any()
    np.testing.assert_allclose(theta[1], theta[3])  # the unknown word has no say
    for sums in (first, second):
        assert not len(sums) or not sums[1].any()
    if what != NOTHING:
        alone = run(X[[3, 3]], words, settings, what)[1]
        constant = -6 * np.log(1e-3) if poisson else (2**2 + 4**2) / 2
        assert objective == pytest.approx(alone + constant)
    assert np.isfinite(likelihood)
