"""Tests of correlated topics: the joint objective converges, and planted edges are found."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import laconic
from laconic import PLSA, SCTM, Corpus, topic_graph
from laconic.corpus.chunks import memory_chunks
from laconic.engines.base import Serial
from laconic.fitted.graph import partial_correlations
from laconic.models.sctm import graph_prior as topic_prior
from laconic.models.sctm.graph_prior import GraphPrior, graph_objective, sparse_precision
from laconic.models.sctm.solver import Prior, code, code_sums
from tests.messages import refused
from tests.models.sctm import reference

numbers = st.integers(0, 10**6)
RIDGE = topic_prior.RIDGE


def fit(X, n_components, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".*topics were requested")
        return SCTM(
            n_components, **{"correlated": True, "engine": "serial", "smoothing": None, **params}
        ).fit(X)


def draw_correlated(seed, together=0.7):
    """Draw documents whose topics 0 and 1 occur together and 2 and 3 avoid each other.

    Topics 4 to 7 are independent, and topic 8 is a background.
    """
    random = np.random.default_rng(seed)
    covariance = np.eye(8)
    covariance[[0, 1], [1, 0]], covariance[[2, 3], [3, 2]] = together, -together
    weights = np.exp(1.3 * random.multivariate_normal(np.zeros(8), covariance, 600))
    topics = np.zeros((9, 78))
    for j in range(8):
        topics[j, 6 * j : 6 * j + 6] = random.dirichlet(np.full(6, 5.0))
    topics[8, 48:] = random.dirichlet(np.full(30, 2.0))
    expected = np.hstack([10 * weights, np.full((600, 1), 150.0)]) @ topics
    return random.poisson(expected).astype(float), topics


def matched(model, topics):
    """Return the index of the model's topic that matches each planted topic."""
    unit = [A / np.linalg.norm(A, axis=1, keepdims=True) for A in (model.components_, topics)]
    cosines = unit[0] @ unit[1].T
    rows, columns = linear_sum_assignment(-cosines)
    assert cosines[rows, columns].min() > 0.95
    return rows[np.argsort(columns)]


def explicit_value(model, X):
    """Return σ²F for the topics, codes and graph of a fitted model."""
    return model.residual_variance_ * reference.correlated_objective(
        reference.frequencies(X),
        model.components_.astype(float),
        model.transform(X).toarray().astype(float),
        model.alpha_,
        model.residual_variance_,
        model.topic_scales_,
        model.topic_means_,
        model.topic_precision_,
        model.graph_alpha,
        RIDGE,
    )


# ---- the objective ----


def draw_prior(random, n_topics):
    A = random.normal(size=(n_topics, 2 * n_topics))
    return GraphPrior(
        alpha=random.uniform(0, 0.01),
        graph_alpha=random.uniform(0, 0.3),
        variance=10.0 ** random.uniform(-4, -1),
        scales=random.uniform(0.1, 2, n_topics),
        means=random.normal(size=n_topics),
        precision=A @ A.T / n_topics,
    )


@given(numbers)
def test_objective_is_that_of_the_reference(seed):
    random = np.random.default_rng(seed)
    n_topics = int(random.integers(1, 6))
    X = random.poisson(0.8, (12, 9)).astype(float)
    topics = random.dirichlet(np.ones(9), n_topics)
    prior = draw_prior(random, n_topics)
    words = np.ascontiguousarray(topics.T)
    params = prior.params(words)
    sums = Serial().map_reduce(code_sums, params, memory_chunks(sp.csr_matrix(X), [0, 5, 12]))
    codes = code(sp.csr_matrix(X), params)[0]
    expected = prior.variance * reference.correlated_objective(
        reference.frequencies(X), topics, codes, prior.alpha, prior.variance, prior.scales,
        prior.means, prior.precision, prior.graph_alpha, RIDGE,
    )  # fmt: skip
    assert prior.objective(params.gram, sums) == pytest.approx(expected, rel=1e-8, abs=1e-10)


@given(numbers)
def test_codes_minimise_the_joint_objective(seed):
    random = np.random.default_rng(seed)
    X = random.poisson(0.8, (4, 9)) + 1.0
    topics = random.dirichlet(np.ones(9), 4)
    prior = draw_prior(random, 4)
    codes = code(sp.csr_matrix(X), prior.params(np.ascontiguousarray(topics.T)))[0]
    F = reference.frequencies(X)

    def value(theta):
        return reference.correlated_objective(
            F, topics, theta, prior.alpha, prior.variance, prior.scales, prior.means,
            prior.precision, prior.graph_alpha, RIDGE,
        )  # fmt: skip

    best = value(codes)
    for _ in range(30):
        other = np.maximum(codes + 10.0 ** random.uniform(-4, 0) * random.normal(size=(4, 4)), 0)
        assert value(other) >= best - 1e-9 * (1 + abs(best))


@given(numbers, st.sampled_from([0.0, 0.02, 0.3, 10.0]))
def test_means_and_precision_are_exact_blocks(seed, graph_alpha):
    random = np.random.default_rng(seed)
    X = random.poisson(0.8, (40, 12)) + 0.0
    X[0] += 1
    words = random.dirichlet(np.ones(12), 5).T.copy()
    chunks = memory_chunks(sp.csr_matrix(X))
    plain = Prior(1e-3)
    params = plain.params(words)
    sums = Serial().map_reduce(code_sums, params, chunks)
    prior = GraphPrior.after(plain, params, sums, graph_alpha)
    before = prior.objective(params.gram, sums)
    assert not (prior.precision - np.diag(np.diag(prior.precision))).any()
    prior.improve(sums)
    best = prior.objective(params.gram, sums)
    assert best <= before + 1e-12 * abs(before)
    means, precision = prior.means, prior.precision
    for _ in range(20):
        prior.means = means + random.normal(size=5) * 1e-3
        assert prior.objective(params.gram, sums) >= best - 1e-9 * abs(best)
        prior.means = means
        A = random.normal(size=(5, 5)) * 1e-3
        prior.precision = precision + (A + A.T) * np.sqrt(np.outer(*[np.diag(precision)] * 2))
        assert prior.objective(params.gram, sums) >= best - 1e-5 * abs(best)
        prior.precision = precision


@given(numbers, st.integers(1, 6), st.sampled_from([0.0, 0.08, 1.0]), st.booleans())
def test_objective_never_rises_and_stays_above_its_bound(seed, n_components, graph_alpha, sparse):
    random = np.random.default_rng(seed)
    X = random.poisson(0.3 if sparse else 2.0, random.integers(3, 20, 2)).astype(float)
    model = fit(X, n_components, graph_alpha=graph_alpha, max_iter=25, tol=0)
    scale = np.abs(model.objective_).max(initial=1e-9)
    assert np.all(np.diff(model.objective_) <= 1e-8 * scale)
    n_documents = np.count_nonzero(X.any(axis=1))
    bound = n_documents / 2 * model.residual_variance_ * n_components * (1 + np.log(RIDGE))
    assert np.all(model.objective_ >= bound - 1e-9 * scale)


@pytest.mark.parametrize("graph_alpha", [0.01, 0.08, 0.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ends_by_its_tolerance(graph_alpha, dtype):
    X = draw_correlated(0)[0].astype(dtype)
    for tol in (1e-3, 1e-5):
        model = fit(X, 9, graph_alpha=graph_alpha, tol=tol, max_iter=400)
        assert model.converged_
        slack = 1e-6 if dtype == np.float32 else 1e-10
        assert np.all(np.diff(model.objective_) <= slack * abs(model.objective_[0]))
        assert explicit_value(model, X) == pytest.approx(model.objective_[-1], rel=5 * tol)


def test_codes_of_a_fitted_model_are_optimal():
    X, _ = draw_correlated(1)
    model = fit(X, 9)
    B, v = model.components_, model.topic_scales_
    added = model.residual_variance_ * model.topic_precision_ / np.outer(v, v)
    penalty = model.alpha_ - added @ (model.topic_means_ * v)
    pulls = reference.frequencies(X) @ B.T - penalty
    codes = model.transform(X).toarray()
    assert reference.violation(B @ B.T + added, pulls, codes) <= 1e-6
    assert (codes == 0).any()


def test_the_papers_form_collapses_and_this_one_does_not():
    X, topics = draw_correlated(0)
    F = reference.frequencies(X[:60])
    sizes = reference.naive_correlated(F, topics, 1e-5, 1e-3, 6)
    largest_code, largest_precision = sizes[-1]
    assert largest_code < 1e-3 * reference.codes_of(F, topics, 1e-5).max()
    assert largest_precision > 1e6
    assert sizes[-1][1] > 10 * sizes[0][1]
    ours = fit(X[:60], 9, tol=1e-6, max_iter=1000)
    without = fit(X[:60], 9, correlated=False)
    assert ours.converged_
    assert ours.transform(X[:60]).max() > 0.3 * without.transform(X[:60]).max()
    assert np.abs(ours.topic_precision_).max() <= 1 / RIDGE + 1e-9


# ---- the graphical lasso ----


@given(numbers, st.sampled_from([0.0, 0.05, 0.2, 5.0]))
def test_precision_is_the_graphical_lasso(seed, alpha):
    random = np.random.default_rng(seed)
    n_topics = int(random.integers(1, 8))
    Z = random.normal(size=(60, n_topics))
    Z[:, n_topics // 2 :] += Z[:, [0]]
    covariance = np.cov(Z.T).reshape(n_topics, n_topics)
    found = sparse_precision(covariance, alpha, np.eye(n_topics))
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    ridged = covariance + RIDGE * np.eye(n_topics)
    slope = np.linalg.inv(found) - ridged
    scale = np.diag(ridged).max()
    np.testing.assert_allclose(np.diag(slope), 0, atol=1e-2 * scale)
    off = ~np.eye(n_topics, dtype=bool)
    assert np.all(np.abs(slope[off]) <= alpha + 1e-2 * scale)
    edges = off & (np.abs(found) > 1e-3 * np.abs(found).max())
    np.testing.assert_allclose(slope[edges], alpha * np.sign(found[edges]), atol=1e-2 * scale)
    if alpha == 5.0:
        np.testing.assert_allclose(found, np.diag(1 / np.diag(ridged)))


def test_precision_is_kept_where_the_new_one_is_no_better():
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    best = sparse_precision(covariance, 0.1, np.eye(2))
    worse = sparse_precision(covariance, 0.1, best, lambda *a, **k: (None, 9 * np.eye(2)))
    assert worse is best


def test_what_is_no_precision_is_infinitely_bad():
    assert graph_objective(np.array([[1.0, 2], [2, 1]]), np.eye(2), 0.1) == np.inf


# ---- edges ----


@pytest.mark.parametrize("seed", range(3))
def test_planted_edges_are_found_with_their_signs(seed):
    X, topics = draw_correlated(seed)
    model = fit(X, 9, random_state=seed)
    of_topic = {int(row): number for number, row in enumerate(matched(model, topics))}
    edges = {
        frozenset((of_topic[row["topic"]], of_topic[row["other"]])): row["weight"]
        for row in topic_graph(model).to_dicts()
    }
    between = {pair: weight for pair, weight in edges.items() if 8 not in pair}
    assert max(between, key=between.get) == {0, 1}
    assert min(between, key=between.get) == {2, 3}
    assert between[frozenset((0, 1))] > 0.1
    assert between[frozenset((2, 3))] < -0.1


def test_independent_topics_have_few_and_weak_edges():
    X, topics = draw_correlated(0, together=0.0)
    model = fit(X, 9)
    weights = partial_correlations(model.topic_precision_)[
        np.ix_(*[matched(model, topics)[:8]] * 2)
    ]
    assert np.abs(weights).max() < 0.1
    assert np.count_nonzero(np.triu(weights)) < 14


def test_larger_penalties_leave_fewer_edges():
    X, _ = draw_correlated(0)
    sizes = [len(topic_graph(fit(X, 9, graph_alpha=a))) for a in (0.005, 0.1, 0.3, 100.0)]
    assert sizes[0] > sizes[1] > sizes[2] >= sizes[3] == 0


def test_prediction_is_no_worse_than_without_edges():
    X, _ = draw_correlated(0)
    without, joint = (fit(X[:400], 9, smoothing="kl", correlated=c) for c in (False, True))
    # both scores are negative, so a factor above 1 allows a slightly lower score
    assert joint.score(X[400:]) >= without.score(X[400:]) * 1.005


def test_table_of_edges():
    X, _ = draw_correlated(0)
    names = [f"w{i}" for i in range(78)]
    model = fit(Corpus(sp.csr_matrix(X), names), 9)
    table = topic_graph(model)
    assert table.schema == {
        "topic": pl.Int64,
        "other": pl.Int64,
        "weight": pl.Float64,
        "words": pl.List(pl.String),
        "other_words": pl.List(pl.String),
    }
    assert (table["topic"] < table["other"]).all()
    assert len(table.unique(["topic", "other"])) == len(table)
    assert np.all(np.diff(table["weight"].abs()) <= 0)
    assert (table["weight"].abs() < 1).all()
    precision = model.topic_precision_
    np.testing.assert_allclose(precision, precision.T, atol=1e-12)
    for row in table.to_dicts():
        i, j = row["topic"], row["other"]
        expected = -precision[i, j] / np.sqrt(precision[i, i] * precision[j, j])
        assert row["weight"] == pytest.approx(expected)
    assert len(table) == np.count_nonzero(np.triu(precision, 1))
    listed = laconic.topics(model, 3).frame["words"]
    for row in topic_graph(model, 3).to_dicts():
        assert row["words"] == list(listed[row["topic"]])[:3]
        assert row["other_words"] == list(listed[row["other"]])[:3]
    assert {len(words) for words in topic_graph(model, 5)["words"]} == {5}


def test_table_of_a_matrix_a_pipeline_and_a_loaded_model(tmp_path):
    X, _ = draw_correlated(0)
    model = fit(X, 9)
    assert len(topic_graph(model))
    laconic.save(model, tmp_path / "model")
    assert topic_graph(laconic.load(tmp_path / "model")).equals(topic_graph(model))
    corpus = Corpus(sp.csr_matrix(X), [f"w{i}" for i in range(78)])
    pipeline = laconic.pipeline("sctm", n_components=9, correlated=True).fit(corpus)
    assert len(topic_graph(pipeline)) == len(topic_graph(pipeline[-1]))


def test_one_topic_has_no_edges():
    X, _ = draw_correlated(0)
    table = topic_graph(fit(X, 1))
    assert len(table) == 0
    assert table.columns == ["topic", "other", "weight", "words", "other_words"]


def test_models_without_a_graph_get_a_sentence():
    X = draw_correlated(0)[0][:50]
    for model in (fit(X, 2, correlated=False), PLSA(2).fit(X)):
        with refused("SCTM", "correlated=True", "-m sctm --correlated"):
            topic_graph(model)
    with pytest.raises(NotFittedError):
        topic_graph(SCTM(2, correlated=True))
    with refused("n_words", "at least 1", "got 0"):
        topic_graph(fit(X, 2), 0)
