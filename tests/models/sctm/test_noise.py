"""SCTM with the noise of counts: the weighted objective, its codes, and every way to fit it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import laconic
from laconic import SCTM, Corpus
from laconic.corpus.chunks import memory_chunks
from laconic.datasets import make_topics
from laconic.engines.base import Serial
from laconic.models.few_topics import AUTO
from laconic.models.first_topics import Totals, lsa_topics, total_counts
from laconic.models.sctm.codes import default_topics
from laconic.models.sctm.noise import EXPONENT
from tests.models.plsa import reference as reference_plsa
from tests.models.sctm import reference
from tests.models.sctm.fits import fit

numbers = st.integers(0, 10**6)


def noise_fit(X, n_components, **params):
    return fit(X, n_components, **{"noise": "counts", **params})


def draw_counts(seed):
    random = np.random.default_rng(seed)
    X = random.poisson(0.8, random.integers(2, 16, 2)).astype(float)
    return X * random.choice([1.0, 0.01, 1000.0])


def draw_topics(seed, n_topics, n_words):
    return np.random.default_rng([seed, 1]).dirichlet(np.full(n_words, 0.5), n_topics)


def sorted_rows(A):
    return A[np.lexsort(A.T)]


# ---- the fit ----


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.1])
def test_first_passes_are_those_of_the_reference(counts, alpha):
    """There is no momentum before the third."""
    start = draw_topics(0, 4, 25)
    model = noise_fit(counts, 4, alpha=alpha, init=start, max_iter=2, tol=0)
    topics, values = reference.noise_alternate(counts, start, alpha, 2)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-7)
    np.testing.assert_allclose(sorted_rows(model.components_), sorted_rows(topics), atol=1e-6)


def test_the_fit_starts_from_sparse_lsa(counts):
    chunks = memory_chunks(sp.csr_matrix(counts))
    totals = Serial().map_reduce(total_counts, None, chunks)
    start = lsa_topics(Serial(), chunks, totals, 4, 0, EXPONENT)
    assert start.shape == (4, 25)
    np.testing.assert_allclose(start.sum(axis=1), 1)
    given_start = noise_fit(counts, 4, alpha=0.01, init=start)
    np.testing.assert_allclose(
        given_start.components_, noise_fit(counts, 4, alpha=0.01).components_, atol=1e-10
    )


@given(numbers, st.integers(1, 6), st.sampled_from([0.0, 0.01, 0.1]))
def test_objective_never_rises(seed, n_components, alpha):
    X = draw_counts(seed)
    model = noise_fit(X, n_components, alpha=alpha, smoothing=None, max_iter=25, tol=0)
    assert np.all(np.diff(model.objective_) <= 1e-10 * len(X))
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)
    assert model.components_.min() >= 0


@pytest.mark.parametrize("alpha", [0.005, 0.05])
def test_objective_is_that_of_the_topics_and_codes(planted, alpha):
    """On the scale of frequencies, which `transform` returns."""
    X = planted[0].counts.toarray().astype(float)
    model = noise_fit(X, 5, alpha=alpha)
    codes = model.transform(X).toarray()
    weights = reference.word_weights(X)
    np.testing.assert_allclose(model.word_weights_, weights)
    explicit = reference.noise_objective(X, model.components_, codes, alpha, weights)
    assert explicit == pytest.approx(model.objective_[-1], rel=2 * model.tol)


@pytest.mark.parametrize("seed", range(3))
def test_planted_topics_are_found_again(planted, seed):
    corpus, truth = planted
    model = noise_fit(corpus, 5, random_state=seed)
    assert reference_plsa.likeness(model.components_, truth.topics).min() > 0.95
    assert reference_plsa.likeness(model.probabilities_, truth.topics).min() > 0.95
    assert np.all(np.diff(model.topic_shares_) <= 0)


def test_short_documents_decide_less(planted):
    """A few documents of two words would otherwise get topics of their own."""
    X = planted[0].counts.toarray().astype(float)
    short = np.zeros((60, X.shape[1]))
    short[np.arange(60), np.arange(60) % 5] = 2
    model = noise_fit(np.vstack([X, short]), 5)
    assert reference_plsa.likeness(model.components_, planted[1].topics).min() > 0.9


# ---- codes ----


@given(numbers, st.integers(1, 6), st.sampled_from([0.0, 0.01, 0.1]))
def test_codes_are_optimal(seed, n_components, alpha):
    X = draw_counts(seed)
    model = noise_fit(X, n_components, alpha=alpha, smoothing=None, max_iter=3)
    codes, d = model.transform(X).toarray(), model.word_weights_
    B = model.components_
    sizes = np.linalg.norm(B * d, axis=1)
    lengths = np.linalg.norm(reference.frequencies(X) * d, axis=1)
    unit = codes * sizes / np.where(lengths > 0, lengths, 1)[:, None]
    T = reference.unit_rows(B * d)
    pulls = reference.unit_rows(X * d) @ T.T - alpha
    assert reference.violation(T @ T.T, pulls[lengths > 0], unit[lengths > 0]) <= 1e-6
    assert not codes[lengths == 0].any()


def test_codes_times_topics_are_frequencies():
    X = np.random.default_rng(2).poisson(2.0, (5, 30)) + 0.0
    model = noise_fit(X, 5, alpha=0.0, max_iter=500, tol=0)
    restored = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(restored, reference.frequencies(X), atol=2e-3)
    np.testing.assert_allclose(model.transform(X).sum(axis=1), 1, atol=1e-2)


def test_the_default_is_five_topics_a_document(planted):
    corpus, _ = planted
    few, many = (noise_fit(corpus, k).transform(corpus).nnz / 300 for k in (4, 20))
    assert corpus.counts.sum() / 300 <= 100
    assert few == pytest.approx(2, rel=0.15)
    assert many == pytest.approx(5, rel=0.15)
    target = noise_fit(corpus, 20, topics_per_document=3)
    assert target.transform(corpus).nnz / 300 == pytest.approx(3, rel=0.15)
    assert noise_fit(corpus, 20, alpha=0.02).alpha_ == 0.02


def test_long_documents_have_more_topics():
    assert default_topics(Totals(np.full(100, 1.0), 4, 4), 50) == 5
    assert default_topics(Totals(np.full(100, 64.0), 4, 4), 50) == 10
    assert default_topics(Totals(np.full(100, 64.0), 4, 4), 8) == 4
    assert default_topics(Totals(np.zeros(100), 0, 4), 1) == 1


def test_a_share_of_all_words_and_codes(planted):
    """`score` without a refit mixes topics by codes on the scale of frequencies."""
    X = planted[0].counts.toarray().astype(float)
    model = noise_fit(X, 5, smoothing=0.2)
    codes = model.transform(X).toarray()
    theta = codes / codes.sum(axis=1, keepdims=True)
    p = 0.8 * (theta @ model.components_) + 0.2 * X.sum(axis=0) / X.sum()
    assert model.score(X) == pytest.approx(float(X[X > 0] @ np.log(p[X > 0])), rel=1e-4)


def test_probabilities_are_never_zero_and_describe_documents(planted):
    corpus, _ = planted
    model = noise_fit(corpus, 5)
    assert model.probabilities_.min() > 0
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-4)
    assert model.perplexity(corpus) <= fit(corpus, 5).perplexity(corpus) * 1.02


# ---- input, engines, streams ----


def test_empty_documents_and_unseen_words(counts):
    X = np.hstack([counts, np.zeros((40, 3))])
    X[[5, 31]] = 0
    for params in ({}, {"correlated": True}, {"batch_size": 7}):
        model = noise_fit(X, 3, **params)
        assert np.array_equal(model.transform(X).toarray().any(axis=1), X.any(axis=1))
        assert np.isfinite(model.objective_).all()
        unseen = np.eye(28)[[27]]
        assert params.get("correlated") or not model.transform(unseen).nnz
        assert np.isfinite(model.score(unseen + X[:1]))
    nothing = noise_fit(np.zeros((4, 5)), 2)
    assert np.isfinite(nothing.transform(np.eye(5)).data).all()
    np.testing.assert_allclose(nothing.components_.sum(axis=1), 1)


@pytest.mark.parametrize("n_components", [1, 2, 50])
def test_any_number_of_topics(counts, n_components):
    model = noise_fit(counts, n_components, max_iter=3)
    assert model.components_.shape == (n_components, 25)
    assert np.isfinite(model.components_).all()
    assert model.transform(counts).shape == (40, n_components)


def test_single_precision(counts):
    single, double = (noise_fit(counts.astype(t), 4, alpha=0.01) for t in (np.float32, np.float64))
    assert single.components_.dtype == single.transform(counts.astype(np.float32)).dtype == "f4"
    assert double.components_.dtype == np.float64
    assert single.objective_[-1] == pytest.approx(double.objective_[-1], rel=1e-2)


@pytest.mark.parametrize("params", [{}, {"correlated": True}, {"batch_size": 30}])
def test_engines_and_disk_give_the_same_bits(planted, tmp_path, small_chunks, params):
    corpus = planted[0][:100]
    serial, threads = (
        noise_fit(corpus, 4, max_iter=8, engine=engine, n_jobs=2, **params)
        for engine in ("serial", "threads")
    )
    for name in ("components_", "probabilities_", "topic_mass_", "word_weights_"):
        assert np.array_equal(getattr(serial, name), getattr(threads, name))
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    from_disk = noise_fit(stored, 4, max_iter=8, **params)
    np.testing.assert_array_equal(from_disk.word_weights_, serial.word_weights_)
    if not params:
        np.testing.assert_allclose(from_disk.components_, serial.components_, atol=1e-5)
    again = noise_fit(stored, 4, max_iter=8, engine="threads", n_jobs=2, **params)
    assert np.array_equal(again.components_, from_disk.components_)
    codes = from_disk.transform(stored).toarray()
    np.testing.assert_allclose(codes, from_disk.transform(corpus).toarray(), atol=1e-6)


def test_fit_transform_is_transform(planted):
    corpus, _ = planted
    model = SCTM(5, noise="counts", engine="serial")
    codes = model.fit_transform(corpus)
    np.testing.assert_allclose(codes.toarray(), model.transform(corpus).toarray(), atol=1e-6)


def test_streams(planted):
    corpus, truth = planted
    online = SCTM(5, noise="counts", engine="serial")
    for _ in range(3):
        for start in range(0, 300, 75):
            online.partial_fit(corpus[start : start + 75])
    assert reference_plsa.likeness(online.components_, truth.topics).min() > 0.9
    np.testing.assert_allclose(online.components_.sum(axis=1), 1, rtol=1e-4)
    assert np.isfinite(online.score(corpus))


def test_another_batch_after_a_fit_changes_little(planted):
    corpus, _ = planted
    model = noise_fit(corpus, 5)
    before = model.components_
    model.partial_fit(corpus)
    np.testing.assert_allclose(model.components_, before, atol=5e-3)


def test_correlated_topics(planted):
    corpus, truth = planted
    model = noise_fit(corpus, 5, correlated=True)
    assert np.all(np.diff(model.objective_) <= 1e-8 * abs(model.objective_[0]))
    assert np.linalg.eigvalsh(model.topic_precision_).min() > 0
    assert reference_plsa.likeness(model.components_, truth.topics).min() > 0.9


def test_saved_models_code_alike(planted, tmp_path):
    corpus, _ = planted
    model = noise_fit(corpus, 5)
    laconic.save(model, tmp_path / "model")
    for loaded in (laconic.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(loaded.word_weights_, model.word_weights_)
        assert np.array_equal(loaded.transform(corpus).toarray(), model.transform(corpus).toarray())
        loaded.partial_fit(corpus)


def test_a_fit_without_noise_forgets_the_weights(planted):
    corpus, _ = planted
    model = noise_fit(corpus, 5).set_params(noise=None).fit(corpus)
    assert not hasattr(model, "word_weights_")
    plain = fit(corpus, 5)
    assert np.array_equal(model.components_, plain.components_)


def test_pipelines_know_the_noise():
    assert SCTM().noise is None
    assert laconic.pipeline("sctm")[-1].noise == "counts"
    assert laconic.pipeline("sctm", noise=None)[-1].noise is None


def test_long_documents_have_few_topics_too():
    """The fit uses more topics for long documents; `transform` drops the weakest of them."""
    corpus, _ = make_topics(200, 800, 30, topics_per_document=12, document_length=3000)
    model = SCTM(30, noise="counts").fit(corpus)
    codes = model.transform(corpus)
    assert model.code_threshold_ > 0
    assert codes.nnz / len(corpus) == pytest.approx(AUTO, rel=0.05)
    assert (np.diff(codes.indptr) > 0).all()
    np.testing.assert_allclose(
        SCTM(30, noise="counts").fit_transform(corpus).toarray(), codes.toarray(), atol=1e-4
    )
    target = SCTM(30, noise="counts", topics_per_document=9).fit(corpus)
    assert not hasattr(target, "code_threshold_")
    assert target.transform(corpus).nnz / len(corpus) == pytest.approx(9, rel=0.15)
