"""Tests of the diversity, redundancy, sparsity and size of topics."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic import STC
from laconic.metrics.topics import (
    Entries,
    bytes_of,
    diversity,
    effective_dimension,
    redundancy,
    zeros,
)
from tests.messages import refused

seeds = st.integers(0, 10_000)


def test_diversity_on_paper():
    assert diversity([["a", "b"], ["c", "d"]]) == 1
    assert diversity([["a", "b"], ["b", "a"]]) == 0.5
    assert diversity([["a", "b", "c"], ["a"]]) == 0.75
    assert diversity([["a"]] * 4) == 0.25
    assert diversity([]) == diversity([[], []]) == 0


def test_redundancy_on_paper():
    assert redundancy(np.eye(3)) == 0
    assert redundancy([[1, 1], [2, 2]]) == pytest.approx(1)
    assert redundancy([[1, 1], [-2, -2]]) == pytest.approx(1)  # the sign of a topic is arbitrary
    # cosines: 0.6 (first, second), 0 (first, third), 0.8 (second, third); maxima: 0.6, 0.8, 0.8
    assert redundancy([[1, 0], [0.6, 0.8], [0, 1]]) == pytest.approx((0.6 + 0.8 + 0.8) / 3)
    assert redundancy([[1, 2]]) == 0
    assert redundancy([[1, 0], [0, 0]]) == 0  # a topic without words is similar to no other topic


@given(seeds)
def test_redundancy_equals_the_slow_way(seed):
    random = np.random.default_rng(seed)
    A = random.standard_normal((5, 7)) * (random.random((5, 7)) < 0.4)
    lengths = np.linalg.norm(A, axis=1)
    expected = [
        max(
            abs(A[i] @ A[j]) / (lengths[i] * lengths[j]) if lengths[i] * lengths[j] else 0
            for j in range(5)
            if j != i
        )
        for i in range(5)
    ]
    assert redundancy(sp.csr_matrix(A)) == pytest.approx(np.mean(expected))
    assert redundancy(3 * A[::-1]) == pytest.approx(np.mean(expected))


def test_a_shuffled_or_copied_model_is_worse(planted):
    _, truth = planted
    copied = truth.topics[[0, 0, 1, 1, 2]]
    assert redundancy(copied) > redundancy(truth.topics) + 0.3
    random = np.random.default_rng(0)
    mixed = np.array([random.permutation(column) for column in truth.topics.T]).T
    assert redundancy(mixed + mixed[::-1]) > redundancy(truth.topics)


@pytest.mark.parametrize("kind", [list, np.array, sp.csr_matrix, sp.csc_array, sp.coo_matrix])
def test_zeros(kind):
    assert zeros(kind([[0, 1, 0], [0, 0, 2.5]])) == pytest.approx(4 / 6)


def test_zeros_of_odd_things():
    assert zeros(np.zeros((0, 5))) == zeros(sp.csr_matrix((0, 3))) == 1
    stored = sp.csr_matrix(([0.0, 1.0], ([0, 0], [0, 1])), shape=(1, 2))
    assert zeros(stored) == 0.5  # stored zeros count as zeros
    assert zeros([sp.eye(2), np.ones((1, 4))]) == 2 / 8
    assert Entries(0, 0).merge(Entries(3, 4)).zeros == 0.25
    with refused("zeros", "numeric"):
        zeros(["a", "b"])


def test_zeros_of_word_codes(planted):
    corpus, _ = planted
    codes = STC(5, max_iter=3, n_jobs=1).fit(corpus).word_codes(corpus[:20])
    assert zeros(codes) == pytest.approx(codes.zeros)
    assert zeros(codes) == zeros(codes.entries)


def test_bytes():
    assert bytes_of(np.zeros(10)) == 80
    matrix = sp.csr_matrix(np.eye(3, dtype=np.float32))
    assert bytes_of(matrix) == 3 * 4 + 3 * 4 + 4 * 4
    assert bytes_of([np.zeros(10), matrix]) == 80 + 40
    assert bytes_of(sp.coo_matrix(np.eye(3))) == 3 * 8 + 6 * 4


def test_numbers_that_are_not_finite_are_refused():
    with refused("finite"):
        redundancy([[1.0, np.nan], [0.0, 1.0]])


def test_effective_dimension_counts_weights_per_word():
    topics = np.array([[0, 1.0, 0], [2.0, 3.0, 0]])
    assert effective_dimension(topics) == effective_dimension(sp.csr_matrix(topics)) == 1
    assert effective_dimension(np.ones((7, 3))) == 7
    assert effective_dimension(np.zeros((7, 0))) == 0
