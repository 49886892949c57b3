"""Tests of the prediction of held-out words against manual results and a slow reference."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import laconic
from laconic.datasets import make_topics
from laconic.models import MODELS
from laconic.tuning.prediction import (
    STRENGTHS,
    Prediction,
    SplitWords,
    held_out_score,
    predict_from_codes,
    predict_held_out,
    split_words,
)
from tests.messages import refused


def halves_of(observed, held):
    observed, held = sp.csr_matrix(np.array(observed, float)), sp.csr_matrix(np.array(held, float))
    rows = np.arange(observed.shape[0])
    return SplitWords(observed, held, observed, np.asarray(observed.sum(axis=1)).ravel(), rows)


def slow_predict(topics, observed, held):
    """Solve the normal equations for every λ with dense documents."""
    A = topics / np.linalg.norm(topics, axis=1, keepdims=True)
    m = observed.mean(axis=0)
    total = ((held - m) ** 2).sum(axis=1)
    best = None
    for strength in STRENGTHS:
        inverse = np.linalg.inv(A @ A.T + strength * np.eye(len(A)))
        predicted = m + (observed - m) @ A.T @ inverse @ A
        gains = 1 - ((held - predicted) ** 2).sum(axis=1) / total
        if best is None or gains.sum() > best.sum():
            best = gains
    return best


@given(st.integers(0, 2**31), st.booleans())
def test_it_is_what_the_formula_says(seed, sparse):
    random = np.random.default_rng(seed)
    topics = random.random((3, 7)) * (random.random((3, 7)) < 0.6) + 1e-3
    observed, held = random.poisson(2.0, (2, 9, 7)).astype(float)
    halves = halves_of(observed, held)
    found = predict_held_out(sp.csr_matrix(topics) if sparse else topics, halves)
    np.testing.assert_allclose(found.gains, slow_predict(topics, observed, held), atol=1e-8)


def test_numbers_by_hand():
    # m = (1, 1); both halves of the documents are at ±√2 along the topic (1, -1)/√2
    halves = halves_of([[2, 0], [0, 2]], [[2, 0], [0, 2]])
    found = predict_held_out(np.array([[1.0, -1.0]]), halves)
    kept = 1 / (1 + STRENGTHS[0])
    np.testing.assert_allclose(found.gains, [1 - (1 - kept) ** 2] * 2)


def test_topics_that_miss_what_differs_foretell_nothing():
    halves = halves_of([[2, 0], [0, 2]], [[2, 0], [0, 2]])
    assert predict_held_out(np.array([[1.0, 1.0]]), halves).explained == pytest.approx(0)
    assert predict_held_out(np.zeros((1, 2)), halves).explained == 0


def test_where_halves_contradict_each_other_topics_are_distrusted():
    halves = halves_of([[2, 0], [0, 2]], [[0, 2], [2, 0]])
    found = predict_held_out(np.array([[1.0, -1.0]]), halves)
    # the largest λ shrinks the prediction most, so its error is smallest
    kept = 1 / (1 + STRENGTHS[-1])
    np.testing.assert_allclose(found.gains, 1 - (1 + kept) ** 2)


def test_a_document_counts_once_however_long_it_is():
    short = halves_of([[2, 0], [0, 2], [1, 1]], [[2, 0], [0, 2], [3, 0]])
    long = halves_of([[2, 0], [0, 2], [1, 1]], [[2, 0], [0, 2], [3000, 0]])
    topics = np.array([[1.0, -1.0]])
    assert predict_held_out(topics, long).explained == pytest.approx(
        predict_held_out(topics, short).explained, abs=0.01
    )


def test_a_document_that_is_as_the_mean_has_nothing_to_foretell():
    halves = halves_of([[2, 0], [0, 2], [1, 1]], [[2, 0], [0, 2], [1, 1]])
    assert predict_held_out(np.array([[1.0, -1.0]]), halves).gains[2] == pytest.approx(0)


def test_share_and_its_error_by_hand():
    found = Prediction(np.array([0.1, 0.3, 0.5]))
    assert found.explained == pytest.approx(0.3)
    assert found.standard_error == pytest.approx(np.sqrt(0.04 / 3))


@given(st.integers(0, 2**31))
def test_codes_foretell_with_the_best_scale(seed):
    random = np.random.default_rng(seed)
    topics, codes = random.random((2, 5)), random.random((8, 2))
    observed, held = random.poisson(2.0, (2, 8, 5)).astype(float)
    found = predict_from_codes(codes, topics, halves_of(observed, held))
    m, moved = observed.mean(axis=0), (codes - codes.mean(axis=0)) @ topics
    total = ((held - m) ** 2).sum(axis=1)
    scales = np.linspace(0, 20, 2001)[:, None, None]
    best = (1 - ((held - m - scales * moved) ** 2).sum(axis=2) / total).mean(axis=1).max()
    assert best - 1e-9 <= found.explained <= best + 1e-3


# --- the scorer ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus():
    return make_topics(150, 200, 4, words_per_topic=15, random_state=2)[0]


@pytest.fixture(scope="module")
def plsa(corpus):
    return laconic.PLSA(4).fit(corpus)


@pytest.mark.parametrize("name", MODELS)
def test_true_topics_score_higher_than_shuffled_ones(corpus, name):
    model = laconic.pipeline(name, n_components=4).fit(corpus[:100])
    unseen = corpus[100:]
    score = held_out_score(model, unseen)
    # repeated scores are equal, because the random division is fixed
    assert score == held_out_score(model, unseen)
    assert score == pytest.approx(held_out_score(model, unseen.counts), rel=1e-6)
    assert 0.1 < score < 1
    order = np.random.default_rng(0).permutation(corpus.shape[1])
    estimator = model[-1]
    for learned in ("components_", "probabilities_"):
        if hasattr(estimator, learned):
            setattr(estimator, learned, getattr(estimator, learned)[:, order])
    assert held_out_score(model, unseen) < 0.3 * score


def test_scale_and_order_of_topics_do_not_matter(corpus, plsa):
    model = copy.deepcopy(plsa)
    score = held_out_score(model, corpus)
    model.components_ = model.components_[::-1] * np.array([[1], [2], [3], [4]])
    assert held_out_score(model, corpus) == pytest.approx(score)


def test_texts_are_counted_by_the_pipeline():
    texts = ["cats purr cats purr", "dogs bark dogs bark", "cats purr purr", "dogs bark bark"] * 5
    model = laconic.pipeline("plsa", n_components=2).fit(texts)
    assert held_out_score(model, texts) == held_out_score(model, laconic.read(texts))


def test_documents_of_one_word_are_left_out(corpus, plsa):
    short = sp.vstack([corpus.counts, sp.csr_matrix(([1], ([0], [3])), (1, 200))])
    assert split_words(plsa, sp.csr_matrix(short)).rows.max() < len(corpus)
    assert held_out_score(plsa, short) == held_out_score(plsa, corpus)
    with refused("document", "two words"):
        held_out_score(plsa, short[-1:])


def test_other_words_and_texts_are_told(corpus, plsa):
    with refused("199 words", "200"):
        held_out_score(plsa, corpus.counts[:, 1:])
    with refused("counts", "texts", "laconic.pipeline"):
        held_out_score(plsa, ["some text"])


def test_counts_must_be_whole(corpus, plsa):
    with refused("counts", "integers"):
        held_out_score(plsa, corpus.counts * 0.5)
