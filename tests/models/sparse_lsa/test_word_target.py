"""Tests of the parameter `words_per_topic`, the number of words that each topic keeps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from laconic import Corpus, SparseLSA, Weighting
from laconic.models.penalties import Blocks
from laconic.models.sparse_lsa.word_target import SHORTENING_PASSES, WordTarget
from tests.messages import refused
from tests.models.sparse_lsa import reference


def zipf_corpus(n_documents=600, n_words=1500, n_topics=12, seed=0):
    """Draw documents from overlapping topics, with word frequencies as uneven as in a language."""
    random = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, n_words + 1)
    topics = random.gamma(0.05, size=(n_topics, n_words)) * frequency
    topics /= topics.sum(axis=1, keepdims=True)
    shares = random.dirichlet(np.full(n_topics, 0.1), n_documents)
    lengths = random.integers(40, 200, n_documents)
    base = frequency / frequency.sum()
    rows = [
        random.multinomial(n, 0.7 * share @ topics + 0.3 * base)
        for n, share in zip(lengths, shares, strict=True)
    ]
    return Corpus(np.array(rows))


@pytest.fixture(scope="module")
def zipf():
    return Weighting().fit_transform(zipf_corpus()).matrix


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("words", [8, 20])
def test_every_topic_keeps_about_that_many_words(zipf, positive, words):
    model = SparseLSA(12, words_per_topic=words, positive=positive).fit(zipf)
    counts = np.diff(model.components_.indptr)
    assert len(counts) == 12
    assert counts.min() >= 0.75 * words
    assert counts.max() <= 1.25 * words
    assert 0.9 * words <= counts.mean() <= 1.1 * words


def test_planted_topics_keep_twenty_words(planted):
    corpus, _ = planted
    counts = np.diff(SparseLSA(5, words_per_topic=20).fit(corpus).components_.indptr)
    assert counts.min() >= 15
    assert counts.max() <= 25


@pytest.mark.parametrize("positive", [False, True])
def test_objective_falls_and_is_the_squared_error(zipf, positive):
    X = zipf.astype(np.float64)
    model = SparseLSA(6, words_per_topic=20, positive=positive, tol=1e-10, max_iter=1000).fit(X)
    values = model.objective_
    assert model.converged_
    assert len(values) >= 2
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    A = model.components_.toarray()
    nothing = reference.Penalty(lambda A: 0.0, None)
    assert reference.best_objective(X.toarray(), A, nothing) == pytest.approx(values[-1], rel=1e-6)


@pytest.mark.parametrize("positive", [False, True])
def test_solution_keeps_the_strongest_words_of_its_own_polar_factor(zipf, positive):
    X = zipf.astype(np.float64)
    model = SparseLSA(6, words_per_topic=20, positive=positive, tol=1e-13, max_iter=3000).fit(X)
    A = model.components_.toarray()
    B = reference.polar(X @ A.T).T @ X.toarray()
    strength = B if positive else np.abs(B)
    best = np.argsort(-strength, axis=1)[:, :20]
    kept = np.zeros_like(B)
    np.put_along_axis(kept, best, np.take_along_axis(B, best, axis=1), axis=1)
    np.testing.assert_allclose(A, kept, atol=1e-4 * np.abs(A).max())


def test_no_other_choice_of_words_explains_more():
    """For a fixed U the step is exact, so any other choice of two words has a larger error."""
    random = np.random.default_rng(0)
    B = random.normal(size=(6, 3))
    target = WordTarget(2, positive=False)
    target.passes = SHORTENING_PASSES
    W, energy, _ = target.shrink(Blocks([slice(0, 4), slice(4, len(B))], B.__getitem__))
    assert np.diff(W.tocsc().indptr).tolist() == [2, 2, 2]
    best = sum(max(a**2 + b**2 for a, b in combinations(column, 2)) for column in B.T)
    assert energy == pytest.approx(best)
    np.testing.assert_allclose(W.toarray()[W.toarray() != 0], B[W.toarray() != 0])


def test_more_words_than_there_are_is_no_penalty():
    X = reference.documents(0, 30, 10)
    model = SparseLSA(3, words_per_topic=50, tol=1e-12, max_iter=2000).fit(X)
    assert not model.alpha_.any()
    free = SparseLSA(3, alpha=0, tol=1e-12, max_iter=2000).fit(X)
    assert model.objective_[-1] == pytest.approx(free.objective_[-1], rel=1e-4)


def test_one_word_for_each_topic():
    X = np.kron(np.diag([3.0, 2.0, 1.0]), np.ones((4, 1))) + 0.01
    model = SparseLSA(3, words_per_topic=1).fit(X)
    assert sorted(model.components_.indices.tolist()) == [0, 1, 2]


def test_target_is_cut_between_two_words():
    block = np.array([[5.0, 1], [-4, 2], [3, -3], [2, 4], [1, -5]])
    target = WordTarget(3, positive=False)
    target.passes = SHORTENING_PASSES
    W, _, limits = target.shrink(Blocks([slice(0, 2), slice(2, len(block))], block.__getitem__))
    assert limits.tolist() == [2.5, 2.5]
    assert W.toarray().tolist() == [[5, 0], [-4, 0], [3, -3], [0, 4], [0, -5]]
    positive = WordTarget(2, positive=True)
    positive.passes = SHORTENING_PASSES
    W, _, limits = positive.shrink(Blocks.of(block))
    assert limits.tolist() == [2.5, 1.5]
    assert W.toarray().tolist() == [[5, 0], [0, 2], [3, 0], [0, 4], [0, 0]]


def test_a_topic_with_few_positive_words_keeps_only_those():
    target = WordTarget(2, positive=True)
    target.passes = SHORTENING_PASSES
    few = np.array([[3.0, 1.0], [2.0, -1], [1.0, -2], [0.0, -3]])
    W, _, _ = target.shrink(Blocks.of(few))
    assert W.toarray().tolist() == [[3, 1], [2, 0], [0, 0], [0, 0]]


def test_number_of_words_falls_and_then_stays():
    target = WordTarget(2, positive=False)
    block = np.arange(100.0)[:, None]
    kept = [target.shrink(Blocks.of(block))[0].nnz for _ in range(SHORTENING_PASSES + 4)]
    assert kept[0] == 32
    assert kept == sorted(kept, reverse=True)
    assert kept[SHORTENING_PASSES:] == [2] * 4
    assert not target.shortening


def test_batches_keep_the_number_of_words_too(zipf):
    model = SparseLSA(6, words_per_topic=15, positive=True)
    for start in range(0, 600, 200):
        model.partial_fit(zipf[start : start + 200])
        counts = np.diff(model.components_.indptr)
        assert counts.max() <= 15
        assert counts.mean() >= 13


def test_not_with_alpha_groups_or_the_papers_rule():
    X = np.eye(3)
    for params, part in [
        ({"alpha": 1.0}, "'alpha'"),
        ({"groups": [0, 1, 1]}, "'groups'"),
        ({"stop": "paper"}, "stop='paper'"),
    ]:
        with refused("SparseLSA", "'words_per_topic'", part):
            SparseLSA(1, words_per_topic=2, **params).fit(X)
