"""Tests of PCP(solver="exact") against the dual problem and a full-SVD reference."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from laconic import PCP
from laconic.corpus.chunks import MemoryChunk
from laconic.models.pcp import exact as pursuit
from laconic.models.pcp.douglas_rachford import Anderson, Splitting
from laconic.models.pcp.exact import (
    Pursuit,
    bytes_needed,
    steps_remembered,
    threshold_singular_values,
)
from tests.messages import check, refused
from tests.models.pcp import reference
from tests.models.pcp.fits import distance

numbers = st.integers(0, 10**6)
factors = st.sampled_from([1.0, 2.0, 4.0, 10.0])


def fit(X, **params):
    return PCP(solver="exact", **{"engine": "serial", "max_iter": 1000, **params}).fit(X)


def draw_counts(seed):
    """Draw counts of rare and frequent words in short and long documents."""
    random = np.random.default_rng(seed)
    n_documents, n_words = random.integers(2, 20, 2)
    rates = random.gamma(1.0, 1.0, n_words) * random.gamma(2.0, 1.0, (n_documents, 1))
    return random.poisson(rates).astype(float)


def background_of(model, X):
    return model.transform(X).toarray() @ model.components_


def violation(D, L, S, Y, penalty):
    """Return how far L and S are from optimal.

    At an optimum, Y is a subgradient of the nuclear norm at L and of the penalty at S.
    """
    left, values, right = np.linalg.svd(L, full_matrices=False)
    rank = int(np.count_nonzero(values > 1e-4 * values.max(initial=0)))
    on_L = np.abs(left[:, :rank].T @ Y @ right[:rank].T - np.eye(rank)).max(initial=0)
    on_S = np.abs(Y[S != 0] - penalty * np.sign(S[S != 0])).max(initial=0) / penalty
    return max(on_L, on_S, np.linalg.norm(Y, 2) - 1, np.abs(Y).max() / penalty - 1)


# ---- the optimum ----


@given(numbers, factors)
@settings(max_examples=8)
def test_objective_of_the_reference(seed, c):
    X = draw_counts(seed)
    assume(X.any())
    model = fit(X, c=c)
    assert model.converged_
    assert model.gap_ <= 1e-5
    L, _ = reference.pursue(X, model.alpha_)
    best = reference.objective(X, L, model.alpha_)
    assert model.objective_[-1] == pytest.approx(best, rel=1e-5)
    S = model.keywords_.toarray()
    assert reference.objective(X, X - S, model.alpha_) == pytest.approx(best, rel=1e-5)
    parts = model.split(X)
    own = reference.objective(X, parts.background.toarray(), model.alpha_)
    assert own == pytest.approx(best, rel=1e-5)


@given(numbers, factors)
@settings(max_examples=8)
def test_parts_add_up(seed, c):
    X = draw_counts(seed)
    assume(X.any())
    model = fit(X, c=c)
    parts = model.split(X)
    assert distance(parts.background + parts.keywords, X) <= 1e-6
    assert distance(background_of(model, X) + model.keywords_.toarray(), X) <= 1e-6


@pytest.mark.parametrize("shape", [(25, 40), (40, 25), (30, 30)])
@pytest.mark.parametrize("c", [2.0, 6.0])
def test_certificate(shape, c):
    """The dual point Y of the reference certifies the optimum: Y is ±λ on S and U V' on L."""
    X = np.random.default_rng(0).poisson(0.8, shape).astype(float)
    X[np.random.default_rng(1).random(shape) < 0.05] += 9
    model = fit(X, c=c, tol=1e-8, max_iter=3000)
    S = model.keywords_.toarray()
    L = X - S
    _, Y = reference.pursue(X, model.alpha_)
    assert violation(X, L, S, Y, model.alpha_) <= 5e-3
    gap = reference.objective(X, L, model.alpha_) - reference.dual_value(X, Y, model.alpha_)
    assert 0 <= gap / model.objective_[-1] + 1e-12 <= 1e-6


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_planted_parts_are_found_exactly(seed, flipped):
    """λ is the theoretical value; rank and share of nonzeros are well within the bounds."""
    L, S = reference.low_rank_and_sparse(50, 70, 2, 0.05, seed)
    if flipped:
        L, S = L.T.copy(), S.T.copy()
    solved = Pursuit(sp.csr_matrix(L + S)).solve(1 / np.sqrt(70), 1e-8, 1000)
    assert solved.converged
    assert len(solved.singular_values) == 2
    assert distance(solved.sparse.toarray(), S) <= 1e-5
    expected = np.linalg.svd(L, compute_uv=False)[:2]
    np.testing.assert_allclose(solved.singular_values, expected, rtol=1e-5)
    span = solved.basis.T @ solved.basis
    assert distance(L @ span, L) <= 1e-5


def test_planted_counts_are_found_exactly():
    """The background is an integer matrix of rank one, and a few words are far above it."""
    random = np.random.default_rng(0)
    background = np.outer(random.integers(2, 9, 40), random.integers(2, 6, 60)).astype(float)
    keywords = np.where(random.random(background.shape) < 0.03, 50.0, 0)
    X = background + keywords
    model = fit(X, c=1, tol=1e-8)
    assert model.rank_ == 1
    assert distance(model.keywords_.toarray(), keywords) <= 1e-5
    assert distance(background_of(model, X), background) <= 1e-5
    assert distance(model.keywords(X).toarray(), keywords) <= 1e-5


def test_attributes():
    X = draw_counts(5)
    model = fit(X, c=2.0)
    assert model.alpha_ == pytest.approx(2 / np.sqrt(max(X.shape)))
    assert model.components_.shape == (model.rank_, X.shape[1])
    np.testing.assert_allclose(
        model.components_ @ model.components_.T, np.eye(model.rank_), atol=1e-6
    )
    values = np.linalg.svd(X - model.keywords_.toarray(), compute_uv=False)[: model.rank_]
    np.testing.assert_allclose(model.singular_values_, values, rtol=1e-4, atol=1e-4)
    assert np.all(np.diff(model.singular_values_) <= 0)
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert np.all(np.diff(model.objective_) <= 0)
    assert model.n_iter_ == len(model.objective_)
    assert sp.issparse(model.keywords_)
    assert np.array_equal(fit(X, alpha=model.alpha_).components_, model.components_)


def test_penalties():
    X = COUNTS[:12]
    for counts in (X, X.T):
        scale = 1 / np.sqrt(20)  # 20 is the larger dimension of X
        assert fit(counts).alpha_ == pytest.approx(10 * scale)
        assert fit(counts, c=3).alpha_ == pytest.approx(3 * scale)
        assert fit(counts, alpha=0.7).alpha_ == 0.7
    shares = [fit(X, c=c).keywords_.nnz for c in (1, 1.5, 3)]
    assert shares[0] > shares[1] > shares[2]


@pytest.mark.parametrize("target", [1.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keywords_per_document(target, dtype):
    X, _, _ = reference.topics_and_keywords(30, 50, 3, 0, length=60)
    X[-3:] = 0  # empty documents have no keywords and are not counted in the mean
    model = fit(X.astype(dtype), keywords_per_document=target)
    assert model.keywords(X).nnz / 27 == pytest.approx(target, rel=0.3)


def test_not_converged_says_so():
    X = draw_counts(1)
    with pytest.warns(ConvergenceWarning) as seen:
        model = fit(X, c=1, max_iter=3)
    # not golden, because the message contains a measured number
    check(str(seen[0].message), "PCP", "gap", "3 steps", golden=False)
    assert [w.filename for w in seen] == [__file__]
    assert not model.converged_
    assert model.n_iter_ == 3
    assert model.gap_ > 1e-5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit(X, c=1, tol=0.3).gap_ <= 0.3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(numbers)
@settings(max_examples=10)
def test_the_gap_is_a_bound(seed):
    """After any number of steps, the optimum is at most `gap_` below the objective."""
    X = draw_counts(seed)
    assume(X.any())
    L, _ = reference.pursue(X, 2 / np.sqrt(max(X.shape)), gap=1e-6)
    best = reference.objective(X, L, 2 / np.sqrt(max(X.shape)))
    # near `tol` the bound is tighter
    for n_steps, tol in ((15, 1e-7), (5, 5e-3), (8, 2e-3), (15, 5e-4)):
        model = fit(X, c=2, max_iter=n_steps, tol=tol)
        assert model.objective_[-1] * (1 + 1e-9) >= best * (1 - 1e-6)
        assert model.objective_[-1] * (1 - model.gap_) <= best * (1 + 1e-9)


def test_values_of_all_sizes_do_not_diverge():
    random = np.random.default_rng(0)
    X = random.poisson(0.7, (30, 20)) * 10.0 ** random.integers(-6, 7, (30, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fit(X, alpha=0.1, max_iter=300)
    assert np.linalg.norm(model.keywords_.toarray()) <= 2 * np.linalg.norm(X)
    assert np.linalg.norm(background_of(model, X)) <= 2 * np.linalg.norm(X)


@given(numbers, st.sampled_from([0.0, 0.5, 3.0, 1e3]))
def test_singular_values_are_thresholded(seed, threshold):
    random = np.random.default_rng(seed)
    n, m = sorted(random.integers(1, 12, 2))
    Z = random.normal(size=(n, m))
    low = threshold_singular_values(Z, threshold)
    np.testing.assert_allclose(
        low.L, reference.threshold_singular_values(Z, threshold), atol=1e-6 * (1 + threshold)
    )
    assert len(low.values) == low.vectors.shape[1]
    assert (low.values > 0).all()


# ---- the steps of the solver ----


def test_another_step_size_keeps_the_dual():
    random = np.random.default_rng(0)
    D, L = random.poisson(1.0, (4, 6)).astype(float), random.normal(size=(4, 6))
    splitting = Splitting(D, np.full(4, 0.5), 2.0, 3)
    splitting.shrink(L)
    Y = splitting.dual(L)
    assert np.abs(Y).max() <= 0.5 + 1e-12
    np.testing.assert_allclose(L + splitting.F + splitting.sparse(L).toarray(), D, atol=1e-12)
    splitting.past.last = (L, L)
    splitting.rescale(L, 4.0)
    assert splitting.mu == 8
    assert splitting.past.last is None  # earlier steps are forgotten, because they had another size
    np.testing.assert_allclose(splitting.Z, L + Y / 8, atol=1e-12)


def test_extrapolated_steps_find_the_fixed_point_of_a_linear_map():
    random = np.random.default_rng(0)
    A, b = np.diag([0.99, -0.9, 0.5, 0.95]), random.normal(size=(4, 1))
    goal = np.linalg.solve(np.eye(4) - A, b)
    Z, past = np.zeros((4, 1)), Anderson(5, (4, 1))
    for _ in range(12):
        F = A @ Z + b - Z
        past.advance(Z, F, float(np.linalg.norm(F)))
    np.testing.assert_allclose(Z, goal, rtol=1e-3)


def test_a_step_that_goes_wrong_is_taken_back():
    past, Z = Anderson(5, (1, 2)), np.zeros((1, 2))
    past.advance(Z, np.array([[1.0, 0]]), 1.0)
    past.advance(Z, np.array([[0.5, 0.1]]), 0.5)
    goal = past.last[1].copy()
    assert past.n_stored == 1
    past.advance(Z, np.array([[5.0, 5.0]]), 7.0)
    np.testing.assert_array_equal(Z, goal)  # Z returns to the result of the last plain step
    assert past.n_stored == 0
    assert past.last is None


# ---- memory ----


def test_a_matrix_too_large_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(MemoryChunk, "load", lambda chunk: pytest.fail("it was loaded"))
    X, model = sp.csr_matrix((300_000, 70_000), dtype=np.float32), PCP(solver="exact")
    tracemalloc.start()
    try:
        with refused(
            f"{bytes_needed(300_000, 70_000, 0):,} bytes",
            "300,000 documents x 70,000 words",
            "solver='factored'",
        ) as caught:
            model.fit(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert peak < 50e6
    assert not hasattr(model, "components_")


def test_less_memory_means_fewer_remembered_steps_and_the_same_parts(monkeypatch):
    X = draw_counts(13)
    whole = fit(X, c=2)
    remembered = []
    for memory in (4, 2, 0):
        monkeypatch.setattr(pursuit, "MAX_BYTES", bytes_needed(*X.shape, memory))
        remembered.append(steps_remembered(*X.shape))
        model = fit(X, c=2, max_iter=20_000)
        assert model.objective_[-1] == pytest.approx(whole.objective_[-1], rel=1e-5)
    assert remembered == [4, 2, 0]
    monkeypatch.setattr(pursuit, "MAX_BYTES", bytes_needed(*X.shape, 0) - 1)
    with refused("solver='factored'"):
        fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("memory", [0, 8])
def test_the_stated_memory_is_not_exceeded(memory, monkeypatch):
    X = sp.csr_matrix(np.random.default_rng(0).poisson(0.3, (150, 250)).astype(float))
    monkeypatch.setattr(pursuit, "MAX_BYTES", bytes_needed(150, 250, memory))
    fit(X, max_iter=2)  # load everything that is loaded only once, before memory is measured
    tracemalloc.start()
    fit(X, c=2.0, max_iter=60)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= bytes_needed(150, 250, memory)


# ---- small and unusual input ----

COUNTS = np.random.default_rng(0).poisson(0.7, (30, 20)).astype(float)
STRANGE = {
    "zeros": np.zeros((5, 4)),
    "one document": COUNTS[:1],
    "one word": COUNTS[:, :1],
    "one number": np.array([[3.0]]),
    "copies": np.tile(COUNTS[:1], (20, 1)),
    "two kinds": np.tile(COUNTS[:2], (10, 1)),
    "mostly empty": np.vstack([COUNTS[:2], np.zeros((18, 20))]),
    "tiny": COUNTS * 1e-6,
    "huge": COUNTS * 1e6,
    "one word each": np.eye(9),
    "not counts": COUNTS * 0.37,
}


@pytest.mark.parametrize("X", STRANGE.values(), ids=STRANGE.keys())
@pytest.mark.parametrize(
    ("params", "dtype"), [({}, "f8"), ({"c": 1.5}, "f4"), ({"alpha": 0.3}, "f8")], ids=str
)
def test_little_and_strange_counts(X, dtype, params):
    X = X.astype(dtype)
    model = fit(X, **params)
    assert model.converged_
    for values in (model.objective_, model.topic_shares_, model.singular_values_, model.gap_):
        assert np.isfinite(values).all()
    codes, parts, found = model.transform(X), model.split(X), model.keywords(X)
    assert codes.shape == (len(X), model.rank_)
    assert codes.dtype == model.components_.dtype == found.dtype == dtype
    assert parts.background.dtype == parts.keywords.dtype == model.keywords_.dtype == dtype
    together = parts.background.toarray().astype(float) + parts.keywords.toarray()
    assert distance(together, X.astype(float)) <= 1e-6
    assert (found.data > 0).all()
    assert not found.toarray()[X == 0].any()
    empty = ~X.any(axis=1)
    assert not np.abs(parts.background.toarray()[empty]).max(initial=0)
    assert not parts.keywords.toarray()[empty].any()


def test_nothing_has_no_background():
    model = fit(np.zeros((5, 4)))
    assert model.rank_ == 0
    assert model.components_.shape == (0, 4)
    assert model.transform(np.ones((3, 4))).shape == (3, 0)
    assert model.gap_ == 0
    # A direction of their own costs less than keywords.
    np.testing.assert_array_equal(model.split(np.ones((3, 4))).background, np.ones((3, 4)))


def test_documents_that_are_alike_are_split_alike():
    X = np.vstack([COUNTS, COUNTS])
    model = fit(X, c=2)
    parts = model.split(X)
    for part in (parts.keywords.toarray(), parts.background.toarray(), model.keywords_.toarray()):
        np.testing.assert_allclose(part[:30], part[30:], atol=1e-4)
