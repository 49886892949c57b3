"""Tests of vectors in compiled kernels: the compiled functions agree with those in Python."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.kernels import vectors
from laconic.kernels.blocks import announce_words, copy_weights
from laconic.kernels.compile import lane_kernel
from laconic.kernels.vectors import LANES


@lane_kernel
def use_all(x, y, out, squares, starts):
    a, b = vectors.load(x, 1), vectors.load(y, 2)
    c = vectors.spread(x[0])
    vectors.store(out, 3, vectors.choose(a - b, a * b + c, vectors.root(b) / c))
    vectors.transpose(x, starts, squares, 5, LANES + 1)
    vectors.prefetch(x, 0)
    return vectors.total(a), vectors.count_positive(a - b), vectors.largest(a - b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_functions_are_those_of_python(dtype):
    random = np.random.default_rng(0)
    x, y = random.random((2, 400)).astype(dtype)
    starts = random.integers(0, 300, LANES)
    compiled, slow = (
        (np.zeros(3 + LANES, dtype), np.zeros(5 + LANES * (LANES + 1), dtype)) for _ in range(2)
    )
    sums = use_all(x, y, *compiled, starts)
    in_python = getattr(use_all, "py_func", use_all)  # a kernel that is not compiled is a function
    expected = in_python(x, y, *slow, starts)
    assert sums[0] == pytest.approx(expected[0], rel=1e-6)
    assert sums[1:] == expected[1:]
    np.testing.assert_allclose(compiled[0], slow[0], rtol=1e-6)
    np.testing.assert_array_equal(compiled[1], slow[1])


def test_choose_and_count_take_nan_as_not_positive():
    x = np.full(LANES, np.nan)
    out = np.zeros(3 + LANES)
    squares, starts = np.zeros(5 + LANES * (LANES + 1)), np.zeros(LANES, np.int64)
    x = np.append(x, np.ones(2 * LANES))
    assert use_all(np.append(2.0, x), np.append(np.ones(2), x), out, squares, starts)[1] == 0


@pytest.mark.parametrize("n_topics", [1, LANES - 1, LANES, LANES + 1, 3 * LANES + 2])
@pytest.mark.parametrize("n_words", [1, LANES, LANES + 1])
def test_weights_are_copied_topic_by_topic(n_topics, n_words):
    random = np.random.default_rng(n_topics)
    words = random.random((50, n_topics))
    columns = random.permutation(50)[:n_words].astype(np.int32)
    width = -(-n_words // LANES) * LANES
    block = np.full((n_topics + 1, width), 7.0)  # simulates what another document left in it
    announce_words(columns, words)
    copy_weights(columns, words, block.ravel(), np.zeros(LANES, np.int64))
    assert (block[-1] == 7).all()
    block = block[:-1]
    np.testing.assert_array_equal(block[:, :n_words], words[columns].T)
    assert not block[:, n_words:].any()
