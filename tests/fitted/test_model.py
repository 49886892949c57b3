"""Tests of functions on fitted models that tables, charts, explorer and metrics share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import laconic
from laconic.fitted.model import TopicView
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.fitted.pipeline_steps import last_step, steps_of, with_last_step
from laconic.fitted.ranking import largest
from laconic.weighting import Weighting
from tests.messages import refused

WORDS = ["cat", "purr", "dog", "bark"]
COUNTS = [[4, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 1, 2, 3]]


@pytest.fixture
def corpus() -> laconic.Corpus:
    return laconic.Corpus(COUNTS, WORDS)


def by_hand(components, distributions=False, names=WORDS, shares=None):
    n_topics = components.shape[0]
    return SimpleNamespace(
        components_=components,
        feature_names_in_=None if names is None else np.array(names, dtype=object),
        topic_shares_=np.full(n_topics, 1 / n_topics) if shares is None else np.array(shares),
        TOPICS_ARE_DISTRIBUTIONS=distributions,
    )


def test_words_are_ordered_by_size_and_keep_their_sign():
    view = TopicView(by_hand(np.array([[0.0, -3, 1, 2], [0, 0, 0, 0]])))
    assert view.top(0, 2) == [("purr", -3.0), ("bark", 2.0)]
    assert view.signed_words(0, 9) == ["-purr", "bark", "dog"]
    assert view.strongest_words(1) == [["purr"], []]
    assert view.naming_words(0) == ["bark", "dog"]
    assert view.n_words_of.tolist() == [3, 0]
    assert (view.label(0), view.label(1)) == ("bark, dog", "topic 1")


def test_a_topic_with_negative_words_only_is_named_by_them():
    view = TopicView(by_hand(np.array([[0.0, -3, 0, -1]])))
    assert view.naming_words(0) == ["−purr", "−bark"]


@pytest.mark.parametrize("sparse", [False, True])
def test_weights_have_no_stored_zeros(sparse):
    topics = np.array([[0.0, -3, 0, 1], [0, 0, 0, 0]])
    stored = sp.csr_matrix((topics.ravel(), np.tile(np.arange(4), 2), [0, 4, 8]))
    weights = TopicView(by_hand(stored if sparse else topics)).weights
    assert (weights.indices.tolist(), weights.indptr.tolist()) == ([1, 3], [0, 2, 2])
    assert weights.data.tolist() == [-3, 1]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("relevance", [0.0, 0.6, 1.0])
def test_relevance_weighs_probability_against_lift(relevance, sparse):
    topics = np.array([[0.5, 0.3, 0.2, 0.0], [0.6, 0.1, 0.0, 0.3]])
    components = sp.csr_matrix(topics) if sparse else topics
    view = TopicView(by_hand(components, distributions=True, shares=[0.25, 0.75]), relevance)
    overall = np.array([0.25, 0.75]) @ topics
    for topic, weights in enumerate(topics):
        columns, _, values = view.ranked(topic)
        assert columns.tolist() == np.flatnonzero(weights).tolist()
        np.testing.assert_allclose(values, (weights / overall ** (1 - relevance))[columns])
    assert view.top(0, 1)[0][0] == ("cat" if relevance == 1 else "dog")
    assert dict(view.top(0, 9)) == {"cat": 0.5, "purr": 0.3, "dog": 0.2}


def test_only_distributions_are_ordered_by_relevance():
    view = TopicView(by_hand(np.array([[1.0, 2, 0, 0], [4, 0, 0, 1]])), 0.0)
    assert view.relevance == 1.0
    assert view.ranked(1)[2].tolist() == [4, 1]


def test_zeros_that_are_stored_are_no_words_and_the_model_keeps_them():
    stored = sp.csr_matrix((np.array([0.0, 2.0]), np.array([0, 1]), np.array([0, 2])), (1, 4))
    stored.data.flags.writeable = False
    view = TopicView(by_hand(stored))
    assert view.strongest_words(9) == [["purr"]]
    assert stored.nnz == 2


def test_columns_stand_for_words_that_are_not_known():
    view = TopicView(by_hand(np.array([[0.0, 1, 2]]), names=None))
    assert view.words.tolist() == ["0", "1", "2"]
    assert view.top(0, 2) == [("2", 2.0), ("1", 1.0)]


def test_the_largest_share_comes_first_and_one_that_is_no_number_last():
    view = TopicView(by_hand(np.ones((3, 4)), shares=[0.2, np.nan, 0.8]))
    assert view.order == [2, 0, 1]
    assert view.shares.tolist() == [0.2, 0.0, 0.8]


def test_the_largest_of_equal_sizes_is_the_first():
    sizes = np.random.default_rng(0).integers(5, size=100).astype(float)
    for n in (1, 7, 99, 100, 200):
        assert largest(sizes, n).tolist() == np.argsort(-sizes, kind="stable")[:n].tolist()


def test_a_name_stands_for_the_words_of_a_topic(corpus):
    model = laconic.SparseLSA(2, alpha=0.1).fit(corpus)
    keep_notes(model, {1: TopicNote("dogs")})
    view = TopicView.of(model)
    assert view.label(1) == "dogs"
    assert view.given_names == {1: "dogs"}
    assert view.documents is None


@pytest.mark.parametrize(
    "call",
    [
        laconic.topics,
        laconic.topic_graph,
        lambda model: laconic.senses(model, "cat"),
        lambda model: laconic.similar(model, 0),
        lambda model: laconic.top_documents(model, 0),
    ],
)
def test_a_path_is_no_model_and_the_sentence_says_how_it_becomes_one(call):
    with refused("'a.model'", "laconic.load"):
        call("a.model")
    with refused("fitted model", "got NoneType"):
        call(None)


def test_topics_over_other_words_are_moved_to_those_of_the_model():
    view = TopicView(by_hand(np.ones((1, 4))))
    moved = view.align_topics(np.array([[1.0, 2, 3]]), ["emu", "bark", "cat"])
    assert moved.toarray().tolist() == [[3, 0, 0, 2]]


def test_documents_are_weighted_as_for_the_fit(corpus):
    model = laconic.pipeline("slsa", n_components=2).fit(corpus)
    view = TopicView.of(model)
    weighted = view.preprocess(corpus).matrix
    np.testing.assert_allclose(view.weigh(corpus.counts).toarray(), weighted.toarray())
    alone = TopicView.of(laconic.PLSA(2).fit(corpus))
    assert alone.weigh(corpus.counts) is corpus.counts
    assert alone.preprocess(corpus) is corpus


def test_counts_are_weighted_in_pipelines_made_by_hand(corpus):
    weighting = Weighting("tfidf")
    first = make_pipeline(weighting, laconic.SparseLSA(2)).fit(corpus)
    expected = weighting.transform(corpus.counts).toarray()
    assert (TopicView(first).weigh(corpus.counts).toarray() == expected).all()
    texts = [" ".join(np.repeat(WORDS, row)) for row in COUNTS]
    foreign = make_pipeline(CountVectorizer(), "passthrough", laconic.PLSA(2)).fit(texts)
    assert TopicView(foreign).weigh(corpus.counts) is corpus.counts


def test_steps_of_a_pipeline_and_of_a_model_alone():
    model, other = laconic.PLSA(2), laconic.PLSA(3)
    pipeline = make_pipeline(Weighting("counts"), model)
    assert steps_of(model) == [model]
    assert steps_of(pipeline)[-1] is last_step(pipeline) is last_step(model) is model
    assert with_last_step(model, other) is other
    changed = with_last_step(pipeline, other)
    assert changed[0] is pipeline[0]
    assert changed[-1] is other
    assert pipeline[-1] is model
