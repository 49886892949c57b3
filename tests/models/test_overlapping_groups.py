"""Tests of the penalty for groups that overlap: optimality conditions and a slow reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.models.penalties import Blocks, Group, OverlappingGroup

N_TOPICS, N_WORDS = 3, 8
SETS = [[0, 1, 2], [2, 3], [2, 3, 4, 5], [1, 5, 6], [7], [0, 1, 2, 3, 4, 5, 6]]
ALPHA = np.array([0.0, 0.6, 1.3])


def members_of(sets, n_words=N_WORDS):
    rows = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    return sp.csr_matrix((np.ones(len(rows)), (rows, np.concatenate(sets))), (len(sets), n_words))


def draw(seed, positive):
    random = np.random.default_rng(seed)
    B = np.round(random.standard_normal((N_TOPICS, N_WORDS)) * 4) / 2
    weights = np.sqrt(list(map(len, SETS))) * random.uniform(0.3, 1.2, len(SETS))
    return B, weights, OverlappingGroup(ALPHA, members_of(SETS), weights, positive)


def dykstra(b, limits, positive):
    """Return b minus its projection on all balls |u_g| <= limit_g, by Dykstra's algorithm."""
    u, corrections = b.copy(), np.zeros((len(SETS), len(b)))
    for _ in range(5000):
        for g, words in enumerate(SETS):
            point = u + corrections[g]
            projected = point.copy()
            part = np.maximum(point[words], 0) if positive else point[words]
            norm = np.linalg.norm(part)
            if norm > limits[g]:
                projected[words] = point[words] - part * (1 - limits[g] / norm)
            corrections[g], u = point - projected, projected
    return b - u


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_prox_equals_a_slow_projection(seed, positive):
    B, weights, penalty = draw(seed, positive)
    A = penalty.prox(B)
    for k, alpha in enumerate(ALPHA):
        np.testing.assert_allclose(A[k], dykstra(B[k], alpha * weights, positive), atol=1e-6)


@pytest.mark.parametrize("positive", [False, True])
@given(seed=st.integers(0, 10**6))
def test_optimality_conditions(positive, seed):
    B, weights, penalty = draw(seed, positive)
    A = penalty.prox(B)
    copies = penalty.copies.toarray()
    remainder = B - A
    total = 0.0
    for g, words in enumerate(SETS):
        start, stop = penalty.members.indptr[g : g + 2]
        for k, alpha in enumerate(ALPHA):
            part = remainder[k, words]
            part = np.maximum(part, 0) if positive else part
            norm, limit = np.linalg.norm(part), alpha * weights[g]
            own = copies[k, start:stop]
            assert norm <= limit + 1e-6
            assert not positive or (own >= 0).all()
            if alpha and own.any():  # a selected group reaches its limit and points along R
                assert norm == pytest.approx(limit, abs=1e-6)
                np.testing.assert_allclose(own, np.linalg.norm(own) / limit * part, atol=1e-5)
            total += limit * np.linalg.norm(own)
    sums = np.zeros_like(A)
    np.add.at(sums, (slice(None), penalty.members.indices), copies)
    np.testing.assert_allclose(sums, A, atol=1e-12)
    # <A, B - A> = λΩ(A), so that the objective is 1/2 (|X|^2 - |A|^2).
    assert np.sum(A * remainder) == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("positive", [False, True])
@given(seed=st.integers(0, 10**6))
def test_without_overlap_it_is_the_group_lasso(positive, seed):
    B = draw(seed, positive)[0]
    weights, groups = np.array([0.5, 2.0, 1.0]), np.array([0, 1, 1, 2, 2, 2, 0, 1])
    members = members_of([np.flatnonzero(groups == g) for g in range(3)])
    latent = OverlappingGroup(ALPHA, members, weights, positive)
    np.testing.assert_allclose(
        latent.prox(B), Group(ALPHA, groups, weights, positive).prox(B), atol=1e-9
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shrink_is_prox(dtype):
    B, _, penalty = draw(5, False)
    columns = np.ascontiguousarray(B.T.astype(dtype))
    W, energy = penalty.shrink(Blocks([slice(3), slice(3, None)], columns.__getitem__))
    A = penalty.prox(B)
    assert W.dtype == dtype
    np.testing.assert_allclose(W.toarray().T, A, rtol=1e-5)
    assert energy == pytest.approx(np.sum(A**2))
    assert (W.data != 0).all()


def test_an_entry_outside_selected_groups_is_exactly_zero():
    B = np.array([[5.0, 5, 5, 0.1, 0.1, 0.1, 0.1, 0.1]])
    penalty = OverlappingGroup(np.array([1.0]), members_of(SETS), np.sqrt(list(map(len, SETS))))
    assert np.flatnonzero(penalty.prox(B)).tolist() == [0, 1, 2]
