"""Tests of thresholding to sparse rows, compared with NumPy, and of kernels as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse as sp

from laconic.kernels import prox

shapes = st.tuples(st.integers(0, 7), st.integers(1, 5))
dtypes = st.sampled_from([np.float32, np.float64])
seeds = st.integers(0, 999)


def draw_block(seed, shape, dtype, order="C"):
    """Draw a block with values at, above and below integer thresholds."""
    random = np.random.default_rng(seed)
    block = np.round(random.standard_normal(shape) * 4) / 2
    return np.asarray(block, dtype=dtype, order=order)


def room(block):
    return (
        np.full(block.size, np.nan, block.dtype),
        np.full(block.size, -1, np.int32),
        np.full(len(block) + 1, -1, np.int64),
    )


def check(out, energy, expected):
    data, indices, indptr = out
    size = indptr[-1]
    W = sp.csr_matrix((data[:size], indices[:size], indptr), shape=expected.shape)
    assert W.has_canonical_format
    assert (data[:size] != 0).all()
    assert size == np.count_nonzero(expected)
    np.testing.assert_allclose(W.toarray(), expected, rtol=1e-5, atol=1e-6)
    assert energy == pytest.approx(float(np.sum(expected.astype(float) ** 2)), rel=1e-5)


@given(shapes, seeds, dtypes, st.booleans(), st.sampled_from("CF"))
def test_shrink_rows_is_the_soft_threshold(shape, seed, dtype, positive, order):
    block = draw_block(seed, shape, dtype, order)
    alpha = np.random.default_rng(seed).integers(0, 3, shape[1]).astype(dtype)
    expected = np.sign(block) * np.maximum(np.abs(block) - alpha, 0)
    if positive:
        expected = np.maximum(block - alpha, 0)
    out = room(block)
    check(out, prox.shrink_rows(block, alpha, positive, *out), expected)


@given(shapes, seeds, dtypes, st.booleans())
def test_group_norms_add_up(shape, seed, dtype, positive):
    block = draw_block(seed, shape, dtype)
    groups = np.random.default_rng(seed).integers(0, 3, shape[0])
    squares = np.ones((3, shape[1]))
    prox.group_norms(block, groups, positive, squares)
    kept = np.maximum(block, 0) if positive else block
    expected = [1 + np.sum(kept[groups == g].astype(float) ** 2, axis=0) for g in range(3)]
    np.testing.assert_allclose(squares, expected, rtol=1e-5)


@given(shapes, seeds, dtypes, st.booleans())
def test_shrink_groups_scales_each_group(shape, seed, dtype, positive):
    random = np.random.default_rng(seed)
    block = draw_block(seed, shape, dtype)
    groups = random.integers(0, 3, shape[0])
    factors = (random.integers(0, 3, (3, shape[1])) / 2).astype(dtype)
    kept = np.maximum(block, 0) if positive else block
    out = room(block)
    check(out, prox.shrink_groups(block, groups, factors, positive, *out), kept * factors[groups])


def test_kernels_are_plain_python_too():
    """Run the same tests without the compiler.

    There are few and small examples, because plain Python is slow.
    """
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        # this process is the run without the compiler
        assert not hasattr(prox.shrink_rows, "signatures")
        return
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "HYPOTHESIS_PROFILE": "few",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # importing plugins takes a second
    }
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider"),
            *("-k", "not test_many_topics and not get_a_sentence", Path(__file__).parent),
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@given(seeds, shapes, dtypes, st.booleans())
def test_pairs_are_entries_of_the_product(seed, shape, dtype, positive):
    rows = draw_block(seed, shape, dtype)
    half = draw_block(seed + 1, (shape[1], shape[1]), dtype)
    root = half + half.T
    pairs = sp.random(*shape, 0.5, "csr", random_state=seed)
    alpha = np.arange(shape[1], dtype=dtype)
    product = rows @ root * (pairs.toarray() != 0)
    expected = np.sign(product) * np.maximum(np.abs(product) - alpha, 0)
    if positive:
        expected = np.maximum(expected, 0)
    out = room(rows)
    energy = prox.shrink_pairs(rows, root, pairs.indices, pairs.indptr, alpha, positive, *out)
    check(out, energy, expected)
