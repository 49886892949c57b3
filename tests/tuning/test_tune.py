"""Tests of `laconic.tune`: planted topics, reproducible results, Ctrl-C and wrong input."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic import Corpus, tune
from laconic.datasets import make_topics
from laconic.engines import ENGINES
from laconic.engines.base import Serial
from laconic.models import MODELS
from tests.messages import check, refused, warned


@pytest.fixture(scope="module")
def corpus():
    return make_topics(120, 120, 6, words_per_topic=12, document_length=60, random_state=4)[0]


@pytest.fixture(scope="module")
def tuning(corpus):
    return tune(corpus, "plsa", folds=2)


@pytest.mark.parametrize("name", MODELS)
def test_six_planted_topics_are_found_untold(corpus, name):
    found = tune(corpus, name, sparsity=False, refit=False, folds=2)
    assert found.n_components == 6
    assert found.curve["n_components"].min() == 2
    assert found.curve["n_components"].max() == 12  # 60 documents allow at most 12 topics


def test_numbers_far_above_the_planted_one_are_not_tried():
    corpus = make_topics(120, 80, 3, words_per_topic=12, random_state=4)[0]
    found = tune(corpus, "plsa", n_components="2:50", sparsity=False, refit=False, folds=2)
    assert found.n_components == 3
    assert found.curve["n_components"].max() < 50


@pytest.mark.parametrize("name", ["slsa", "plsa", "stc"])
def test_twenty_planted_topics_are_found_untold(name):
    """The benchmark ``tune-planted`` tests the other models and more kinds of planted topics."""
    corpus = make_topics(300, 300, 20, words_per_topic=12, document_length=60, random_state=1)[0]
    assert 18 <= tune(corpus, name, sparsity=False, refit=False, folds=2).n_components <= 22


def test_what_it_returns(tuning, corpus):
    curve = tuning.curve
    assert isinstance(curve, pl.DataFrame)
    assert curve.columns == [
        "n_components", "explained", "standard_error", "recurrence", "score", "zeros", "seconds",
    ]  # fmt: skip
    assert curve["n_components"].is_sorted()
    assert curve["n_components"].is_unique().all()
    np.testing.assert_allclose(curve["score"], curve["explained"] * curve["recurrence"])
    best = curve.row(int(curve["score"].arg_max()), named=True)
    assert best["n_components"] == tuning.n_components == 6
    assert tuning.path["value"].to_list()[0] == "default"
    assert tuning.path["zeros"][-1] > tuning.path["zeros"][0]
    assert tuning.best_params["model__n_components"] == 6
    assert tuning.model.transform(corpus).shape == (120, 6)
    assert not tuning.interrupted


def test_the_choice_fits_into_a_pipeline(tuning, corpus):
    again = laconic.pipeline("plsa").set_params(**tuning.best_params).fit(corpus)
    np.testing.assert_array_equal(again[-1].components_, tuning.model[-1].components_)


def test_the_same_seed_gives_the_same(tuning, corpus):
    again = tune(corpus, "plsa", folds=2)
    assert again.curve.drop("seconds").equals(tuning.curve.drop("seconds"))
    assert again.path.drop("seconds").equals(tuning.path.drop("seconds"))
    assert again.best_params == tuning.best_params
    other = tune(
        corpus, "plsa", folds=2, n_components=[6], sparsity=False, refit=False, random_state=1
    )
    assert other.curve["explained"][0] != tuning.curve.filter(n_components=6)["explained"][0]


def test_it_prints_the_curve_the_choice_and_why(tuning):
    lines = str(tuning).splitlines()
    assert lines[0].startswith("plsa: 6 topics, smoothing=-")
    marked = [line for line in lines if "←" in line]
    assert marked[0].split()[0] == "6"
    assert len(marked) == 2  # one mark on the curve and one on the path
    assert all(f"\n- {reason}" in str(tuning) for reason in tuning.why)
    check(tuning.why[1], "6 topics", "highest score", "%", golden=False)
    check(tuning.why[-1], "smoothing", "sparsest", golden=False)


def test_given_numbers_are_tried_and_no_others(corpus):
    found = tune(corpus, "slsa", n_components=[3, 6, 9], sparsity=False, refit=False, folds=2)
    assert found.curve["n_components"].to_list() == [3, 6, 9]
    assert (found.n_components, found.path, found.model) == (6, None, None)


def test_a_range_is_searched_and_its_end_is_told(corpus):
    found = tune(corpus, "slsa", n_components="2:4", sparsity=False, refit=False, folds=2)
    assert set(found.curve["n_components"]) <= {2, 3, 4}
    assert found.n_components == 4
    check(found.why[-1], "4", "largest", "allowed")


def test_parameters_reach_every_fit(corpus):
    settings = {"words_per_topic": 7, "positive": False, "weighting": "tfidf"}
    found = tune(corpus, "slsa", n_components=[6], folds=2, **settings)
    assert found.path is None  # the sparsity was given, so no path is tried
    assert np.diff(found.model[-1].components_.indptr).tolist() == [7] * 6
    assert found.model["weighting"].scheme == "tfidf"
    assert found.curve["zeros"][0] == pytest.approx(1 - 7 / 120, abs=0.01)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("slsa", {"alpha": 0.001}),
        ("sctm", {"alpha": 0.001}),
        ("stc", {"doc_penalty": 0.2}),
        ("medstc", {"doc_norm": "l2"}),
        ("pcp", {"alpha": 2.0}),
        ("plsa", {"smoothing": -0.05}),
    ],
)
def test_a_model_that_was_told_how_sparse_it_is_has_no_path(corpus, name, params):
    found = tune(corpus, name, n_components=[6], folds=2, **params)
    assert found.path is None
    assert found.model is not None


def test_documents_without_a_class_are_left_out(corpus):
    labels = np.array([f"class {label}" for label in corpus.labels], dtype=object)
    labels[::4] = None
    some = Corpus(corpus.counts, corpus.vocabulary, labels=labels)
    found = tune(some, "medstc", n_components=[6], folds=2, sparsity=False)
    assert "90 documents" in found.why[0]
    assert len(found.model[-1].classes_) == 6


def test_counts_and_texts_are_taken_too(corpus):
    settings = {"n_components": [2, 6], "sparsity": False, "refit": False, "folds": 2}
    by_corpus = tune(corpus, "plsa", **settings)
    by_counts = tune(corpus.counts, "plsa", **settings)
    assert by_counts.curve.drop("seconds").equals(by_corpus.curve.drop("seconds"))
    texts = [
        " ".join(word for word, n in document.words.items() for _ in range(n))
        for document in corpus
    ]
    assert tune(texts, "plsa", **settings).n_components == 6


def test_a_sample_is_enough_and_the_model_is_of_all(corpus):
    found = tune(corpus, "plsa", n_components=[6], sparsity=False, sample=60)
    check(found.why[0], "One number", "60 of 120 documents", "5-fold")
    assert found.model[-1].n_documents_ == 120


def test_a_classifier_shows_its_accuracy(corpus):
    found = tune(corpus, "medstc", n_components=[2, 6], folds=2)
    assert "accuracy" in found.curve.columns
    assert "accuracy" in str(found).splitlines()[2]
    assert found.model.score(corpus, corpus.labels) > 0.8


# --- Ctrl-C --------------------------------------------------------------------------------------


class Interrupted(Serial):
    """An engine that raises KeyboardInterrupt in every step."""

    def map_reduce(self, step, params, chunks, local=None):
        raise KeyboardInterrupt


@pytest.fixture
def interrupt_at(monkeypatch):
    """Return a function that interrupts the n-th fit with ``engine="interrupted"``."""

    def at(number):
        engines = iter([*[Serial] * (number - 1), Interrupted])
        monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs: next(engines)())

    return at


def test_ctrl_c_ends_the_search_with_what_has_been_tried(corpus, interrupt_at):
    interrupt_at(8)  # during the fourth size, as each size has two fits
    with warned("3 numbers of topics", "no model", kind=ConvergenceWarning):
        found = tune(corpus, "plsa", n_components="2:40", folds=2, engine="interrupted")
    assert found.interrupted
    assert found.curve["n_components"].to_list() == [2, 4, 8]
    assert (found.n_components, found.model, found.path) == (8, None, None)


def test_ctrl_c_on_the_path_keeps_the_size(corpus, interrupt_at):
    interrupt_at(7)
    with pytest.warns(ConvergenceWarning):
        found = tune(corpus, "plsa", n_components=[6], folds=2, engine="interrupted")
    assert found.n_components == 6
    assert found.path["value"].to_list() == ["default", "-0.02"]


class Counting(Serial):
    """An engine that counts its calls and raises KeyboardInterrupt in one of them."""

    def __init__(self, calls, last):
        super().__init__()
        self.calls, self.last = calls, last

    def map_reduce(self, *arguments):
        self.calls.append(1)
        if len(self.calls) == self.last:
            raise KeyboardInterrupt
        return super().map_reduce(*arguments)


@pytest.mark.parametrize("name", MODELS)
def test_ctrl_c_inside_the_first_fit_is_not_taken_for_its_end(corpus, name, monkeypatch):
    """A single fit keeps its result when interrupted, but a search must not score such a fit."""

    def search(last=None):
        calls = []
        monkeypatch.setitem(ENGINES, "counting", lambda n_jobs: Counting(calls, last))
        settings = {"sparsity": False, "refit": False, "engine": "counting"}
        tune(corpus, name, n_components=[6], folds=2, **settings)
        return len(calls)

    for call in range(1, search() // 2 + 1):  # interrupt each step of the first of two fits
        with pytest.raises(KeyboardInterrupt):
            search(call)


# --- wrong input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ({"model": "lda"}, ["'lda'", *MODELS]),
        ({"n_components": "5;7"}, ["'5;7'", "topics"]),
        ({"n_components": [150]}, ["150 topics", "80 documents"]),
        ({"words": 3}, ["SparseCoding", "'words'"]),
        ({"n_components": 2.5}, ["2.5", "topics"]),
        ({"folds": 1}, ["folds", "at least 2", "got 1"]),
        ({"folds": 2.5}, ["folds", "integer", "got 2.5"]),
        ({"sample": 0}, ["sample", "at least 1", "got 0"]),
        ({"random_state": None}, ["random_state", "at least 0", "got None"]),
        ({"random_state": -1}, ["random_state", "at least 0", "got -1"]),
        ({"model": "pcp", "solver": "exact"}, ["PCP", "solver='exact'", "solver='factored'"]),
    ],
)
def test_wrong_requests(corpus, settings, parts):
    with refused(*parts):
        tune(corpus, **{"folds": 3, **settings})


def test_wrong_documents(corpus):
    with refused("0 documents"):
        tune(Corpus(np.zeros((0, 3), int)))
    with refused("class", "label="):
        tune(Corpus(corpus.counts), "medstc")
    with refused("counts", "integers"):
        tune(corpus.counts * 0.5, "plsa")


def test_documents_whose_class_is_missing_are_left_out():
    corpus, _ = make_topics(120, 120, 3, random_state=0)
    labels = np.array([None if i % 7 == 0 else int(one) for i, one in enumerate(corpus.labels)])
    partly = Corpus(corpus.counts, corpus.vocabulary, labels=labels)
    tuning = laconic.tune(partly, "medstc", n_components=[2, 3], sparsity=False, folds=2)
    assert tuning.model.classes_.tolist() == [0, 1, 2]
