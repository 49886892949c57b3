"""Tests of word codes as sparse rows, compared with bisection."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.stc_words import encode_words
from laconic.kernels.stc_workspace import Penalties
from tests.kernels import slow_stc_coding as slow
from tests.kernels.test_stc_coding import numbers, penalties_of_all_kinds


def encode(X, words, theta, penalties, index=np.int32):
    data, indices, indptr = encode_words(
        X.data.astype(words.dtype),
        X.indices.astype(index),
        X.indptr.astype(index),
        words,
        theta.astype(words.dtype),
        penalties,
    )
    assert data.dtype == words.dtype
    assert (data > 0).all()
    codes = sp.csr_matrix((data, indices, indptr), shape=(X.nnz, words.shape[1]))
    assert codes.has_canonical_format
    return codes.toarray()


@given(
    numbers,
    penalties_of_all_kinds,
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([np.int32, np.int64]),
)
def test_codes_are_those_of_bisection(seed, penalties, dtype, index):
    random = np.random.default_rng(seed)
    words = slow.draw_dictionary(random, 8, 4)
    X = slow.draw_counts(random, 3, 8, scale=random.choice([0.1, 1.0, 100.0]))
    theta = random.gamma(1.0, size=(3, 4)) * (random.random((3, 4)) < 0.6)
    found = encode(X, words.astype(dtype), theta, penalties, index)
    expected = np.vstack(
        [
            slow.word_codes(row.data, words[row.indices], theta[d], penalties).reshape(-1, 4)
            for d, row in enumerate(X)
        ]
    )
    close = 1e-8 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(found, expected, rtol=close, atol=close * (1 + expected.max()))


def test_many_entries_find_room():
    random = np.random.default_rng(0)
    words = slow.draw_dictionary(random, 40, 3, density=1.0)
    X = slow.draw_counts(random, 50, 40)
    codes = encode(X, words, np.ones((50, 3)), Penalties(1.0, 0.0, 0.0, 0.0, 0.1, 1e-3, True))
    assert (codes > 0).all()


@pytest.mark.parametrize("poisson", [True, False])
def test_words_without_a_topic_have_zeros_and_empty_documents_no_rows(poisson):
    words = np.array([[0.5, 0.1], [0.0, 0.0], [0.5, 0.9]])
    X = sp.csr_matrix(np.array([[0.0, 0, 0], [1, 2, 3], [0, 4, 0]]))
    penalties = Penalties(1.0, 0.01, 0.0, 0.0, 0.1, 1e-3, poisson)
    codes = encode(X, words, np.ones((3, 2)), penalties)
    assert codes.any(axis=1).tolist() == [True, False, True, False]
