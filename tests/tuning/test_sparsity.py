"""Tests of the path from dense to sparse: parameter values, warm starts and the choice."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import pipeline
from laconic.datasets import make_topics
from laconic.models import MODELS
from laconic.tuning.prediction import Prediction
from laconic.tuning.sparsity import PATHS, Step, run_path, sparsest, values_for
from laconic.tuning.trials import Trial, divide, run_trial


@pytest.fixture(scope="module")
def corpus():
    return make_topics(120, 150, 4, words_per_topic=12, random_state=5)[0]


def step(value, shares, zeros):
    return Step(value, Trial(Prediction(np.array(shares)), 1.0, zeros, 0.0))


def test_every_model_has_a_path_and_its_parameter():
    assert list(PATHS) == list(MODELS)
    for name, path in PATHS.items():
        assert path.parameter in inspect.signature(MODELS[name]).parameters
        assert path.values[0] is None
        assert len(set(path.values)) == len(path.values)


def test_the_sparsest_within_one_error_of_the_best():
    # the best step scores 0.5 ± 0.07, the standard error of two values with variance 0.01
    steps = [
        step(None, [0.43, 0.57], 0.1),
        step(20, [0.44, 0.44], 0.8),
        step(10, [0.42, 0.42], 0.95),
        step(15, [0.43, 0.44], 0.9),
    ]
    assert sparsest(steps).value == 15
    assert sparsest(steps[:1]).value is None


def test_values_that_make_no_difference_are_left_out():
    assert values_for(PATHS["slsa"], 20, 60) == [None, 50, 20, 10, 5]
    assert values_for(PATHS["sctm"], 4, 1000) == [None, 3, 2, 1]
    assert values_for(PATHS["plsa"], 4, 10) == list(PATHS["plsa"].values)


@pytest.mark.parametrize("name", MODELS)
def test_zeros_grow_along_the_path(corpus, name):
    documents = divide(corpus, folds=2, sample=1000, by_class=name == "medstc", random_state=0)
    path = PATHS[name]
    values = values_for(path, 4, documents.corpus.shape[1])[:4]
    steps = list(
        run_path(
            path, values, lambda **params: pipeline(name, n_components=4, **params), documents, 0
        )
    )
    zeros = [step.trial.zeros for step in steps]
    assert [step.value for step in steps] == values
    assert zeros[-1] > zeros[0] or zeros[0] > 0.95
    assert all(0 < step.trial.prediction.explained < 1 for step in steps[:2])


@pytest.mark.parametrize("name", ["slsa", "plsa", "sctm", "stc"])
def test_a_fit_may_start_from_the_topics_of_another(corpus, name):
    """A fit from its own result needs few passes; a fit from other topics has another result."""
    documents = divide(corpus, folds=2, sample=1000, by_class=False, random_state=0)
    made = []

    def trial(first=(), **settings):
        def make():
            made.append(pipeline(name, n_components=4, random_state=1, **settings))
            return made[-1]

        return run_trial(make, documents, init=first, by_codes=True).topics

    cold = trial()
    warm = trial(first=cold)
    passes = [model[-1].n_iter_ for model in made]
    assert all(new < old or new <= 2 for old, new in zip(passes[:2], passes[2:], strict=True))
    assert all(alike(*pair) > 0.999 for pair in zip(cold, warm, strict=True))
    order = np.random.default_rng(0).permutation(documents.corpus.shape[1])
    other = trial(first=[topics[:, order] for topics in cold], max_iter=1)
    assert all(alike(*pair) < 0.99 for pair in zip(cold, other, strict=True))


def alike(first, second):
    A, B = (sp.csr_matrix(topics).toarray() for topics in (first, second))
    A, B = (M / np.linalg.norm(M, axis=1, keepdims=True) for M in (A, B))
    return float((A @ B.T).max(axis=1).mean())
