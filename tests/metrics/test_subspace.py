"""Tests of angles and distances between subspaces."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.metrics.subspace import principal_angles, subspace_distance
from tests.messages import refused

seeds = st.integers(0, 10_000)


def slow_distance(A, B):
    """Compute eq. (13) of the paper from the singular values of a product of two bases."""
    A, B = (np.linalg.qr(rows.T)[0] for rows in (A, B))
    cosines = np.linalg.svd(A.T @ B, compute_uv=False)
    lacking = abs(A.shape[1] - B.shape[1])
    return np.sqrt(np.arccos(np.clip(cosines, 0, 1)).sum() + lacking * np.pi / 2)


@given(seeds, st.integers(1, 4), st.integers(1, 4))
def test_distance_equals_the_slow_way(seed, n, m):
    random = np.random.default_rng(seed)
    A, B = random.standard_normal((n, 6)), random.standard_normal((m, 6))
    assert subspace_distance(A, B) == pytest.approx(slow_distance(A, B), abs=1e-6)
    assert subspace_distance(A, B) == pytest.approx(subspace_distance(B, A))
    assert len(principal_angles(A, B)) == min(n, m)


@given(seeds, st.floats(0, np.pi / 2))
def test_a_known_angle_is_found_exactly(seed, angle):
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((5, 5)))[0]
    A = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]) @ Q
    B = np.array([[np.cos(angle), 0, np.sin(angle), 0, 0], [0, 1, 0, 0, 0]]) @ Q
    assert principal_angles(A, B) == pytest.approx([angle, 0], abs=1e-9)
    assert subspace_distance(A, B) ** 2 == pytest.approx(angle, abs=1e-9)


@given(seeds)
def test_the_basis_does_not_matter(seed):
    random = np.random.default_rng(seed)
    A = random.standard_normal((3, 8))
    mixed = random.standard_normal((3, 3)) @ A
    # the distance is the square root of rounding errors
    assert subspace_distance(A, mixed) == pytest.approx(0, abs=1e-3)
    assert subspace_distance(sp.csr_matrix(A), np.vstack([A, A[0] + A[1]])) < 1e-3


def test_on_paper():
    right = np.pi / 2
    assert principal_angles(np.eye(4)[:2], np.eye(4)[2:]) == pytest.approx([right, right])
    assert subspace_distance(np.eye(4)[:2], np.eye(4)[2:]) == pytest.approx(np.sqrt(np.pi))
    assert subspace_distance(np.eye(4)[:1], np.eye(4)) == pytest.approx(np.sqrt(3 * right))
    assert principal_angles([[1, 0]], [[1, 1]]) == pytest.approx([np.pi / 4])


def test_tiny_angles_are_told_apart():
    """The angle 1e-9 cannot be computed from its cosine, which is rounded to 1."""
    assert principal_angles([[1, 0]], [[1, 1e-9]]) == pytest.approx([1e-9], rel=1e-6)


def test_spaces_of_nothing():
    nothing = np.zeros((2, 3))
    assert principal_angles(nothing, np.eye(3)).tolist() == []
    assert subspace_distance(nothing, np.eye(3)[:2]) == pytest.approx(np.sqrt(np.pi))
    assert subspace_distance(nothing, np.zeros((0, 3))) == 0


def test_shuffled_words_are_far(planted):
    _, truth = planted
    shuffled = truth.topics[:, np.random.default_rng(0).permutation(truth.topics.shape[1])]
    assert subspace_distance(truth.topics, shuffled) > 1.5
    assert subspace_distance(truth.topics, truth.topics[::-1]) < 1e-3


def test_sentences():
    with refused("2 and 3 columns"):
        principal_angles(np.eye(2), np.eye(3))
    with refused("matrix", "two dimensions", "got an array with 1"):
        principal_angles([1, 2], np.eye(2))
    with refused("NaN", "infinity"):
        subspace_distance([[np.nan, 1]], np.eye(2))
