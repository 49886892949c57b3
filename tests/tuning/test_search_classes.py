"""Tests of scikit-learn's search classes with `held_out_score`, on a Corpus and a matrix."""

from __future__ import annotations

import pytest
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV

import laconic
from laconic.datasets import make_topics
from laconic.models import MODELS

SIZES = {"model__n_components": [2, 5, 20]}


@pytest.fixture(scope="module")
def corpus():
    return make_topics(120, 100, 5, words_per_topic=12, topics_per_document=1, random_state=4)[0]


@pytest.mark.parametrize(
    ("name", "form"),
    [*((name, "corpus") for name in MODELS), ("slsa", "matrix"), ("medstc", "matrix")],
)
def test_a_grid_finds_the_planted_number(corpus, name, form):
    search = GridSearchCV(laconic.pipeline(name), SIZES, scoring=laconic.held_out_score, cv=2)
    X = corpus if form == "corpus" else corpus.counts
    search.fit(X, corpus.labels if name == "medstc" else None)
    best = search.best_params_["model__n_components"]
    # topics of MedSTC are tied to classes, so that more topics do no harm
    assert best in (5, 20) if name == "medstc" else best == 5
    assert search.best_estimator_.transform(X).shape == (120, best)


def test_other_searches(corpus):
    settings = {"scoring": laconic.held_out_score, "cv": 2, "random_state": 0}
    pipeline = laconic.pipeline("plsa")
    drawn = RandomizedSearchCV(pipeline, SIZES, n_iter=3, **settings).fit(corpus)
    halved = HalvingGridSearchCV(pipeline, SIZES, min_resources=40, **settings).fit(corpus)
    assert drawn.best_params_ == halved.best_params_ == {"model__n_components": 5}


def test_what_tune_found_starts_a_grid_around_it(corpus):
    best = laconic.tune(corpus, "plsa", n_components=[2, 5], refit=False, folds=2).best_params
    grid = {name: [value] for name, value in best.items()}
    search = GridSearchCV(laconic.pipeline("plsa"), grid, scoring=laconic.held_out_score, cv=2)
    assert search.fit(corpus).best_params_ == best
