"""Tests of the parameter ``init``, with which every model starts from given topics."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.models import MODELS
from tests.messages import refused

NAMES = list(MODELS)
DISTRIBUTIONS = [name for name in NAMES if name not in ("slsa", "sc", "pcp")]


@pytest.fixture
def labelled(planted):
    corpus = planted[0][:150]
    return corpus.counts.astype(np.float64), corpus.labels


def topics_of(model):
    components = model.components_
    return components.toarray() if sp.issparse(components) else components


@pytest.mark.filterwarnings("ignore:.*did not converge")
@pytest.mark.parametrize("name", NAMES)
def test_a_fit_goes_on_from_the_topics_of_another(name, labelled):
    X, y = labelled
    done = MODELS[name](5).fit(X, y)
    once = MODELS[name](5, init=done.components_, max_iter=1).fit(X, y)
    cold = MODELS[name](5, max_iter=1).fit(X, y)
    distance = np.abs(topics_of(once) - topics_of(done)).sum()
    assert distance < 0.1 * np.abs(topics_of(done)).sum()
    if name == "sctm":  # the other models get almost as close in one pass from their default start
        assert distance < 0.5 * np.abs(topics_of(cold) - topics_of(done)).sum()


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(MODELS[name], "partial_fit")])
def test_a_stream_starts_there(name, labelled):
    X, _ = labelled
    done = MODELS[name](5).fit(X)
    given = topics_of(done)[::-1]
    stream = MODELS[name](5, init=given).partial_fit(X)
    if name != "pcp":  # PCP rotates its directions
        products = topics_of(stream) @ given.T
        assert (products.argmax(axis=1) == np.arange(5)).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, np.ndarray.tolist], ids=repr)
def test_any_matrix_is_taken_and_left_alone(name, make, labelled):
    X, y = labelled
    topics = np.random.default_rng(0).gamma(0.3, size=(5, X.shape[1]))
    expected = topics_of(MODELS[name](5, init=topics.copy()).fit(X, y))
    given = make(topics)
    fitted = MODELS[name](5, init=given).fit(X, y)
    np.testing.assert_array_equal(topics_of(fitted), expected)
    if isinstance(given, np.ndarray):
        assert given.flags.writeable


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(4, 60), (5, 59)])
def test_a_wrong_shape(name, shape, labelled):
    X, y = labelled
    model = MODELS[name](5, init=np.ones(shape))
    with refused(str(shape), "(5, 60)", "n_components"):
        model.fit(X[:, :60], y)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("value", [-1.0, 0.0])
def test_topics_that_are_no_distributions(name, value, labelled):
    X, y = labelled
    topics = np.ones((5, X.shape[1]))
    topics[2, : None if value == 0 else 1] = value
    with refused("negative values", "every topic", "positive value"):
        MODELS[name](5, init=topics).fit(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_missing_values(name, labelled):
    X, y = labelled
    with refused("NaN", kind=ValueError, golden=False):
        MODELS[name](5, init=np.full((5, X.shape[1]), np.nan)).fit(X, y)


def test_the_exact_solver_needs_no_start(labelled):
    X, _ = labelled
    with refused("init", "solver='exact'", "convex"):
        MODELS["pcp"](solver="exact", init=np.ones((2, X.shape[1]))).fit(X)


def test_the_rank_of_pcp_is_that_of_its_start(labelled):
    X, _ = labelled
    given = MODELS["pcp"](3).fit(X).components_
    model = MODELS["pcp"](init=given).fit(X)
    assert model.rank_ == 3
    np.testing.assert_allclose(np.abs(model.components_ @ given.T), np.eye(3), atol=0.1)
