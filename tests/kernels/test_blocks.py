"""Tests of products of padded blocks with vectors, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.blocks import combine_rows, multiply_rows, padded
from laconic.kernels.vectors import LANES

dtypes = st.sampled_from([np.float32, np.float64])


def draw(seed, n_rows, lanes, dtype):
    """Draw a block with two unused rows, and vectors to multiply it with from left and right."""
    random = np.random.default_rng(seed)
    block = random.standard_normal((n_rows + 2, lanes * LANES)).astype(dtype)
    return (
        block,
        random.standard_normal(n_rows + 2).astype(dtype),
        random.standard_normal(block.shape[1]).astype(dtype),
    )


@given(st.integers(0, 999), st.integers(0, 9), st.integers(1, 3), dtypes)
def test_combine_rows_is_the_product_from_the_left(seed, n_rows, lanes, dtype):
    block, weights, _ = draw(seed, n_rows, lanes, dtype)
    out = np.full(block.shape[1], np.nan, dtype)
    combine_rows(block.ravel(), n_rows, block.shape[1], weights, out)
    np.testing.assert_allclose(out, weights[:n_rows] @ block[:n_rows], rtol=1e-4, atol=1e-5)


@given(st.integers(0, 999), st.integers(0, 9), st.integers(1, 3), dtypes)
def test_multiply_rows_is_the_product_from_the_right(seed, n_rows, lanes, dtype):
    block, _, vector = draw(seed, n_rows, lanes, dtype)
    out = np.full(n_rows + 2, np.nan, dtype)
    multiply_rows(block.ravel(), n_rows, block.shape[1], vector, out)
    np.testing.assert_allclose(out[:n_rows], block[:n_rows] @ vector, rtol=1e-4, atol=1e-4)
    assert np.isnan(out[n_rows:]).all()  # unused rows are not written


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_number_is_not_lost(value):
    block, weights, vector = draw(1, 5, 1, np.float64)
    block[2, 3] = value
    left, right = np.zeros(block.shape[1]), np.zeros(5)
    combine_rows(block.ravel(), 5, LANES, weights, left)
    multiply_rows(block.ravel(), 5, LANES, vector, right)
    assert np.flatnonzero(~np.isfinite(left)).tolist() == [3]
    assert np.flatnonzero(~np.isfinite(right)).tolist() == [2]


def test_rows_are_padded_to_full_vectors():
    assert [padded(n) for n in (0, 1, LANES, LANES + 1)] == [0, LANES, LANES, 2 * LANES]
