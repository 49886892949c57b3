"""Tests of `laconic.compare`: every model gets the same documents, words and metrics."""

from __future__ import annotations

import json
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

import laconic
from laconic import Corpus
from laconic.evaluation.columns import best, cell, format_bytes, format_share, shown
from laconic.evaluation.compare import Comparison, Row
from laconic.evaluation.contenders import fit
from laconic.evaluation.peers import PEERS, Peer, bags_of, tokens_of
from laconic.models import MODELS
from tests.messages import refused

# importing tomotopy emits this warning
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

INSTALLED = [name for name, peer in PEERS.items() if peer.installed]


@pytest.fixture(scope="module")
def corpus():
    return laconic.datasets.make_topics(
        240, 130, 5, words_per_topic=15, topics_per_document=1, document_length=30
    )[0]


@pytest.fixture(scope="module")
def compared(corpus):
    return laconic.compare(corpus, [*MODELS, *INSTALLED], 5)


class Watched(TransformerMixin, BaseEstimator):
    """A model whose codes are the first counts of a document; it records all documents."""

    fitted: ClassVar[list[Corpus]] = []
    coded: ClassVar[list[Corpus]] = []

    def __init__(self, n_components):
        self.n_components = n_components

    def fit(self, X, y=None):
        self.fitted.append(X)
        self.components_ = np.eye(self.n_components, X.shape[1])
        return self

    def transform(self, X):
        self.coded.append(X)
        return X.counts[:, : self.n_components].toarray().astype(float)


class Interrupted(Watched):
    """A model whose fit raises KeyboardInterrupt."""

    def fit(self, X, y=None):
        raise KeyboardInterrupt


@pytest.fixture
def watched(monkeypatch):
    """Register two more peers, "watched" and "interrupted"."""
    for name, model in {"watched": Watched, "interrupted": Interrupted}.items():
        peer = Peer(lambda k, seed, n_jobs, model=model: model(k), "scikit-learn", False, name)
        monkeypatch.setitem(PEERS, name, peer)
    monkeypatch.setattr(Watched, "fitted", [])
    monkeypatch.setattr(Watched, "coded", [])
    return Watched


def row_of(compared, name):
    return next(row for row in compared.rows if row.model == name)


@pytest.mark.parametrize("name", [*MODELS, *INSTALLED])
def test_every_model_finds_planted_topics(compared, name):
    row = row_of(compared, name)
    assert row.error is None
    assert row.accuracy > (0.9 if name in MODELS else 0.6)
    assert row.seconds > 0
    assert row.documents_per_second > 0
    assert row.n_bytes > 1000
    assert 0 <= row.topic_zeros <= 1
    assert 0 <= row.document_zeros <= 1
    assert len(row.words) == 5
    distributions = name in PEERS and PEERS[name].distributions
    distributions |= getattr(MODELS.get(name), "TOPICS_ARE_DISTRIBUTIONS", False)
    assert (row.perplexity is not None) == distributions
    if row.perplexity is not None:
        # a topic has 15 words; guessing among all words would give a perplexity of 130
        assert 15 < row.perplexity < 60


def test_unsigned_topics_name_their_words(compared):
    for name in ("plsa", "stc", "nmf"):
        row = row_of(compared, name)
        assert row.npmi > 0.2
        assert row.diversity > 0.9
        assert all(len({word[:3] for word in words}) == 1 for words in row.words), row.words


def test_models_are_fitted_to_the_training_documents_only(corpus, watched):
    named = Corpus(corpus.counts, corpus.vocabulary, ids=np.arange(240))
    found = laconic.compare(named, ["watched"], [3, 4], test_size=0.25)
    assert [len(train) for train in watched.fitted] == [180, 180]
    rows = set(watched.fitted[0].ids)
    assert set(watched.fitted[1].ids) == rows
    unseen = named[[row for row in range(240) if row not in rows]]
    assert any(
        coded.shape == unseen.shape and (coded.counts != unseen.counts).nnz == 0
        for coded in watched.coded
    )
    assert found.about["fitted_to"] == 180
    assert found.about["unseen"] == 60


def test_the_same_seed_gives_the_same_figures(corpus):
    names = ["slsa", "nmf"]
    first, second = (laconic.compare(corpus, names, [3, 5], random_state=1) for _ in range(2))
    for one, two in zip(first.rows, second.rows, strict=True):
        assert (one.model, one.n_components) == (two.model, two.n_components)
        assert (one.npmi, one.accuracy, one.words) == (two.npmi, two.accuracy, two.words)
    assert [row.n_components for row in first.rows] == [3, 3, 5, 5]


def test_words_that_only_test_documents_have_are_left_out(watched):
    counts = np.ones((20, 4), dtype=int)
    order = np.random.default_rng(0).permutation(20)
    counts[:, 3] = 0
    counts[order[:4], 3] = 5  # these are the four test documents for seed 0
    laconic.compare(Corpus(counts, list("abcd")), ["watched"], 2, test_size=0.2)
    (test,) = (coded for coded in watched.coded if len(coded) == 4)
    assert test.counts.toarray().tolist() == [[1, 1, 1, 0]] * 4


def test_classes_of_few_documents_are_no_classes(watched):
    """Documents of class c and without a class have the same words as those of a and b."""
    labels = ["a"] * 12 + ["b"] * 10 + ["c"] * 9 + [None, float("nan"), ""]
    codes = np.eye(2, dtype=int)[[0] * 12 + [1] * 10 + [0, 1] * 6]
    words = ["x", "y"]
    found = laconic.compare(Corpus(codes, words, labels=labels), ["watched"], 2, test_size=0.5)
    assert found.about["classes"] == 2
    assert found.rows[0].accuracy == 1  # the accuracy is computed for the classes a and b only
    for no_classes in (["a"] * 34, None):
        found = laconic.compare(Corpus(codes, words, labels=no_classes), ["watched"], 2)
        assert found.about["classes"] == 0
        assert found.rows[0].accuracy is None


def test_without_classes_there_is_no_accuracy(corpus):
    plain = Corpus(corpus.counts, corpus.vocabulary)
    found = laconic.compare(plain, ["slsa"], 3)
    assert found.rows[0].accuracy is None
    assert "accuracy" not in shown(found.rows)
    with refused("medstc", "classes"):
        laconic.compare(plain, ["medstc"], 3)


def test_a_model_that_fails_has_a_row_that_says_why(corpus):
    found = laconic.compare(corpus, ["slsa", "plsa"], 3, params={"slsa": {"alpha": -1.0}})
    assert "alpha" in found.rows[0].error
    assert found.rows[1].error is None
    assert "error" in found.frame.columns


def test_ctrl_c_keeps_the_rows_so_far(corpus, watched):
    found = laconic.compare(corpus, ["watched", "interrupted", "lsa"], 3)
    assert [row.model for row in found.rows] == ["watched"]
    assert found.about["interrupted"]
    with pytest.raises(KeyboardInterrupt):
        laconic.compare(corpus, ["interrupted"], 3)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"models": ["bert"]}, ["'bert'", *MODELS, *PEERS]),
        ({"models": []}, ["at least one model", "at least one"]),
        ({"n_components": 0}, ["n_components", "at least 1", "got 0"]),
        ({"n_components": [5, -1]}, ["n_components", "at least 1", "got [5, -1]"]),
        ({"n_components": 2.5}, ["n_components", "integers", "got 2.5"]),
        ({"n_components": "3"}, ["n_components", "got '3'"]),
        ({"n_words": 0}, ["n_words", "at least 1", "got 0"]),
        ({"random_state": -1}, ["random_state", "integer", "got -1"]),
        ({"random_state": None}, ["random_state", "integer", "got None"]),
        ({"test_size": 1.0}, ["test_size", "0 and 1", "got 1.0"]),
        ({"params": {"nmf": {}}}, ["params", "'nmf'"]),
        ({"corpus": [[1, 2]]}, ["Corpus", "laconic.read"]),
        ({"corpus": Corpus([[1, 2]])}, ["words", "vocabulary="]),
        ({"corpus": Corpus([[1, 2], [2, 1]], ["a", "b"])}, ["2 documents", "too few"]),
    ],
)
def test_mistakes_get_a_sentence(corpus, change, parts):
    arguments = {"corpus": corpus, "models": ["slsa"], "n_components": 3, **change}
    with refused(*parts):
        laconic.compare(**arguments)


def test_a_peer_that_is_not_installed_says_how_to_get_it(corpus, monkeypatch):
    missing = PEERS["lda-gensim"]._replace(package="no_such_package")
    monkeypatch.setitem(PEERS, "lda-gensim", missing)
    with refused("lda-gensim", "pip install no_such_package"):
        laconic.compare(corpus, ["lda-gensim"], 3)


# --- peers ---------------------------------------------------------------------------------------


def test_documents_as_peers_are_given_them():
    corpus = Corpus([[2, 0, 1], [0, 0, 0], [0, 3, 0]], ["a", "b", "c"])
    assert tokens_of(corpus) == [["0", "0", "2"], [], ["1", "1", "1"]]
    with refused("tomotopy", "not integers"):
        tokens_of(Corpus([[0.5, 1.5]], ["a", "b"]))
    assert bags_of(corpus) == [[(0, 2), (2, 1)], [], [(1, 3)]]


@pytest.mark.parametrize("name", INSTALLED)
def test_peers_take_documents_without_words(corpus, name):
    counts = sp.vstack([corpus.counts[:60], sp.csr_matrix((1, corpus.shape[1]), dtype=np.int32)])
    odd = Corpus(counts, corpus.vocabulary)
    fitted = fit(name, odd, 3, params={}, n_jobs=1, random_state=0)
    codes = sp.csr_matrix(fitted.model.transform(odd))
    assert codes.shape == (61, 3)
    assert np.isfinite(codes.data).all()


# --- output --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "sizes"), [(np.int64(3), [3]), (np.array([3, 5, 3]), [3, 5])])
def test_numbers_of_numpy_are_numbers(corpus, watched, given, sizes):
    found = laconic.compare(corpus, ["watched"], given)
    assert [row.n_components for row in found.rows] == sizes
    assert all(type(row.n_components) is int for row in found.rows)


def test_the_best_of_each_number_of_topics():
    rows = [
        Row("a", 20, npmi=0.1, seconds=2.0),
        Row("b", 20, npmi=0.3, seconds=1.0),
        Row("a", 50, npmi=0.2, seconds=3.0),
        Row("b", 50, error="no"),
    ]
    assert best(rows, "npmi") == {20: 0.3}  # a size with a single fitted model has no best model
    assert best(rows, "seconds") == {20: 1.0}
    assert shown(rows) == ["npmi", "seconds"]
    assert best([Row("a", 20, npmi=0.1), Row("b", 20, npmi=0.1)], "npmi") == {}
    assert best([Row("a", 20, topic_zeros=0.1), Row("b", 20, topic_zeros=0.9)], "topic_zeros") == {}
    assert cell(rows[0], "npmi") == "0.100"
    assert cell(rows[3], "npmi") == ""


def test_figures_as_they_are_written():
    assert format_bytes(0) == "0 B"
    assert format_bytes(999_600) == "1 MB"
    assert format_share(0.5) == "50 %"


def test_it_prints_and_goes_into_json(compared):
    text = str(compared)
    assert all(name in text for name in MODELS)
    again = json.loads(json.dumps(compared.to_dict()))
    assert len(again["rows"]) == len(compared.rows)
    assert compared.frame.height == len(compared.rows)
    assert isinstance(compared, Comparison)


def test_accuracy_is_of_unseen_documents():
    corpus, _ = laconic.datasets.make_topics(120, 300, 20, words_per_topic=10, document_length=20)
    by_chance = np.random.default_rng(0).integers(2, size=120)
    blind = Corpus(corpus.counts, corpus.vocabulary, labels=by_chance)
    found = laconic.compare(blind, ["lsa"], 40, test_size=0.3)
    # 40 numbers would separate the 36 test documents if they were used for training
    assert found.rows[0].accuracy < 0.75


# --- support and sources -------------------------------------------------------------------------


def test_weak_topics_and_topics_per_document(compared):
    for row in compared.rows:
        assert 0 <= row.weak_topics <= 1
        assert 0 < row.topics_per_document <= 5
        assert row.lone_topics is None
    assert row_of(compared, "sc").topics_per_document < row_of(compared, "lsa").topics_per_document
    assert "topics_per_document" in shown(compared.rows)
    assert "lone_topics" not in shown(compared.rows)


def test_weak_topics_are_measured_on_the_documents_of_the_fit(watched):
    """The first topic has all documents, the second has one document."""
    counts = np.ones((100, 3), dtype=int)
    counts[:, 1] = 0
    counts[7, 1] = 5
    corpus = Corpus(counts, ["a", "b", "c"])
    row = laconic.compare(corpus, ["watched"], 2).rows[0]
    assert row.weak_topics == 0.5
    assert row.topics_per_document == pytest.approx(1, abs=0.06)


def test_lone_topics(watched):
    """One author wrote all documents of the second topic, the others wrote the first."""
    counts = np.zeros((100, 3), dtype=int)
    counts[:60, 0] = 3
    counts[60:, 1] = 3
    counts[:, 2] = 1
    corpus = Corpus(counts, ["a", "b", "c"])
    authors = [f"author {row}" for row in range(60)] + ["ann"] * 40
    row = laconic.compare(corpus, ["watched"], 2, source=authors).rows[0]
    assert row.lone_topics == 0.5
    assert cell(row, "lone_topics") == "50 %"


def test_one_source_per_document(corpus):
    with refused("3 sources", "240 documents"):
        laconic.compare(corpus, ["plsa"], 3, source=["a", "b", "c"])
