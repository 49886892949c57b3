"""Tests of SparseLSA on unusual or wrong input; tests/models/test_input.py tests all models."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import hadamard

from laconic import Corpus, SparseLSA
from tests import messages
from tests.messages import refused, warned
from tests.models.sparse_lsa import reference

# ---- few documents or words ----


def test_empty_documents_change_nothing_and_have_empty_codes():
    X = reference.documents(3, 20, 15)
    with_empty = np.vstack([X[:5], np.zeros((2, 15)), X[5:], np.zeros((1, 15))])
    params = {"alpha": 0.3, "tol": 1e-12, "max_iter": 2000, "engine": "serial"}
    model, same = SparseLSA(3, **params).fit(with_empty), SparseLSA(3, **params).fit(X)
    assert model.objective_[-1] == pytest.approx(same.objective_[-1], rel=1e-6)
    codes = model.transform(with_empty)
    assert np.diff(codes.indptr)[[5, 6, 22]].tolist() == [0, 0, 0]
    assert codes.shape == (23, 3)


@pytest.mark.parametrize("init", ["pivot", "identity", "random"])
def test_one_document(init):
    model = SparseLSA(1, alpha=0.5, init=init).fit(np.array([[3.0, 0.0, 4.0]]))
    # U = 1, so the topic is the document itself, shrunk
    np.testing.assert_allclose(model.components_.toarray(), [[2.5, 0.0, 3.5]])
    assert model.converged_


@pytest.mark.parametrize("init", ["pivot", "identity", "random"])
def test_one_word(init):
    model = SparseLSA(1, alpha=0.5, init=init).fit(np.array([[3.0], [4.0], [0.0]]))
    np.testing.assert_allclose(model.components_.toarray(), [[4.5]])
    assert model.topic_shares_.tolist() == [1.0]


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("init", ["pivot", "identity", "random"])
def test_more_topics_than_documents(init, positive):
    X = reference.documents(3, 4, 30)
    with warned("7 topics", "4 documents", "at most 4", "n_components"):
        model = SparseLSA(7, alpha=0.01, init=init, positive=positive).fit(X)
    assert 1 <= model.components_.shape[0] <= 4
    assert model.transform(X).shape == (4, model.components_.shape[0])
    assert len(model.alpha_) == len(model.topic_shares_) == model.components_.shape[0]
    assert len(model.get_feature_names_out()) == model.components_.shape[0]


def test_more_topics_than_words():
    X = reference.documents(3, 30, 4, density=1.0)
    with warned("9 topics", "30 documents", "4 usable words", "at most 4", "n_components"):
        model = SparseLSA(9, alpha=0.0).fit(X)
    assert model.components_.shape == (4, 4)


@pytest.mark.filterwarnings("ignore:.*topics have no words")
@pytest.mark.parametrize("init", ["pivot", "identity", "random"])
def test_copies_of_one_document(init):
    X = np.tile([3.0, 1.0, 0.0, 2.0], (12, 1))
    model = SparseLSA(3, alpha=0.01, init=init, tol=1e-14, max_iter=3000).fit(X)
    assert 1 <= model.components_.shape[0] <= 3
    assert model.objective_[-1] < 0.01 * np.sum(X**2)
    explicit = reference.best_objective(X, model.components_.toarray(), reference.l1(0.01))
    assert explicit == pytest.approx(model.objective_[-1], rel=1e-6)


@pytest.mark.parametrize("data", [np.zeros((5, 4)), sp.csr_matrix((5, 4))])
@pytest.mark.parametrize("init", ["pivot", "identity", "random"])
@pytest.mark.filterwarnings("ignore:.*topics were requested")
def test_nothing_but_zeros(data, init):
    model = SparseLSA(2, init=init).fit(data)
    assert model.components_.shape[1] == 4
    assert model.components_.nnz == 0
    assert model.transform(data).nnz == 0
    assert np.isfinite(model.topic_shares_).all()
    assert not np.any(model.objective_)


@pytest.mark.filterwarnings("ignore:.*topics were requested")
def test_nothing_but_zeros_online_then_something():
    model = SparseLSA(1).partial_fit(np.zeros((5, 4)))
    assert model.components_.shape == (1, 4)
    model.partial_fit(np.ones((5, 4)))
    assert np.isfinite(model.components_.data).all()


def test_an_array_without_documents():
    with refused("0 sample", kind=ValueError, golden=False):
        SparseLSA(1).fit(np.zeros((0, 3)))


def test_an_empty_batch_or_corpus_later_is_harmless():
    model = SparseLSA(1).partial_fit(np.ones((4, 3)))
    empty = Corpus(sp.csr_matrix((0, 3)))
    assert model.transform(empty).shape == (0, 1)
    with refused("partial_fit", "SparseLSA", "one document"):
        model.partial_fit(empty)


# ---- too many topics or too large a penalty ----


@pytest.mark.parametrize("params", [{}, {"positive": True}, {"groups": [0, 0, 1, 1]}])
def test_alpha_too_large_says_how_large_it_may_be(params):
    X = np.diag([4.0, 1.0, 1.0, 1.0])
    with refused("alpha=50", "below") as caught:
        SparseLSA(1, alpha=50.0, **params).fit(X)
    limit = float(re.findall(r"\d+\.?\d*", str(caught.value))[-1].rstrip("."))
    model = SparseLSA(1, alpha=0.95 * limit, **params).fit(X)
    assert model.components_.nnz > 0
    with refused(f"alpha={1.05 * limit:g}"):
        SparseLSA(1, alpha=1.05 * limit, **params).fit(X)


@pytest.mark.parametrize("init", ["pivot", "identity"])
def test_alpha_that_empties_all_topics_gets_a_sentence(init):
    """No word is screened out, but the documents share so little that all topics are empty."""
    with refused("alpha=2.5", "words_per_topic"):
        SparseLSA(2, alpha=2.5, init=init).fit(hadamard(8).astype(float))


@pytest.mark.filterwarnings("ignore:.*topics have no words")
def test_topics_are_refilled_by_what_documents_share():
    """Each document alone is below the penalty, but all documents together are above it."""
    X = np.ones((6, 3))
    model = SparseLSA(2, alpha=2.0, init="identity").fit(X)
    np.testing.assert_allclose(model.components_.toarray(), [[np.sqrt(6) - 2] * 3], rtol=1e-6)


# ---- parameters ----


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", -1.0),
        ("words_per_topic", 0),
        ("positive", "yes"),
        ("init", "svd"),
        ("stop", "never"),
    ],
)
def test_wrong_parameters_are_named(name, value):
    model = SparseLSA(**{"n_components": 1, name: value})
    for call in (model.fit, model.partial_fit):
        with refused(f"'{name}'", "SparseLSA", f"Got {value!r}", kind=ValueError, golden=False):
            call(np.eye(3))


@pytest.mark.parametrize(
    ("params", "parts"),
    [
        ({"groups": [0, 1]}, ["'groups'", "2 entries", "3 words"]),
        ({"group_weights": [1.0]}, ["'group_weights'", "'groups'"]),
        (
            {"groups": [0, 1, 1], "group_weights": [1.0]},
            ["'group_weights'", "2 non-negative numbers"],
        ),
        ({"groups": [0, 1, 1], "group_weights": [1.0, -1.0]}, ["'group_weights'", "negative"]),
        ({"groups": list("abb"), "group_weights": {"a": 1.0}}, ["'group_weights'", "'b'"]),
        ({"groups": {"cat": 1}}, ["'groups'", "mapping", "Corpus"]),
    ],
)
def test_wrong_groups_get_a_sentence(params, parts):
    with refused("SparseLSA", *parts):
        SparseLSA(1, **params).fit(np.eye(3))


def test_missing_values_should_be_imputed():
    X = np.eye(3)
    X[1, 1] = np.nan
    for call in (SparseLSA(1).fit, SparseLSA(1, alpha=0.1).fit(np.eye(3)).transform):
        with refused("Input X contains NaN", "SparseLSA", "sklearn.impute.SimpleImputer"):
            call(X)


def test_groups_of_strange_words_get_a_sentence():
    with refused("'groups'", "SparseLSA", "no word of the vocabulary"):
        SparseLSA(1, groups={"emu": 1}).fit(Corpus(np.eye(2), ["cat", "dog"]))


def test_group_names_of_words_and_groups_do_not_clash():
    """A word without a group stays alone, even if another group is named like the word."""
    X = reference.documents(0, 20, 3, density=1.0)
    corpus = Corpus(X, ["a", "b", "c"])
    model = SparseLSA(1, alpha=0.1, groups={"a": "c", "b": "c"}).fit(corpus)
    plain = SparseLSA(1, alpha=0.1, groups=[0, 0, 1]).fit(X.astype(np.float32))
    np.testing.assert_allclose(model.components_.toarray(), plain.components_.toarray(), rtol=1e-5)


def test_papers_rule_needs_memory(tmp_path, planted):
    corpus = planted[0]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    with refused("stop='paper'", "SparseLSA", "memory", "disk"):
        SparseLSA(2, stop="paper").fit(stored)


# ---- a Corpus ----


def test_names_are_learned_and_forgotten(planted):
    corpus = planted[0]
    model = SparseLSA(3, engine="serial").fit(corpus)
    assert model.feature_names_in_.tolist() == corpus.vocabulary.tolist()
    assert model.n_features_in_ == corpus.shape[1]
    model.fit(corpus.counts.astype(float))
    assert not hasattr(model, "feature_names_in_")
    model.fit(corpus)
    model.fit(Corpus(corpus.counts))
    assert not hasattr(model, "feature_names_in_")


def test_matrix_after_a_corpus_needs_no_names(planted):
    corpus = planted[0]
    model = SparseLSA(3, engine="serial").fit(corpus)
    expected = model.transform(corpus).toarray()
    for X in (corpus.counts, corpus.counts.astype(np.float32), corpus.counts.toarray()):
        np.testing.assert_allclose(model.transform(X).toarray(), expected, rtol=1e-5)
    with refused("159 features", "160 features", "SparseLSA"):
        model.transform(corpus.counts[:, 1:])


def test_corpus_is_its_matrix(planted):
    corpus = planted[0]
    named = SparseLSA(3, engine="serial").fit(corpus)
    plain = SparseLSA(3, engine="serial").fit(corpus.counts.astype(np.float32))
    assert np.array_equal(named.components_.toarray(), plain.components_.toarray())


def test_columns_are_matched_by_word(planted, caplog):
    corpus = planted[0]
    model = SparseLSA(3, engine="serial").fit(corpus)
    expected = model.transform(corpus).toarray()
    random = np.random.default_rng(0)
    order = random.permutation(corpus.shape[1] + 7)
    words = np.array([*corpus.vocabulary, *(f"new{i}" for i in range(7))], dtype=object)[order]
    wide = sp.hstack([corpus.counts, sp.csr_matrix(np.ones((len(corpus), 7)))]).tocsc()[:, order]
    with caplog.at_level(logging.INFO, logger="laconic"):
        codes = model.transform(Corpus(wide, words)).toarray()
    np.testing.assert_allclose(codes, expected, rtol=1e-5, atol=1e-6)
    (said,) = (record.getMessage() for record in caplog.records if "unknown" in record.message)
    messages.check(said, "7 of 167 words")
    part = Corpus(corpus.counts[:, :100], corpus.vocabulary[:100])
    short = model.transform(part).toarray()
    cut = corpus.counts.toarray().copy()
    cut[:, 100:] = 0
    np.testing.assert_allclose(short, model.transform(cut.astype(float)).toarray(), rtol=1e-5)


def test_corpus_without_a_known_word_or_of_another_width_gets_a_sentence(planted):
    model = SparseLSA(3, engine="serial").fit(planted[0])
    with refused("2 words"):
        model.transform(Corpus(np.eye(2), ["emu", "fox"]))
    with refused("2 features", "160 features", "SparseLSA"):
        model.transform(Corpus(np.eye(2)))
