"""The full-SVD solver that laconic's PCP is compared with solves the problem exactly."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import pursuit
from benchmarks.harness import Run
from benchmarks.papers import pcp_reference
from benchmarks.papers.pcp_reference import objective, pursue, pyrpca_low_rank
from benchmarks.reuters import counted, reuters
from laconic import PCP

needs_pyrpca = pytest.mark.skipif(
    not pcp_reference.has_pyrpca(), reason="pyrpca is not installed; it is in laconic[bench]"
)


@pytest.fixture(scope="module")
def matrix() -> np.ndarray:
    """Counts of synthetic stories, words x documents."""
    stories = reuters(Run("made up", smoke=True))
    return np.ascontiguousarray(counted(stories, title_words=False).counts.T.toarray())


ALPHA = 0.25


@pytest.fixture(scope="module")
def solved(matrix: np.ndarray) -> pcp_reference.Pursuit:
    return pursue(matrix, ALPHA)


def test_planted_parts_are_found_again() -> None:
    random = np.random.default_rng(0)
    L = random.normal(size=(80, 3)) @ random.normal(size=(3, 60))
    S = np.where(random.random(L.shape) < 0.05, random.choice([-5.0, 5.0], L.shape), 0)
    found = pursue(L + S, 1 / np.sqrt(80))
    assert found.gap <= 1e-7
    np.testing.assert_allclose(found.low_rank, L, atol=1e-4)
    np.testing.assert_allclose(found.sparse, S, atol=1e-4)


def test_gap_and_residual_are_met(matrix: np.ndarray, solved: pcp_reference.Pursuit) -> None:
    assert solved.gap <= 1e-7
    assert solved.residual <= 1e-7
    assert np.abs(solved.dual).max() <= ALPHA * (1 + 1e-12)
    assert solved.sparse.any()
    assert solved.low_rank.any()


def test_dual_is_a_subgradient(matrix: np.ndarray, solved: pcp_reference.Pursuit) -> None:
    """At the solution, Y equals λ sign(S) on keywords and U V' on the space of the background."""
    at = np.abs(solved.sparse) > 1e-3
    np.testing.assert_allclose(solved.dual[at], ALPHA * np.sign(solved.sparse[at]), rtol=1e-9)
    U, values, Vt = np.linalg.svd(solved.low_rank)
    rank = int(np.count_nonzero(values > 1e-3))
    np.testing.assert_allclose(U[:, :rank].T @ solved.dual @ Vt[:rank].T, np.eye(rank), atol=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1.0))
def test_no_other_split_is_cheaper(
    matrix: np.ndarray, solved: pcp_reference.Pursuit, seed: int, size: float
) -> None:
    random = np.random.default_rng(seed)
    step = np.outer(random.normal(size=matrix.shape[0]), random.normal(size=matrix.shape[1]))
    other = objective(matrix, solved.low_rank + size * step, ALPHA)
    assert other >= solved.objective * (1 - 1e-7)


def test_objective_of_our_exact_solver_is_the_same(
    matrix: np.ndarray, solved: pcp_reference.Pursuit
) -> None:
    stories = reuters(Run("made up", smoke=True))
    counts = counted(stories, title_words=False).counts
    ours = PCP(solver="exact", alpha=ALPHA).fit(counts)
    value = objective(matrix, (counts - ours.keywords_).toarray().T, ALPHA)
    assert value == pytest.approx(solved.objective, rel=1e-5)


@needs_pyrpca
def test_pyrpca_comes_as_low_with_slow_growth_only(
    matrix: np.ndarray, solved: pcp_reference.Pursuit
) -> None:
    slow, default = (
        objective(matrix, pyrpca_low_rank(matrix, ALPHA, rho), ALPHA) / solved.objective - 1
        for rho in (pursuit.PYRPCA_RHO, 1.5)
    )
    assert -1e-7 < slow < pursuit.SAME
    assert slow < default


def test_svd_falls_back_where_divide_and_conquer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise np.linalg.LinAlgError("SVD did not converge")

    X = np.random.default_rng(0).normal(size=(6, 4))
    expected = scipy.linalg.svdvals(X)
    monkeypatch.setattr(pcp_reference, "svd", fail)
    np.testing.assert_allclose(pcp_reference.full_svd(X)[1], expected)


def test_clock_stops_at_a_target(matrix: np.ndarray) -> None:
    whole = pursuit.Clock(matrix, ALPHA, 0.0)
    pursue(matrix, ALPHA, watch=whole)
    target = 1.001 * min(whole.objectives)
    short = pursuit.Clock(matrix, ALPHA, target)
    found = pursue(matrix, ALPHA, watch=short)
    assert found.n_iter == len(short.objectives) < len(whole.objectives)
    assert short.objectives[-1] <= target < short.objectives[-2]
    assert short.seconds == sorted(short.seconds)
