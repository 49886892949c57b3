"""Tests of batches that apply only to STC; tests/models/test_online.py has the others."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import STC, Corpus
from tests.models.plsa import reference as reference_plsa
from tests.models.test_online import fit, stream

BOTH = pytest.mark.parametrize("dictionary", ["coupled", "paper"])


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


def test_penalties_of_targets_stay_those_of_the_first_batch(planted):
    corpus, _ = planted
    online = STC(5, topics_per_word=1.5, engine="serial").partial_fit(corpus[:150])
    first = online.word_penalty_
    online.partial_fit(corpus[150:])
    assert online.word_penalty_ == first
    found = online.word_codes(corpus).entries.nnz / corpus.counts.nnz
    assert found == pytest.approx(1.5, rel=0.3)


def test_batches_are_the_same_in_every_engine(planted, tmp_path, small_chunks):
    corpus = planted[0][:100]
    serial, threads = (
        fit(STC, corpus, 4, batch_size=30, max_iter=3, engine=engine, n_jobs=2)
        for engine in ("serial", "threads")
    )
    assert np.array_equal(serial.components_, threads.components_)
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    from_disk = fit(STC, stored, 4, batch_size=30, max_iter=3)
    assert reference_plsa.likeness(from_disk.components_, serial.components_).min() > 0.8
