"""Tests of the kernels of search, compared with slow and simple versions."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.matrices import unit_rows
from laconic.kernels.postings import (
    add_weights,
    best_blended,
    best_rows,
    cosines_of_rows,
    dense_cosines,
    group_maxima,
    moments,
    rows_from,
    sparse_cosines,
    topic_cosines,
)
from laconic.kernels.spelling import edit_distances
from laconic.retrieval.codes import Codes


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
    rows = draw.integers(n_documents, size=4)
    some = np.empty(4, dtype=np.float32)
    cosines_of_rows(csr.data, csr.indices, csr.indptr, rows, codes[:, 0].copy(), some)
    np.testing.assert_array_equal(some, sparse[rows, 0])


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_cosines_by_topic_are_equal(seed, n_topics, n_documents):
    draw = np.random.default_rng(seed)
    matrix = draw.normal(size=(n_documents, n_topics)).astype(np.float32)
    matrix[draw.random(matrix.shape) > 0.4] = 0
    code = draw.normal(size=n_topics) * (draw.random(n_topics) > 0.5)
    codes = Codes.of(sp.csr_matrix(matrix))
    by_topic = np.zeros(n_documents, dtype=np.float32)
    weights = (code / (np.linalg.norm(code) or 1)).astype(np.float32)
    topic_cosines(*codes._by_topic, weights, by_topic)
    ((_, by_document),) = codes.cosine_blocks([code])
    np.testing.assert_allclose(by_topic, by_document[:, 0], atol=1e-6)
    np.testing.assert_array_equal(codes.cosines(code), by_topic)


@given(st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_weights_and_moments_are_those_of_numpy(seed, n):
    draw = np.random.default_rng(seed)
    lexical, norms = draw.random((2, n), dtype=np.float32) + np.float32(0.1)
    documents = np.flatnonzero(draw.random(n) < 0.5).astype(np.int32)
    counts = draw.integers(1, 9, len(documents)).astype(np.float32)
    idf, scale = np.float32(1.7), np.float32(0.3)
    expected = lexical.copy()
    expected[documents] += counts / (counts + norms[documents]) * idf
    expected[documents[:3]] += counts[:3] / (counts[:3] + norms[documents[:3]]) * scale
    bounds = np.array([0, len(documents), min(len(documents), 3)])
    weights = np.array([idf, scale])
    add_weights(documents, counts, norms, bounds[[0, 0]], bounds[1:], weights, lexical)
    np.testing.assert_allclose(lexical, expected, rtol=1e-6)
    mean, mean_square = moments(lexical)
    np.testing.assert_allclose(mean, lexical.mean(dtype=np.float64), rtol=1e-12)
    np.testing.assert_allclose(mean_square, np.mean(lexical.astype(float) ** 2), rtol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(0, 300), st.integers(1, 400), st.integers(1, 9))
def test_best_sums_are_those_of_a_stable_sort(seed, n, k, n_values):
    """With few different values, many sums are equal."""
    draw = np.random.default_rng(seed)
    lexical, background = draw.integers(-1, n_values, (2, n)).astype(np.float32)
    scale, weight, unit = draw.random(3, dtype=np.float32) + np.float32(0.1)
    sums = lexical / scale + weight * (background / unit)
    order = np.argsort(-sums, kind="stable")
    found = best_blended(lexical, background, scale, weight, unit, k)
    assert found.tolist() == [row for row in order if sums[row] > 0][:k]


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(1, 300), st.integers(0, 9))
def test_rows_from_a_limit_and_maxima_of_groups(seed, n, most, limit):
    scores = np.random.default_rng(seed).integers(0, 9, n).astype(np.float32)
    expected = np.flatnonzero(scores >= limit).tolist()
    found = rows_from(scores, np.float32(limit), most)
    assert len(found) == most + 1 if len(expected) > most else found.tolist() == expected
    maxima = np.empty(max(n // 7, 1), np.float32)
    group_maxima(scores, maxima)
    assert maxima.tolist() == [scores[i :: len(maxima)].max() for i in range(len(maxima))]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_codes_of_unit_length(seed, n_topics, n_documents):
    draw = np.random.default_rng(seed)
    matrix = draw.normal(size=(n_documents, n_topics)).astype(np.float32)
    matrix[draw.random(matrix.shape) > 0.4] = 0
    rows = draw.integers(n_documents, size=5)
    found = Codes.of(sp.csr_matrix(matrix)).documents(rows)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, unit_rows(matrix[rows]), rtol=1e-6)


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
