"""Tests of inexact ALM, of both distances of table 1, and of search with weighted parts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.papers import (
    literal_pcp,
    pcp_distances,
    pcp_gibbs,
    pcp_large,
    pcp_retrieval,
    pcp_svds,
)
from benchmarks.papers.pcp_reference import objective, pursue, threshold_singular_values
from benchmarks.papers.pcp_synthetic import Sizes, leading, plant


def test_inexact_alm_recovers_a_matrix_of_low_rank() -> None:
    D, L0 = pcp_svds.corrupted(60, seed=0)
    found = literal_pcp.inexact_alm(D, 1 / np.sqrt(60))
    assert found.rank == 3
    assert found.residual <= literal_pcp.TOL
    np.testing.assert_allclose(found.low_rank, L0, atol=1e-3)


def test_partial_svds_in_float32_take_the_same_steps(monkeypatch) -> None:
    monkeypatch.setattr(pcp_large, "ROWS", 32)  # several blocks, the last one shorter
    D, _ = pcp_large.corrupted((90, 150), 12, seed=0)
    whole = literal_pcp.inexact_alm(D.astype(float), 1 / np.sqrt(150), tol=pcp_large.TOL)
    found = pcp_large.split(D, 1 / np.sqrt(150), seed=0)
    assert found.n_svds == whole.n_svds
    assert found.residual <= pcp_large.TOL
    assert found.low_rank.left.dtype == found.low_rank.right.dtype == np.float32
    assert len(found.low_rank.right) == whole.rank
    np.testing.assert_allclose(found.low_rank.rows(slice(None)), whole.low_rank, atol=1e-2)


def test_inexact_alm_is_near_the_minimum() -> None:
    D = plant(Sizes(60, 40, 4, 100), 0).clean.toarray()
    best = pursue(D, 0.15, tol=1e-6).objective
    found = literal_pcp.inexact_alm(D, 0.15)
    assert best <= objective(D, found.low_rank, 0.15) * (1 + 1e-6) <= 1.01 * best


@pytest.mark.parametrize("shape", [(30, 20), (20, 30)])
def test_thresholds_by_the_gram_matrix(shape: tuple[int, int]) -> None:
    X = np.random.default_rng(0).normal(size=shape)
    found, rank = literal_pcp.threshold_by_gram(X, 4.0)
    expected, _ = threshold_singular_values(X, 4.0)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert rank == np.linalg.matrix_rank(expected)


def test_both_distances_of_two_planes() -> None:
    t = np.deg2rad(30)
    first = np.eye(4)[:, :2]
    second = np.array([[1, 0], [0, np.cos(t)], [0, np.sin(t)], [0, 0]])
    found = pcp_distances.distances(first, second)
    assert found == pytest.approx((np.sqrt(t), t), abs=1e-6)


def test_leading_directions_are_those_of_the_svd() -> None:
    for shape in ((30, 20), (20, 30)):
        X = np.random.default_rng(1).normal(size=shape)
        found = pcp_distances.distances(pcp_distances.leading_words(X, 5), leading(X, 5))
        assert found.squared == pytest.approx(0, abs=1e-5)


def test_even_weights_are_the_counts() -> None:
    counts = sp.csr_matrix([[3.0, 0, 1], [0, 2, 0]])
    S = sp.csr_matrix([[2.0, 0, 0], [0, -1, 0]])
    assert (2 * pcp_retrieval.mixed(counts, S, 0.5)).tolist() == [3, 1, 2]
    assert pcp_retrieval.mixed(counts, S, 0.0).tolist() == [2, 0, 0]  # negative entries are cut
    assert pcp_retrieval.mixed(counts, S, 1.0).tolist() == [1, 1, 3]


def test_reading_is_chosen_by_the_printed_facts() -> None:
    assert pcp_gibbs.misfit(pcp_gibbs.PAPER_FACTS) == 0
    splits = {i: np.array([[0.6, 0.0], [1.9, -1.0]]) for i in pcp_gibbs.STEPS}
    D = sp.csr_matrix([[1.0, 0.0], [1.9, 0.0]])
    assert pcp_gibbs.facts(D, splits, np.rint) == (50, 50, 2, 2)
    assert pcp_gibbs.whole_words(splits[5], np.trunc).toarray().tolist() == [[0, 0], [1, 0]]
