"""Tests of PCP with `topics_per_document`, which returns sparse codes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

import laconic
from laconic import PCP, Corpus
from laconic.models.few_topics import AUTO
from laconic.models.pcp.sparse_codes import word_weights
from tests.messages import refused
from tests.models.pcp.fits import fit

EXACT = {"solver": "exact", "c": 3}


def reference_codes(model, X):
    """Weigh the words, solve each ridge regression by NNLS, and drop the smallest shares."""
    weights = (model.word_counts_ / model.word_counts_.sum() + 1e-5) ** -0.5
    directions = model.components_ * weights
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rank = len(directions)
    A = np.vstack([directions.T, np.eye(rank)])
    codes = np.array([nnls(A, np.concatenate([x * weights, np.zeros(rank)]))[0] for x in X])
    shares = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-300)
    limits = np.minimum(model.code_threshold_, shares.max(axis=1, keepdims=True))
    return np.where(shares >= limits, codes, 0)


@pytest.mark.parametrize("params", [{}, {"topics_per_document": 1.5}], ids=str)
def test_codes_agree_with_the_reference(counts, params):
    model = fit(counts, 4, **{"topics_per_document": "auto", **params})
    codes = model.transform(counts)
    np.testing.assert_allclose(codes.toarray(), reference_codes(model, counts), atol=1e-6)
    np.testing.assert_allclose(model.word_counts_, counts.sum(axis=0))


def test_exact_solver(counts):
    few = fit(counts[:20], **EXACT, topics_per_document=2)
    codes = few.transform(counts[:20])
    np.testing.assert_allclose(codes.toarray(), reference_codes(few, counts[:20]), atol=1e-6)
    dense = fit(counts[:20], **EXACT)
    np.testing.assert_allclose(few.components_, dense.components_)
    expected, found = dense.split(counts), few.split(counts)
    np.testing.assert_allclose(found.background.toarray(), expected.background.toarray())


def test_background_and_keywords_do_not_change(counts):
    dense, few = fit(counts, 4), fit(counts, 4, topics_per_document=2)
    expected, found = dense.split(counts), few.split(counts)
    np.testing.assert_allclose(found.background.toarray(), expected.background.toarray(), atol=1e-9)
    np.testing.assert_allclose(found.keywords.toarray(), expected.keywords.toarray(), atol=1e-9)
    np.testing.assert_allclose(
        few.rotation_.T @ few.components_, dense.rotation_.T @ dense.components_
    )


def test_shares_and_support_are_those_of_the_codes(counts):
    model = fit(counts, 4, topics_per_document=2)
    codes = model.transform(counts).toarray()
    norms = np.linalg.norm(codes, axis=0)
    np.testing.assert_allclose(model.topic_shares_, norms / norms.sum(), rtol=1e-6)
    assert (np.diff(model.topic_shares_) <= 0).all()
    support = codes.sum(axis=0) ** 2 / (codes**2).sum(axis=0)
    np.testing.assert_allclose(model.topic_support_, support, rtol=1e-6)


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_chunks_engines_and_disk(planted, small_chunks, tmp_path, engine):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    one = fit(corpus, 4, topics_per_document=2, max_iter=6)
    other = fit(stored, 4, topics_per_document=2, max_iter=6, engine=engine, n_jobs=2)
    assert other.code_threshold_ == pytest.approx(one.code_threshold_, rel=1e-4)
    np.testing.assert_allclose(
        other.transform(stored).toarray(), one.transform(corpus).toarray(), atol=1e-2
    )


@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
def test_fit_transform(counts, sparse, monkeypatch):
    model = PCP(4, topics_per_document=2, engine="serial", sparse_output=sparse)
    with monkeypatch.context() as patch:
        patch.setattr("laconic.models.base.TopicModel._encode", None)  # no second coding pass
        codes = model.fit_transform(counts)
    again = model.transform(counts)
    assert sp.issparse(codes) == sparse
    if sparse:
        codes, again = codes.toarray(), again.toarray()
    np.testing.assert_allclose(codes, again, atol=1e-9)


def test_partial_fit_counts_all_words(counts):
    model = PCP(3, topics_per_document=2, engine="serial")
    model.partial_fit(counts[:40])
    threshold = model.code_threshold_
    model.partial_fit(counts[40:])
    np.testing.assert_allclose(model.word_counts_, counts.sum(axis=0))
    assert model.code_threshold_ == threshold
    np.testing.assert_allclose(
        model.transform(counts).toarray(), reference_codes(model, counts), atol=1e-6
    )


def test_saved_and_loaded(counts, tmp_path):
    model = fit(counts, 4, topics_per_document=2)
    loaded = laconic.load(laconic.save(model, tmp_path / "model"))
    assert np.array_equal(loaded.transform(counts).toarray(), model.transform(counts).toarray())


def test_fitting_again_without_a_target(counts):
    model = fit(counts, 4, topics_per_document=2)
    again = model.set_params(topics_per_document=None).fit(counts)
    assert not {"code_threshold_", "word_counts_", "topic_support_"} & set(vars(again))
    codes = again.transform(counts)
    np.testing.assert_allclose(codes.toarray(), fit(counts, 4).transform(counts).toarray())


def test_reconstruction(counts):
    """Documents are reconstructed best from their own codes."""
    model = fit(counts, 3, topics_per_document=2)
    back = model.inverse_transform(model.transform(counts))
    own = [np.corrcoef(x, y)[0, 1] for x, y in zip(counts, back, strict=True)]
    other = [np.corrcoef(x, y)[0, 1] for x, y in zip(counts, np.roll(back, 1, axis=0), strict=True)]
    assert np.mean(own) > np.mean(other) + 0.2


def test_weights_of_words():
    """A word that is four times as frequent has half the weight, and no weight is infinite."""
    weights = word_weights(np.array([4e5, 1e5, 5e5, 0]))
    assert weights[1] == pytest.approx(2 * weights[0], rel=1e-3)
    assert weights[3] == pytest.approx(1e-5**-0.5)
    assert np.isfinite(word_weights(np.zeros(3))).all()


def test_empty_vocabulary_and_documents(counts):
    empty = Corpus(sp.csr_matrix((3, 0)), [])
    assert PCP(topics_per_document="auto").fit_transform(empty).nnz == 0
    model = fit(counts, 3, topics_per_document="auto")
    assert model.transform(np.zeros((2, counts.shape[1]))).nnz == 0


def test_pipelines_give_few_topics():
    corpus, _ = laconic.datasets.make_topics(300, 300, 12, topics_per_document=8)
    codes = laconic.pipeline("pcp", n_components=12).fit_transform(corpus)
    assert codes.nnz / len(corpus) <= AUTO + 0.2
    assert codes.data.min() > 0


def test_messages(counts):
    with refused("topics_per_document=9", "(5)", "n_components"):
        PCP(5, topics_per_document=9).fit(counts)
    model = fit(counts, 3).set_params(topics_per_document=2)
    with refused("not fitted for sparse codes", "topics_per_document"):
        model.transform(counts)
