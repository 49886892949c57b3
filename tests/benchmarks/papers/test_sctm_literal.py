"""Tests of the printed SCTM, of LDA as topicmodels fits it, and of the titles of papers."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from scipy.special import gammaln, psi

from benchmarks import nips
from benchmarks.papers import literal_sctm, sctm_documents, sctm_figures, topicmodels_lda
from laconic import project_simplex
from laconic.datasets import make_topics


@pytest.fixture(scope="module")
def counts() -> sp.csr_matrix:
    corpus, _ = make_topics(60, 100, 4, document_length=60, random_state=0)
    return corpus.counts.astype(np.float64)


def test_codes_meet_the_optimality_conditions(counts: sp.csr_matrix) -> None:
    X, omega = literal_sctm.frequencies(counts), 1e-4
    topics = literal_sctm.first_topics(counts, 5, seed=0)
    codes = literal_sctm.code(X, topics, omega)
    slopes = X @ topics.T - codes @ topics @ topics.T - omega
    assert (codes >= 0).all()
    assert np.abs(slopes[codes > 0]).max() < 1e-5
    assert slopes[codes == 0].max(initial=-1) < 1e-5


def test_codes_without_penalty_are_least_squares(counts: sp.csr_matrix) -> None:
    X, topics = literal_sctm.frequencies(counts)[:3], literal_sctm.first_topics(counts, 3, seed=1)
    expected = [nnls(topics.T, row.toarray().ravel())[0] for row in X]
    np.testing.assert_allclose(literal_sctm.code(X, topics, 0.0), expected, atol=2e-3)


def test_outer_steps_lower_the_objective(counts: sp.csr_matrix) -> None:
    X, omega = literal_sctm.frequencies(counts).toarray(), 1e-4
    objectives = []
    for topics, codes in islice(literal_sctm.steps(counts, 4, omega, seed=0), 6):
        np.testing.assert_allclose(topics.sum(axis=1), 1)
        assert (topics >= 0).all()
        objectives.append(0.5 * np.sum((X - codes @ topics) ** 2) + omega * codes.sum())
    assert (np.diff(objectives) <= 1e-9).all()


def test_projection_is_on_the_simplex() -> None:
    point = np.random.default_rng(0).normal(size=50)
    projected = np.maximum(point - literal_sctm.simplex_threshold(point), 0)
    np.testing.assert_allclose(projected, project_simplex(point), atol=1e-12)


def test_lower_penalty_gives_words_a_probability() -> None:
    topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    X = literal_sctm.frequencies(sp.csr_matrix([[9.0, 9.0, 1.0], [1.0, 1.0, 0.0]]))
    codes = literal_sctm.code(X, topics, 0.1)
    assert literal_sctm.zero_words(X, topics, codes).tolist() == [1, 0]
    lowered = literal_sctm.fixed_codes(X, topics, 0.1)
    assert literal_sctm.zero_words(X, topics, lowered).tolist() == [0, 0]
    np.testing.assert_array_equal(lowered[1], codes[1])


def test_bound_of_lda_is_that_of_a_plain_reference(counts: sp.csr_matrix) -> None:
    model = topicmodels_lda.TopicmodelsLDA(4, 0.1, 0, topicmodels_lda.Stops(max_steps=5)).fit(
        counts
    )
    row, alpha, K = counts[0].toarray().ravel(), 0.1, 4
    gamma = np.full(K, alpha + row.sum() / K)
    for _ in range(1000):
        weights = model.word_topics * np.exp(psi(gamma))
        phi = weights / weights.sum(axis=1, keepdims=True)
        gamma = alpha + row @ phi
    logs = psi(gamma) - psi(gamma.sum())
    bound = gammaln(K * alpha) - K * gammaln(alpha) + np.sum((alpha - 1) * logs)
    bound += np.sum(row[:, None] * phi * (logs + np.log(model.word_topics) - np.log(phi)))
    bound -= gammaln(gamma.sum()) - gammaln(gamma).sum() + np.sum((gamma - 1) * logs)
    found = model.perplexities(counts[:1])[0]
    assert np.log(found) == pytest.approx(-bound / row.sum(), rel=1e-5)
    np.testing.assert_allclose(model.mixtures(counts[:1])[0], gamma / gamma.sum(), atol=1e-3)


def test_em_raises_the_bound_and_an_unseen_word_is_never_impossible(counts: sp.csr_matrix) -> None:
    train = nips.without_words(counts, np.arange(counts.shape[1]) != 7)
    model = topicmodels_lda.TopicmodelsLDA(3, 0.1, 0).fit(train)
    assert (np.diff(model.bounds) > 0).all()
    np.testing.assert_allclose(model.word_topics[7], np.exp(-100))
    unseen = sp.csr_matrix(([1.0], [7], [0, 1]), (1, counts.shape[1]))
    assert 1e40 < model.perplexities(unseen)[0] < np.inf


def test_an_estimated_alpha_raises_the_bound(counts: sp.csr_matrix) -> None:
    fixed = topicmodels_lda.TopicmodelsLDA(3, 1.0, 0).fit(counts)
    estimated = topicmodels_lda.TopicmodelsLDA(3, 1.0, 0, estimate_alpha=True).fit(counts)
    assert fixed.alpha == 1
    assert estimated.alpha != 1
    assert estimated.bounds[-1] > fixed.bounds[-1]


def test_papers_are_matched_only_if_certain() -> None:
    first = sp.csr_matrix([[4.0, 1, 0, 0], [0, 0, 3, 1], [1, 1, 1, 1]])
    second = sp.csr_matrix([[0.0, 0, 6, 2], [8, 2, 0, 1], [9, 0, 0, 9]])
    assert nips.match(first, second).tolist() == [1, 0, -1]


def test_hellinger_distance() -> None:
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    found = sctm_documents.hellinger(shares, shares[0])
    np.testing.assert_allclose(found, [0, np.sqrt(1 - np.sqrt(0.5)), 1])


def test_scaled_codes_are_scored_as_probabilities() -> None:
    topics = np.array([[0.5, 0.5]])
    X = sp.csr_matrix([[1.0, 1.0], [1.0, 1.0]])
    found = sctm_figures.perplexities(topics, np.array([[2.0], [0.0]]), X)
    assert found[sctm_figures.UNSCALED].tolist() == [1, np.inf]
    assert found[sctm_figures.SCALED].tolist() == [2, np.inf]


def test_crossing_is_where_all_larger_models_are_better() -> None:
    lda = {10: 5.0, 25: 5.0, 50: 5.0}
    assert sctm_figures.crossing({10: 9.0, 25: 4.0, 50: 3.0}, lda) == 25
    assert sctm_figures.crossing({10: 4.0, 25: 6.0, 50: 3.0}, lda) == 50
    assert sctm_figures.crossing({10: 9.0, 25: 4.0, 50: 6.0}, lda) == 0
