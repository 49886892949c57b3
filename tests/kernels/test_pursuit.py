"""Tests of the kernels of PCP against slow versions and optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.pursuit import (
    descend,
    shrink,
    sparse_part,
    split_documents,
    subtract_products,
)

numbers = st.integers(0, 10**6)


def draw_matrices(seed):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 12, 2))
    D = random.poisson(1.0, shape).astype(float)
    L, Z = random.normal(size=(2, *shape)) * random.choice([0.1, 1.0, 100.0])
    return D, L, Z, random.gamma(1.0, size=len(D)), float(random.gamma(2.0))


def soft(A, threshold):
    return np.sign(A) * np.maximum(np.abs(A) - threshold, 0)


@given(numbers)
def test_a_step_of_the_convex_problem(seed):
    D, L, Z, penalties, mu = draw_matrices(seed)
    penalty = penalties[:, None]
    before = np.random.default_rng(seed + 1).normal(size=D.shape)
    F = np.full_like(D, np.nan)
    rest, inner, square, dual, moved = shrink(D, L, before, Z, penalties, mu, F)
    S = soft(D - 2 * L + Z, penalty / mu)
    Y = mu * (D - 2 * L + Z - S)
    assert (np.abs(Y) <= penalty * (1 + 1e-9)).all()
    np.testing.assert_allclose(F, D - S - L, atol=1e-10 * (1 + np.abs(Z).max()))
    np.testing.assert_allclose(Y, mu * (Z - L + F), atol=1e-9 * (1 + mu * np.abs(Z).max()))
    assert rest == pytest.approx((penalty * np.abs(D - L)).sum())
    assert inner == pytest.approx(np.sum(D * Y), abs=1e-9 * penalties.max() * (1 + D.sum()))
    assert square == pytest.approx(np.sum(F**2))
    assert dual == pytest.approx(np.sum(Y**2), rel=1e-6, abs=1e-9)
    assert moved == pytest.approx(np.sum((L - before) ** 2))


@given(numbers)
def test_the_sparse_part_of_a_step(seed):
    D, L, Z, penalties, mu = draw_matrices(seed)
    penalty = penalties[:, None]
    rows, columns, values = sparse_part(D, L, Z, penalties, mu)
    expected = soft(D - 2 * L + Z, penalty / mu)
    found = np.zeros_like(D)
    found[rows, columns] = values
    np.testing.assert_allclose(found, expected, atol=1e-10 * (1 + np.abs(expected).max()))
    assert len(rows) == np.count_nonzero(mu * np.abs(D - 2 * L + Z) > penalty)
    assert values.dtype == D.dtype


@given(numbers, st.sampled_from([0.0, 0.3, 1.0]))
def test_a_proximal_step_of_the_sparse_part(seed, share):
    random = np.random.default_rng(seed)
    n_rows, n_columns = random.integers(1, 12, 2)
    S = sp.random(n_rows, n_columns, share, format="csc", random_state=seed)
    Y = random.normal(size=(n_columns, n_rows)) * random.choice([0.1, 1.0])
    root, penalties = random.gamma(2.0, size=(2, n_rows))
    step = descend(S.data, S.indices, S.indptr, Y, root, penalties)
    found = sp.csc_matrix(step, S.shape)
    H = root[:, None] * np.maximum(1 - np.sum(Y**2, axis=1) / 2, 0.05)
    expected = soft(S.toarray() + Y.T / H, penalties[:, None] / H)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-10 * (1 + np.abs(expected).max()))
    assert found.nnz == np.count_nonzero(expected)


# ---- single documents ----


def draw_documents(seed, dtype=np.float64):
    """Draw counts, an orthonormal basis, a shrunk encoder, scales and a threshold."""
    random = np.random.default_rng(seed)
    n_words = int(random.integers(1, 30))
    rank = int(random.integers(0, min(n_words, 8) + 1))
    X = sp.csr_matrix(random.poisson(random.gamma(0.5, 3.0, n_words), (8, n_words)), dtype=dtype)
    words = np.linalg.qr(random.normal(size=(n_words, rank)))[0]
    turn = np.linalg.qr(random.normal(size=(rank, rank)))[0]
    encoder = words @ (turn * random.uniform(0.05, 0.95, rank)) @ turn.T
    scales = random.uniform(0.5, 2, 8).astype(dtype)
    return X, (words.astype(dtype), encoder.astype(dtype)), scales, float(random.gamma(2.0))


def curvature(basis):
    return 1 - np.sum(basis[0] * basis[1], axis=1)


def split(X, basis, scales, threshold, tol=1e-10, residual_norm=None, rounding=0.0):
    dtype = X.dtype
    words, encoder = basis
    residual_norm = curvature(basis) if residual_norm is None else residual_norm
    codes = np.full((X.shape[0], words.shape[1]), np.nan, dtype)
    excess = np.full(X.nnz, np.nan, dtype)
    split_documents(
        X.data,
        X.indices,
        X.indptr,
        scales,
        words,
        encoder,
        residual_norm.astype(dtype),
        dtype.type(threshold),
        dtype.type(tol),
        dtype.type(rounding),
        codes,
        excess,
    )
    return codes, sp.csr_matrix((excess, X.indices, X.indptr), X.shape).toarray()


def twin(d, basis, threshold):
    """Solve by projected gradient steps on s, where w = A'(d - s).

    The gradient has the Lipschitz constant 1.
    """
    words, encoder = basis
    s = np.zeros_like(d)
    for _ in range(20_000):
        before = s
        slope = d - s - words @ (encoder.T @ (d - s)) - threshold
        s = np.where(d > threshold, np.maximum(s + slope, 0), 0)
        if np.abs(s - before).max() <= 1e-14 * np.abs(d).max():
            break
    return encoder.T @ (d - s), s


@given(numbers)
def test_documents_are_those_of_the_slow_twin(seed):
    X, basis, scales, threshold = draw_documents(seed)
    codes, excess = split(X, basis, scales, threshold)
    for d, w, s in zip(X.toarray() * scales[:, None], codes, excess, strict=True):
        expected_w, expected_s = twin(d, basis, threshold)
        np.testing.assert_allclose(s, expected_s, atol=1e-7 * (1 + d.max()))
        np.testing.assert_allclose(w, expected_w, atol=1e-7 * (1 + d.max()))


@given(numbers, st.sampled_from([np.float32, np.float64]))
def test_documents_are_optimal(seed, dtype):
    X, basis, scales, threshold = draw_documents(seed, dtype)
    codes, excess = split(X, basis, scales, threshold, 1e-5 * threshold)
    D = X.toarray() * scales[:, None]
    near = 1e-4 * (threshold + D.max(initial=0) * (1 if dtype is np.float32 else 1e-8))
    slopes = D - excess - codes @ basis[0].T - threshold
    may = threshold < D
    assert (excess >= 0).all()
    assert not excess[~may].any()
    assert np.abs(slopes[excess > 0]).max(initial=0) <= near
    assert slopes[may & (excess == 0)].max(initial=0) <= near
    np.testing.assert_allclose(codes, (D - excess) @ basis[1], atol=near)


def test_a_document_by_hand():
    """The background expects both words equally often, but one occurs five times as often."""
    X = sp.csr_matrix([[2.0, 10.0], [2.0, 2.0], [0.0, 0.0], [0.0, 1.0]])
    words = np.full((2, 1), np.sqrt(0.5))
    codes, excess = split(X, (words, words), np.ones(4), 1.0)
    # s/2 = (10 - 2)/2 - 1, because the background is (d1 + d2 - s)/2 for both words
    np.testing.assert_allclose(excess, [[0, 6], [0, 0], [0, 0], [0, 0]], atol=1e-9)
    np.testing.assert_allclose(codes.ravel(), np.array([6, 4, 0, 1]) * np.sqrt(0.5), atol=1e-9)


def test_one_word_takes_one_step():
    """The step of each word uses the word's own curvature, 1 - |b|²."""
    X = sp.csr_matrix([[0.5, 10.0]])
    words = np.array([[0.6], [0.8]])
    codes, excess = split(X, (words, words), np.ones(1), 1.0, tol=1e9)
    # the excess s solves 0.36 (10 - s) - 0.48 · 0.5 = 1
    np.testing.assert_allclose(excess, [[0, 10 - 1.24 / 0.36]])
    np.testing.assert_allclose(codes, [[0.3 + 0.8 * 1.24 / 0.36]])


def test_rounding_is_that_of_each_document():
    """The long document stops after one sweep, but the short document is solved accurately."""
    X = sp.csr_matrix([[1e6, 3e6, 2e6], [1.0, 10.0, 6.0]])
    words = np.linalg.qr(np.array([[1.0], [2.0], [1.0]]))[0]
    _, exact = split(X, (words, words), np.ones(2), 1.0)
    _, rough = split(X, (words, words), np.ones(2), 1.0, rounding=1e-3)
    assert not np.allclose(rough[0], exact[0], rtol=1e-9)
    np.testing.assert_allclose(rough[0], exact[0], rtol=1e-2, atol=1e4)
    np.testing.assert_allclose(rough[1], exact[1], atol=0.05)


def test_without_a_background_all_beyond_the_threshold_is_excess():
    X = sp.csr_matrix([[3.0, 1.0, 2.5], [0.0, 0.0, 9.0]])
    codes, excess = split(X, (np.zeros((3, 0)),) * 2, np.ones(2), 2.0)
    assert codes.shape == (2, 0)
    np.testing.assert_allclose(excess, [[1, 0, 0.5], [0, 0, 7]])


def test_a_word_that_is_a_direction_is_background():
    """The curvature of the word is zero, so its step is damped to avoid a division by zero."""
    X = sp.csr_matrix([[5.0, 3.0]])
    words = np.eye(2)[:, :1].copy()
    codes, excess = split(X, (words, words), np.ones(1), 1.0, residual_norm=np.array([1e-2, 1.0]))
    np.testing.assert_allclose(codes, [[5]])
    np.testing.assert_allclose(excess, [[0, 2]])


@given(numbers)
def test_a_curvature_that_is_too_large_only_damps(seed):
    X, basis, scales, threshold = draw_documents(seed)
    residual_norm = np.maximum(curvature(basis), 0.5)
    _, damped = split(X, basis, scales, threshold, 1e-12, residual_norm)
    _, plain = split(X, basis, scales, threshold, 1e-12)
    np.testing.assert_allclose(damped, plain, atol=1e-6 * (1 + X.max()))


@given(numbers)
def test_products_lose_what_is_excess(seed):
    random = np.random.default_rng(seed)
    X = sp.random(7, 9, 0.4, format="csr", random_state=seed)
    excess = np.where(random.random(X.nnz) < 0.5, 0, random.normal(size=X.nnz))
    excess = np.maximum(excess, 0)
    codes, products = random.normal(size=(7, 3)), random.normal(size=(9, 3))
    S = sp.csr_matrix((excess, X.indices, X.indptr), X.shape).toarray()
    expected = products - S.T @ codes
    subtract_products(excess, X.indices, X.indptr, codes, products)
    np.testing.assert_allclose(products, expected, atol=1e-12)
