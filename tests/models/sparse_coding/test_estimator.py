"""SparseCoding as an estimator: planted topics, targets, batches, streams, NMF."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from laconic import SparseCoding, Weighting
from laconic.metrics import match_topics
from tests.messages import refused
from tests.models.sparse_coding import reference


@pytest.fixture
def weighted(planted):
    corpus, truth = planted
    return Weighting("tfidf", dtype="float64").fit_transform(corpus.counts), truth.topics


def recovered(model, truth):
    """Mean cosine of the planted topics with those they are matched to."""
    found = match_topics(model.components_, np.asarray(truth), "weights")
    return found.similarity.mean()


@pytest.mark.parametrize(
    "params",
    [{}, {"support": "auto"}, {"batch_size": 60}, {"topics_per_document": 2}, {"positive": False}],
    ids=str,
)
def test_planted_topics_are_found(weighted, params):
    X, truth = weighted
    model = SparseCoding(5, **params).fit(X)
    assert recovered(model, truth) > 0.9
    assert np.linalg.norm(model.components_, axis=1).max() < 1 + 1e-9
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert (np.diff(model.topic_shares_) <= 0).all()


def test_a_stream_finds_them_too(weighted):
    X, truth = weighted
    model = SparseCoding(5)
    for start in range(0, X.shape[0], 60):
        model.partial_fit(X[start : start + 60])
    assert recovered(model, truth) > 0.9
    assert model.n_documents_ == X.shape[0]
    assert len(model.objective_) == model.n_iter_ == 5


def test_a_fit_is_continued_by_a_stream(weighted):
    X, truth = weighted
    model = SparseCoding(5).fit(X)
    before = model.components_.copy()
    model.partial_fit(X[:60])
    assert np.abs(model.components_ - before).sum() < 0.2 * before.sum()
    assert recovered(model, truth) > 0.9


@pytest.mark.parametrize("wanted", [1, 2, 3.5])
def test_the_number_of_topics_of_a_document(weighted, wanted):
    X, _ = weighted
    codes = SparseCoding(5, topics_per_document=wanted).fit_transform(X)
    assert codes.nnz / X.shape[0] == pytest.approx(wanted, rel=0.15)


def test_larger_penalties_leave_fewer_topics(weighted):
    X, _ = weighted
    sizes = [SparseCoding(5, alpha=alpha).fit_transform(X).nnz for alpha in (0, 0.01, 0.3)]
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_without_a_penalty_it_is_nmf(weighted):
    X, _ = weighted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SparseCoding(5, alpha=0, tol=0, max_iter=100).fit(X)
        peer = NMF(5, init="nndsvd", tol=0, max_iter=500)
        theirs = 0.5 * np.square(X.toarray() - peer.fit_transform(X) @ peer.components_).sum()
    assert model.objective_[-1] <= 1.01 * theirs


def test_codes_are_the_lasso_of_the_topics(weighted):
    X, _ = weighted
    model = SparseCoding(5, alpha=0.05).fit(X)
    expected = reference.codes(X.toarray(), model.components_, 0.05)
    np.testing.assert_allclose(model.transform(X).toarray(), expected, atol=1e-6)


def test_a_loud_minority_does_not_get_a_topic_of_its_own():
    """Ten documents with twenty words of their own, against two themes in many documents."""
    random = np.random.default_rng(0)
    X = np.zeros((400, 140))
    themes = random.random((400, 60)) < 0.12
    X[:200, :60], X[200:, 60:120] = themes[:200], themes[200:]
    X[:10, 120:] = 3.0
    X /= np.linalg.norm(X, axis=1, keepdims=True) + 1e-12
    loud = SparseCoding(2, support="auto").fit(X)
    assert loud.components_[:, 120:].sum() < 0.5 * loud.components_.sum()
    assert recovered(loud, np.repeat(np.eye(3), [60, 60, 20], axis=1)[:2]) > 0.7


@pytest.mark.parametrize(
    ("params", "parts"),
    [
        ({"alpha": 0.1, "topics_per_document": 2}, ["alpha", "topics_per_document", "not both"]),
        ({"topics_per_document": 9}, ["topics_per_document=9", "(5)", "n_components"]),
    ],
)
def test_parameters_that_contradict_each_other(weighted, params, parts):
    with refused(*parts):
        SparseCoding(5, **params).fit(weighted[0])
