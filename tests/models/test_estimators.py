"""Tests that every model and transformer is a scikit-learn estimator, also with a Corpus."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import laconic
from laconic import Weighting
from laconic.models import MODELS
from tests.messages import refused, warned

# The Vectorizer is not listed because these checks pass matrices, which it returns unchanged,
# instead of texts. It is compared with scikit-learn's CountVectorizer instead.
ESTIMATORS = [model(n_components=2) for model in MODELS.values()] + [Weighting()]


def scikit_learns_checks():
    """Yield all checks of scikit-learn except those of the array API.

    The array API must be enabled in SciPy before SciPy is imported.
    """
    for one in ESTIMATORS:
        for estimator, check in estimator_checks_generator(one):
            name = getattr(check, "func", check).__name__
            kind = "".join(f"-{key}" for key in getattr(check, "keywords", {}))
            if "array_api" not in name:
                yield pytest.param(estimator, check, id=f"{type(one).__name__}-{name}{kind}")


@pytest.mark.filterwarnings("ignore:.*topics were requested:UserWarning")
@pytest.mark.filterwarnings("ignore:.*topics have no words:UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(scikit_learns_checks()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture
def labelled(planted):
    """Return half of the documents as a corpus, their counts, and their classes."""
    corpus = planted[0][:150]
    return corpus, corpus.counts.astype(np.float64), corpus.labels


@pytest.fixture(params=list(MODELS))
def model(request):
    return MODELS[request.param](n_components=5)


def dense(components):
    """Return topics as a dense array; only SparseLSA stores them as a sparse matrix."""
    return components.toarray() if sp.issparse(components) else components


def test_clone_is_unfitted_and_fits_alike(model, labelled):
    _, X, y = labelled
    model.fit(X, y)
    twin = clone(model)
    assert not hasattr(twin, "components_")
    assert twin.get_params() == model.get_params()
    assert np.array_equal(dense(twin.fit(X, y).components_), dense(model.components_))


def test_in_a_pipeline_with_a_classifier(model, labelled):
    corpus, X, y = labelled
    classifier = make_pipeline(Weighting(), model, LogisticRegression(max_iter=2000))
    assert cross_val_score(classifier, X, y, cv=2).mean() > 0.9
    assert cross_val_score(classifier, corpus, y, cv=2).mean() > 0.9


def test_in_a_grid_search(model, labelled):
    corpus, X, y = labelled
    search = GridSearchCV(
        make_pipeline(clone(model), LogisticRegression(max_iter=2000)),
        {f"{type(model).__name__.lower()}__n_components": [1, 5]},
        cv=2,
    )
    assert search.fit(X, y).best_params_ == {f"{type(model).__name__.lower()}__n_components": 5}
    on_corpus = clone(search).fit(corpus, corpus.labels)
    assert on_corpus.best_params_ == search.best_params_
    assert on_corpus.best_score_ > 0.9


def test_train_test_split_of_a_corpus(model, labelled):
    corpus, _, _ = labelled
    train, test, y_train, y_test = train_test_split(
        corpus, corpus.labels, random_state=0, stratify=corpus.labels
    )
    assert len(train) + len(test) == len(corpus)
    assert np.array_equal(train.labels, y_train)
    classifier = make_pipeline(model, LogisticRegression(max_iter=2000)).fit(train, y_train)
    assert classifier.score(test, y_test) > 0.9


def test_names_of_the_codes(model, labelled):
    _, X, y = labelled
    names = model.fit(X, y).get_feature_names_out()
    prefix = type(model).__name__.lower()
    assert names.tolist() == [f"{prefix}{i}" for i in range(5)]


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(model, labelled, kind, frame):
    corpus, X, y = labelled
    model.set_params(sparse_output=False).set_output(transform=kind)
    table = model.fit(X, y).transform(X)
    assert isinstance(table, frame)
    assert list(table.columns) == list(model.get_feature_names_out())
    plain = clone(model).set_output(transform="default").fit(X, y).transform(X)
    np.testing.assert_array_equal(table.to_numpy(), plain)
    assert isinstance(clone(model).set_output(transform=kind).fit_transform(corpus, y), frame)


@pytest.mark.parametrize("name", list(MODELS))
def test_set_output_of_a_whole_pipeline(name, labelled):
    corpus, _, y = labelled
    pipeline = laconic.pipeline(name, n_components=3, sparse_output=False)
    table = pipeline.set_output(transform="pandas").fit_transform(corpus, y)
    assert isinstance(table, pd.DataFrame)
    assert table.shape == (len(corpus), 3)


def test_frames_are_matched_by_their_columns(model, labelled):
    _, X, y = labelled
    frame = pd.DataFrame(X.toarray(), columns=[f"c{i}" for i in range(X.shape[1])])
    model.fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    plain = clone(model).fit(X, y)
    assert np.array_equal(model.transform(frame).toarray(), plain.transform(X).toarray())
    with refused("feature names", kind=ValueError, golden=False):
        model.transform(frame[frame.columns[::-1]])
    with warned("feature names", golden=False):
        # scikit-learn warns because the model was fitted with feature names and X has none
        model.transform(X)


def test_fitted_state_is_plain(model, labelled):
    """Fitted attributes have only types that can be saved.

    These types are arrays, CSR matrices, numbers, strings, and lists of these.
    """
    corpus, _, y = labelled
    model.fit(corpus, y)

    def plain(value):
        if isinstance(value, (list, tuple)):
            return all(map(plain, value))
        if isinstance(value, dict):
            return all(map(plain, value.values()))
        return value is None or isinstance(
            value, (np.ndarray, sp.csr_matrix, str, bool, int, float)
        )

    learned = {k: v for k, v in vars(model).items() if k.endswith("_") and not k.startswith("_")}
    assert {"components_", "topic_shares_", "objective_", "n_iter_", "converged_"} <= set(learned)
    assert [name for name, value in learned.items() if not plain(value)] == []


@pytest.mark.parametrize("name", MODELS)
def test_topics_that_are_set_are_used(name, planted):
    corpus, _ = planted
    model = MODELS[name](n_components=5, random_state=0).fit(corpus)
    before = model.transform(corpus)
    model.components_ = model.components_[:, ::-1]
    after = model.transform(corpus)
    assert abs(before - after).max() > 0.01 * abs(before).max()
    model.components_ = model.components_[:, ::-1]
    assert abs(before - model.transform(corpus)).max() == 0


@pytest.mark.parametrize("name", MODELS)
def test_a_change_of_topics_in_place_is_never_ignored(name, planted):
    corpus, _ = planted
    fitted = MODELS[name](n_components=5, random_state=0).fit(corpus)
    for model in (fitted, pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        before = model.transform(corpus)
        topics = model.components_
        is_sparse = sp.issparse(topics)
        for array in (topics.data, topics.indices, topics.indptr) if is_sparse else (topics,):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            topics *= 2
        assert abs(before - model.transform(corpus)).max() == 0
        model.components_ = topics.copy()
        # changing the new array has an effect, because `transform` did not use it yet
        (model.components_.data if is_sparse else model.components_)[:2] = 0
        assert abs(before - model.transform(corpus)).max() > 0


@pytest.mark.parametrize("name", MODELS)
def test_an_array_that_is_set_stays_its_owners(name, planted):
    corpus, _ = planted
    model = MODELS[name](n_components=5, random_state=0).fit(corpus)
    before = model.transform(corpus)
    mine = model.components_.copy()
    is_sparse = sp.issparse(mine)
    arrays = [mine.data, mine.indices, mine.indptr] if is_sparse else [mine]
    # a read-only view of a writable array
    view = mine if is_sparse else np.broadcast_to(mine, mine.shape)
    for topics in (mine, view):
        model.components_ = topics
        assert abs(before - model.transform(corpus)).max() == 0
        assert all(array.flags.writeable for array in arrays)
    arrays[0][...] = 0
    assert abs(before - model.transform(corpus)).max() == 0


def test_arrays_of_sparse_topics_that_are_set_are_used(planted):
    corpus, _ = planted
    model = MODELS["slsa"](n_components=5, random_state=0).fit(corpus)
    before = model.transform(corpus).toarray()
    model.components_.data = 2 * model.components_.data
    assert np.array_equal(2 * before, model.transform(corpus).toarray())


@pytest.mark.parametrize("name", MODELS)
def test_pickles_leave_out_what_can_be_derived(name, planted):
    corpus, _ = planted
    model = MODELS[name](n_components=5, random_state=0).fit(corpus)
    before = model.transform(corpus)
    size = len(pickle.dumps(model))
    assert "_cache" not in model.__getstate__()
    model.__dict__.pop("_cache")
    assert len(pickle.dumps(model)) == size
    assert abs(before - pickle.loads(pickle.dumps(model)).transform(corpus)).max() == 0
