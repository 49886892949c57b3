"""Tests of the similarity of topics, compared with plain cosines."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

import laconic
from laconic.fitted.similar_topics import likeness_between, topic_likeness
from tests.messages import refused


@pytest.fixture(scope="module")
def models():
    corpus, _ = laconic.datasets.make_topics(200, 80, 4, words_per_topic=12, random_state=1)
    plsa = laconic.pipeline("plsa", n_components=4).fit(corpus)
    signed = laconic.pipeline("slsa", n_components=3, positive=False, alpha=0.1).fit(corpus)
    return corpus, plsa, signed


def test_distributions_are_compared_by_their_roots(models):
    _, plsa, _ = models
    expected = cosine_similarity(np.sqrt(plsa[-1].components_))
    np.testing.assert_allclose(topic_likeness(plsa), expected, atol=1e-6)


def test_signed_topics_are_compared_as_they_are(models):
    _, _, signed = models
    expected = cosine_similarity(signed[-1].components_)
    np.testing.assert_allclose(topic_likeness(signed), expected, atol=1e-6)


def test_only_the_strongest_words_count(models, monkeypatch):
    _, plsa, _ = models
    monkeypatch.setattr("laconic.fitted.similar_topics.STRONGEST", 5)
    kept = np.array(plsa[-1].components_, dtype=float)
    for row in kept:
        row[np.argsort(-row)[5:]] = 0
    np.testing.assert_allclose(topic_likeness(plsa), cosine_similarity(np.sqrt(kept)), atol=1e-6)


def test_words_of_two_models_are_matched_by_name(models):
    corpus, plsa, _ = models
    order = np.random.default_rng(0).permutation(80)
    turned = laconic.Corpus(corpus.counts[:, order], corpus.vocabulary[order])
    other = laconic.pipeline("plsa", n_components=3).fit(turned)
    back = np.zeros((3, 80))
    back[:, order] = other[-1].components_
    expected = cosine_similarity(np.sqrt(plsa[-1].components_), np.sqrt(back))
    np.testing.assert_allclose(likeness_between(plsa, other), expected, atol=1e-6)


def test_words_that_one_model_lacks_are_of_no_use(models):
    corpus, plsa, _ = models
    other = laconic.pipeline("plsa", n_components=2).fit(
        laconic.Corpus(corpus.counts, [f"x{word}" for word in corpus.vocabulary])
    )
    assert not likeness_between(plsa, other).any()


def test_columns_without_words_are_matched_by_place(models):
    corpus, plsa, _ = models
    bare = laconic.PLSA(4).fit(corpus.counts)
    np.testing.assert_allclose(likeness_between(bare, bare), topic_likeness(bare), atol=1e-12)
    with refused("words", "columns"):
        likeness_between(plsa, bare)


def test_a_topic_without_words_is_like_none(models):
    corpus, *_ = models
    model = laconic.SparseLSA(2, alpha=0.1).fit(corpus)
    model.components_ = model.components_.copy()
    model.components_.data[model.components_.indptr[1] :] = 0
    model.components_.eliminate_zeros()
    assert topic_likeness(model)[1].tolist() == [0, 0]
