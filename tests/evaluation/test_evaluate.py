"""Tests of `laconic.evaluate`: exact values for a simple model, worse values if shuffled."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

import laconic
from laconic import Corpus
from laconic.evaluation.evaluate import as_corpus, format_value, mixtures, subject_of
from laconic.fitted.model import TopicView
from laconic.metrics import METRICS, NotApplicableError, Subject
from laconic.models import MODELS
from tests.messages import refused

WORDS = ["cat", "purr", "dog", "bark"]


class ByHand(TransformerMixin, BaseEstimator):
    """A model with two topics of two words; codes count the words of each topic."""

    TOPICS_ARE_DISTRIBUTIONS = True

    def __init__(self, topics=((0.5, 0.5, 0, 0), (0, 0, 0.5, 0.5))):
        self.topics = topics
        self.components_ = np.array(topics)
        self.topic_shares_ = np.array([0.5, 0.5])
        self.feature_names_in_ = np.array(WORDS)
        self.n_features_in_ = 4

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return sp.csr_matrix(X.counts @ self.components_.T)


@pytest.fixture
def documents():
    return Corpus(
        [[2, 2, 0, 0], [2, 2, 0, 0], [0, 0, 2, 2], [0, 0, 2, 2]], WORDS, labels=["c", "c", "d", "d"]
    )


def test_a_model_made_by_hand_has_the_measures_worked_out_on_paper(documents):
    found = laconic.evaluate(ByHand(), documents)
    # cat and purr are in 2 of 4 documents, always together, so NPMI is log(.5/.25) / -log(.5) = 1
    assert found["npmi"] == pytest.approx(1, abs=1e-9)
    # the context vectors of cat, of purr and of the whole topic are equal
    assert found["c_v"] == pytest.approx(1, abs=1e-9)
    assert found["diversity"] == 1
    assert found["redundancy"] == 0
    assert found["topic_zeros"] == 0.5
    assert found["document_zeros"] == 0.5
    # codes (2, 0) and (0, 2) reconstruct (2, 2, 0, 0) and (0, 0, 2, 2) exactly
    assert found["reconstruction"] == pytest.approx(0, abs=1e-12)
    assert found["neighbours"] == 1
    # two documents per class are too few for accuracy
    assert found.left_out.keys() == {"word_zeros", "accuracy"}


def test_perplexity_by_hand(documents):
    # each of the four words has probability 1/4, so the perplexity is 4
    model = ByHand(((0.25, 0.25, 0.25, 0.25), (0.25, 0.25, 0.25, 0.25)))
    assert laconic.evaluate(model, documents, ["perplexity"])["perplexity"] == pytest.approx(4)


def test_a_word_that_no_topic_has_makes_the_perplexity_infinite():
    corpus = Corpus(np.full((3, 4), 4), WORDS)
    model = ByHand(((0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0)))
    assert laconic.evaluate(model, corpus, ["perplexity"])["perplexity"] == math.inf


def test_what_codes_cannot_give_back():
    # one topic for two words: documents (1, 0) and (0, 1) both have the code 1, so the best
    # reconstruction of both is (1/2, 1/2), which loses half of the squared weights
    class OneTopic(ByHand):
        def transform(self, X):
            return sp.csr_matrix(np.ones((len(X), 1)))

    corpus = Corpus([[1, 0, 0, 0], [0, 1, 0, 0]], WORDS)
    found = laconic.evaluate(OneTopic(), corpus, ["reconstruction"])
    assert found["reconstruction"] == pytest.approx(0.5)


# --- a good model and a shuffled one -------------------------------------------------------------


@pytest.fixture(scope="module")
def good():
    """Return a corpus with texts, a model, and the same model with shuffled words in topics."""
    planted, _ = laconic.datasets.make_topics(
        400, 130, 10, words_per_topic=12, topics_per_document=1, document_length=15
    )
    draw = np.random.default_rng(0)
    texts = [
        " ".join(draw.permutation(np.repeat(planted.vocabulary, row.toarray()[0])))
        for row in planted.counts
    ]
    corpus = laconic.read(texts)
    corpus = Corpus(
        corpus.counts,
        corpus.vocabulary,
        labels=planted.labels,
        texts=texts,
        vectorizer=corpus.vectorizer,
    )
    model = laconic.pipeline("plsa", n_components=10, random_state=0).fit(corpus)
    shuffled = laconic.pipeline("plsa", n_components=10, random_state=0).fit(corpus)
    estimator = shuffled[-1]
    estimator.components_ = draw.permuted(estimator.components_, axis=1)
    return corpus, model, shuffled


# Topics of random words have many documents of many authors, so these metrics are not worse.
# tests/metrics/test_support.py has a shuffle for which they are.
OF_DOCUMENTS = {"support", "weak_topics", "lone_topics"}


@pytest.mark.parametrize(
    "name", [name for name, metric in METRICS.items() if metric.better and name not in OF_DOCUMENTS]
)
def test_a_shuffled_model_is_visibly_worse(good, name):
    corpus, model, shuffled = good
    other = laconic.pipeline("plsa", n_components=10, random_state=7).fit(corpus)
    given = {"reference": other, "source": np.arange(len(corpus)) // 2}
    right = laconic.evaluate(model, corpus, [name], **given)[name]
    wrong = laconic.evaluate(shuffled, corpus, [name], **given)[name]
    if METRICS[name].better == "higher":
        assert right > wrong + 0.1
    else:
        assert wrong > 1.2 * right + 0.05


@pytest.mark.parametrize("name", MODELS)
def test_every_model_can_be_measured(good, name):
    corpus, _, _ = good
    model = laconic.pipeline(name, n_components=10, random_state=0).fit(corpus)
    found = laconic.evaluate(model, corpus)
    assert {"npmi", "c_v", "diversity", "topic_zeros", "document_zeros", "accuracy"} <= set(found)
    assert all(np.isfinite(value) for value in found.values())
    assert ("word_zeros" in found) == hasattr(MODELS[name], "word_codes")
    distributions = getattr(model[-1], "TOPICS_ARE_DISTRIBUTIONS", False)
    assert ("perplexity" in found) == distributions
    assert set(found) | set(found.left_out) == {n for n, m in METRICS.items() if m.usual}


# --- accepted input and output -------------------------------------------------------------------


def test_texts_matrices_and_corpora_are_measured_alike(good):
    corpus, model, _ = good
    names = ["diversity", "document_zeros", "perplexity", "reconstruction"]
    expected = laconic.evaluate(model, corpus, names)
    assert dict(laconic.evaluate(model, list(corpus.texts), names)) == pytest.approx(dict(expected))
    assert dict(laconic.evaluate(model, corpus.counts, names)) == pytest.approx(dict(expected))


def test_columns_are_matched_by_word(good):
    corpus, model, _ = good
    order = np.random.default_rng(1).permutation(corpus.shape[1])
    turned = Corpus(corpus.counts[:, order], corpus.vocabulary[order], labels=corpus.labels)
    plain = Corpus(corpus.counts, corpus.vocabulary, labels=corpus.labels)
    names = ["npmi", "perplexity", "reconstruction", "accuracy"]
    assert dict(laconic.evaluate(model, turned, names)) == pytest.approx(
        dict(laconic.evaluate(model, plain, names))
    )


def test_a_bare_estimator_on_a_matrix_has_numbers_for_words():
    corpus, _ = laconic.datasets.make_topics(60, 80, 3)
    model = laconic.SparseLSA(3, positive=True).fit(corpus.counts)
    found = laconic.evaluate(model, corpus.counts, ["npmi", "diversity"])
    assert found["npmi"] > 0.3


def test_the_same_seed_gives_the_same_measures(good):
    corpus, model, _ = good
    names = ["perplexity", "accuracy", "neighbours"]
    first = laconic.evaluate(model, corpus, names, random_state=3)
    assert dict(first) == dict(laconic.evaluate(model, corpus, names, random_state=3))
    assert (
        first["perplexity"] != laconic.evaluate(model, corpus, names, random_state=4)["perplexity"]
    )


def test_it_prints_as_a_table(documents):
    found = laconic.evaluate(ByHand(), documents, ["diversity", "npmi"])
    assert str(found).splitlines() == [
        "npmi          1.000  top words of a topic co-occur, -1 to 1",
        "diversity     1.000  share of distinct words among all top words",
    ]
    assert repr(found) == "Evaluation(npmi=1, diversity=1)"
    assert format_value(0.0) == "0.000"


def test_a_measure_that_does_not_apply_is_left_out_with_its_reason(documents):
    unlabelled = Corpus(documents.counts, WORDS)
    found = laconic.evaluate(ByHand(), unlabelled)
    assert "accuracy" not in found
    assert found.left_out["accuracy"] == "the documents have no labels"
    with refused("no labels", kind=KeyError):
        found["accuracy"]
    with refused("accuracy", "no labels"):
        laconic.evaluate(ByHand(), unlabelled, ["accuracy"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"labels": ["c", "c", "c", "c"]}, "two classes"),
        ({"labels": [None, None, None, "d"]}, "two classes"),
    ],
)
def test_classes_that_cannot_be_told_apart(documents, change, reason):
    corpus = Corpus(documents.counts, WORDS, **change)
    assert reason in laconic.evaluate(ByHand(), corpus).left_out["neighbours"]


def test_weights_are_no_counts():
    corpus = Corpus([[0.5, 0.25, 0, 0], [0, 0, 1.5, 0.5]], WORDS)
    assert "not counts" in laconic.evaluate(ByHand(), corpus).left_out["perplexity"]


def test_documents_without_known_words_have_no_perplexity(good):
    _, model, _ = good
    found = laconic.evaluate(model, ["zebra quux", "quux"])
    assert "no document has two words" in found.left_out["perplexity"]
    assert "diversity" in found


def test_topics_without_words(documents):
    class Empty(ByHand):
        TOPICS_ARE_DISTRIBUTIONS = False

    model = Empty(((0, 0, 0, 0), (0, 0, 0, 0)))
    found = laconic.evaluate(model, documents)
    assert found["topic_zeros"] == 1
    assert {"npmi", "c_v", "diversity"} <= set(found.left_out)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"metrics": ["beauty"]}, ["'beauty'", *METRICS]),
        ({"n_words": 0}, ["n_words", "at least 1", "got 0"]),
        ({"metrics": "subspace"}, ["subspace", "other model"]),
        ({"corpus": "text.txt"}, ["documents", "one string"]),
        ({"corpus": ["a text"]}, ["texts", "laconic.pipeline"]),
        ({"corpus": np.zeros((0, 4))}, ["no documents"]),
        ({"corpus": np.ones((2, 3))}, ["3 columns", "4"]),
    ],
)
def test_mistakes_get_a_sentence(documents, arguments, parts):
    given = {"corpus": documents, **arguments}
    with refused(*parts):
        laconic.evaluate(ByHand(), given.pop("corpus"), **given)


def test_topics_of_another_model_are_matched_by_word(documents):
    turned = ByHand(((0, 0, 0, 0.5, 0.5), (0.5, 0, 0.5, 0, 0)))
    turned.feature_names_in_ = np.array(["bark", "emu", "dog", "cat", "purr"])
    found = laconic.evaluate(ByHand(), documents, ["subspace"], reference=turned)
    assert found["subspace"] == pytest.approx(0, abs=1e-3)
    turned.feature_names_in_ = np.array(["bark", "emu", "cat", "dog", "purr"])
    found = laconic.evaluate(ByHand(), documents, ["subspace"], reference=turned)
    first = np.array([[1, 1, 0, 0], [0, 0, 1, 1]]) / np.sqrt(2)
    second = np.array([[0, 1, 1, 0], [1, 0, 0, 1]]) / np.sqrt(2)
    angles = np.arccos(np.clip(np.linalg.svd(first @ second.T)[1], 0, 1))
    assert found["subspace"] == pytest.approx(np.sqrt(angles.sum()), abs=1e-6)


def test_refits_draw_other_numbers_and_documents(good, monkeypatch):
    corpus, model, _ = good
    seen = []

    def fit(self, X, y=None):
        seen.append((self[-1].random_state, X.counts))
        return model

    monkeypatch.setattr(type(model), "fit", fit)
    laconic.evaluate(model, corpus, ["stability"])
    laconic.evaluate(model, corpus, ["bootstrap"])
    assert len({seed for seed, _ in seen[:4]}) == 4
    assert all((counts != corpus.counts).nnz == 0 for _, counts in seen[:4])
    assert all((counts != corpus.counts).nnz > 0 for _, counts in seen[4:])
    assert all(counts.shape == corpus.shape for _, counts in seen)
    assert model[-1].random_state == 0


def test_a_document_with_nothing_observed_has_the_average_mixture():
    shares = mixtures(
        np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]),
        sp.csr_matrix([[8, 8, 0, 0], [0, 0, 0, 0], [0, 0, 8, 8]]),
    )
    assert shares[1] == pytest.approx([0.5, 0.5])
    assert shares.sum(axis=1) == pytest.approx([1, 1, 1])
    topics = np.array([[0.5, 0.5], [0.25, 0.75]])
    assert mixtures(topics, sp.csr_matrix((2, 2))) == pytest.approx(np.full((2, 2), 0.5))


def test_subjects_say_what_they_lack(documents):
    bare = Subject(documents, [["cat"]], np.eye(1, 4), lambda corpus: np.ones((4, 1)))
    for part in ("word_codes", "weights", "completion"):
        with pytest.raises(NotApplicableError):
            getattr(bare, part)
    with refused("refitted", kind=NotApplicableError):
        METRICS["stability"].measure(bare)


def test_a_subject_codes_its_documents_once(good):
    corpus, model, _ = good
    subject = subject_of(model, corpus)
    assert subject.codes is subject.codes
    assert as_corpus(TopicView(model), corpus) is corpus


def test_mixtures_are_found_from_the_words_that_are_shown_alone(documents):
    given = []

    def spy(probabilities, counts):
        given.append(counts)
        return np.full((4, 2), 0.5)

    subject = Subject(
        documents, [["cat"]], np.eye(2, 4), lambda c: c.counts, probabilities=np.eye(2, 4), mix=spy
    )
    _, held = subject.completion
    assert held.nnz > 0
    assert ((given[0] + held) != documents.counts).nnz == 0


def test_documents_without_words_are_not_classified():
    counts = np.array([[3, 1, 0, 0], [0, 0, 2, 2]] * 8 + [[0, 0, 0, 0]] * 8)
    corpus = Corpus(counts, WORDS, labels=["c", "d"] * 8 + ["e"] * 8)
    codes, classes = subject_of(ByHand(), corpus).labelled
    assert codes.shape == (16, 2)
    assert set(classes) == {"c", "d"}


# --- documents saved with the model --------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(good, tmp_path_factory):
    """Return a loaded model with its documents, and the corpus of these documents."""
    corpus, model, _ = good
    path = tmp_path_factory.mktemp("saved") / "m"
    laconic.save(model, path, index=laconic.search(model, corpus))
    return laconic.load(path), corpus


def test_without_a_corpus_the_saved_documents_are_used(saved):
    model, corpus = saved
    found = laconic.evaluate(model)
    assert dict(found) == pytest.approx(dict(laconic.evaluate(model, corpus)))
    assert set(found.documents.values()) == {"saved", ""}
    assert found.documents["diversity"] == ""
    assert found.unseen_words == []
    assert "400 documents saved with the model" in str(found)


def test_coherence_is_measured_on_the_saved_documents(saved):
    model, corpus = saved
    few = corpus[:3]
    found = laconic.evaluate(model, few)
    everything = laconic.evaluate(model, corpus)
    assert found["npmi"] == everything["npmi"]
    assert found["c_v"] == everything["c_v"]
    assert found["perplexity"] != everything["perplexity"]
    assert found.documents["npmi"] == "saved"
    assert found.documents["perplexity"] == "given"
    top = {word for topic in laconic.topics(model).frame["words"] for word in topic}
    seen = {word for text in few.texts for word in text.split()}
    assert set(found.unseen_words) == top - seen
    assert f"{len(top - seen)} of {len(top)} top words never occur in the 3 given" in str(found)


def test_a_model_without_saved_documents_uses_the_given_ones(good):
    corpus, model, _ = good
    found = laconic.evaluate(model, corpus, ["npmi", "diversity"])
    assert found.documents == {"npmi": "given", "diversity": ""}
    with refused("No texts", "corpus="):
        laconic.evaluate(model)


def test_documents_without_a_label_are_counted(saved):
    model, corpus = saved
    labels = corpus.labels.astype(object)
    labels[:30] = None
    some = Corpus(corpus.counts, corpus.vocabulary, labels=labels, vectorizer=corpus.vectorizer)
    found = laconic.evaluate(model, some, ["accuracy", "neighbours"])
    assert "Accuracy and neighbours leave out 30 of 400 documents" in str(found)
