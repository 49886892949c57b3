"""Tests of PLSA: passes as in plain EM, a falling objective, sparsity, and planted topics."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic import PLSA, Corpus
from laconic.corpus import chunks
from laconic.corpus.chunks import memory_chunks
from laconic.engines.base import Serial
from laconic.models.first_topics import first_topics, total_counts
from tests.messages import refused, warned
from tests.models.plsa import reference


def fit(X, n_components, **params):
    """Fit PLSA in this thread, without warnings about convergence or missing topics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".*topics were requested")
        return PLSA(n_components, **{"engine": "serial", **params}).fit(X)


def start_of(X, n_components):
    parts = memory_chunks(sp.csr_matrix(X))
    totals = Serial().map_reduce(total_counts, None, parts)
    return first_topics(Serial(), parts, totals, n_components, 0)


def sorted_rows(A):
    return A[np.lexsort(A.T)]


@pytest.fixture
def counts():
    X = np.random.default_rng(0).poisson(1.0, (40, 25)).astype(float)
    X[:, 0] += 1  # every document has a word and every word occurs
    X[0] += 1
    return X


@pytest.mark.parametrize("smoothing", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("doc_smoothing", [0.0, 0.05])
def test_same_passes_as_the_reference(counts, smoothing, doc_smoothing):
    model = fit(counts, 4, smoothing=smoothing, doc_smoothing=doc_smoothing, max_iter=6, tol=0)
    words, values = reference.alternate(counts, start_of(counts, 4), smoothing, doc_smoothing, 6)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-9)
    np.testing.assert_allclose(sorted_rows(model.components_), sorted_rows(words.T), rtol=1e-7)


@given(
    seed=st.integers(0, 10**6),
    n_components=st.integers(1, 5),
    smoothing=st.sampled_from([0.0, 0.02, 1.0]),
    doc_smoothing=st.sampled_from([0.0, 0.05, 1.0]),
)
def test_objective_never_rises(seed, n_components, smoothing, doc_smoothing):
    random = np.random.default_rng(seed)
    X = random.poisson(0.7, random.integers(2, 15, 2)) * random.choice([1.0, 0.01, 1000.0])
    model = fit(
        X, n_components, smoothing=smoothing, doc_smoothing=doc_smoothing, max_iter=25, tol=0
    )
    scale = np.abs(model.objective_).max() + 1e-9
    assert np.all(np.diff(model.objective_) <= 1e-9 * scale)


def test_topics_are_distributions_by_falling_share(planted):
    model = fit(planted[0], 6)
    assert isinstance(model.components_, np.ndarray)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert np.all(np.diff(model.topic_shares_) <= 0)
    assert model.converged_


def test_planted_topics_are_found_again(planted):
    corpus, truth = planted
    model = fit(corpus, 6)  # five planted topics and one topic for the background
    assert reference.likeness(model.components_, truth.topics).min() > 0.95
    codes = model.transform(corpus).toarray()
    np.testing.assert_allclose(codes.sum(axis=1), 1, rtol=1e-4)


def test_transform_is_the_best_mixture(planted):
    corpus, _ = planted
    model = fit(corpus, 5, smoothing=0.1)
    X = corpus.counts[:10].toarray().astype(float)
    words = model.components_.T.astype(float)
    best = reference.mix(X, words, np.full((10, 5), 0.2), 0.05, 3000)
    np.testing.assert_allclose(model.transform(X).toarray(), best, atol=5e-3)


def test_score_and_perplexity(planted):
    corpus, _ = planted
    model = fit(corpus, 5)
    X = corpus.counts.toarray().astype(float)
    theta = model.transform(corpus).toarray().astype(float)
    explicit = reference.likelihood(X, model.components_.T.astype(float), theta)
    assert model.score(corpus) == pytest.approx(explicit, rel=1e-4)
    assert model.perplexity(corpus) == pytest.approx(np.exp(-explicit / X.sum()), rel=1e-3)
    assert model.perplexity(corpus) < fit(corpus, 1).perplexity(corpus)
    assert np.isnan(model.perplexity(np.zeros((2, 160))))


@pytest.mark.parametrize("smoothing", [-0.05, -0.5])
def test_sparse_topics_have_zeros_and_every_word_keeps_a_topic(planted, smoothing):
    corpus, truth = planted
    model = fit(corpus, 6, smoothing=smoothing)
    assert isinstance(model.components_, np.ndarray)
    # not more zeros, because five of six topics share the background's words
    assert np.mean(model.components_ == 0) > 0.3
    occurring = corpus.counts.sum(axis=0).A1 > 0
    assert (model.components_.max(axis=0) > 0)[occurring].all()
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    assert reference.likeness(model.components_, truth.topics).min() > 0.95


def test_negative_doc_smoothing_makes_sparse_codes(planted):
    corpus, _ = planted
    dense, sparse = (fit(corpus, 6, doc_smoothing=b).transform(corpus).nnz for b in (0.05, -0.5))
    assert sparse < 0.6 * dense


def test_single_precision(counts):
    exact, rough = (fit(counts.astype(t), 4, max_iter=20, tol=0) for t in ("f8", "f4"))
    assert exact.components_.dtype == np.float64
    assert rough.components_.dtype == np.float32
    np.testing.assert_allclose(rough.objective_, exact.objective_, rtol=1e-4)
    np.testing.assert_allclose(rough.components_, exact.components_, atol=1e-2)
    assert rough.transform(counts.astype("f4")).dtype == np.float32


@pytest.mark.parametrize("rows", [15, 6])
def test_many_chunks_are_one(counts, rows, monkeypatch):
    whole = fit(counts, 4, max_iter=15, tol=0)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", rows)
    assert len(memory_chunks(sp.csr_matrix(counts))) > 2
    parts = fit(counts, 4, max_iter=15, tol=0)
    # the tolerances are wide because the start is computed in single precision
    np.testing.assert_allclose(parts.objective_, whole.objective_, rtol=1e-5)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-3)
    np.testing.assert_allclose(
        parts.transform(counts).toarray(), whole.transform(counts).toarray(), atol=1e-2
    )


def test_engines_and_disk_give_the_same_bits(planted, small_chunks, tmp_path):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    models = [
        fit(data, 4, engine=engine, n_jobs=2, max_iter=8)
        for engine in ("serial", "threads")
        for data in (corpus, stored)
    ]
    for model in models[1:]:
        assert np.array_equal(model.components_, models[0].components_)
        assert np.array_equal(model.objective_, models[0].objective_)
    codes = models[0].transform(corpus).toarray()
    assert np.array_equal(models[3].transform(stored).toarray(), codes)


def test_empty_documents_and_unseen_words_have_zeros(counts):
    X = np.hstack([counts, np.zeros((40, 2))])
    X[5] = 0
    for doc_smoothing in (0.05, 0.0, -0.1):
        model = fit(X, 3, doc_smoothing=doc_smoothing)
        codes = model.transform(np.vstack([X[4:6], np.eye(27)[[26]]])).toarray()
        assert codes[0].sum() == pytest.approx(1)
        assert not codes[1:].any()
    assert not model.components_[:, 25:].any()


def test_seeds(planted):
    corpus, _ = planted
    one, same, other = (fit(corpus, 4, random_state=s, max_iter=3) for s in (1, 1, 2))
    assert np.array_equal(one.components_, same.components_)
    assert not np.array_equal(one.components_, other.components_)


def test_saved_and_loaded(planted, tmp_path):
    corpus, _ = planted
    model = fit(corpus, 4).partial_fit(corpus[:50])
    laconic.save(model, tmp_path / "model")
    again = laconic.load(tmp_path / "model")
    assert np.array_equal(again.transform(corpus).toarray(), model.transform(corpus).toarray())
    assert again.score(corpus) == model.score(corpus)
    one, other = (m.partial_fit(corpus[50:99]).components_ for m in (model, again))
    assert np.array_equal(one, other)


def test_dense_output(planted):
    corpus, _ = planted
    model = fit(corpus, 4)
    dense = model.set_params(sparse_output=False).transform(corpus)
    assert isinstance(dense, np.ndarray)
    assert np.array_equal(dense, model.set_params(sparse_output=True).transform(corpus).toarray())


# ---- batches ----


def test_one_full_batch_is_one_pass_from_the_same_start(counts):
    online = PLSA(4, engine="serial").partial_fit(counts)
    words = start_of(counts, 4)
    theta = reference.mix(counts, words, np.full((40, 4), 0.25), 0.05, 400)
    expected = reference.expected_counts(counts, words, theta) + 0.02
    np.testing.assert_allclose(online.components_, (expected / expected.sum(axis=0)).T, rtol=2e-2)
    assert online.n_iter_ == 1 == len(online.objective_)


def test_a_stream_finds_planted_topics(planted):
    corpus, truth = planted
    online = PLSA(6, engine="serial")
    random = np.random.default_rng(0)
    for _ in range(4):
        for rows in np.array_split(random.permutation(300), 5):
            online.partial_fit(corpus[rows])
    assert reference.likeness(online.components_, truth.topics).min() > 0.9
    assert online.n_iter_ == 20 == len(online.objective_)


def test_words_that_come_later_are_learned(counts):
    later = np.zeros((40, 25))
    later[:, 15:] = counts[:, 15:] + 1
    first = counts.copy()
    first[:, 15:] = 0
    online = PLSA(3, engine="serial").partial_fit(first)
    assert not online.components_[:, 15:].any()
    for _ in range(5):
        online.partial_fit(later)
    assert (online.components_[:, 15:].max(axis=0) > 0.01).all()
    assert online.transform(later).nnz


def test_a_batch_after_a_fit_does_not_undo_it(planted):
    corpus, truth = planted
    model = fit(corpus, 6)
    before = model.components_
    model.partial_fit(corpus[:3])
    assert np.abs(model.components_ - before).sum(axis=1).max() < 0.2
    assert reference.likeness(model.components_, truth.topics).min() > 0.9
    again = model.fit(corpus)
    assert np.array_equal(again.components_, fit(corpus, 6).components_)


# ---- wrong input ----


def test_wrong_smoothing_is_named(counts):
    for name in ("smoothing", "doc_smoothing"):
        with refused(f"'{name}'", "PLSA", "Got -1.0", kind=ValueError, golden=False):
            PLSA(2, **{name: -1.0}).fit(counts)


def test_not_converged_says_so(counts):
    with warned("PLSA", "1 pass;", "max_iter", "tol", kind=ConvergenceWarning):
        PLSA(2, max_iter=1).fit(counts)
