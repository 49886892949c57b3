"""Thresholds that leave documents few topics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic.models.few_topics import AUTO, drop_weak, find_threshold
from tests.messages import refused

MODELS = ("slsa", "sc", "plsa", "stc", "medstc", "pcp")


def draw(seed, signed=False):
    random = np.random.default_rng(seed)
    codes = random.gamma(0.4, size=(60, 12)) * (random.random((60, 12)) < 0.8)
    return codes * random.choice([-1, 1], codes.shape) if signed else codes


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), target=st.floats(1, 12), signed=st.booleans())
def test_the_target_is_met_on_average(seed, target, signed):
    codes = draw(seed, signed)
    before = np.count_nonzero(codes) / len(codes)
    strong = codes.copy()
    drop_weak(strong, find_threshold(codes, target))
    kept = strong != 0
    assert np.array_equal(strong[kept], codes[kept])
    assert kept.sum() / len(codes) == pytest.approx(min(target, before), abs=0.25)
    assert np.array_equal(kept.any(axis=1), codes.any(axis=1))  # no document loses all topics


def test_the_largest_shares_are_kept():
    codes = draw(0)
    strong = codes.copy()
    threshold = find_threshold(codes, 3)
    drop_weak(strong, threshold)
    shares = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-300)
    expected = (shares >= threshold) | (shares == shares.max(axis=1, keepdims=True))
    assert np.array_equal(strong != 0, expected & (codes > 0))


def test_dropping_weak_topics_twice_changes_nothing():
    codes = draw(1)
    drop_weak(codes, 0.1)
    again = codes.copy()
    drop_weak(again, 0.1)
    assert np.array_equal(codes, again)


def test_documents_without_words_stay_empty():
    codes = np.zeros((3, 4))
    assert find_threshold(codes, 2) == 0
    drop_weak(codes, 0.5)
    assert not codes.any()


@pytest.fixture(scope="module")
def documents():
    corpus, _ = laconic.datasets.make_topics(
        300, 300, 12, words_per_topic=20, topics_per_document=8
    )
    return corpus


@pytest.mark.parametrize("name", MODELS)
def test_pipelines_give_documents_few_topics(documents, name):
    model = laconic.pipeline(name, n_components=12)
    codes = model.fit_transform(documents)
    assert codes.nnz / len(documents) <= AUTO + 0.2
    assert (np.diff(codes.indptr) > 0).all()
    assert abs(model.transform(documents) - codes).max() < 0.01 * abs(codes).max()


@pytest.mark.parametrize("name", MODELS)
def test_small_models_need_no_setting(documents, name):
    codes = laconic.pipeline(name, n_components=2).fit(documents).transform(documents[:20])
    assert codes.shape == (20, 2)


@pytest.mark.parametrize("name", ["slsa", "sc", "plsa", "stc", "pcp"])
def test_a_target_is_met_on_average_by_each_model(documents, name):
    model = laconic.pipeline(name, n_components=12, topics_per_document=2)
    codes = model.fit_transform(documents)
    assert codes.nnz / len(documents) == pytest.approx(2, rel=0.25)


def test_plsa_shares_still_add_up_to_one(documents):
    codes = laconic.PLSA(12, topics_per_document=3).fit_transform(documents.counts)
    np.testing.assert_allclose(np.asarray(codes.sum(axis=1)).ravel(), 1, atol=1e-5)


def test_medstc_predicts_from_all_topics(documents):
    few = laconic.pipeline("medstc", n_components=12).fit(documents)
    dense = laconic.pipeline("medstc", n_components=12, topics_per_document=None).fit(documents)
    assert few.transform(documents).nnz < dense.transform(documents).nnz
    assert np.array_equal(few.predict(documents), dense.predict(documents))


@pytest.mark.parametrize("name", ["slsa", "sc", "plsa", "pcp"])
def test_more_topics_per_document_than_topics(documents, name):
    with refused("topics_per_document=9", "(5)", "n_components"):
        laconic.pipeline(name, n_components=5, topics_per_document=9).fit(documents)
