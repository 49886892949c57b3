"""Tests of the kernels of search, compared with slow and simple versions."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.postings import best_rows, dense_cosines, sparse_cosines
from laconic.kernels.spelling import edit_distances


@given(st.lists(st.integers(-2, 3), max_size=40), st.integers(1, 50))
def test_best_rows_are_those_of_a_stable_sort(values, k):
    scores = np.array(values, dtype=np.float32)
    order = np.argsort(-scores, kind="stable")
    assert best_rows(scores, k).tolist() == [row for row in order if scores[row] > 0][:k]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9), st.integers(1, 3))
def test_cosines_of_sparse_and_dense_rows(seed, n_topics, n_documents, n_codes):
    draw = np.random.default_rng(seed)
    matrix = draw.normal(size=(n_documents, n_topics)).astype(np.float32)
    matrix[draw.random(matrix.shape) > 0.4] = 0
    codes = draw.normal(size=(n_topics, n_codes)).astype(np.float32)
    sparse, dense = np.full((2, n_documents, n_codes), np.nan, dtype=np.float32)
    csr = sp.csr_matrix(matrix)
    sparse_cosines(csr.data, csr.indices, csr.indptr, codes, sparse)
    dense_cosines(matrix, codes, dense)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    expected = matrix @ codes / np.where(lengths > 0, lengths, 1)
    np.testing.assert_allclose(sparse, expected, rtol=1e-4, atol=1e-5)
    # equal, because the same numbers are added in the same order
    np.testing.assert_array_equal(sparse, dense)


def slow_distance(a: str, b: str) -> int:
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            steps = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (x != y)]
            if i > 1 and j > 1 and (x, a[i - 2]) == (b[j - 2], y):
                steps.append(table[i - 2, j - 2] + 1)
            table[i, j] = min(steps)
    return table[len(a), len(b)]


def code_points(*words: str) -> np.ndarray:
    return np.array([ord(letter) for word in words for letter in word], dtype=np.int32)


words = st.text(st.sampled_from("abé"), min_size=1, max_size=6)


@given(words, st.lists(words, max_size=6), st.integers(1, 3))
def test_distances_of_words(word, others, most):
    ends = np.cumsum([len(other) for other in others], dtype=np.int64)
    found = edit_distances(code_points(word), code_points(*others), ends, most)
    assert found.tolist() == [min(slow_distance(word, other), most + 1) for other in others]
