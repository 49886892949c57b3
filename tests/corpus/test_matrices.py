"""Tests of the helpers for matrices: columns, and rows of unit length."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.matrices import column_entries, dense, unit_rows


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_entries_of_a_column(seed, n_rows, n_columns):
    draw = np.random.default_rng(seed)
    matrix = draw.random((n_rows, n_columns), dtype=np.float32)
    matrix[draw.random((n_rows, n_columns)) > 0.4] = 0
    for column in range(n_columns):
        rows, values = column_entries(sp.csr_matrix(matrix), column)
        assert rows.tolist() == np.flatnonzero(matrix[:, column]).tolist()
        assert values.tolist() == matrix[rows, column].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unit_rows_of_arrays_and_sparse_matrices(dtype):
    rows = np.array([[3, 0, 4], [0, 0, 0], [-1e-3, 0, 0]], dtype)
    expected = [[0.6, 0, 0.8], [0, 0, 0], [-1, 0, 0]]
    sparse = sp.csr_matrix(rows)
    for matrix in (rows, sparse):
        units = unit_rows(matrix)
        assert units.dtype == dtype
        np.testing.assert_allclose(dense(units), expected, rtol=1e-6)
    assert unit_rows(sparse, np.float64).dtype == np.float64
    assert np.array_equal(sparse.toarray(), rows)  # the argument does not change
    assert unit_rows(np.zeros((0, 2))).shape == (0, 2)
