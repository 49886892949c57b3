"""Tests of ``partial_fit``: a batch of all documents is a pass, and many batches approach a fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from laconic import Corpus, SparseLSA, Weighting
from laconic.models.sparse_lsa.estimator import ALPHA_SCALE
from tests.messages import refused, warned
from tests.models.sparse_lsa import reference


@pytest.fixture
def weighted(planted):
    return Weighting("tfidf", dtype="float64").fit_transform(planted[0]).matrix


@pytest.mark.parametrize(
    "params",
    [
        {"alpha": 0.3},
        {},
        {"alpha": 0.3, "positive": True},
        {"alpha": 0.2, "groups": np.arange(160) // 4},
        {"alpha": 0.3, "init": "identity"},
    ],
)
def test_one_full_batch_is_one_pass(weighted, params):
    if params.get("init", "pivot") == "pivot":
        # screening changes the random numbers of the start, but not the problem
        params = {**params, "init": "random"}
    online = SparseLSA(5, engine="serial", **params).partial_fit(weighted)
    with warned("SparseLSA", "1 pass;", kind=ConvergenceWarning):
        batch = SparseLSA(5, engine="serial", max_iter=1, **params).fit(weighted)
    A = batch.components_.toarray()
    np.testing.assert_allclose(
        reference.matched(A, online.components_.toarray()), A, rtol=1e-8, atol=1e-9
    )
    assert online.objective_ == pytest.approx(batch.objective_, rel=1e-10)
    assert online.n_iter_ == 1
    assert sorted(online.topic_shares_) == pytest.approx(sorted(batch.topic_shares_))


def shuffled_batches(X, size, epochs, seed=0):
    random = np.random.default_rng(seed)
    for _ in range(epochs):
        order = random.permutation(X.shape[0])
        for start in range(0, len(order) - size + 1, size):
            yield X[order[start : start + size]]


def test_many_batches_come_near_the_fit(weighted):
    n_documents = weighted.shape[0]
    alpha = 0.02 * np.sqrt(n_documents)
    batch = SparseLSA(5, engine="serial", alpha=alpha, tol=1e-8, max_iter=1000).fit(weighted)
    online = SparseLSA(5, engine="serial")
    # use the default `alpha`, which depends on the effective number of documents
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("laconic.models.sparse_lsa.estimator.ALPHA_SCALE", 0.02)
        for n, part in enumerate(shuffled_batches(weighted, 60, 20), start=1):
            online.partial_fit(part)
            assert online.n_iter_ == n == len(online.objective_)
    # the topics have the scale of the effective number of documents; rescale them to all documents
    scale = alpha / online.alpha_[0]
    A = online.components_.toarray() * scale
    X = weighted.toarray()
    penalty = reference.l1(alpha)
    polished = penalty.prox(reference.polar(X @ A.T).T @ X)
    value = reference.best_objective(X, polished, penalty)
    assert value <= batch.objective_[-1] * 1.02


def test_the_same_batch_again_and_again_is_the_fit(weighted):
    """Repeated batches only scale the topics, by the root of the effective number of documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("laconic.models.sparse_lsa.estimator.ALPHA_SCALE", 0.02)
        online = SparseLSA(5, engine="serial")
        for _ in range(60):
            online.partial_fit(weighted)
        batch = SparseLSA(5, engine="serial", tol=1e-10, max_iter=500).fit(weighted)
    counted = online.statistics_[0][3]
    assert counted > 10 * weighted.shape[0]
    A = batch.components_.toarray()
    B = online.components_.toarray() * np.sqrt(weighted.shape[0] / counted)
    np.testing.assert_allclose(reference.matched(A, B), A, atol=2e-3 * np.abs(A).max())


def test_planted_topics_are_found_again_online(planted, weighted):
    _, truth = planted
    online = SparseLSA(5, engine="serial", positive=True)
    for part in shuffled_batches(weighted, 50, 8):
        online.partial_fit(part)
    strongest = np.argsort(-online.components_.toarray(), axis=1)[:, :12]
    found = [
        max(np.isin(np.flatnonzero(topic), row).mean() for row in strongest)
        for topic in truth.topics
    ]
    assert min(found) >= 0.75


def test_old_batches_count_for_less(weighted):
    """New documents replace old documents, which would keep half the weight without decay."""
    first, second = np.zeros((40, 6)), np.zeros((40, 6))
    first[:, :3], second[:, 3:] = 1, 1
    online = SparseLSA(1, alpha=0.1, engine="serial").partial_fit(first)
    assert online.components_.indices.tolist() == [0, 1, 2]
    effective = [40.0]
    for _ in range(3):
        online.partial_fit(second + 0.01)
        effective.append(online.statistics_[0][3])
    assert effective[1] == pytest.approx(60)
    assert np.all(np.diff(effective) > 0)
    assert effective[-1] < 4 * 40


def test_default_alpha_follows_the_documents_that_count(weighted):
    online = SparseLSA(3, engine="serial").partial_fit(weighted[:60])
    first = online.alpha_[0]
    assert first == pytest.approx(ALPHA_SCALE * np.sqrt(60))
    online.partial_fit(weighted[60:120])
    assert online.alpha_[0] == pytest.approx(first * np.sqrt(90 / 60))


def test_columns_keep_their_order_between_batches(weighted):
    """Topics are neither sorted nor rotated between batches, so that codes stay comparable."""
    online = SparseLSA(5, engine="serial").partial_fit(weighted[:150])
    before = online.transform(weighted[:20]).toarray()
    online.partial_fit(weighted[150:])
    after = online.transform(weighted[:20]).toarray()
    likeness = np.corrcoef(before.T, after.T)[:5, 5:]
    assert np.array_equal(np.argmax(likeness, axis=1), np.arange(5))


def test_batches_are_matched_by_word(planted):
    corpus, _ = planted
    other = corpus.align(list(corpus.vocabulary[::-1]))
    plain = SparseLSA(4, engine="serial").partial_fit(corpus[:150]).partial_fit(corpus[150:])
    mixed = SparseLSA(4, engine="serial").partial_fit(corpus[:150]).partial_fit(other[150:])
    assert np.array_equal(plain.components_.toarray(), mixed.components_.toarray())
    assert mixed.feature_names_in_.tolist() == corpus.vocabulary.tolist()


def test_continues_from_a_fit_and_a_fit_starts_anew(weighted):
    fitted = SparseLSA(5, alpha=0.2, engine="serial").fit(weighted)
    passes, value = fitted.n_iter_, fitted.objective_[-1]
    fitted.partial_fit(weighted)
    assert fitted.n_iter_ == passes + 1
    # this was one more pass over the same documents
    assert fitted.objective_[-1] <= value * (1 + 1e-9)
    again = fitted.fit(weighted)
    fresh = SparseLSA(5, alpha=0.2, engine="serial").fit(weighted)
    assert np.array_equal(again.components_.toarray(), fresh.components_.toarray())
    assert np.array_equal(again.objective_, fresh.objective_)


def test_wrong_batches_get_a_sentence(weighted):
    online = SparseLSA(3, engine="serial").partial_fit(weighted)
    with refused("159 features", "160 features", kind=ValueError, golden=False):
        online.partial_fit(weighted[:, :-1])
    with refused("159 features", "160 features", "SparseLSA"):
        online.partial_fit(Corpus(sp.csr_matrix((3, 159))))
    with refused("partial_fit", "SparseLSA", "stop='paper'"):
        SparseLSA(3, stop="paper").partial_fit(weighted)
