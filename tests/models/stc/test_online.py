"""STC in batches: one full batch, streams, mini-batches inside a fit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from laconic import STC, Corpus
from tests.models.plsa import reference as reference_plsa

BOTH = pytest.mark.parametrize("dictionary", ["coupled", "paper"])


def fit(X, n_components, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return STC(n_components, **{"engine": "serial", **params}).fit(X)


def stream(model, corpus, size, epochs):
    random = np.random.default_rng(0)
    for _ in range(epochs):
        for rows in np.array_split(random.permutation(len(corpus)), len(corpus) // size):
            model.partial_fit(corpus[rows])
    return model


@BOTH
@pytest.mark.parametrize("loss", ["poisson", "gaussian"])
def test_one_full_batch_is_one_pass(planted, dictionary, loss):
    corpus, _ = planted
    online = STC(5, dictionary=dictionary, loss=loss, engine="serial").partial_fit(corpus)
    batch = fit(corpus, 5, dictionary=dictionary, loss=loss, max_iter=1)
    order = [
        int(np.abs(online.components_ - topic).sum(axis=1).argmin()) for topic in batch.components_
    ]
    assert sorted(order) == list(range(5))
    np.testing.assert_allclose(online.components_[order], batch.components_, atol=1e-6)
    assert online.objective_ == pytest.approx(batch.objective_, rel=1e-6)
    assert online.n_iter_ == 1
    np.testing.assert_allclose(
        online.word_topics_[:, order].toarray(),
        batch.word_topics_.toarray(),
        atol=0.02 * batch.word_topics_.max(),
    )


@BOTH
def test_a_stream_finds_planted_topics(planted, dictionary):
    corpus, truth = planted
    online = stream(STC(6, dictionary=dictionary, engine="serial"), corpus, 75, 3)
    assert reference_plsa.likeness(online.components_, truth.topics).min() > 0.85
    assert online.n_iter_ == 12 == len(online.objective_)
    np.testing.assert_allclose(online.components_.sum(axis=1), 1, rtol=1e-4)
    assert len(online.divergence_) == (12 if dictionary == "coupled" else 0)


@BOTH
def test_words_that_come_later_are_learned(planted, dictionary):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    late = np.flatnonzero(X.sum(axis=0))[::2]
    first, later = X[:150].copy(), X[150:]
    first[:, late] = 0
    online = STC(4, dictionary=dictionary, engine="serial").partial_fit(first)
    assert not online.components_[:, late].any()
    for _ in range(4):
        online.partial_fit(later)
    seen = late[later[:, late].any(axis=0)]
    assert (online.components_[:, seen].max(axis=0) > 0).all()
    only = np.zeros((1, 160))
    only[0, seen] = later[:, seen].sum(axis=0)
    assert online.transform(only).nnz


@BOTH
def test_a_batch_after_a_fit_does_not_undo_it(planted, dictionary):
    corpus, truth = planted
    model = fit(corpus, 6, dictionary=dictionary)
    before, passes = model.components_, model.n_iter_
    model.partial_fit(corpus[:3])
    assert model.n_iter_ == passes + 1
    assert np.abs(model.components_ - before).sum(axis=1).max() < 0.3
    assert reference_plsa.likeness(model.components_, truth.topics).min() > 0.85
    again, fresh = model.fit(corpus), fit(corpus, 6, dictionary=dictionary)
    assert np.array_equal(again.components_, fresh.components_)
    assert np.array_equal(again.objective_, fresh.objective_)


def test_columns_keep_their_order_between_batches(planted):
    corpus, _ = planted
    online = STC(5, engine="serial").partial_fit(corpus[:150])
    before = online.transform(corpus[:40]).toarray()
    after = online.partial_fit(corpus[150:]).transform(corpus[:40]).toarray()
    likeness = np.corrcoef(before.T, after.T)[:5, 5:]
    assert np.array_equal(np.argmax(likeness, axis=1), np.arange(5))


def test_batches_are_matched_by_word(planted):
    corpus, _ = planted
    other = corpus.align(list(corpus.vocabulary[::-1]))
    plain = STC(4, engine="serial").partial_fit(corpus[:150]).partial_fit(corpus[150:])
    mixed = STC(4, engine="serial").partial_fit(corpus[:150]).partial_fit(other[150:])
    assert np.array_equal(plain.components_, mixed.components_)


def test_penalties_of_targets_stay_those_of_the_first_batch(planted):
    corpus, _ = planted
    online = STC(5, topics_per_word=1.5, engine="serial").partial_fit(corpus[:150])
    first = online.word_penalty_
    online.partial_fit(corpus[150:])
    assert online.word_penalty_ == first
    found = online.word_codes(corpus).entries.nnz / corpus.counts.nnz
    assert found == pytest.approx(1.5, rel=0.3)


# ---- batches inside a fit ----


@BOTH
@pytest.mark.parametrize("size", [1, 70, 299])
def test_batches_inside_a_fit(planted, dictionary, size):
    corpus, truth = planted
    data = corpus[:40] if size == 1 else corpus
    model = fit(data, 6, dictionary=dictionary, batch_size=size, max_iter=5)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    assert np.isfinite(model.objective_).all()
    if size > 1:
        assert reference_plsa.likeness(model.components_, truth.topics).min() > 0.85
    assert model.word_topics_.shape == (160, 6)


def test_one_batch_of_everything_is_the_whole(planted):
    corpus, _ = planted
    whole, same = (fit(corpus, 4, batch_size=size, max_iter=3) for size in (None, 300))
    assert np.array_equal(whole.components_, same.components_)


def test_batches_are_the_same_in_every_engine(planted, tmp_path, small_chunks):
    corpus = planted[0][:100]
    serial, threads = (
        fit(corpus, 4, batch_size=30, max_iter=3, engine=engine, n_jobs=2)
        for engine in ("serial", "threads")
    )
    assert np.array_equal(serial.components_, threads.components_)
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    from_disk = fit(stored, 4, batch_size=30, max_iter=3)
    assert reference_plsa.likeness(from_disk.components_, serial.components_).min() > 0.8
