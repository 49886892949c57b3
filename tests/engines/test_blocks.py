"""Tests of dense algebra on blocks of rows."""

from __future__ import annotations

from threading import Barrier, current_thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.engines import make_engine
from laconic.engines.blocks import gram, multiply, row_blocks, run_here, transpose


@given(st.integers(0, 50_000), st.integers(0, 3000), st.integers(1, 500))
def test_blocks_cover_all_rows(n_rows, n_columns, least):
    blocks = row_blocks(n_rows, n_columns, least)
    rows = np.concatenate([np.arange(n_rows)[block] for block in blocks])
    np.testing.assert_array_equal(rows, np.arange(n_rows))
    assert all(block.stop - block.start >= least for block in blocks[:-1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [0, 1, 30_000])
def test_products_are_those_of_numpy_and_equal_on_all_engines(dtype, n_rows):
    random = np.random.default_rng(0)
    A, B = (random.normal(size=shape).astype(dtype) for shape in ((n_rows, 40), (40, 30)))
    product, squares = multiply(A, B), gram(A)
    assert product.dtype == dtype
    assert squares.dtype == np.float64
    np.testing.assert_allclose(product, A @ B, rtol=1e-4, atol=1e-4)
    exact = A.astype(np.float64)
    np.testing.assert_allclose(squares, exact.T @ exact, rtol=1e-9, atol=1e-9)
    for name, n_jobs in (("serial", 1), ("threads", 1), ("threads", 3)):
        with make_engine(name, n_jobs) as engine:
            np.testing.assert_array_equal(multiply(A, B, engine.run_tasks), product)
            np.testing.assert_array_equal(gram(A, engine.run_tasks), squares)


@pytest.mark.parametrize("name", ["serial", "threads"])
def test_tasks_return_their_results_in_order_and_raise_their_errors(name):
    with make_engine(name, 3) as engine:
        for run in (engine.run_tasks, run_here):
            assert run(lambda n: n * n, range(100)) == [n * n for n in range(100)]
            assert run(str, []) == []
            with pytest.raises(ZeroDivisionError):
                run(lambda n: 1 / n, [1, 0, 2])


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_in_either_thread_ends_the_tasks(failing):
    both = Barrier(2, timeout=60)  # so that the caller and its helper have one task each

    def task(number):
        both.wait()
        if number == failing:
            raise ZeroDivisionError

    with make_engine("threads", 2) as engine:
        with pytest.raises(ZeroDivisionError):
            engine.run_tasks(task, [0, 1])
        assert engine.run_tasks(str, [0, 1]) == ["0", "1"]


def test_a_task_begun_runs_in_another_thread_if_there_is_one():
    for name, n_jobs, is_here in (("serial", 1, True), ("threads", 1, True), ("threads", 2, False)):
        with make_engine(name, n_jobs) as engine:
            assert (engine.begin(current_thread)() is current_thread()) == is_here


@pytest.mark.parametrize("shape", [(3, 9000), (9000, 60), (0, 4), (5, 5)])
def test_transpose(shape):
    A = np.random.default_rng(0).standard_normal(shape)
    found = transpose(A)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, A.T)
