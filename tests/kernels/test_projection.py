"""Tests of products of sparse documents with topics, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse as sp

from laconic.kernels import projection
from tests.models.pairwise import pairwise

sizes = st.tuples(st.integers(0, 7), st.integers(1, 14), st.integers(1, 5))
dtypes = st.sampled_from([np.float32, np.float64])
index_types = st.sampled_from([np.int32, np.int64])
# Types of the numbers, of the documents' indices and of the topics' indices. The rows cover all
# pairs of types, and each row needs its own compilation.
types = st.sampled_from(pairwise([np.float32, np.float64], *[[np.int32, np.int64]] * 2))


def draw_matrix(seed, n, m, dtype, index, *, density=0.5):
    """Draw a dense matrix with empty rows; return it and the three arrays of its CSR form."""
    random = np.random.default_rng(seed)
    dense = random.standard_normal((n, m)) * (random.random((n, m)) < density)
    if n > 2:
        dense[random.integers(n)] = 0
    X = sp.csr_matrix(dense.astype(dtype))
    return X.toarray(), (X.data, X.indices.astype(index), X.indptr.astype(index))


def close(dtype):
    return {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-12}


@given(sizes, st.integers(0, 999), dtypes, index_types)
def test_gather_rows_is_the_product(shape, seed, dtype, index):
    n, m, k = shape
    dense, X = draw_matrix(seed, n, m, dtype, index)
    W = np.random.default_rng(seed + 1).standard_normal((m, k)).astype(dtype)
    out = np.full((n, k), np.nan, dtype)
    projection.gather_rows(*X, W, out)
    np.testing.assert_allclose(out, dense @ W, **close(dtype))


@given(sizes, st.integers(0, 999), types)
def test_products_with_sparse_topics(shape, seed, types):
    (n, m, k), (dtype, index, w_index) = shape, types
    dense, rows = draw_matrix(seed, n, m, dtype, index)
    C = sp.csc_matrix(dense)
    columns = C.data, C.indices.astype(index), C.indptr.astype(index)
    topics, W = draw_matrix(seed + 1, m, k, dtype, w_index)
    for project, X in ((projection.project_dense, rows), (projection.project_columns, columns)):
        out = np.full((n, k), np.nan, dtype)
        project(*X, *W, out)
        np.testing.assert_allclose(out, dense @ topics, **close(dtype))


@given(sizes, st.integers(0, 999), types)
def test_sparse_projection_is_the_product(shape, seed, types):
    (n, m, k), (dtype, index, w_index) = shape, types
    dense, X = draw_matrix(seed, n, m, dtype, index)
    topics, W = draw_matrix(seed + 1, m, k, dtype, w_index)
    data, indices, indptr = projection.project_sparse(*X, *W, k)
    assert data.dtype == dtype
    assert np.all(data != 0)
    product = sp.csr_matrix((data, indices, indptr), shape=(n, k))
    assert product.has_canonical_format  # sorted topics without duplicates
    np.testing.assert_allclose(product.toarray(), dense @ topics, **close(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_entries_that_cancel_are_not_stored(dtype):
    X = sp.csr_matrix(np.array([[1, 1]], dtype))
    W = sp.csr_matrix(np.array([[2, 1], [-2, 0]], dtype))
    data, indices, _ = projection.project_sparse(
        X.data, X.indices, X.indptr, W.data, W.indices, W.indptr, 2
    )
    assert data.tolist() == [1]
    assert indices.tolist() == [1]


def test_nan_is_not_lost():
    X = sp.csr_matrix(np.array([[np.nan, 1.0]]))
    out = np.zeros((1, 2))
    projection.gather_rows(X.data, X.indices, X.indptr, np.eye(2), out)
    assert np.isnan(out[0, 0])


@given(sizes, st.integers(0, 999), dtypes, index_types)
def test_values_are_ordered_by_column(shape, seed, dtype, index):
    n, m, _ = shape
    _, (data, indices, indptr) = draw_matrix(seed, n, m, dtype, index)
    columns = sp.csr_matrix((data, indices, indptr), (n, m)).tocsc()
    out = np.empty_like(data)
    projection.order_by_column(data, indices, columns.indptr.astype(index), out)
    np.testing.assert_array_equal(out, columns.data)


def test_sizes_are_sums_of_absolute_values():
    dense = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    totals = np.ones(3)
    projection.add_sizes(dense, totals)
    np.testing.assert_allclose(totals, 1 + np.abs(dense.astype(float)).sum(axis=0))
