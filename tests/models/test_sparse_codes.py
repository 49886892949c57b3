"""Sparse codes of Sparse LSA and sparse coding, against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

import laconic
from laconic import SparseCoding, SparseLSA, Weighting
from laconic.corpus.matrices import effective_number, unit_rows
from laconic.models.sparse_codes import RIDGE, code, ridge_params
from tests.messages import refused

signs = pytest.mark.parametrize("positive", [True, False], ids=["positive", "signed"])
classes = pytest.mark.parametrize("cls", [SparseLSA, SparseCoding])


def ridge_codes(X, topics, positive=True):
    """Ridge regression of each document on the topics, as an extended least-squares problem."""
    extended = np.vstack([topics.T, np.sqrt(RIDGE) * np.eye(len(topics))])
    targets = np.hstack([X, np.zeros((len(X), len(topics)))])
    if positive:
        return np.array([nnls(extended, target)[0] for target in targets])
    return np.linalg.lstsq(extended, targets.T)[0].T


def draw(seed, positive=True):
    random = np.random.default_rng(seed)
    X, topics = random.gamma(0.5, size=(25, 18)), random.gamma(0.5, size=(5, 18))
    if not positive:
        X, topics = X - X.mean(), topics * random.choice([-1, 1], topics.shape)
    return X, unit_rows(topics)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), positive=st.booleans())
def test_codes_are_those_of_ridge_regression(seed, positive):
    X, topics = draw(seed, positive)
    codes, _ = code(sp.csr_matrix(X), ridge_params(topics, positive))
    np.testing.assert_allclose(codes, ridge_codes(X, topics, positive), atol=1e-6)


def test_unit_rows_of_arrays_and_sparse_matrices():
    topics = np.array([[3.0, 4, 0], [0, 0, 0]])
    assert unit_rows(topics).tolist() == [[0.6, 0.8, 0], [0, 0, 0]]
    np.testing.assert_allclose(unit_rows(sp.csr_matrix(topics)).toarray(), unit_rows(topics))


def test_support_counts_documents_with_equal_codes():
    codes = np.array([[1.0, 5, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]])
    assert effective_number(codes.sum(axis=0), (codes**2).sum(axis=0)).tolist() == [4, 1, 0]


@pytest.fixture(scope="module")
def weighted():
    corpus, _ = laconic.datasets.make_topics(240, 200, 8, topics_per_document=4)
    return Weighting("tfidf", dtype="float64").fit_transform(corpus.counts)


@classes
@signs
def test_transform_drops_the_weakest_of_the_ridge_codes(weighted, cls, positive):
    model = cls(8, codes="sparse", topics_per_document=2, positive=positive).fit(weighted)
    codes = model.transform(weighted).toarray()
    topics = sp.csr_matrix(unit_rows(model.components_)).toarray()
    expected = ridge_codes(weighted.toarray(), topics, positive)
    shares = np.abs(expected) / np.abs(expected).sum(axis=1, keepdims=True)
    kept = codes != 0
    np.testing.assert_allclose(codes[kept], expected[kept], atol=1e-5)
    assert shares[~kept].max() <= model.code_threshold_ + 1e-6
    mass = np.abs(codes).sum(axis=0)
    np.testing.assert_allclose(model.topic_shares_, mass / mass.sum(), rtol=1e-6)
    support = mass**2 / (codes**2).sum(axis=0)
    np.testing.assert_allclose(model.topic_support_, support, rtol=1e-6)
    assert (np.diff(model.topic_shares_) <= 0).all()


@classes
def test_short_topics_do_not_change_the_codes(weighted, cls):
    full = cls(8, positive=True, codes="sparse").fit(weighted)
    short = cls(8, positive=True, codes="sparse", words_per_topic=5).fit(weighted)
    assert np.diff(sp.csr_matrix(short.components_).indptr).max() == 5
    assert abs(short.coding_components_ - full.components_).max() == 0
    assert abs(short.transform(weighted) - full.transform(weighted)).max() == 0
    reconstruction = short.inverse_transform(short.transform(weighted))
    assert abs(reconstruction - full.inverse_transform(full.transform(weighted))).max() == 0


@classes
def test_new_topics_also_code_documents(weighted, cls):
    model = cls(8, positive=True, codes="sparse", words_per_topic=5).fit(weighted)
    before = model.transform(weighted)
    model.components_ = model.components_ * 1.0
    assert not hasattr(model, "coding_components_")
    assert abs(model.transform(weighted) - before).max() > 0


@classes
def test_the_projection_uses_the_short_topics(weighted, cls):
    model = cls(8, positive=True, codes="sparse", words_per_topic=5).fit(weighted)
    model.set_params(codes="projection")
    expected = weighted @ model.components_.T
    np.testing.assert_allclose(
        model.transform(weighted).toarray(),
        expected.toarray() if sp.issparse(expected) else expected,
        atol=1e-6,
    )


@classes
def test_a_projection_cannot_become_sparse_without_a_fit(weighted, cls):
    model = cls(8, codes="projection").fit(weighted).set_params(codes="sparse")
    with refused(cls.__name__, "codes='sparse'", "fit it again"):
        model.transform(weighted)


@classes
def test_targets_need_sparse_codes(weighted, cls):
    with refused("topics_per_document", cls.__name__, "projection"):
        cls(8, codes="projection", topics_per_document=2).fit(weighted)


@classes
def test_streams_give_sparse_codes_too(weighted, cls):
    model = cls(8, positive=True, codes="sparse", topics_per_document=2, words_per_topic=5)
    for start in range(0, 240, 80):
        model.partial_fit(weighted[start : start + 80])
    assert model.transform(weighted).nnz / 240 == pytest.approx(2, rel=0.3)
    assert np.diff(sp.csr_matrix(model.components_).indptr).max() <= 5


def test_sparse_lsa_is_sparse_if_a_target_is_set(weighted):
    assert SparseLSA(8, topics_per_document=2).fit_transform(weighted).nnz < 3 * 240
    assert SparseLSA(8).fit_transform(weighted).nnz > 7 * 240


def test_words_of_short_topics_are_those_most_similar_to_the_codes(weighted):
    model = SparseCoding(8, words_per_topic=6, alpha=0.02).fit(weighted)
    codes, X = model.transform(weighted).toarray(), weighted.toarray()
    lengths = np.linalg.norm(codes, axis=0)[:, None] * np.linalg.norm(X, axis=0)
    cosines = codes.T @ X / np.maximum(lengths, 1e-300)
    for topic, cosine in zip(model.components_, cosines, strict=True):
        best = np.argsort(-cosine)[:6]
        assert set(np.flatnonzero(topic)) == set(best)
        np.testing.assert_allclose(topic[best], cosine[best] / np.linalg.norm(cosine[best]))
