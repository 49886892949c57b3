"""Tests of the division into folds, and of fits that are scored on held-out documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import Corpus, pipeline
from laconic.datasets import make_topics
from laconic.models import MODELS
from laconic.tuning.trials import divide, labelled, recurrence, run_trial, sparse_entries
from tests.messages import refused


@pytest.fixture(scope="module")
def corpus():
    return make_topics(120, 150, 4, words_per_topic=12, random_state=5)[0]


def parts_of(corpus, **settings):
    return divide(
        corpus, **{"folds": 3, "sample": 1000, "by_class": False, "random_state": 0} | settings
    )


def test_every_document_is_left_out_once(corpus):
    documents = parts_of(corpus)
    left = np.sort(np.concatenate([fold.rows for fold in documents.folds]))
    np.testing.assert_array_equal(left, np.arange(len(documents.corpus)))
    for fold in documents.folds:
        assert len(fold.train) + len(fold.test) == len(corpus)
        assert (fold.test.counts != documents.corpus[fold.rows].counts).nnz == 0


def test_a_sample_is_drawn_of_many(corpus):
    documents = parts_of(corpus, sample=60)
    assert (len(documents.corpus), documents.n_all) == (60, 120)
    again = parts_of(corpus, sample=60)
    assert (documents.corpus.counts != again.corpus.counts).nnz == 0
    other = parts_of(corpus, sample=60, random_state=1)
    assert documents.corpus.counts.sum() != other.corpus.counts.sum()


def test_words_of_one_document_are_dropped():
    counts = np.vstack([np.ones((30, 2)), np.zeros((1, 2))]).astype(int)
    counts = np.hstack([counts, np.zeros((31, 1), int)])
    counts[3, 2] = 5
    documents = parts_of(Corpus(counts, ["a", "b", "once"]))
    assert documents.corpus.vocabulary.tolist() == ["a", "b"]
    assert len(documents.corpus) == 30  # the document without words is dropped too


def test_small_classes_are_left_out(corpus):
    labels = np.where(np.arange(120) < 118, np.arange(120) % 2, 7)
    documents = parts_of(Corpus(corpus.counts, corpus.vocabulary, labels=labels), by_class=True)
    assert set(documents.corpus.labels) == {0, 1}
    for fold in documents.folds:
        assert set(fold.train.labels) == {0, 1}


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda c: c[:15], ["got 15", "20"]),
        (lambda c: Corpus(np.zeros((40, 3), int)), ["0 documents", "20"]),
        (lambda c: Corpus(np.eye(40, dtype=int) * 3), ["two words", "more than one document"]),
    ],
)
def test_what_cannot_be_divided(corpus, change, parts):
    with refused(*parts):
        parts_of(change(corpus))


def test_classes_are_needed_where_they_are_learned(corpus):
    plain = Corpus(corpus.counts, corpus.vocabulary)
    with refused("class", "label="):
        labelled(plain)
    alone = Corpus(corpus.counts, corpus.vocabulary, labels=np.zeros(120))
    with refused("two classes", "3 documents", "1 class", "120"):
        parts_of(alone, by_class=True)


@pytest.mark.parametrize("nothing", [None, "", float("nan")])
def test_a_document_without_a_class_is_left_out(corpus, nothing):
    labels = np.array([nothing, *["a", "b"] * 59, "a"], dtype=object)
    some = labelled(Corpus(corpus.counts, corpus.vocabulary, labels=labels))
    assert len(some) == 119
    assert labelled(some) is some
    assert set(parts_of(some, by_class=True).corpus.labels) == {"a", "b"}


def test_weights_cannot_be_held_out_one_by_one(corpus):
    with refused("counts", "integers"):
        parts_of(Corpus(corpus.counts * 0.5))


def test_recurrence_by_hand():
    first = np.array([[1.0, 0, 0], [0, 1, 0]])
    assert recurrence([first, first[::-1]]) == pytest.approx(1)
    assert recurrence([first, -first]) == pytest.approx(1)  # the sign of a topic is arbitrary
    turned = np.array([[0.6, 0.8, 0], [0, 0, 5]])
    # the best matching has the cosines 0.8 and 0, not 0.6 and 0
    assert recurrence([first, turned]) == pytest.approx(0.4)
    assert recurrence([first, first[:1]]) == pytest.approx(0.5)  # one topic has no match
    assert recurrence([first, first, turned]) == pytest.approx((1 + 0.4 + 0.4) / 3)
    assert recurrence([sp.csr_matrix(first), sp.csr_matrix(turned)]) == pytest.approx(0.4)


@pytest.mark.parametrize("name", MODELS)
def test_a_trial_tells_a_good_size_from_a_bad_one(corpus, name):
    documents = parts_of(corpus, by_class=name == "medstc")
    good, bad = (run_trial(lambda k=k: pipeline(name, n_components=k), documents) for k in (4, 2))
    assert good.prediction.explained > bad.prediction.explained > 0
    assert good.recurrence > 0.85
    assert good.score > bad.score
    assert 0 <= good.zeros <= 1
    assert (good.right is not None) == (name == "medstc")
    if name == "medstc":
        assert good.accuracy > bad.accuracy
        assert good.accuracy_error == pytest.approx(good.right.std(ddof=1) / np.sqrt(120))


def test_zeros_are_counted_where_a_model_has_them(corpus):
    words = pipeline("slsa", n_components=4, words_per_topic=6).fit(corpus)
    assert sparse_entries(words, corpus).zeros == pytest.approx(1 - 6 / 150)
    topics = pipeline("sctm", n_components=4, topics_per_document=1.5).fit(corpus)
    assert sparse_entries(topics, corpus).zeros == pytest.approx(
        1 - topics.transform(corpus).nnz / 480
    )
    keywords = pipeline("pcp", n_components=4, keywords_per_document=2).fit(corpus)
    kept = keywords[-1].keywords(corpus).nnz
    assert sparse_entries(keywords, corpus).zeros == pytest.approx(1 - kept / corpus.counts.nnz)
