"""Tests of MedSTC, a classifier that learns its topics together with the classes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score, train_test_split

import laconic
from laconic import Corpus, MedSTC
from laconic.corpus.matrices import unit_rows
from laconic.datasets import make_topics
from laconic.models.stc import margin
from laconic.models.stc.class_topics import init_class_topics
from laconic.models.stc.margin import Classifier, Machine, signs, train
from tests.messages import refused


@pytest.fixture(scope="module")
def mixed():
    """Return documents of three classes with two topics each.

    Documents mix several topics, so that not every class can be predicted.
    """
    corpus, planted = make_topics(
        400, 200, 6, words_per_topic=15, topics_per_document=2, document_length=25, random_state=1
    )
    return corpus.counts.astype(np.float64), planted.codes.argmax(axis=1) // 2


def test_planted_classes(planted):
    corpus = planted[0]
    train_part, test_part = train_test_split(corpus, random_state=0, stratify=corpus.labels)
    model = MedSTC(10).fit(train_part)
    assert model.score(test_part) == model.score(test_part, test_part.labels) > 0.95
    assert model.classes_.tolist() == sorted(set(corpus.labels))
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-5)
    assert model.coef_.shape == (5, 10)
    assert model.decision_function(test_part).shape == (len(test_part), 5)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("seed", [0, 1])
def test_objective_falls_and_nothing_explodes(mixed, C, seed):
    X, y = mixed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MedSTC(6, C=C, random_state=seed).fit(X, y)
    assert np.isfinite(model.objective_).all()
    assert (np.diff(model.objective_) < 0).all()
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) > 0.7


def test_joint_training_lowers_the_loss_of_the_classifier(mixed):
    X, y = mixed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start, joint = (MedSTC(6, margin=20.0, max_iter=n, tol=1e-4).fit(X, y) for n in (1, 15))
    losses = [
        train(model.transform(X).toarray(), y, 0.1).loss(model.transform(X).toarray(), y)
        for model in (start, joint)
    ]
    assert losses[1] < losses[0]


def test_predictions_do_not_know_labels(mixed):
    """Training documents are coded without their labels, like new documents."""
    X, y = mixed
    model = MedSTC(6).fit(X, y)
    again = MedSTC(6).fit(X, y)
    assert (model.transform(X) != again.transform(X)).nnz == 0
    expected = unit_rows(model.transform(X).toarray()) @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected)
    assert np.array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])


@pytest.mark.parametrize("options", [{"loss": "gaussian"}, {"word_norm": "l2"}, {"doc_norm": "l1"}])
def test_variants(planted, options):
    corpus = planted[0]
    model = MedSTC(10, **options).fit(corpus)
    assert model.score(corpus) > 0.9


def test_two_classes_have_one_row():
    corpus, planted = make_topics(120, 80, 2, words_per_topic=10, random_state=0)
    y = np.where(planted.codes.argmax(axis=1) == 0, "no", "yes")
    model = MedSTC(4).fit(corpus, y)
    assert model.coef_.shape == (1, 4)
    values = model.decision_function(corpus)
    assert values.shape == (120,)
    assert np.array_equal(model.predict(corpus), np.where(values > 0, "yes", "no"))


def test_fewer_topics_than_classes(planted):
    corpus = planted[0]
    assert MedSTC(3).fit(corpus).score(corpus) > 0.5


def test_same_result_wherever_it_runs(planted, small_chunks, tmp_path):
    corpus = planted[0]
    corpus.save(tmp_path / "store")
    models = [
        MedSTC(10, engine=engine, n_jobs=n_jobs).fit(data)
        for engine, n_jobs, data in [
            ("serial", 1, corpus),
            ("threads", 2, corpus),
            ("threads", 2, laconic.read(tmp_path / "store")),
        ]
    ]
    for other in models[1:]:
        np.testing.assert_allclose(models[0].components_, other.components_, atol=1e-6)
        np.testing.assert_allclose(models[0].coef_, other.coef_, atol=1e-4)


def test_the_machine_learns_from_a_sample_of_many_documents(
    planted, small_chunks, monkeypatch, tmp_path
):
    corpus = planted[0]
    corpus.save(tmp_path / "store")
    everything = MedSTC(10).fit(corpus)
    monkeypatch.setattr(margin, "MACHINE_DOCUMENTS", len(corpus) // 3)
    fits = [
        MedSTC(10, engine=engine, n_jobs=n_jobs).fit(data)
        for engine, n_jobs, data in [
            ("serial", 1, corpus),
            ("threads", 2, corpus),
            ("threads", 2, laconic.read(tmp_path / "store")),
        ]
    ]
    assert not np.array_equal(fits[0].coef_, everything.coef_)
    assert fits[0].score(corpus) > 0.95
    # fit_transform collects the codes of all documents, but trains on the same sample
    codes = (collected := MedSTC(10)).fit_transform(corpus)
    assert codes.shape == (len(corpus), 10)
    for other in [*fits[1:], collected]:
        np.testing.assert_allclose(fits[0].components_, other.components_, atol=1e-6)
        np.testing.assert_allclose(fits[0].coef_, other.coef_, atol=1e-4)


def test_the_sample_has_every_class(monkeypatch):
    monkeypatch.setattr(margin, "MACHINE_DOCUMENTS", 50)
    labels = np.repeat([0, 1, 2], [990, 8, 2])
    machine = Machine(labels, 1.0, seed=0)
    assert 50 <= len(machine.rows) <= 54
    assert np.bincount(machine.labels).min() >= 2
    assert machine.weight == 1000 / len(machine.rows)
    assert np.array_equal(machine.rows, Machine(labels, 1.0, seed=0).rows)
    assert not np.array_equal(machine.rows, Machine(labels, 1.0, seed=1).rows)
    assert not Machine(labels[-50:], 1.0, seed=0).is_sampled


def test_saved_and_loaded(planted, tmp_path):
    corpus = planted[0]
    model = laconic.pipeline("medstc", n_components=10).fit(corpus)
    loaded = laconic.load(laconic.save(model, tmp_path / "m"))
    assert np.array_equal(loaded.predict(corpus), model.predict(corpus))
    assert loaded.score(corpus, corpus.labels) > 0.95


def test_probabilities_by_calibration(planted):
    corpus = planted[0]
    model = laconic.pipeline("medstc", n_components=10).fit(corpus)
    calibrated = CalibratedClassifierCV(FrozenEstimator(model)).fit(corpus, corpus.labels)
    probabilities = calibrated.predict_proba(corpus)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities.argmax(axis=1) == corpus.labels).mean() > 0.95


def test_cross_validation(planted):
    corpus = planted[0]
    assert cross_val_score(MedSTC(10), corpus, corpus.labels, cv=3).mean() > 0.9


def test_words_have_senses(planted):
    corpus = planted[0]
    model = MedSTC(10).fit(corpus)
    senses = model.senses(str(corpus.vocabulary[0]), corpus)
    assert senses["weight"].sum() == pytest.approx(1, abs=0.2)
    assert len(model.word_codes(corpus)) == len(corpus)


class TestBadLabels:
    X = np.array([[3.0, 2, 0], [2, 3, 0], [0, 0, 1], [0, 1, 2]])

    def test_none(self):
        # the estimator checks of scikit-learn look for the words "requires y to be passed"
        for X in (self.X, Corpus(self.X, ["a", "b", "c"])):
            with refused("MedSTC", "requires y to be passed", "Corpus with labels"):
                MedSTC(2).fit(X)

    @pytest.mark.parametrize(
        ("y", "parts"),
        [
            (["a", None, "b", "b"], ["1 of 4 documents", "label"]),
            (["a"] * 4, ["one class", "'a'", "MedSTC"]),
            (["a", "b", "b", "b"], ["class 'a'", "one document", "MedSTC"]),
        ],
        ids=["some missing", "one class", "a class with one document"],
    )
    def test_too_little_in_them(self, y, parts):
        with refused(*parts):
            MedSTC(2).fit(self.X, np.array(y, object))

    def test_too_few(self):
        # the message names the numbers of samples
        with refused("[4, 2]", kind=ValueError, golden=False):
            MedSTC(2).fit(self.X, ["a", "b"])

    def test_unknown_loss(self):
        parts = "'loss'", "MedSTC", "'poisson'", "'gaussian'", "'cosine'"
        with refused(*parts, kind=ValueError, golden=False):
            MedSTC(2, loss="cosine").fit(self.X, ["a", "a", "b", "b"])


def test_classes_own_their_topics(planted):
    corpus = planted[0]
    from laconic.corpus.chunks import memory_chunks
    from laconic.engines.base import Serial

    X = corpus.counts.astype(np.float64)
    labels = np.unique(corpus.labels, return_inverse=True)[1]
    start = init_class_topics(Serial(), memory_chunks(X), labels, 5, 12, 0)
    np.testing.assert_allclose(start.words.sum(axis=0), 1)
    per_class = np.vstack([X[labels == c].sum(axis=0) for c in range(5)])
    used = np.asarray(per_class @ start.words[:, :10])  # all classes share the last two topics
    assert np.array_equal(used.argmax(axis=0), np.repeat(np.arange(5), 2))
    assert (start.counts >= 0).all()


def test_pull_is_the_derivative_of_the_loss():
    random = np.random.default_rng(0)
    codes, labels = random.random((7, 4)), random.integers(3, size=7)
    classifier = Classifier(random.normal(size=(3, 4)), random.normal(size=3), 0.5)
    pull = classifier.gradient(codes, labels)
    for d, k in random.integers((7, 4), size=(10, 2)):
        ends = []
        for step in (1e-6, -1e-6):
            moved = codes.copy()
            moved[d, k] += step
            ends.append(classifier.loss(moved, labels))
        assert pull[d, k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-5)


def test_signs():
    assert signs(np.array([0, 1]), 1).tolist() == [[-1.0], [1.0]]
    assert signs(np.array([2]), 3).tolist() == [[-1.0, -1.0, 1.0]]
    assert unit_rows(np.zeros((1, 2))).tolist() == [[0.0, 0.0]]
    assert sp.issparse(MedSTC(2).fit(np.eye(4), [0, 0, 1, 1]).transform(np.eye(4)))
