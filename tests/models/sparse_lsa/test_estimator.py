"""Tests of SparseLSA: the formulas, a falling objective, optimal results, planted topics."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, reject
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from laconic import Corpus, LaconicError, SparseLSA, Weighting
from laconic.models.sparse_lsa import procrustes
from laconic.models.sparse_lsa.estimator import screen
from tests.models.sparse_lsa import reference

PENALTIES = ("l1", "positive", "groups")


def penalty_of(kind, alpha, n_words):
    """Return a penalty of the reference and the parameters of SparseLSA that set this penalty."""
    if kind == "l1":
        return reference.l1(alpha), {"alpha": alpha}
    if kind == "positive":
        return reference.positive(alpha), {"alpha": alpha, "positive": True}
    groups = np.arange(n_words) % max(2, n_words // 3)
    return reference.grouped(alpha, groups), {"alpha": alpha, "groups": groups}


def fit(X, n_components, **params):
    """Fit SparseLSA in this thread, without warnings about convergence or empty topics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".*topics (were requested|have no words)")
        return SparseLSA(n_components, engine="serial", **params).fit(X)


# ---- the same numbers as the reference ----


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("kind", PENALTIES)
def test_same_passes_as_the_reference(kind, momentum, monkeypatch):
    monkeypatch.setattr(procrustes, "MOMENTUM", momentum)
    X = reference.documents(5, 20, 30)
    X[:, 20:] *= 0.01  # these words are screened out, but they still count in the objective
    penalty, params = penalty_of(kind, 0.4, 30)
    model = fit(X, 4, init="identity", max_iter=12, tol=0, **params)
    start = np.eye(20)[:, :4]
    A, values = reference.alternate(X, start, penalty, passes=12, momentum=momentum)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-9)
    np.testing.assert_allclose(
        reference.matched(A, model.components_.toarray()), A, rtol=1e-6, atol=1e-8
    )


def test_momentum_saves_passes():
    X = reference.documents(8, 60, 80)
    values = {}
    for momentum in (0.0, 0.9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(procrustes, "MOMENTUM", momentum)
            values[momentum] = fit(X, 6, init="identity", alpha=0.5, max_iter=15, tol=0).objective_
    assert values[0.9][-1] < values[0.0][-1]


def test_a_pass_is_the_papers_by_coordinate_descent():
    """The update of A is M lasso problems (eq. 2.5), solved here by scikit-learn's Lasso."""
    X = reference.documents(2, 15, 12)
    lasso = Lasso(alpha=0.5 / 15, fit_intercept=False, tol=1e-12)
    U = np.eye(15)[:, :3]
    U = reference.polar(X @ lasso.fit(U, X).coef_)
    A = lasso.fit(U, X).coef_.T
    model = fit(X, 3, alpha=0.5, init="identity", max_iter=1)
    np.testing.assert_allclose(reference.matched(A, model.components_.toarray()), A, atol=1e-6)


# ---- the objective ----


@given(
    seed=st.integers(0, 10**6),
    n_documents=st.integers(2, 14),
    n_words=st.integers(2, 18),
    n_components=st.integers(1, 6),
    share=st.sampled_from([0.0, 0.05, 0.3]),
    kind=st.sampled_from(PENALTIES),
    init=st.sampled_from(["pivot", "identity", "random"]),
    copies=st.integers(0, 1),
    rank=st.sampled_from([None, 2]),
)
def test_objective_never_rises_and_is_the_explicit_one(
    seed, n_documents, n_words, n_components, share, kind, init, copies, rank
):
    X = reference.documents(seed, n_documents, n_words, copies=copies, rank=rank) + 0.01
    alpha = share * np.linalg.norm(X, axis=0).max()
    penalty, params = penalty_of(kind, alpha, n_words)
    try:
        model = fit(X, n_components, init=init, tol=1e-13, max_iter=400, **params)
    except LaconicError as error:
        if "leaves no word" not in str(error):
            raise
        reject()  # `alpha` is too large for a start from single documents
    values = model.objective_
    assert len(values) >= 1
    assert np.all(np.diff(values) <= 1e-12 * np.sum(X**2))
    explicit = reference.best_objective(X, model.components_.toarray(), penalty)
    assert explicit == pytest.approx(values[-1], abs=1e-6 * np.sum(X**2))


@pytest.mark.parametrize("kind", PENALTIES)
def test_optimality_at_the_solution(kind):
    X = reference.documents(11, 40, 60)
    penalty, params = penalty_of(kind, 0.7, 60)
    model = fit(X, 5, tol=1e-14, max_iter=3000, **params)
    A = model.components_.toarray()
    residual = A - penalty.prox(reference.polar(X @ A.T).T @ X)
    assert model.converged_
    assert np.abs(residual).max() < 1e-4 * np.abs(A).max()


def test_default_tolerance_ends_near_the_optimum():
    X = reference.documents(11, 80, 60)
    rough = fit(X, 5, alpha=0.7)
    exact = fit(X, 5, alpha=0.7, tol=1e-14, max_iter=3000)
    assert rough.converged_
    assert rough.n_iter_ < exact.n_iter_
    assert rough.objective_[-1] <= exact.objective_[-1] * 1.01


def test_pivot_start_is_no_worse_than_the_papers():
    X = reference.documents(4, 120, 90, density=0.1)
    ends = {init: fit(X, 10, alpha=0.5, init=init).objective_[-1] for init in ("pivot", "identity")}
    assert ends["pivot"] <= ends["identity"] * 1.005


def test_papers_stopping_rule():
    X = reference.documents(6, 25, 30)
    penalty = reference.l1(0.5)
    U, change, passes = np.eye(25)[:, :4], np.inf, 0
    A = penalty.prox(U.T @ X)
    while change >= 0.01:
        new = reference.polar(X @ A.T)
        moved = penalty.prox(new.T @ X)
        change = max(np.abs(moved - A).max(), np.abs(new - U).max())
        A, U, passes = moved, new, passes + 1
    model = fit(X, 4, alpha=0.5, init="identity", stop="paper")
    assert model.converged_
    assert model.n_iter_ == passes > 2
    np.testing.assert_allclose(
        reference.matched(A, model.components_.toarray()), A, rtol=1e-6, atol=1e-8
    )


# ---- special cases with a known solution ----


@pytest.mark.parametrize("init", ["pivot", "identity", "random"])
def test_without_penalty_it_spans_the_subspace_of_lsa(init):
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 5)) @ random.standard_normal((5, 40))
    X += 0.1 * random.standard_normal(X.shape)
    model = fit(X, 5, alpha=0.0, init=init, tol=1e-15, max_iter=2000)
    basis = scipy.linalg.orth(model.components_.toarray().T)
    lsa = np.linalg.svd(X)[2][:5].T
    assert scipy.linalg.subspace_angles(basis, lsa).max() < 1e-4
    assert model.objective_[-1] == pytest.approx(
        0.5 * np.sum(np.linalg.svd(X, compute_uv=False)[5:] ** 2), rel=1e-8
    )


@pytest.mark.parametrize("positive", [False, True])
def test_groups_of_one_word_are_l1(positive):
    X = reference.documents(1, 30, 25)
    plain = fit(X, 4, alpha=0.5, positive=positive, tol=0, max_iter=15, init="random")
    alone = fit(
        X, 4, alpha=0.5, positive=positive, tol=0, max_iter=15, init="random", groups=np.arange(25)
    )
    np.testing.assert_allclose(plain.objective_, alone.objective_, rtol=1e-10)
    np.testing.assert_allclose(plain.components_.toarray(), alone.components_.toarray(), atol=1e-7)


def test_groups_stay_or_go_whole():
    X = reference.documents(7, 40, 30, density=0.8)
    groups = np.repeat(np.arange(10), 3)
    model = fit(X, 4, alpha=1.2, groups=groups)
    kept = model.components_.toarray().reshape(4, 10, 3) != 0
    assert np.array_equal(kept.any(axis=2), kept.all(axis=2))
    assert 0 < kept.any(axis=2).sum() < 40


def test_groups_given_by_word_equal_groups_given_by_column():
    X = np.round(reference.documents(7, 40, 6, density=0.8) * 3)
    words = list("abcdef")
    mapping = {"a": "left", "b": "left", "c": "right", "d": "right"}
    named = fit(Corpus(X, words), 2, alpha=1.0, groups=mapping, group_weights=None)
    plain = fit(X.astype(np.float32), 2, alpha=1.0, groups=[0, 0, 1, 1, 2, 3])
    np.testing.assert_allclose(
        named.components_.toarray(), plain.components_.toarray(), rtol=1e-5, atol=1e-6
    )


def test_group_weights_choose():
    X = reference.documents(7, 40, 6, density=0.9)
    groups = [0, 0, 0, 1, 1, 1]
    first = fit(X, 1, alpha=1.0, groups=groups, group_weights=[0.1, 100.0]).components_
    second = fit(X, 1, alpha=1.0, groups=groups, group_weights={0: 100.0, 1: 0.1}).components_
    assert first.indices.tolist() == [0, 1, 2]
    assert second.indices.tolist() == [3, 4, 5]


def test_positive_topics_are_not_negative():
    X = reference.documents(9, 30, 40) - 0.3
    assert (fit(X, 5, alpha=0.2, positive=True).components_.data > 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_is_dense(dtype):
    X = reference.documents(3, 30, 40).astype(dtype)
    dense, sparse = (fit(data, 4, alpha=0.4) for data in (X, sp.csr_matrix(X)))
    assert np.array_equal(dense.components_.toarray(), sparse.components_.toarray())
    assert np.array_equal(dense.objective_, sparse.objective_)
    assert dense.components_.dtype == dtype
    for kind in (sp.csc_matrix, sp.coo_matrix, sp.csr_array):
        assert np.array_equal(
            fit(kind(X), 4, alpha=0.4).components_.toarray(), dense.components_.toarray()
        )


def test_int64_indices_are_int32_indices():
    X = sp.csr_matrix(reference.documents(3, 30, 40))
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    narrow, wide_fit = fit(X, 4, alpha=0.4), fit(wide, 4, alpha=0.4)
    assert np.array_equal(narrow.components_.toarray(), wide_fit.components_.toarray())
    assert np.array_equal(narrow.transform(X).toarray(), wide_fit.transform(wide).toarray())


def test_entries_in_parts_and_out_of_order_are_summed():
    X = reference.documents(3, 30, 40)
    messy = sp.coo_matrix(X)
    messy = sp.csr_matrix(
        (
            np.concatenate([messy.data / 2, messy.data[::-1] / 2]),
            (
                np.concatenate([messy.row, messy.row[::-1]]),
                np.concatenate([messy.col, messy.col[::-1]]),
            ),
        ),
        shape=X.shape,
    )
    rough = sp.csr_matrix((30, 40))
    order = np.concatenate([np.r_[X[i].nonzero()[0][::-1], X[i].nonzero()[0]] for i in range(30)])
    lengths = np.cumsum([0] + [2 * np.count_nonzero(X[i]) for i in range(30)])
    rough.data = np.concatenate(
        [np.r_[X[i][X[i] != 0][::-1], X[i][X[i] != 0]] / 2 for i in range(30)]
    )
    rough.indices, rough.indptr = order.astype(np.int32), lengths.astype(np.int32)
    kept = rough.copy()
    whole = fit(X, 4, alpha=0.4)
    for data in (messy, rough):
        np.testing.assert_allclose(
            fit(data, 4, alpha=0.4).components_.toarray(), whole.components_.toarray(), rtol=1e-9
        )
        np.testing.assert_allclose(
            whole.transform(data).toarray(), whole.transform(X).toarray(), rtol=1e-9
        )
    assert np.array_equal(rough.indices, kept.indices)  # the input is not changed


def test_float32_is_nearly_float64():
    X = reference.documents(3, 60, 50)
    for init in ("identity", "pivot"):
        single, double = (
            fit(X.astype(kind), 4, alpha=0.6, init=init, max_iter=20, tol=0) for kind in "fd"
        )
        assert single.components_.dtype == np.float32
        assert single.objective_[-1] == pytest.approx(double.objective_[-1], rel=1e-4)
        np.testing.assert_allclose(
            reference.matched(double.components_.toarray(), single.components_.toarray()),
            double.components_.toarray(),
            atol=0.02,
        )


def test_nearly_alike_topics_in_float32():
    """These topics differ by less than the rounding errors of their Gram matrix in float32."""
    X = reference.documents(12, 30, 25)
    X[1] = X[0] * (1 + 1e-4 * np.random.default_rng(0).standard_normal(25))
    X = X.astype(np.float32)
    model = fit(X, 4, alpha=0.3, init="identity", max_iter=3, tol=0)
    X = X.astype(np.float64)
    _, values = reference.alternate(X, np.eye(30)[:, :4], reference.l1(0.3), passes=1)
    assert model.objective_[0] == pytest.approx(values[0], rel=1e-3)


@pytest.mark.parametrize(("kind", "alpha"), [("l1", 1.0), ("positive", 1.0), ("groups", 0.6)])
def test_screening_changes_nothing(kind, alpha):
    X = reference.documents(3, 40, 80, density=0.1)
    penalty, params = penalty_of(kind, alpha, 80)
    model = fit(X, 4, init="identity", tol=0, max_iter=15, **params)
    A, values = reference.alternate(X, np.eye(40)[:, :4], penalty, passes=15, momentum=0.9)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-9)
    found = reference.matched(A, model.components_.toarray())
    np.testing.assert_allclose(found, A, rtol=1e-6, atol=1e-7)
    # some words are screened out, but not all
    assert 0 < len(screen(np.sum(X**2, axis=0), alpha)) < 80


def test_words_just_above_the_penalty_stay():
    model = fit(np.diag([4.0, 1.05, 0.9]), 2, alpha=1.0, init="identity")
    np.testing.assert_allclose(model.components_.toarray(), [[3, 0, 0], [0, 0.05, 0]], atol=1e-9)


@given(seed=st.integers(0, 10**6), alpha=st.floats(0.05, 1.5))
def test_screened_words_can_be_in_no_topic(seed, alpha):
    X = reference.documents(seed, 12, 20, density=0.3)
    squares = np.sum(X**2, axis=0)
    if squares.max() <= alpha**2:
        return
    kept = screen(squares, alpha)
    dropped = np.setdiff1d(np.arange(20), kept)
    U = reference.polar(np.random.default_rng(seed).standard_normal((12, 3)))
    assert not np.any(reference.l1(alpha).prox(U.T @ X)[:, dropped])
    assert np.all(np.sqrt(squares[kept]) > alpha)


# ---- topics ----


def found_again(model, corpus, truth, n_words):
    """Return the share of each planted topic's words among the top words of its best match."""
    A = np.abs(model.components_.toarray())
    strongest = [set(np.argsort(-row)[:n_words]) for row in A]
    return [
        max(len(words & set(np.flatnonzero(topic))) / n_words for words in strongest)
        for topic in truth.topics
    ]


@pytest.mark.parametrize("params", [{}, {"positive": True}, {"words_per_topic": 12}])
@pytest.mark.parametrize("init", ["pivot", "random"])
def test_planted_topics_are_found_again(planted, params, init):
    corpus, truth = planted
    X = Weighting("tfidf").fit_transform(corpus).matrix
    model = fit(X, 5, init=init, **params)
    assert min(found_again(model, corpus, truth, 12)) >= (0.9 if init == "pivot" else 0.5)
    if init == "pivot":
        codes = model.transform(X).toarray()
        likeness = np.abs(np.corrcoef(codes.T, truth.codes.T)[:5, 5:])
        assert likeness.max(axis=0).min() > 0.8


def test_default_alpha_keeps_topics_when_documents_repeat(planted):
    corpus, _ = planted
    X = Weighting("tfidf").fit_transform(corpus).matrix
    once, twice = fit(X, 5), fit(sp.vstack([X, X]).tocsr(), 5)
    assert twice.alpha_ == pytest.approx(np.sqrt(2) * once.alpha_)
    A, B = once.components_.toarray(), twice.components_.toarray()
    B = reference.matched(A, B) / np.sqrt(2)
    np.testing.assert_allclose(B, A, atol=2e-3 * np.abs(A).max())
    assert np.mean((A != 0) == (B != 0)) > 0.99


def test_topics_come_by_falling_share_and_turned(planted):
    corpus, _ = planted
    X = Weighting("tfidf").fit_transform(corpus).matrix
    model = fit(X, 5)
    assert np.all(np.diff(model.topic_shares_) <= 0)
    assert model.topic_shares_.sum() == pytest.approx(1)
    for data in (X, -X):
        topics = fit(data, 5).components_
        assert min(row.data[np.argmax(np.abs(row.data))] for row in topics) > 0
    mass = np.abs(model.transform(X)).sum(axis=0)
    np.testing.assert_allclose(model.topic_shares_, np.ravel(mass / mass.sum()), atol=0.02)


# ---- attributes and results ----


def test_transform_is_the_projection():
    X = reference.documents(3, 30, 40)
    model = fit(X, 4, alpha=0.4)
    codes = model.transform(X)
    assert sp.issparse(codes)
    assert codes.format == "csr"
    np.testing.assert_allclose(codes.toarray(), X @ model.components_.toarray().T, rtol=1e-10)
    dense = SparseLSA(4, alpha=0.4, engine="serial", sparse_output=False).fit(X).transform(X)
    assert isinstance(dense, np.ndarray)
    np.testing.assert_allclose(dense, codes.toarray(), rtol=1e-12)


def test_transform_of_many_rows_is_row_by_row(small_chunks):
    X = sp.csr_matrix(reference.documents(3, 400, 40))
    model = fit(X, 4, alpha=0.4)
    whole = model.transform(X)
    rows = sp.vstack([model.transform(X[[i]]) for i in range(0, 400, 37)])
    assert np.array_equal(whole[::37].toarray(), rows.toarray())
    model.set_params(sparse_output=False)
    assert np.array_equal(model.transform(X), whole.toarray())


def test_same_seed_same_topics():
    X = reference.documents(3, 1500, 60, density=0.1)
    first, again = (fit(X, 5, init="random", random_state=7, max_iter=5) for _ in range(2))
    other = fit(X, 5, init="random", random_state=8, max_iter=5)
    assert np.array_equal(first.components_.toarray(), again.components_.toarray())
    assert not np.array_equal(first.components_.toarray(), other.components_.toarray())
    drawn = [
        fit(X, 5, random_state=np.random.RandomState(4), max_iter=5).components_.toarray()
        for _ in range(2)
    ]
    assert np.array_equal(*drawn)


def test_pseudo_probabilities_are_topics_divided_by_their_sums():
    X = reference.documents(3, 30, 40)
    model = fit(X, 4, alpha=0.4, positive=True)
    A = model.components_.toarray().astype(np.float64)
    expected = A / A.sum(axis=1, keepdims=True)  # a~_dj = a_dj / sum_j a_dj in the paper
    np.testing.assert_allclose(model.pseudo_probabilities().toarray(), expected, rtol=1e-12)
    model.components_ = sp.vstack([model.components_, sp.csr_matrix((1, 40))]).tocsr()
    np.testing.assert_array_equal(model.pseudo_probabilities()[-1].toarray(), np.zeros((1, 40)))


def test_pseudo_probabilities_need_non_negative_topics():
    model = fit(reference.documents(3, 30, 40), 4, alpha=0.4)
    with pytest.raises(LaconicError, match="with positive=True"):
        model.pseudo_probabilities()


def test_refit_forgets():
    X, Y = reference.documents(3, 30, 40), reference.documents(4, 20, 10)
    model = fit(X, 4, alpha=0.4)
    model.fit(Y)
    assert np.array_equal(model.components_.toarray(), fit(Y, 4, alpha=0.4).components_.toarray())
    assert model.n_features_in_ == 10


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", PENALTIES)
def test_topics_that_start_alike_part_in_both_precisions(kind, dtype):
    """The first documents are equal; in float32, rounding errors must not become a direction."""
    X = reference.documents(12, 30, 25).astype(dtype)
    X[1] = X[2] = X[0]
    penalty, params = penalty_of(kind, 0.3, 25)
    model = fit(X, 5, init="identity", tol=1e-7, max_iter=500, **params)
    assert model.components_.shape[0] == 5
    assert np.all(np.diff(model.objective_) <= 1e-6 * model.objective_[0])
    A = model.components_.toarray().astype(np.float64)
    assert np.linalg.matrix_rank(A, tol=1e-3) == 5
    explicit = reference.best_objective(X.astype(np.float64), A, penalty)
    assert explicit == pytest.approx(model.objective_[-1], rel=1e-4)
    apart = fit(X[np.r_[3:30, 0:3]], 5, init="identity", tol=1e-7, max_iter=500, **params)
    assert model.objective_[-1] <= apart.objective_[-1] * 1.1
