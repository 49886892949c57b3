"""Tests of penalties: the prox is optimal, and `shrink` computes the prox."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.models.penalties import L1, Blocks, Group, NonNegative

N_TOPICS, N_WORDS = 3, 7
GROUPS = np.array([0, 1, 1, 2, 2, 2, 0])


def l1(alpha):
    return L1(alpha)


def non_negative(alpha):
    return NonNegative(alpha)


def group(alpha):
    return Group(alpha, GROUPS, np.sqrt([2.0, 2.0, 3.0]))


def positive_group(alpha):
    return Group(alpha, GROUPS, np.array([0.5, 0.0, 2.0]), positive=True)


PENALTIES = [l1, non_negative, group, positive_group]


def draw(seed):
    """Draw B with some zeros, and an `alpha` for each topic, one of which is 0."""
    random = np.random.default_rng(seed)
    B = np.round(random.standard_normal((N_TOPICS, N_WORDS)) * 4) / 2
    return B, np.array([0.0, 0.7, 1.5])[random.permutation(3)], random


def cost(penalty, A, B):
    return 0.5 * np.sum((A - B) ** 2) + penalty.value(A)


@pytest.mark.parametrize("make", PENALTIES)
@given(seed=st.integers(0, 10**6))
def test_prox_beats_every_other_point(make, seed):
    B, alpha, random = draw(seed)
    penalty = make(alpha)
    A = penalty.prox(B)
    best = cost(penalty, A, B)
    assert np.isfinite(best)
    others = [np.zeros_like(B), B, np.maximum(B, 0), 0.5 * (A + B)]
    for scale in (1e-4, 1e-2, 1.0):
        others += [A + scale * random.standard_normal(A.shape) for _ in range(10)]
        others += [A * (1 + scale * random.standard_normal(A.shape)) for _ in range(5)]
        others += [np.maximum(other, 0) for other in others[-15:]]
    assert all(cost(penalty, other, B) >= best - 1e-9 for other in others)


@pytest.mark.parametrize("make", PENALTIES)
def test_prox_of_one_topic_beats_a_grid(make):
    """Two words at a time vary over a fine grid, while the others keep the values of the prox."""
    B, alpha, _ = draw(3)
    penalty = make(alpha)
    A = penalty.prox(B)
    best = cost(penalty, A, B)
    steps = np.linspace(-4, 4, 33)
    for j, k in [(0, 6), (1, 2), (3, 5)]:
        for one in steps:
            for two in steps:
                other = A.copy()
                other[1, [j, k]] = one, two
                assert cost(penalty, other, B) >= best - 1e-9


@pytest.mark.parametrize("make", PENALTIES)
@given(seed=st.integers(0, 10**6))
def test_energy_tells_the_objective(make, seed):
    """<A, B - A> = λΩ(A), so that the objective is 1/2 (|X|^2 - |A|^2)."""
    B, alpha, _ = draw(seed)
    penalty = make(alpha)
    A = penalty.prox(B)
    assert np.sum(A * (B - A)) == pytest.approx(penalty.value(A), abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bounds", [[0, 7], [0, 1, 4, 7]], ids=["whole", "blocks"])
@pytest.mark.parametrize("make", PENALTIES)
@given(seed=st.integers(0, 10**6))
def test_shrink_is_prox(make, bounds, dtype, seed):
    B, alpha, _ = draw(seed)
    penalty = make(alpha)
    columns = np.ascontiguousarray(B.T.astype(dtype))
    blocks = Blocks([slice(*pair) for pair in pairwise(bounds)], columns.__getitem__)
    W, energy = penalty.shrink(blocks)
    A = penalty.prox(B)
    assert W.format == "csr"
    assert W.shape == (N_WORDS, N_TOPICS)
    assert W.dtype == dtype
    np.testing.assert_allclose(W.toarray().T, A, rtol=1e-5, atol=1e-6)
    assert energy == pytest.approx(np.sum(A**2), rel=1e-5, abs=1e-9)
    assert (W.data != 0).all()


def test_shrink_of_no_words():
    for make in PENALTIES[:2]:
        W, energy = make(np.ones(3)).shrink(Blocks.of(np.zeros((0, 3))))
        assert W.shape == (0, 3)
        assert energy == 0


@pytest.mark.parametrize(("positive", "plain"), [(False, L1), (True, NonNegative)])
@given(seed=st.integers(0, 10**6))
def test_groups_of_one_are_l1(positive, plain, seed):
    B, alpha, _ = draw(seed)
    alone = Group(alpha, np.arange(N_WORDS), np.ones(N_WORDS), positive=positive)
    A = plain(alpha).prox(B)
    np.testing.assert_allclose(alone.prox(B), A, atol=1e-12)
    assert alone.value(A) == pytest.approx(plain(alpha).value(A))


def test_what_is_not_allowed_costs_infinitely():
    negative = np.array([[1.0, -1.0]])
    assert NonNegative(np.ones(1)).value(negative) == np.inf
    assert Group(np.ones(1), np.zeros(2, int), np.ones(1), positive=True).value(negative) == np.inf
    assert L1(np.ones(1)).value(negative) == 2


def test_values_by_hand():
    A = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, -2.0]])
    alpha = np.array([1.0, 10.0])
    assert L1(alpha).value(A) == 7 + 20
    assert Group(alpha, np.array([0, 0, 1]), np.array([2.0, 1.0])).value(A) == 2 * 5 + 10 * 2
