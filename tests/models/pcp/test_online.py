"""Tests of PCP in batches, and of how much later batches remember of earlier documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import PCP, Corpus
from laconic.models.pcp.factored import BackgroundSums, Basis
from laconic.models.pcp.size import Background
from laconic.models.pcp.solvers import with_past
from tests.models.pcp import reference
from tests.models.pcp.fits import fit


def stream(X, n_batches, n_components=None, **params):
    model = PCP(n_components, **{"engine": "serial", **params})
    for rows in np.array_split(np.arange(len(X)), n_batches):
        model.partial_fit(X[rows])
    return model


def cosines(model, other):
    """Return the cosines of the principal angles between two backgrounds."""
    return np.linalg.svd(model.components_ @ other.components_.T, compute_uv=False)


@pytest.fixture(scope="module")
def bursts():
    return reference.topics_and_keywords(400, 300, 5, 1)


@pytest.mark.parametrize("n_batches", [1, 2, 4])
def test_a_stream_comes_near_to_the_fit(bursts, n_batches):
    X, truth, topics = bursts
    whole = fit(X, 5, alpha=3.0)
    online = stream(X, n_batches, 5, alpha=3.0)
    assert cosines(online, whole).min() > 0.99
    one, other = (m.keywords(X).toarray() for m in (whole, online))
    assert np.linalg.norm(one - other) <= 0.1 * np.linalg.norm(one)
    np.testing.assert_allclose(online.singular_values_, whole.singular_values_, rtol=0.1)
    inside = np.linalg.svd(np.linalg.qr(topics.T)[0].T @ online.components_.T, compute_uv=False)
    assert inside.min() > 0.95
    assert np.mean(online.keywords(X).toarray()[truth > 0] > 0) > 0.9
    assert online.n_iter_ == n_batches == len(online.objective_)


def test_a_stream_finds_its_size_in_the_first_batch(bursts):
    X = bursts[0]
    online = stream(X, 2)
    first = stream(X[:200], 1)
    assert online.rank_ == first.rank_ == 5
    assert online.alpha_ == first.alpha_
    np.testing.assert_array_equal(online.shrinkage_, first.shrinkage_)
    assert online.document_length_ == first.document_length_


def test_what_is_known_of_earlier_documents_counts_like_them():
    """Earlier documents enter the sums of a batch as if they consisted only of background."""
    random = np.random.default_rng(0)
    words = np.linalg.qr(random.normal(size=(12, 3)))[0]
    values = np.array([5.0, 2.0, 0.5])
    past = random.normal(size=(50, 3))
    # documents x words, with the singular values `values`
    past = np.linalg.qr(past)[0] * values @ words.T
    basis = Basis.of(np.linalg.qr(random.normal(size=(12, 3)))[0], 1.0, 1.0)
    products, gram = random.normal(size=(12, 3)), np.eye(3)
    sums = BackgroundSums(products.copy(), gram.copy(), 1.0, 2.0)
    total = with_past(sums, basis, Background(words, values, np.ones(3), 1.0, 1.0))
    codes = past @ basis.words
    np.testing.assert_allclose(total.products, products + past.T @ codes, atol=1e-10)
    np.testing.assert_allclose(total.gram, gram + codes.T @ codes, atol=1e-10)
    assert (total.square, total.excess) == (sums.square, sums.excess)
    np.testing.assert_array_equal(sums.products, products)


def test_a_small_batch_after_a_fit_does_not_undo_it(bursts):
    X = bursts[0]
    model = fit(X, 5, alpha=3.0)
    before, passes = model.components_.copy(), model.n_iter_
    odd = np.zeros((2, 300))
    odd[:, 7] = 40
    model.partial_fit(odd)
    assert np.linalg.svd(model.components_ @ before.T, compute_uv=False).min() > 0.99
    assert model.n_iter_ == passes + 1
    assert model.keywords_.shape == (2, 300)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(5), atol=1e-6)


def test_a_stream_learns_what_comes_later(bursts):
    """A topic that is rare in the first batch takes over one direction of the background."""
    X = bursts[0]
    random = np.random.default_rng(0)
    late = np.zeros((400, 300))
    late[:, 250:] = random.poisson(4.0, (400, 50))
    online = stream(X[:100], 1, 6, alpha=3.0)
    before = np.linalg.norm(online.components_[:, 250:])
    for part in np.array_split(late, 4):
        online.partial_fit(part)
    topic = np.zeros(300)
    topic[250:] = 50**-0.5
    assert np.linalg.norm(online.components_ @ topic) > 0.95
    assert np.linalg.norm(online.components_[:, 250:]) > before


def test_keywords_are_those_of_the_last_batch(bursts):
    X = bursts[0]
    online = stream(X, 4, 5)
    assert online.keywords_.shape == (100, 300)
    assert (online.keywords_ != online.keywords(X[300:])).nnz == 0


def test_the_threshold_of_a_target_stays_that_of_the_first_batch(bursts):
    X = bursts[0]
    online = stream(X, 4, 5, keywords_per_document=2)
    first = stream(X[:100], 1, 5, keywords_per_document=2)
    assert online.alpha_ == first.alpha_
    assert online.keywords(X).nnz / 400 == pytest.approx(2, rel=0.3)


def test_batches_are_matched_by_word(planted):
    corpus, _ = planted
    other = corpus.align(list(corpus.vocabulary[::-1]))
    plain = PCP(4, engine="serial").partial_fit(corpus[:150]).partial_fit(corpus[150:])
    mixed = PCP(4, engine="serial").partial_fit(corpus[:150]).partial_fit(other[150:])
    np.testing.assert_allclose(plain.components_, mixed.components_, atol=1e-6)


def test_engines_and_disk(planted, small_chunks, tmp_path):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    one = PCP(4, engine="serial").partial_fit(corpus).partial_fit(corpus[:30])
    other = PCP(4, engine="threads", n_jobs=2).partial_fit(stored).partial_fit(corpus[:30])
    np.testing.assert_allclose(one.components_, other.components_, atol=1e-5)
    np.testing.assert_allclose(one.keywords_.toarray(), other.keywords_.toarray(), atol=1e-4)


def test_empty_batches_and_documents(bursts):
    X = bursts[0]
    online = stream(X[:200], 1, 5)
    before = online.components_.copy()
    online.partial_fit(np.zeros((3, 300)))
    np.testing.assert_allclose(np.abs(online.components_ @ before.T), np.eye(5), atol=1e-5)
    assert online.keywords_.nnz == 0
    late = PCP(5, engine="serial").partial_fit(np.zeros((5, 300))).partial_fit(X)
    assert np.isfinite(late.components_).all()
    assert np.isfinite(late.transform(X).data).all()


def test_the_same_stream_gives_the_same(bursts):
    X = sp.csr_matrix(bursts[0])
    one, same = (PCP(5, random_state=3).partial_fit(X[:90]).partial_fit(X[90:]) for _ in range(2))
    assert np.array_equal(one.components_, same.components_)
    assert (one.keywords(X) != same.keywords(X)).nnz == 0


def test_a_stream_can_be_saved_and_goes_on(bursts, tmp_path):
    X = bursts[0]
    model = stream(X[:200], 2, 5)
    laconic.save(model, tmp_path / "model")
    again = laconic.load(tmp_path / "model")
    for m in (model, again):
        m.partial_fit(X[200:])
    assert np.array_equal(model.components_, again.components_)
    assert (model.keywords(X) != again.keywords(X)).nnz == 0
