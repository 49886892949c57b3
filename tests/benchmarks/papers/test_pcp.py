"""Tests of the PCP benchmarks: stories, synthetic corpora, distances and shares."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import data, pursuit, reuters
from benchmarks.harness import Run
from benchmarks.papers import pcp, pcp_synthetic
from benchmarks.papers.pcp_synthetic import ADDED, COUNTS, READINGS, Sizes

SMOKE = Run("made up", smoke=True)
SIZES = Sizes(n_words=300, n_documents=200, n_topics=5, length=400)


# --- stories -------------------------------------------------------------------------------------


def test_stories_to_choose_on_are_never_scored() -> None:
    stories = reuters.reuters(SMOKE)
    scored = {*stories.first().titles, *stories.longest().titles}
    others = stories.others()
    assert len(others)
    assert scored.isdisjoint(others.titles)
    assert len(scored) + len(others) == len(stories)
    assert stories.others(5).titles == stories.others(5).titles != stories.others(5, seed=1).titles


def test_longest_stories_are_the_longest() -> None:
    stories = reuters.Stories(list("abcd"), ["one", "one two three", "one two", "1 2 3 4 five"])
    assert stories.longest(2).titles == ["b", "c"]
    assert stories.first(3).titles == ["a", "b", "c"]


def test_counts_have_frequent_words_and_title_words_that_occur() -> None:
    stories = reuters.Stories(
        ["Rare APPLE deal", "The unseen"], ["pears pears pears figs figs apple", "figs pears figs"]
    )
    body = reuters.counted(stories, n_frequent=2)
    assert body.vocabulary.tolist() == ["apple", "figs", "pears"]
    assert body.counts.toarray().tolist() == [[1, 2, 3], [0, 2, 1]]
    assert body.titles.toarray().tolist() == [[1, 0, 0], [0, 0, 0]]
    whole = reuters.counted(stories, n_frequent=2, with_title=True)
    assert whole.vocabulary.tolist() == ["apple", "deal", "figs", "pears", "rare", "unseen"]
    assert reuters.counted(stories, n_frequent=2, title_words=False).vocabulary.tolist() == [
        "figs",
        "pears",
    ]
    assert stories.title_words() == [{"rare", "apple", "deal"}, {"unseen"}]


def test_missing_stories_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    reuters._stories.cache_clear()
    with pytest.raises(data.MissingDataError, match="reuters"):
        reuters.reuters(Run("real"))


# --- corpora with known topics -------------------------------------------------------------------


@pytest.fixture(scope="module")
def planted() -> pcp_synthetic.Planted:
    return pcp_synthetic.plant(SIZES, seed=0)


def test_topics_follow_zipf(planted: pcp_synthetic.Planted) -> None:
    np.testing.assert_allclose(planted.topics.sum(axis=1), 1)
    ranked = np.sort(planted.topics, axis=1)[:, ::-1]
    np.testing.assert_allclose(ranked[:, 0] / ranked[:, 9], 10)
    assert len(set(planted.topics.argmax(axis=1))) > 1


def test_documents_are_drawn_around_what_is_expected(planted: pcp_synthetic.Planted) -> None:
    lengths = np.asarray(planted.clean.sum(axis=1)).ravel()
    np.testing.assert_allclose(lengths, planted.expected.sum(axis=1))
    assert lengths.mean() == pytest.approx(SIZES.length, rel=0.02)
    assert lengths.var() == pytest.approx(SIZES.length, rel=0.4)
    apart = (planted.clean.toarray() - planted.expected) ** 2
    assert apart.sum() == pytest.approx(planted.expected.sum(), rel=0.15)
    assert np.linalg.matrix_rank(planted.expected) == SIZES.n_topics


def test_rounded_counts_are_whole(planted: pcp_synthetic.Planted) -> None:
    rounded = COUNTS["expected, rounded"](planted).toarray()
    assert (rounded == np.rint(rounded)).all()
    assert np.abs(rounded - COUNTS["expected"](planted).toarray()).max() <= 0.5


@pytest.mark.parametrize(
    ("reading", "per_document"),
    list(zip(READINGS, [(40, 40), (30, 30), (5, 25), (10, 39)], strict=True)),
)
def test_keywords_of_a_reading(
    planted: pcp_synthetic.Planted, reading: str, per_document: tuple[int, int]
) -> None:
    added = pcp_synthetic.keywords(planted, SIZES.length, READINGS[reading], seed=0)
    assert set(added.data) == {ADDED}
    each = added.getnnz(axis=1)
    assert per_document[0] <= each.min() <= each.max() <= per_document[1]


# --- distances -----------------------------------------------------------------------------------


def test_distance_of_a_turned_plane() -> None:
    angle = 0.3
    first = np.eye(4)[:, :2]
    second = first.copy()
    second[:, 1] = [0, np.cos(angle), np.sin(angle), 0]
    assert pcp_synthetic.distance(first, second) == pytest.approx(np.sqrt(angle))
    assert pcp_synthetic.distance(first, np.eye(4)[:, 2:]) == pytest.approx(np.sqrt(np.pi))
    assert pcp_synthetic.distance(first, first[:, :1]) == pytest.approx(np.sqrt(np.pi / 2))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_distance_is_of_spaces_not_of_bases(seed: int) -> None:
    random = np.random.default_rng(seed)
    A, B = random.normal(size=(2, 9, 3))
    far = pcp_synthetic.distance(A, B)
    turned = A @ (random.normal(size=(3, 3)) + 5 * np.eye(3))
    assert pcp_synthetic.distance(turned, B) == pytest.approx(far, rel=1e-6)
    assert pcp_synthetic.distance(B, A) == pytest.approx(far, rel=1e-9)
    assert pcp_synthetic.distance(A, turned) < 1e-2


def test_leading_directions_of_low_rank_are_the_topics(planted: pcp_synthetic.Planted) -> None:
    found = pcp_synthetic.leading(planted.expected, SIZES.n_topics)
    assert pcp_synthetic.distance(found, planted.topics.T) < 0.01
    assert pcp_synthetic.leading(planted.expected, 8).shape[1] == SIZES.n_topics
    assert pcp_synthetic.drop(np.array([9.0, 6.0, 2.0, 1.0]), 2) == 3


# --- keywords that occur in titles ---------------------------------------------------------------


@pytest.fixture
def titled() -> reuters.TitledCounts:
    counts = sp.csr_matrix(np.array([[5.0, 3, 2, 0], [0, 4, 4, 2], [1, 1, 1, 1]]))
    titles = sp.csr_matrix(np.array([[1.0, 0, 0, 1], [0, 1, 2, 0], [1, 0, 0, 0]]))
    return reuters.TitledCounts(counts, titles, np.array(list("abcd")))


S = sp.csr_matrix(np.array([[3.0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]]))


def test_shares_of_title_words_by_hand(titled: reuters.TitledCounts) -> None:
    found = pcp.against_titles(S, titled)
    assert found.t1 == 2 / 4
    assert found.t2 == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert found.t2_all == pytest.approx((3 / 4 + 1 / 2) / 3)
    assert found.mass == 6 / 24
    assert found.per_document == 4 / 3
    assert pcp.against_titles(sp.csr_matrix(S.shape), titled) == (0, 0, 0, 0, 0, 0)


def test_precision_by_hand(titled: reuters.TitledCounts) -> None:
    assert pcp.precision_at(S, titled, 1) == 2 / 3
    assert pcp.precision_at(S, titled, 2) == 2 / 6
    assert pcp.precision_of_best(S, titled, 1) == 1
    assert pcp.precision_of_best(S, titled, 4) == 2 / 4


def test_keywords_are_excess_at_words_that_occur() -> None:
    counts = sp.csr_matrix(np.array([[2.0, 0, 3]]))
    found = pcp.excess(counts, sp.csr_matrix(np.array([[1.5, 4, -1]])))
    assert found.toarray().tolist() == [[1.5, 0, 0]]
    assert found.nnz == 1


def test_background_becomes_whole_words() -> None:
    L = sp.csr_matrix(np.array([[0.4, 1.6, -2.0, 0.0]]))
    found = pcp.whole_words(L)
    assert found.toarray().tolist() == [[0, 2, 0, 0]]
    assert found.nnz == 1


# --- large data ----------------------------------------------------------------------------------


def test_large_corpus_has_the_words_it_is_asked_for() -> None:
    corpus = pursuit.large_corpus(120, 500, 60, n_topics=8, seed=0)
    assert corpus.shape == (120, 500)
    each = corpus.counts.getnnz(axis=1)
    assert 57 < each.mean() < 66
    assert (np.sort(corpus.counts.toarray(), axis=1)[:, -4:] >= 5).all()  # keywords are frequent
    again = pursuit.large_corpus(120, 500, 60, n_topics=8, seed=0)
    assert (corpus.counts != again.counts).nnz == 0


def test_texts_are_lines_of_posts_and_queries_are_their_words() -> None:
    posts = data.Posts(
        [], ["red fox\nblue sky\n--", "one two\nthree four"], np.array([]), np.array([])
    )
    texts = pursuit.many_texts(posts, 40, seed=0)
    lines = {"red fox", "blue sky", "one two", "three four"}
    assert len(texts) == 40
    assert all(set(text.splitlines()) <= lines for text in texts)
    own = sum("red fox" in text.splitlines()[0] for text in texts[::2])
    assert 8 <= own <= 18  # expected: half of twenty, plus a quarter of the other half
    for query in pursuit.some_queries(texts, 20, seed=0):
        assert {tuple(sorted(query.split()))} <= {("fox", "red"), ("blue", "sky")}


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux can bind to cores")
def test_cores_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with pursuit.cores(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
