"""Tests of batches that apply only to SCTM; tests/models/test_online.py has the others."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import SCTM, Corpus
from tests.models.plsa import reference as reference_plsa
from tests.models.sctm import reference
from tests.models.sctm.fits import fit, start_of
from tests.models.test_online import stream


@pytest.fixture
def counts():
    X = np.random.default_rng(0).poisson(0.6, (60, 25)).astype(float)
    X[:, 0] += 1
    return X


def test_full_batches_that_forget_at_once_are_the_passes_of_a_fit(counts):
    online = SCTM(4, alpha=1e-3, forgetting=1e4, engine="serial")
    for _ in range(6):
        online.partial_fit(counts)
    F = reference.frequencies(counts)
    topics, values = reference.alternate(F, start_of(counts, 4), 1e-3, 6)
    np.testing.assert_allclose(online.components_, topics, atol=1e-6)
    np.testing.assert_allclose(online.objective_, values, rtol=1e-7)


@pytest.mark.parametrize("forgetting", [0.0, 1.0, 3.0])
def test_earlier_batches_fade_by_the_exponent(counts, forgetting):
    alpha, sizes = 1e-3, [(0, 30), (30, 40), (40, 60)]
    online = SCTM(3, alpha=alpha, forgetting=forgetting, engine="serial")
    F = reference.frequencies(counts)
    topics = start_of(counts[:30], 3)
    rows, weights = np.zeros(0, int), np.zeros(0)
    codes = np.zeros((0, 3))
    for first, last in sizes:
        online.partial_fit(counts[first:last])
        new = np.arange(first, last)
        weights = np.append(weights * (first / last) ** forgetting, np.ones(len(new)))
        rows, codes = (
            np.append(rows, new),
            np.vstack([codes, reference.codes_of(F[new], topics, alpha)]),
        )
        root = np.sqrt(weights)[:, None]
        topics = reference.improved(topics, root * F[rows], root * codes)
        np.testing.assert_allclose(online.components_, topics, atol=1e-6)
    assert online.n_documents_ == 60


def test_a_stream_finds_planted_topics(planted):
    corpus, truth = planted
    online = stream(SCTM(5, engine="serial"), corpus, 75, 3)
    assert reference_plsa.likeness(online.components_, truth.topics).min() > 0.95
    assert reference_plsa.likeness(online.probabilities_, truth.topics).min() > 0.9
    assert online.n_iter_ == 12 == len(online.objective_)
    assert online.n_documents_ == 900
    np.testing.assert_allclose(online.components_.sum(axis=1), 1, rtol=1e-4)
    whole = fit(corpus, 5)
    assert online.perplexity(corpus) <= 1.1 * whole.perplexity(corpus)


def test_a_stream_follows_what_changes(planted):
    """With `forgetting`, the topics follow the documents when their words change."""
    corpus, _ = planted
    X = corpus.counts.toarray()
    late = X[:, np.random.default_rng(0).permutation(160)]
    values = []
    for forgetting in (0.0, 3.0):
        online = SCTM(5, forgetting=forgetting, engine="serial")
        for part in np.array_split(X, 4) + np.array_split(late, 4):
            online.partial_fit(part)
        values.append(online.objective_[-1])
    assert values[1] < values[0]


def test_words_that_come_later_are_learned(planted):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    late = np.flatnonzero(X.sum(axis=0))[::2]
    first, later = X[:150].copy(), X[150:]
    first[:, late] = 0
    online = SCTM(5, engine="serial").partial_fit(first)
    before = online.components_[:, late].sum()
    for _ in range(4):
        online.partial_fit(later)
    assert online.components_[:, late].sum() > before + 1
    assert (online.probabilities_ > 0).all()
    only = np.zeros((1, 160))
    only[0, late] = later[:, late].sum(axis=0)
    assert online.transform(only).nnz


def test_the_same_documents_after_a_fit_change_nothing(counts):
    model = fit(counts, 4, alpha=1e-3, max_iter=2000, tol=1e-12, smoothing=None)
    before = model.components_.copy()
    model.partial_fit(counts)
    np.testing.assert_allclose(model.components_, before, atol=2e-3)


def test_the_penalty_of_a_target_stays_that_of_the_first_batch(planted):
    corpus, _ = planted
    online = SCTM(8, topics_per_document=2, engine="serial").partial_fit(corpus[:150])
    first = online.alpha_
    online.partial_fit(corpus[150:])
    assert online.alpha_ == first
    assert online.transform(corpus).nnz / 300 == pytest.approx(2, rel=0.5)


def test_empty_batches_and_documents(planted):
    X = planted[0].counts.toarray().astype(float)
    online = SCTM(4, engine="serial").partial_fit(X[:150])
    before = online.components_
    online.partial_fit(np.zeros((3, 160)))
    np.testing.assert_allclose(online.components_, before, atol=0.05)
    assert np.isfinite(online.score(X))
    late = SCTM(4, engine="serial").partial_fit(np.zeros((5, 160))).partial_fit(X)
    assert np.isfinite(late.components_).all()
    np.testing.assert_allclose(late.components_.sum(axis=1), 1, rtol=1e-4)
    assert np.isfinite(late.score(X))


def test_a_correlated_stream(planted):
    corpus, truth = planted
    online = stream(SCTM(5, correlated=True, engine="serial"), corpus, 75, 3)
    assert reference_plsa.likeness(online.components_, truth.topics).min() > 0.9
    assert np.linalg.eigvalsh(online.topic_precision_).min() > 0
    first = SCTM(5, alpha=1e-4, correlated=True, engine="serial").partial_fit(corpus)
    whole = fit(corpus, 5, alpha=1e-4, correlated=True)
    # the variance is that of the residual after coding, as after a fit
    F = reference.frequencies(corpus.counts.toarray())
    start = start_of(corpus.counts.toarray(), 5)
    residual = np.sum((F - reference.codes_of(F, start, 1e-4) @ start) ** 2) / F.size
    assert whole.residual_variance_ * 0.8 <= first.residual_variance_ <= residual * 1.05


# ---- batches inside a fit ----


def test_batches_end_where_passes_do(planted):
    corpus, _ = planted
    whole, batches = (fit(corpus, 5, batch_size=size) for size in (None, 60))
    assert batches.converged_
    assert batches.objective_[-1] <= 1.05 * whole.objective_[-1]
    # batches update the topics during the first pass
    assert batches.objective_[0] < whole.objective_[0]


def test_targets_with_batches(planted):
    corpus, _ = planted
    model = fit(corpus, 8, topics_per_document=2, batch_size=60)
    assert model.transform(corpus).nnz / 300 == pytest.approx(2, rel=0.15)


def test_batches_are_the_same_in_every_engine(planted, tmp_path, small_chunks):
    corpus = planted[0][:100]
    serial, threads = (
        fit(corpus, 4, batch_size=30, max_iter=6, engine=engine, n_jobs=2)
        for engine in ("serial", "threads")
    )
    assert np.array_equal(serial.components_, threads.components_)
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    # the store has other chunks, so the batches differ
    from_disk = fit(stored, 4, batch_size=30, max_iter=6)
    assert from_disk.perplexity(corpus) == pytest.approx(serial.perplexity(corpus), rel=0.1)
