"""`laconic.tune` from end to end: planted topics, the same twice, Ctrl-C, and what it refuses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic import Corpus, LaconicError, tune
from laconic.datasets import make_topics
from laconic.models import MODELS
from laconic.tuning import trials


@pytest.fixture(scope="module")
def corpus():
    return make_topics(200, 200, 6, words_per_topic=12, document_length=60, random_state=4)[0]


@pytest.fixture(scope="module")
def tuning(corpus):
    return tune(corpus, "plsa", folds=3)


@pytest.mark.parametrize("name", MODELS)
def test_six_planted_topics_are_found_untold(corpus, name):
    found = tune(corpus, name, sparsity=False, refit=False, folds=3)
    assert found.n_components == 6
    assert found.curve["n_components"].min() == 2
    assert found.curve["n_components"].max() > 12


@pytest.mark.parametrize("name", ["slsa", "plsa", "stc"])
def test_twenty_planted_topics_are_found_untold(name):
    """The other models, and more ways to plant topics: ``tune-planted`` of the benchmarks."""
    corpus = make_topics(400, 600, 20, words_per_topic=15, document_length=60, random_state=1)[0]
    assert 18 <= tune(corpus, name, sparsity=False, refit=False, folds=3).n_components <= 22


def test_what_it_returns(tuning, corpus):
    curve = tuning.curve
    assert isinstance(curve, pl.DataFrame)
    assert curve.columns == [
        "n_components", "foretold", "standard_error", "stability", "score", "zeros", "seconds",
    ]  # fmt: skip
    assert curve["n_components"].is_sorted()
    assert curve["n_components"].is_unique().all()
    np.testing.assert_allclose(curve["score"], curve["foretold"] * curve["stability"])
    best = curve.row(int(curve["score"].arg_max()), named=True)
    assert best["n_components"] == tuning.n_components == 6
    assert tuning.path["value"].to_list()[0] == "default"
    assert tuning.path["zeros"][-1] > tuning.path["zeros"][0]
    assert tuning.best_params["model__n_components"] == 6
    assert tuning.model.transform(corpus).shape == (200, 6)
    assert not tuning.interrupted


def test_the_choice_fits_into_a_pipeline(tuning, corpus):
    again = laconic.pipeline("plsa").set_params(**tuning.best_params).fit(corpus)
    np.testing.assert_array_equal(again[-1].components_, tuning.model[-1].components_)


def test_the_same_seed_gives_the_same(tuning, corpus):
    again = tune(corpus, "plsa", folds=3)
    assert again.curve.drop("seconds").equals(tuning.curve.drop("seconds"))
    assert again.path.drop("seconds").equals(tuning.path.drop("seconds"))
    assert again.best_params == tuning.best_params
    other = tune(corpus, "plsa", folds=3, n_components=[6], refit=False, random_state=1)
    assert other.curve["foretold"][0] != tuning.curve.filter(n_components=6)["foretold"][0]


def test_it_prints_the_curve_the_choice_and_why(tuning):
    lines = str(tuning).splitlines()
    assert lines[0].startswith("plsa: 6 topics, smoothing=-")
    marked = [line for line in lines if line.endswith("←")]
    assert marked[0].split()[0] == "6"
    assert len(marked) == 2  # on the curve and on the path
    assert "- 6 topics have the highest score: they foretell " in str(tuning)
    assert "is the sparsest setting" in str(tuning)
    assert str(tuning).count("\n- ") == len(tuning.why)


def test_given_numbers_are_tried_and_no_others(corpus):
    found = tune(corpus, "slsa", n_components=[3, 6, 9], sparsity=False, refit=False, folds=2)
    assert found.curve["n_components"].to_list() == [3, 6, 9]
    assert (found.n_components, found.path, found.model) == (6, None, None)


def test_a_range_is_searched_and_its_end_is_told(corpus):
    found = tune(corpus, "slsa", n_components="2:4", sparsity=False, refit=False, folds=2)
    assert set(found.curve["n_components"]) <= {2, 3, 4}
    assert found.n_components == 4
    assert found.why[-1] == "4 is the largest number that was allowed; more may be better."


def test_parameters_reach_every_fit(corpus):
    found = tune(
        corpus, "slsa", n_components=[6], words_per_topic=7, positive=False, weighting="tfidf"
    )
    assert found.path is None  # it was told how sparse
    assert np.diff(found.model[-1].components_.indptr).tolist() == [7] * 6
    assert found.model["weighting"].scheme == "tfidf"
    assert found.curve["zeros"][0] == pytest.approx(1 - 7 / 200, abs=0.01)


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
    assert "150 documents" in found.why[0]
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
    assert found.why[0].startswith("One number of topics was tried on 60 of 200 documents, each")
    assert found.model[-1].n_documents_ == 200


def test_a_classifier_shows_its_accuracy(corpus):
    found = tune(corpus, "medstc", n_components=[2, 6], folds=2)
    assert "accuracy" in found.curve.columns
    assert "accuracy" in str(found).splitlines()[2]
    assert found.model.score(corpus, corpus.labels) > 0.8


# --- Ctrl-C --------------------------------------------------------------------------------------


def interrupt_at(monkeypatch, number):
    """Ctrl-C in the so-many-th fit."""
    fits = iter(range(1, 1000))
    fit = trials._fit

    def interrupted(*arguments):
        if next(fits) == number:
            raise KeyboardInterrupt
        return fit(*arguments)

    monkeypatch.setattr(trials, "_fit", interrupted)


def test_ctrl_c_ends_the_search_with_what_has_been_tried(corpus, monkeypatch):
    interrupt_at(monkeypatch, 8)  # in the fourth size of two fits each
    with pytest.warns(ConvergenceWarning, match="stopped after 3 numbers of topics"):
        found = tune(corpus, "plsa", folds=2)
    assert found.interrupted
    assert found.curve["n_components"].to_list() == [2, 4, 8]
    assert (found.n_components, found.model, found.path) == (8, None, None)


def test_ctrl_c_on_the_path_keeps_the_size(corpus, monkeypatch):
    interrupt_at(monkeypatch, 7)
    with pytest.warns(ConvergenceWarning):
        found = tune(corpus, "plsa", n_components=[6], folds=2)
    assert found.n_components == 6
    assert found.path["value"].to_list() == ["default", "-0.02"]


def test_ctrl_c_before_anything_is_known_is_ctrl_c(corpus, monkeypatch):
    interrupt_at(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        tune(corpus, "plsa", folds=2)


@pytest.mark.parametrize("name", MODELS)
def test_ctrl_c_inside_a_fit_is_not_taken_for_its_end(corpus, name, monkeypatch):
    """A fit by itself keeps what it has; one of a search must not be judged half done."""
    from laconic.models import base

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(base, "progress", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tune(corpus, name, n_components=[6], folds=2)


# --- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "lda"}, "There is no model 'lda'; the models are slsa, "),
        ({"n_components": "5;7"}, "'5;7' names no numbers of topics"),
        ({"n_components": [150]}, "150 topics cannot be judged by 133 documents"),
        ({"words": 3}, "SparseLSA has no parameter 'words'"),
        ({"n_components": 2.5}, "2.5 names no numbers of topics"),
        ({"folds": 1}, "folds must be a whole number of 2 or more; got 1"),
        ({"folds": 2.5}, "folds must be a whole number"),
        ({"sample": 0}, "sample must be a whole number of 1 or more"),
        ({"random_state": None}, "random_state must be a whole number of 0 or more; got None"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"model": "pcp", "solver": "exact"}, "comes out by itself, so there is nothing to choose"),
    ],
)
def test_wrong_requests(corpus, settings, message):
    with pytest.raises(LaconicError, match=message):
        tune(corpus, **{"folds": 3, **settings})


def test_wrong_documents(corpus):
    with pytest.raises(LaconicError, match="too few to choose a size by"):
        tune(Corpus(np.zeros((0, 3), int)))
    with pytest.raises(LaconicError, match="the corpus has none; read it with label="):
        tune(Corpus(corpus.counts), "medstc")
    with pytest.raises(LaconicError, match="counts must be whole"):
        tune(corpus.counts * 0.5, "plsa")


def test_documents_whose_class_is_missing_are_left_out():
    corpus, _ = make_topics(120, 120, 3, random_state=0)
    labels = np.array([None if i % 7 == 0 else int(one) for i, one in enumerate(corpus.labels)])
    partly = Corpus(corpus.counts, corpus.vocabulary, labels=labels)
    tuning = laconic.tune(partly, "medstc", n_components=[2, 3], sparsity=False)
    assert tuning.model.classes_.tolist() == [0, 1, 2]
