"""Tests of the agreement of rankings and of repeated fits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import laconic
from laconic import PLSA, MedSTC, SparseLSA, Weighting
from laconic.metrics.stability import (
    agreement,
    match_topics,
    rank_biased_overlap,
    reseeded,
    stability,
    strongest_words,
)
from tests.messages import refused

rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
full_rankings = st.permutations("abcdefgh")
persistence = st.floats(0.05, 0.95)


# --- rank-biased overlap -------------------------------------------------------------------------


def slow_overlap(first, second, p):
    """Compute eq. 32 of Webber, Moffat and Zobel term by term."""
    short, long = sorted((first, second), key=len)
    s, n = len(short), len(long)
    if s == 0:
        return 0.0

    def overlap(d):
        return len(set(short[:d]) & set(long[:d]))

    total = sum(overlap(d) / d * p**d for d in range(1, n + 1))
    total += sum(overlap(s) * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + ((overlap(n) - overlap(s)) / n + overlap(s) / s) * p**n


@given(rankings, rankings, persistence)
def test_overlap_equals_the_formula(first, second, p):
    assert rank_biased_overlap(first, second, p) == pytest.approx(slow_overlap(first, second, p))


def test_overlap_on_paper():
    # agreement is 1 at depth 1, 1/2 at depth 2, 1 at depth 3: 0.5 (1 + 0.5/2 + 0.25) + 1/8 = 0.875
    assert rank_biased_overlap("abc", "acb", 0.5) == pytest.approx(0.875)
    # rankings a and ab of different length: overlaps X = 1, 1; (1-p)/p (p + p²/2 + p²/2) + p² = 1
    assert rank_biased_overlap("a", "ab", 0.5) == pytest.approx(1)
    # ba and a: overlaps X = 0, 1; (1-p)/p (0 + p²/2 + 0) + (1/2 + 0) p² = p/2 at p = 1/2: 1/8 + 1/8
    assert rank_biased_overlap("ba", "a", 0.5) == pytest.approx(0.25)


@given(rankings, rankings, persistence)
def test_overlap_is_symmetric_and_bounded(first, second, p):
    value = rank_biased_overlap(first, second, p)
    assert 0 <= value <= 1
    assert value == pytest.approx(rank_biased_overlap(second, first, p))


@given(full_rankings, persistence)
def test_overlap_of_equal_and_of_foreign_lists(ranking, p):
    assert rank_biased_overlap(ranking, ranking, p) == pytest.approx(1)
    assert rank_biased_overlap(ranking, "ijklmnop", p) == 0


def test_the_top_matters_more():
    same = list("abcdefgh")
    assert rank_biased_overlap(same, list("bacdefgh")) < rank_biased_overlap(same, list("abcdefhg"))


def test_odd_lists():
    assert rank_biased_overlap([], ["a"]) == rank_biased_overlap([], []) == 0
    assert rank_biased_overlap("aab", "ab") == pytest.approx(1)
    for p in (0, 1, -1):
        with refused("p must", "between 0 and 1"):
            rank_biased_overlap("a", "a", p)


# --- matching ------------------------------------------------------------------------------------


@given(st.permutations(range(4)))
def test_permuted_topics_are_matched(order):
    words = [list("abc"), list("def"), list("ghi"), list("jkl")]
    found = match_topics(words, [words[i] for i in order])
    assert [order[j] for j in found.second] == list(range(4))
    assert found.similarity == pytest.approx(np.ones(4))
    weights = np.random.default_rng(0).random((4, 9))
    found = match_topics(weights, -2 * weights[list(order)], by="weights")
    assert [order[j] for j in found.second] == list(range(4))
    assert found.similarity == pytest.approx(np.ones(4))


def test_matching_is_best_in_all_not_one_by_one():
    # a greedy match takes 0-0 (0.9), which leaves 0.0; the best total is 0.8 + 0.7
    first = np.array([[0.9, 0.8, np.sqrt(1 - 0.81 - 0.0)], [0.7, 0.0, 0.0]])
    alike = abs(first / np.linalg.norm(first, axis=1, keepdims=True) @ np.eye(3)[:2].T)
    found = match_topics(first, np.eye(3)[:2], by="weights")
    assert found.similarity.sum() == pytest.approx(max(np.trace(alike), alike[0, 1] + alike[1, 0]))
    assert found.second.tolist() == [1, 0]


def test_matching_fits_of_different_size():
    found = match_topics([["a"], ["b"], ["c"]], [["c"], ["a"]])
    assert (found.first.tolist(), found.second.tolist()) == ([0, 2], [1, 0])
    sparse = match_topics(sp.eye(3, format="csr"), sp.eye(3, format="csr")[[2, 0]], by="weights")
    assert (sparse.first.tolist(), sparse.second.tolist()) == ([0, 2], [1, 0])


def test_what_cannot_be_matched():
    with refused("by must", "'words'", "'weights'", "'sound'"):
        match_topics([["a"]], [["a"]], by="sound")
    with refused("2 and 3 columns"):
        match_topics(np.eye(2), np.eye(3), by="weights")


def test_agreement_on_paper():
    one, other = [["a"], ["b"]], [["b"], ["c"]]
    assert agreement([one, one[::-1]]) == pytest.approx(1)
    assert agreement([one, other]) == pytest.approx(0.5)
    assert agreement([one, other, one]) == pytest.approx((0.5 + 1 + 0.5) / 3)
    # 2 of 4 topics are matched
    assert agreement([one, [["a"], ["b"], ["c"], ["d"]]]) == pytest.approx(0.5)
    assert agreement([[], []]) == 0
    with refused("two fits"):
        agreement([one])


# --- fitting again -------------------------------------------------------------------------------


def test_planted_topics_are_stable_and_noise_is_not(planted):
    corpus, _ = planted
    noise = np.random.default_rng(0).poisson(1.0, corpus.shape)
    model = PLSA(5, max_iter=30, n_jobs=1)
    good = stability(model, corpus, n_refits=3)
    bad = stability(model, noise, n_refits=3)
    assert good > 0.9
    assert bad < 0.5
    assert stability(model, corpus, n_refits=3, bootstrap=True) > 0.8


def test_shuffled_fits_do_not_agree(planted):
    corpus, truth = planted
    words = strongest_words(_Fitted(truth.topics, corpus.vocabulary), 10)
    flat = np.random.default_rng(0).permutation(np.concatenate(words)).reshape(5, -1).tolist()
    assert agreement([words, words]) == pytest.approx(1)
    assert agreement([words, flat]) < 0.5


class _Fitted:
    def __init__(self, components, names=None):
        self.components_ = components
        if names is not None:
            self.feature_names_in_ = names


def test_every_random_state_is_set():
    model = make_pipeline(Normalizer(), NMF(2, random_state=5))
    again = reseeded(model, 7)
    assert again.get_params()["nmf__random_state"] == 7
    assert model.get_params()["nmf__random_state"] == 5
    assert reseeded(SparseLSA(3), 7).random_state == 7
    pipeline = reseeded(laconic.pipeline("slsa", n_components=3), 7)
    assert pipeline.get_params()["model__random_state"] == 7


@pytest.mark.parametrize("bootstrap", [False, True])
def test_corpus_matrix_pipeline_and_labels(planted, bootstrap):
    corpus, _ = planted
    options = {"n_refits": 2, "bootstrap": bootstrap}
    model = SparseLSA(5, words_per_topic=12, positive=True, n_jobs=1)
    X = Weighting("tfidf").fit_transform(corpus.counts)
    assert stability(model, X, **options) > 0.8
    assert stability(TruncatedSVD(5), X, **options) > 0.2
    pipeline = laconic.pipeline("slsa", n_components=5, words_per_topic=12, n_jobs=1)
    assert stability(pipeline, corpus, **options) > 0.6
    classifier = MedSTC(5, tol=1, n_jobs=1)
    labels = np.asarray(corpus.labels)
    assert 0 <= stability(classifier, corpus.counts, labels, **options) <= 1


def test_same_seed_same_answer_and_the_estimator_stays_unfitted(planted):
    corpus, _ = planted
    model = PLSA(3, tol=1, n_jobs=1)
    first, second = (stability(model, corpus, n_refits=2, bootstrap=True) for _ in range(2))
    assert first == second
    assert not hasattr(model, "components_")


def test_words_of_and_fewest_refits(planted):
    corpus, _ = planted
    seen = []

    def words_of(model, n_words):
        seen.append((type(model), n_words))
        return [["same"], ["words"]]

    model = PLSA(2, tol=1, n_jobs=1)
    assert stability(model, corpus, n_refits=3, n_words=7, words_of=words_of) == pytest.approx(1)
    assert seen == [(PLSA, 7)] * 3
    with refused("n_refits", "at least 2", "got 1"):
        stability(model, corpus, n_refits=1)


def test_strongest_words():
    components = np.array([[0.1, -3, 2, 0], [0, 0, 0, 1]])
    assert strongest_words(_Fitted(components), 2) == [["1", "2"], ["3"]]
    assert strongest_words(_Fitted(components, list("abcd")), 9) == [["b", "c", "a"], ["d"]]


def test_a_bootstrap_draws_documents_anew():
    seen = []

    class Spy(TruncatedSVD):
        def fit(self, X, y=None):
            seen.append(X)
            return super().fit(X)

    X = sp.csr_matrix(np.random.default_rng(0).poisson(1.0, (30, 12)).astype(float))
    stability(Spy(2), X, n_refits=2)
    stability(Spy(2), X, n_refits=2, bootstrap=True)
    assert [(rows != X).nnz == 0 for rows in seen] == [True, True, False, False]
    assert (seen[2] != seen[3]).nnz > 0
