"""Tests of metrics that compare rankings with relevance judgments."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score

from laconic.metrics import retrieval
from laconic.metrics.retrieval import (
    average_precision,
    mean_average_precision,
    ndcg,
    neighbour_precision,
    precision_at,
)
from tests.messages import refused

rankings = st.permutations(range(8))
judged = st.sets(st.integers(0, 7), min_size=1)
seeds = st.integers(0, 10_000)


def test_average_precision_on_paper():
    assert average_precision("axb", "ab") == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision("xyz", "a") == 0
    assert average_precision("", "a") == 0
    assert average_precision("ab", "") == 0
    # two of the four relevant documents are not found
    assert average_precision("ab", "abcd") == pytest.approx(0.5)
    assert average_precision("aab", "b") == 0.5  # a repeated document counts only once
    assert average_precision(np.array([3, 1]), np.array([1])) == 0.5


@given(rankings, judged)
def test_average_precision_equals_scikit_learn(ranking, relevant):
    truth = [item in relevant for item in ranking]
    expected = average_precision_score(truth, -np.arange(8))
    assert average_precision(ranking, relevant) == pytest.approx(expected)


def test_mean_average_precision():
    assert mean_average_precision(["ab", "ab"], ["a", "b"]) == 0.75
    assert mean_average_precision(["ab", "ab", "ab"], ["a", "b", ""]) == 0.75
    assert mean_average_precision([], []) == 0


def test_precision_on_paper():
    assert precision_at("axbc", "abc", 1) == 1
    assert precision_at("axbc", "abc", 2) == 0.5
    assert precision_at("ax", "a", 4) == 0.25  # the two missing ranks count as not relevant
    with refused("k must", "at least 1", "got 0"):
        precision_at("a", "a", 0)


def test_ndcg_on_paper():
    gains = {"a": 3, "b": 1}
    # the expected value is (1 + 3 / log2 3) / (3 + 1 / log2 3)
    log3 = np.log2(3)
    assert ndcg("ba", gains) == pytest.approx((1 + 3 / log3) / (3 + 1 / log3))
    assert ndcg("ab", gains) == ndcg("abx", gains) == 1
    assert ndcg("xab", gains, k=1) == 0
    assert ndcg("b", gains, k=1) == pytest.approx(1 / 3)
    assert ndcg("aa", gains) == pytest.approx(3 / (3 + 1 / log3))
    assert ndcg("ab", {}) == ndcg("ab", {"a": 0}) == 0
    with refused("gains", "finite", "not negative"):
        ndcg("a", {"a": -1})


@given(rankings, st.lists(st.integers(0, 3), min_size=8, max_size=8), st.integers(1, 9))
def test_ndcg_equals_scikit_learn(ranking, gains, k):
    scores = np.empty(8)
    scores[list(ranking)] = -np.arange(8)
    expected = ndcg_score([gains], [scores], k=k)
    assert ndcg(ranking, dict(enumerate(gains)), k) == pytest.approx(expected)


@given(rankings, judged)
def test_a_relevant_document_higher_up_is_no_worse(ranking, relevant):
    better = sorted(ranking, key=lambda item: item not in relevant)
    assert average_precision(better, relevant) == 1 >= average_precision(ranking, relevant)
    gains = dict.fromkeys(relevant, 1.0)
    assert ndcg(better, gains) == pytest.approx(1)
    assert ndcg(ranking, gains) <= 1 + 1e-12


# --- codes ---------------------------------------------------------------------------------------


def slow_neighbours(codes, labels):
    unit = codes / np.linalg.norm(codes, axis=1, keepdims=True)
    values = []
    for query in range(len(codes)):
        others = np.array([i for i in range(len(codes)) if i != query])
        ranked = others[np.argsort(-(unit[others] @ unit[query]))]
        relevant = [i for i in others if labels[i] == labels[query]]
        if relevant:
            values.append(average_precision(ranked, relevant))
    return np.mean(values)


@given(seeds)
def test_neighbours_equal_the_slow_way(seed):
    random = np.random.default_rng(seed)
    codes, labels = random.random((15, 3)), random.integers(0, 4, 15)
    found = neighbour_precision(codes, labels)
    assert found == pytest.approx(slow_neighbours(codes, labels))
    assert neighbour_precision(sp.csr_matrix(7 * codes), labels.astype(str)) == pytest.approx(found)


def test_neighbours_in_blocks(monkeypatch):
    random = np.random.default_rng(0)
    codes, labels = random.random((40, 3)), random.integers(0, 4, 40)
    whole = neighbour_precision(codes, labels, n_queries=25)
    monkeypatch.setattr(retrieval, "QUERY_BLOCK_ENTRIES", 100)
    assert neighbour_precision(codes, labels, n_queries=25) == pytest.approx(whole)


def test_neighbours_of_good_and_of_shuffled_codes(planted):
    _, truth = planted
    labels = truth.codes.argmax(axis=1)
    good = neighbour_precision(truth.codes, labels)
    random = np.random.default_rng(0)
    assert good > 0.9
    assert neighbour_precision(random.permutation(truth.codes), labels) < 0.4


def test_ties_are_in_random_order():
    """Zero codes are all equal, so documents sorted by label must not look like a good ranking."""
    labels = np.repeat([0, 1], 200)
    assert neighbour_precision(np.zeros((400, 2)), labels) == pytest.approx(0.5, abs=0.05)


def test_odd_neighbours():
    # no class has more than one document
    assert neighbour_precision(np.eye(3), ["a", "b", "c"]) == 0
    assert neighbour_precision(np.zeros((0, 2)), []) == 0
    with refused("2 labels", "3 codes"):
        neighbour_precision(np.eye(3), ["a", "b"])
    with refused("n_queries", "at least 1", "got 0"):
        neighbour_precision(np.eye(2), ["a", "a"], n_queries=0)


def test_rankings_and_judgments_come_in_pairs():
    with refused("2 rankings", "items of 1 query"):
        mean_average_precision([["a"], ["b"]], [["a"]])


def test_gains_are_finite():
    with refused("gains", "finite"):
        ndcg(["a"], {"a": float("inf")})
