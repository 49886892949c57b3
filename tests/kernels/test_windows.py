"""Tests of counts of sliding windows, compared with windows that are counted one by one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels.windows import count_documents, count_windows, pick_places
from tests.kernels import slow_windows as slow

N_WORDS = 4
PAIRS = sp.csr_matrix(np.ones((N_WORDS, N_WORDS)) - np.eye(N_WORDS))

tokens = st.one_of(st.none(), st.integers(0, N_WORDS - 1))  # None is a word that is not counted
documents_of_all_kinds = st.lists(st.lists(tokens, max_size=14), max_size=5)
sizes = st.integers(1, 9)


def run(documents, size, compatible, pattern=PAIRS, index=np.int64):
    numbers = np.array([-1 if t is None else t for d in documents for t in d], dtype=np.int32)
    lengths = np.array([len(document) for document in documents], dtype=np.int64)
    words, places, ends = pick_places(numbers, np.cumsum(lengths))
    pattern = pattern.copy()
    n_windows, occurrences, pattern.data = count_windows(
        words, places, ends, lengths, size, compatible,
        pattern.indptr.astype(index), pattern.indices.astype(index), N_WORDS,
    )  # fmt: skip
    return n_windows, occurrences, pattern + pattern.T


def check(found, expected):
    n_windows, occurrences, pairs = found
    total, counts = expected
    assert n_windows == total
    assert occurrences.tolist() == [counts[word] for word in range(N_WORDS)]
    for first, second in permutations(range(N_WORDS), 2):
        assert pairs[first, second] == counts[min(first, second), max(first, second)]


@given(documents_of_all_kinds, sizes, st.sampled_from([np.int32, np.int64]))
def test_correct_count(documents, size, index):
    check(run(documents, size, False, index=index), slow.count_correctly(documents, size))


@given(documents_of_all_kinds, sizes)
def test_compatible_count(documents, size):
    check(run(documents, size, True), slow.count_like_gensim(documents, size))


@given(documents_of_all_kinds)
def test_a_window_of_whole_documents(documents):
    total, counts = slow.count_correctly(documents, 99)
    assert total == len(documents)
    check(run(documents, 1 << 62, False), (total, counts))


def test_by_hand():
    # windows of three tokens: 0 . 0, . 0 1, 0 1 .
    document = [0, None, 0, 1, None]
    n_windows, occurrences, pairs = run([document], 3, False)
    assert (n_windows, occurrences.tolist(), pairs[0, 1]) == (3, [3, 1 + 1, 0, 0], 2)
    # gensim drops word 0 when its first token leaves, although its second token is in the window
    n_windows, occurrences, pairs = run([document], 3, True)
    assert (n_windows, occurrences.tolist(), pairs[0, 1]) == (3, [1, 2, 0, 0], 0)


def test_only_the_pairs_asked_for():
    pattern = sp.csr_matrix(([1.0, 1.0], ([0, 2], [2, 0])), shape=(N_WORDS, N_WORDS))
    _, occurrences, pairs = run([[0, 1, 2]], 3, False, pattern)
    assert occurrences.tolist() == [1, 1, 1, 0]
    assert pairs.toarray().tolist() == [[0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


@given(documents_of_all_kinds, sizes, st.booleans())
def test_counts_of_parts_add(documents, size, compatible):
    whole = run(documents, size, compatible)
    parts = [run(part, size, compatible) for part in (documents[:2], documents[2:])]
    assert whole[0] == parts[0][0] + parts[1][0]
    assert np.array_equal(whole[1], parts[0][1] + parts[1][1])
    assert abs(whole[2] - parts[0][2] - parts[1][2]).sum() == 0


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_documents(index):
    X = sp.csr_matrix([[2, 0, 1, 5], [0, 0, 0, 0], [1, 1, 0, 1]])
    numbers = np.array([0, 1, -1, 2], dtype=np.int32)  # the third column is not counted
    occurrences, half = count_documents(
        X.indptr.astype(index), X.indices.astype(index), numbers, PAIRS.indptr, PAIRS.indices, 4
    )
    pairs = sp.csr_matrix((half, PAIRS.indices, PAIRS.indptr), PAIRS.shape)
    assert occurrences.tolist() == [2, 1, 2, 0]
    assert (pairs + pairs.T)[:3, :3].toarray().tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
