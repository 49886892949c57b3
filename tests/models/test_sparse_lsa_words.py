"""``words_per_topic``: a length as a user says it, and a fit that is still one."""

from __future__ import annotations

import numpy as np
import pytest
import reference_slsa as reference

from laconic import Corpus, LaconicError, SparseLSA, Weighting
from laconic.models.targets import FALLING, HELD, WordTarget


def zipf_corpus(n_documents=600, n_words=1500, n_topics=12, seed=0):
    """Documents whose words are as uneven as those of a language, from topics that overlap."""
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
def test_objective_falls_and_is_explicit_with_an_alpha_per_topic(zipf, positive):
    X = zipf.astype(np.float64)
    model = SparseLSA(6, words_per_topic=20, positive=positive, tol=1e-10, max_iter=1000).fit(X)
    values = model.objective_
    assert model.converged_
    assert len(values) >= 2
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert model.alpha_.shape == (6,)
    assert model.alpha_.min() > 0
    A = model.components_.toarray()
    penalty = reference.Penalty(lambda A: np.sum(model.alpha_[:, None] * np.abs(A)), None)
    assert reference.best_objective(X.toarray(), A, penalty) == pytest.approx(values[-1], rel=1e-5)


def test_solution_is_optimal_for_the_alphas_that_were_found(zipf):
    X = zipf.astype(np.float64)
    model = SparseLSA(6, words_per_topic=20, tol=1e-13, max_iter=3000).fit(X)
    A = model.components_.toarray()
    B = reference.polar(X @ A.T).T @ X.toarray()
    residual = A - np.sign(B) * np.maximum(np.abs(B) - model.alpha_[:, None], 0)
    assert np.abs(residual).max() < 1e-3 * np.abs(A).max()


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


def test_target_puts_alpha_between_two_words():
    target = WordTarget(3, positive=False)
    target.passes = FALLING
    block = np.array([[5.0, 1], [-4, 2], [3, -3], [2, 4], [1, -5]])
    assert target.solve(lambda: iter([block[:2], block[2:]])).tolist() == [2.5, 2.5]
    positive = WordTarget(2, positive=True)
    positive.passes = FALLING
    assert positive.solve(lambda: iter([block])).tolist() == [2.5, 1.5]


def test_no_topic_goes_without_a_penalty():
    """Where a topic has too few positive words, it keeps the penalty it had, or gets the usual."""
    target = WordTarget(2, positive=True)
    target.passes = FALLING
    few = np.array([[3.0, 1.0], [2.0, -1], [1.0, -2], [0.0, -3]])
    assert target.solve(lambda: iter([few])).tolist() == [1.5, 1.5]
    assert target.solve(lambda: iter([few * [10, 1]])).tolist() == [15.0, 1.5]


def test_target_falls_is_held_and_then_stays():
    target = WordTarget(2, positive=False)
    block = np.arange(100.0)[:, None]
    kept = []
    while not target.fixed:
        alpha = target.solve(lambda: iter([block]))
        kept.append(int(np.sum(block > alpha)))
    assert kept[0] == 32
    assert kept == sorted(kept, reverse=True)
    assert kept[FALLING:] == [2] * (HELD + 1)
    assert not target.reopen(np.array([2]))
    assert target.reopen(np.array([9]))
    assert not target.fixed


def test_corrections_come_to_an_end():
    target = WordTarget(10, positive=False)
    asked = 0
    while target.reopen(np.array([99])):
        asked += 1
        assert asked < 50
    assert asked >= 1


def test_not_with_alpha_groups_or_the_papers_rule():
    X = np.eye(3)
    for params, problem in [
        ({"alpha": 1.0}, "either 'alpha' or 'words_per_topic'"),
        ({"groups": [0, 1, 1]}, "does not go with 'groups'"),
        ({"stop": "paper"}, "stop='paper'"),
    ]:
        with pytest.raises(LaconicError, match=problem):
            SparseLSA(1, words_per_topic=2, **params).fit(X)
    with pytest.raises(LaconicError, match="partial_fit of SparseLSA needs 'alpha'"):
        SparseLSA(1, words_per_topic=2).partial_fit(X)
