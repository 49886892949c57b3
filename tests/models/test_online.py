"""Tests of SCTM and STC in batches: `partial_fit` and mini-batches inside a fit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from laconic import SCTM, STC
from tests.models.plsa.reference import likeness

LEAST = {SCTM: 0.95, STC: 0.85}  # minimum cosine of fitted and planted topics
N_TOPICS = {SCTM: 5, STC: 6}
DICTIONARIES = [{"dictionary": "coupled"}, {"dictionary": "paper"}]


def each(sctm, stc):
    """Parametrise a test with each model and each of the model's parameter sets."""
    cases = [*((SCTM, params) for params in sctm), *((STC, params) for params in stc)]
    names = [f"{model.__name__} {params}" for model, params in cases]
    return pytest.mark.parametrize(("model", "params"), cases, ids=names)


def fit(model, X, n_components, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model(n_components, **{"engine": "serial", **params}).fit(X)


def stream(model, corpus, size, epochs):
    random = np.random.default_rng(0)
    for _ in range(epochs):
        for rows in np.array_split(random.permutation(len(corpus)), len(corpus) // size):
            model.partial_fit(corpus[rows])
    return model


@each(
    [{}, {"alpha": 0.01}, {"smoothing": None}],
    [one | {"loss": loss} for one in DICTIONARIES for loss in ("poisson", "gaussian")],
)
def test_one_full_batch_is_one_pass(planted, model, params):
    corpus, _ = planted
    online = model(5, engine="serial", **params).partial_fit(corpus)
    batch = fit(model, corpus, 5, max_iter=1, **params)
    order = [
        int(np.abs(online.components_ - topic).sum(axis=1).argmin()) for topic in batch.components_
    ]
    assert sorted(order) == list(range(5))
    np.testing.assert_allclose(online.components_[order], batch.components_, atol=1e-6)
    assert online.objective_ == pytest.approx(batch.objective_, rel=1e-6)
    assert online.n_iter_ == 1
    if model is SCTM:
        assert online.n_documents_ == 300
        np.testing.assert_array_equal(online.word_counts_, batch.word_counts_)
    else:
        found, expected = online.word_topics_[:, order].toarray(), batch.word_topics_.toarray()
        np.testing.assert_allclose(found, expected, atol=0.02 * expected.max())


@each([{}, {"correlated": True}, {"smoothing": 0.1}], DICTIONARIES)
def test_a_batch_after_a_fit_does_not_undo_it(planted, model, params):
    corpus, truth = planted
    fitted = fit(model, corpus, N_TOPICS[model], **params)
    before, passes, n_values = fitted.components_, fitted.n_iter_, len(fitted.objective_)
    score = fitted.score(corpus) if model is SCTM else None
    fitted.partial_fit(corpus[:3])
    assert fitted.n_iter_ == passes + 1
    assert len(fitted.objective_) == n_values + 1
    change = np.abs(fitted.components_ - before).sum(axis=1).max()
    assert change < (0.1 if model is SCTM else 0.3)
    assert likeness(fitted.components_, truth.topics).min() > LEAST[model]
    if model is SCTM:
        assert fitted.score(corpus) == pytest.approx(score, rel=0.05)
        assert fitted.n_documents_ == 303
    again, fresh = fitted.fit(corpus), fit(model, corpus, N_TOPICS[model], **params)
    assert np.array_equal(again.components_, fresh.components_)
    assert np.array_equal(again.objective_, fresh.objective_)
    if model is SCTM:
        assert again.n_documents_ == 300


@pytest.mark.parametrize("model", [SCTM, STC])
def test_columns_keep_their_order_between_batches(planted, model):
    corpus, _ = planted
    online = model(5, engine="serial").partial_fit(corpus[:150])
    before = online.transform(corpus[:40]).toarray()
    after = online.partial_fit(corpus[150:]).transform(corpus[:40]).toarray()
    alike = np.corrcoef(before.T, after.T)[:5, 5:]
    assert np.array_equal(np.argmax(alike, axis=1), np.arange(5))


@pytest.mark.parametrize("model", [SCTM, STC])
def test_batches_are_matched_by_word(planted, model):
    corpus, _ = planted
    other = corpus.align(list(corpus.vocabulary[::-1]))
    plain, mixed = (
        model(4, engine="serial").partial_fit(corpus[:150]).partial_fit(later[150:])
        for later in (corpus, other)
    )
    assert np.array_equal(plain.components_, mixed.components_)
    if model is SCTM:
        assert np.array_equal(plain.probabilities_, mixed.probabilities_)


# ---- batches inside a fit ----


@each([{"max_iter": 12}], [one | {"max_iter": 5} for one in DICTIONARIES])
@pytest.mark.parametrize("size", [1, 70, 299])
def test_batches_inside_a_fit(planted, model, params, size):
    corpus, truth = planted
    data = corpus[:40] if size == 1 else corpus
    fitted = fit(model, data, N_TOPICS[model], batch_size=size, **params)
    np.testing.assert_allclose(fitted.components_.sum(axis=1), 1, rtol=1e-4)
    assert np.isfinite(fitted.objective_).all()
    if size > 1:
        assert likeness(fitted.components_, truth.topics).min() > LEAST[model]
    if model is SCTM:
        assert fitted.n_documents_ == len(data)
    else:
        assert fitted.word_topics_.shape == (160, 6)


@each([{}, {"correlated": True}, {"topics_per_document": 2}], [{}])
@pytest.mark.parametrize("size", [300, 1000])
def test_one_batch_of_everything_is_the_whole(planted, model, params, size):
    corpus, _ = planted
    max_iter = 9 if model is SCTM else 3
    whole, same = (
        fit(model, corpus, 4, batch_size=s, max_iter=max_iter, **params) for s in (None, size)
    )
    assert np.array_equal(whole.components_, same.components_)
    assert np.array_equal(whole.objective_, same.objective_)
    if model is SCTM:
        assert np.array_equal(whole.probabilities_, same.probabilities_)
