"""Tests of word probabilities for each value of `smoothing`: "kl", a number, or None."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.corpus.chunks import memory_chunks
from laconic.engines import make_engine
from laconic.engines.scratch import scratch_arrays
from laconic.models.sctm.probabilities import FURTHEST, Refit, extrapolated
from tests.models.plsa import reference as reference_plsa
from tests.models.sctm.fits import fit


def test_kl_probabilities_are_never_zero(counts):
    X = np.hstack([counts, np.zeros((40, 5))])
    for dtype in (np.float32, np.float64):
        model = fit(X.astype(dtype), 4)
        assert model.probabilities_.shape == (4, 30)
        assert model.probabilities_.min() > 0
        np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-4)
        assert (model.components_ == 0).any()
        unseen = np.eye(30)[[27]] + X[:1]
        for documents in (X, unseen, np.eye(30)[[27]]):
            assert np.isfinite(model.score(documents))
            assert np.isfinite(model.perplexity(documents))
        assert model.score(unseen) < model.score(X[:1])
        assert model.topic_counts_.shape == (4,)


def test_kl_probabilities_predict_better_than_plain_mixing(planted):
    corpus, _ = planted
    X = corpus.counts.toarray()
    random = np.random.default_rng(0)
    seen = random.binomial(X[200:], 0.5)  # half of the words are used to predict the other half
    hidden = X[200:] - seen
    model = fit(X[:200], 6)
    theta = reference_plsa.mix(seen, model.probabilities_.T, np.full((100, 6), 1 / 6), 0.1, 200)
    refitted = reference_plsa.likelihood(hidden, model.probabilities_.T.astype(float), theta)
    plain = fit(X[:200], 6, smoothing=0.2)
    codes = plain.transform(seen).toarray() + 1e-9
    theta = codes / codes.sum(axis=1, keepdims=True)
    shares = (X[:200].sum(axis=0) + 0.02) / (X[:200] + 0.02 / 200).sum()
    mixed = 0.8 * plain.components_ + 0.2 * shares
    assert refitted > reference_plsa.likelihood(hidden, mixed.T.astype(float), theta)


def test_score_by_kl_is_that_of_the_best_mixtures(planted):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    model = fit(X, 5)
    words = model.probabilities_.T
    best = max(
        reference_plsa.likelihood(X, words, reference_plsa.mix(X, words, start, 0.0, 2000))
        for start in (np.full((300, 5), 0.2),)
    )
    assert best * 1.02 <= model.score(X) <= best * (1 - 1e-9)


@pytest.mark.parametrize("smoothing", [0.05, 0.5])
def test_score_by_a_share_of_all_words(planted, smoothing):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    X[3] = 0
    model = fit(X, 5, smoothing=smoothing)
    codes = model.transform(X).toarray()
    theta = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-300)
    weight = np.where(codes.any(axis=1), smoothing, 1.0)[:, None]
    p = (1 - weight) * (theta @ model.components_) + weight * X.sum(axis=0) / X.sum()
    explicit = float(X[X > 0] @ np.log(p[X > 0]))
    assert model.score(X) == pytest.approx(explicit, rel=1e-4)
    assert not hasattr(model, "probabilities_")


def test_a_share_of_all_words_knows_what_no_topic_has(blocks):
    model = fit(blocks, 2, alpha=0.01, smoothing=0.1)
    rare, unseen = (model.score(np.eye(18)[[word]]) for word in (16, 17))
    assert rare == pytest.approx(np.log(1 / blocks.sum()), abs=0.2)
    assert -np.inf < unseen < rare
    with_rare = model.score(blocks[:1]) - model.score(blocks[:1] * (np.arange(18) != 16))
    assert with_rare == pytest.approx(np.log(0.1 / blocks.sum()), abs=0.4)


def test_score_as_in_the_paper(blocks):
    model = fit(blocks, 2, alpha=0.01, smoothing=None)
    codes = model.transform(blocks).toarray()
    p = codes / codes.sum(axis=1, keepdims=True) @ model.components_
    explicit = [x[x > 0] @ np.log(q[x > 0]) for q, x in zip(p[1:], blocks[1:], strict=True)]
    assert model.score(blocks[1:]) == pytest.approx(sum(explicit), rel=1e-6)
    for impossible in (blocks[:1], blocks, np.eye(18)[[17]], blocks[[1]] + np.eye(18)[[17]]):
        assert model.score(impossible) == -np.inf
        assert model.perplexity(impossible) == np.inf


@pytest.mark.parametrize("smoothing", ["kl", 0.1, None])
def test_perplexity_is_that_of_the_score(planted, smoothing):
    corpus, _ = planted
    model = fit(corpus, 5, smoothing=smoothing)
    n_words = corpus.counts.sum()
    with np.errstate(over="ignore"):
        expected = np.exp(-model.score(corpus) / n_words)
    assert model.perplexity(corpus) == pytest.approx(expected, rel=1e-6)
    assert np.isnan(model.perplexity(np.zeros((2, 160))))
    assert model.score(np.zeros((2, 160))) == 0
    if smoothing is not None:
        fewer = fit(corpus, 1, smoothing=smoothing)
        assert model.perplexity(corpus) < fewer.perplexity(corpus) < 160


def test_score_adds_up_over_documents(planted):
    corpus, _ = planted
    model = fit(corpus, 5)
    parts = [model.score(corpus[rows]) for rows in np.array_split(np.arange(300), 7)]
    assert model.score(corpus) == pytest.approx(sum(parts), rel=1e-6)


def test_extrapolation_repeats_the_last_change():
    before = np.array([[4, 0, 0], [4, 8, 0], [8, 1, 0]], np.float32)
    now = np.array([[8, 0, 0], [4, 8, 0], [4, 1, 0]], np.float32)
    beyond = extrapolated(now, before)
    np.testing.assert_allclose(beyond.sum(axis=0), now.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(beyond[:, 0] / beyond[1, 0], [4, 1, 0.5], rtol=1e-3)
    np.testing.assert_array_equal(beyond[:, 1:], now[:, 1:])
    far = extrapolated(np.array([[100.0], [100.0]]), np.array([[1.0], [100.0]]))
    assert far[0, 0] / far[1, 0] == pytest.approx(FURTHEST)


def run_passes(solver, chunks, engine, n):
    """Run passes of a solver; return the last likelihood, which leaves out the documents."""
    for _ in range(n):
        sums = engine.map_reduce(solver.step, solver.params, chunks, solver.local)
        solver.update(sums)
    return sums.likelihood


@pytest.mark.parametrize("n", [8, 14])
def test_extrapolated_refit_is_further_after_the_same_number_of_passes(planted, n):
    corpus, _ = planted
    X = corpus.counts.astype(np.float64)
    model = fit(X, 12, smoothing=None, max_iter=2, tol=1)
    chunks = memory_chunks(X)
    start = model.components_.T.copy(), model.word_counts_, len(chunks)
    with make_engine("serial", 1) as engine, scratch_arrays():
        fast, plain = Refit(*start), Refit(*start)
        plain.extrapolates = False
        assert run_passes(fast, chunks, engine, n) > run_passes(plain, chunks, engine, n)


def test_refit_slows_down_where_extrapolation_went_too_far(counts):
    X = counts.astype(np.float64)
    model = fit(X, 4, smoothing=None)
    solver = Refit(model.components_.T.copy(), model.word_counts_, 1)
    chunks = memory_chunks(sp.csr_matrix(X))
    with make_engine("serial", 1) as engine, scratch_arrays():
        run_passes(solver, chunks, engine, 7)
        assert solver.is_extrapolated
        sums = engine.map_reduce(solver.step, solver.params, chunks, solver.local)
        expected = sums.counts / sums.counts.sum(axis=0)
        sums.likelihood = solver.likelihood - 1.0
        assert not solver.update(sums).converged
        assert not solver.is_extrapolated
        assert abs(solver.word_topics - expected).max() < 0.05
