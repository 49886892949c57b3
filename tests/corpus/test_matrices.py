"""Tests of reading a column of a sparse matrix."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.matrices import column_entries


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_entries_of_a_column(seed, n_rows, n_columns):
    draw = np.random.default_rng(seed)
    matrix = draw.random((n_rows, n_columns), dtype=np.float32)
    matrix[draw.random((n_rows, n_columns)) > 0.4] = 0
    for column in range(n_columns):
        rows, values = column_entries(sp.csr_matrix(matrix), column)
        assert rows.tolist() == np.flatnonzero(matrix[:, column]).tolist()
        assert values.tolist() == matrix[rows, column].tolist()
