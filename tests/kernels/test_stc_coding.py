"""Tests of the codes of a document: optimality conditions, and a slow version in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.kernels import stc_coding as coding
from laconic.kernels.stc_start import start_code
from laconic.kernels.stc_workspace import Penalties, load_document, open_workspace
from laconic.kernels.vectors import LANES
from tests.kernels import slow_stc_coding as slow

numbers = st.integers(0, 10**6)


def kinds_of_penalties(word_penalties):
    """Build penalties with both losses and with both norms of word codes and document codes."""
    return st.builds(
        lambda coupling, word, document, word_norm, doc_norm, poisson: Penalties(
            coupling,
            word if word_norm == "l1" else 0.0,
            word if word_norm == "l2" else 0.0,
            document if doc_norm == "l1" else 0.0,
            document if doc_norm == "l2" else 0.0,
            1e-3,
            poisson,
        ),
        st.sampled_from([0.1, 1.0, 10.0]),
        st.sampled_from(word_penalties),
        st.sampled_from([0.01, 0.1, 3.0]),
        st.sampled_from(["l1", "l2"]),
        st.sampled_from(["l1", "l2"]),
        st.booleans(),
    )


penalties_of_all_kinds = kinds_of_penalties([0.0, 0.03, 1.0])
# Without a word penalty the objective is nearly flat, and a loose tolerance says little.
penalised = kinds_of_penalties([0.03, 1.0])


def draw_document(seed, scale=1.0):
    random = np.random.default_rng(seed)
    n_words, n_topics = random.integers(1, 20), random.integers(1, 7)
    betas = slow.draw_dictionary(random, n_words, n_topics) * random.choice([1.0, 0.03])
    return random.integers(1, 6, n_words) * scale, betas


def open_document(counts, betas, penalties, dtype=np.float64):
    """Return a workspace that holds the document, and the number of topics that it may use."""
    n_words, n_topics = betas.shape
    betas = betas.astype(dtype)
    workspace = open_workspace(n_topics, n_words + 5, betas.dtype)
    for part in workspace:
        if part.dtype == dtype:
            part[:] = 7  # simulate values that another document left in the workspace
    used = load_document(
        workspace, counts.astype(dtype), np.arange(n_words), betas, np.zeros(n_topics, dtype),
        penalties, False,
    )  # fmt: skip
    start_code(workspace, used, n_words, penalties)
    return workspace, used


def solve(counts, betas, penalties, *, tol=1e-9, max_steps=2000, newton=True, dtype=np.float64):
    """Return θ, the objective, and the number of steps."""
    workspace, used = open_document(counts, betas, penalties, dtype)
    steps = coding.solve_code(workspace, used, len(counts), penalties, tol, max_steps, newton)
    # compute the word codes exactly
    coding.solve_code(workspace, used, len(counts), penalties, tol, 1, newton)
    value = coding.measure_objective(workspace, used, len(counts), penalties)
    theta = np.zeros(betas.shape[1])
    theta[workspace.topics[:used]] = workspace.code[:used]
    return theta, value, steps


@given(numbers, penalties_of_all_kinds, st.sampled_from([0.1, 1.0, 30.0]))
def test_optimality_and_objective(seed, penalties, scale):
    counts, betas = draw_document(seed, scale)
    theta, value, _ = solve(counts, betas, penalties)
    assert (theta >= 0).all()
    assert slow.residual(counts, betas, theta, penalties) <= 1e-7
    s = slow.word_codes(counts, betas, theta, penalties)
    explicit = slow.objective(counts, betas, s, theta, penalties)
    assert value == pytest.approx(explicit, rel=1e-8, abs=1e-8)


@given(numbers, penalised)
def test_default_tolerance_is_kept_within_a_hundred_steps(seed, penalties):
    counts, betas = draw_document(seed)
    theta, value, steps = solve(counts, betas, penalties, tol=1e-3, max_steps=100)
    best = solve(counts, betas, penalties)[1]
    assert value <= best + 1e-3 * (1 + abs(best))
    if steps < 100:
        assert slow.residual(counts, betas, theta, penalties) <= 2e-2


def test_words_that_jump_do_not_make_documents_cycle():
    """A word that no topic reaches at θ = 0 overshoots, so that pure Newton steps would cycle."""
    betas = np.array(
        [
            [2.4e-7, 1.6e-3, 9.5e-6, 1.6e-2],
            [8.5e-7, 4.6e-5, 3.1e-2, 4.7e-4],
            [3.3e-2, 1.1e-3, 1.1e-8, 1.6e-2],
            [1.8e-5, 3.1e-2, 2.0e-3, 7.0e-4],
        ]
    )
    counts, penalties = (
        np.array([0.1, 0.4, 0.1, 0.1]),
        Penalties(0.1, 1.0, 0.0, 0.0, 1.0, 1e-3, True),
    )
    for tol in (1e-3, 1e-8):
        theta, value, _ = solve(counts, betas, penalties, tol=tol, max_steps=100)
        best = solve(counts, betas, penalties, newton=False)[1]
        assert value == pytest.approx(best, rel=1e-4)
        assert slow.residual(counts, betas, theta, penalties) <= 0.1


@given(numbers, penalties_of_all_kinds)
def test_newton_is_plain_gradient_descent(seed, penalties):
    counts, betas = draw_document(seed)
    _, value, _ = solve(counts, betas, penalties)
    _, plain, many = solve(counts, betas, penalties, newton=False, tol=1e-7, max_steps=500)
    assert value <= plain + 1e-7 * (1 + abs(plain))
    if many < 500:
        assert value == pytest.approx(plain, rel=1e-5, abs=1e-6)


@given(numbers, penalised)
def test_single_precision_is_double_precision(seed, penalties):
    counts, betas = draw_document(seed)
    exact, rough = (
        solve(counts, betas, penalties, tol=1e-4, max_steps=100, dtype=dtype)[1]
        for dtype in (np.float64, np.float32)
    )
    assert rough == pytest.approx(exact, rel=1e-4, abs=1e-3)


@given(numbers, penalties_of_all_kinds)
def test_gradient_is_that_of_finite_differences(seed, penalties):
    counts, betas = draw_document(seed)
    theta = np.random.default_rng(seed).gamma(1.0, size=betas.shape[1])

    def value(theta):
        s = slow.word_codes(counts, betas, theta, penalties)
        return slow.objective(counts, betas, s, theta, penalties)

    workspace, used = open_document(counts, betas, penalties)
    topics = workspace.topics[:used]
    theta[np.setdiff1d(np.arange(len(theta)), topics)] = 0
    nudges = 1e-6 * np.eye(len(theta))[topics]
    numeric = np.array([(value(theta + e) - value(theta - e)) / 2e-6 for e in nudges])
    workspace.code[:used] = theta[topics]
    coding.solve_code(workspace, used, len(counts), penalties, 1e-12, 1, True)
    scale = 1 + np.abs(numeric).max(initial=0)
    np.testing.assert_allclose(workspace.gradient[:used], numeric, atol=1e-4 * scale)


@given(numbers, penalties_of_all_kinds)
def test_word_steps_fall_monotonically_from_the_right(seed, penalties):
    counts, betas = draw_document(seed)
    workspace, used = open_document(counts, betas, penalties)
    n = len(counts)
    u = workspace.u
    u[:] = 1e6
    last = u[:n].copy()
    for _ in range(betas.shape[1] + 2):
        coding.step_words(workspace, used, n, penalties, 0.0)
        assert (u[:n] <= last + 1e-9 * (1 + np.abs(last))).all()
        last = u[:n].copy()
    assert coding.step_words(workspace, used, n, penalties, 1e-10)


@given(numbers, penalties_of_all_kinds)
def test_topics_left_out_from_the_start_are_zero_in_the_solution(seed, penalties):
    counts, betas = draw_document(seed)
    betas[:, 0] *= 1e-4
    workspace, used = open_document(counts, betas, penalties)
    theta, _, _ = solve(counts, betas, penalties)
    kept = workspace.topics[:used]
    assert not np.delete(theta, kept).any()
    assert slow.residual(counts, betas, theta, penalties) <= 1e-6


@pytest.mark.parametrize("n_words", [1, LANES - 1, LANES, LANES + 1])
def test_padding_has_no_say(n_words):
    random = np.random.default_rng(n_words)
    betas = slow.draw_dictionary(random, n_words, 3)
    counts = random.integers(1, 6, n_words).astype(float)
    penalties = Penalties(1.0, 0.05, 0.0, 0.0, 0.1, 1e-3, True)
    theta, _, _ = solve(counts, betas, penalties)
    assert slow.residual(counts, betas, theta, penalties) <= 1e-7


@pytest.mark.parametrize("poisson", [True, False])
def test_penalties_that_leave_nothing(poisson):
    counts, betas = draw_document(3)
    penalties = Penalties(1.0, 1e6, 0.0, 0.0, 0.1, 1e-3, poisson)
    theta, value, _ = solve(counts, betas, penalties)
    assert not theta.any()
    nothing = -counts * np.log(1e-3) if poisson else counts**2 / 2
    assert value == pytest.approx(nothing.sum())
