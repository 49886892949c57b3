"""Support of topics: against plain NumPy, at the edges, and worse for a shuffled model."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

import laconic
from laconic import Corpus
from laconic.metrics import METRICS, effective_documents, minimum_support, weak_topics
from tests.messages import refused

N_TOPICS, N_WORDS, N_AUTHORS, POSTS = 10, 12, 60, 10  # words of a topic; posts of an author


# --- against plain NumPy -------------------------------------------------------------------------


def plain_support(codes):
    return np.array([sum(abs(x)) ** 2 / sum(x**2) if any(x) else 0 for x in codes.T])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_matrix, sp.csr_array])
def test_effective_documents_by_the_formula(kind):
    draw = np.random.default_rng(0)
    codes = draw.normal(size=(40, 6)) * (draw.random((40, 6)) < 0.3)
    codes[:, 4] = 0
    codes = codes.astype(np.float32)
    given = kind(codes)
    before = codes.copy()
    found = effective_documents(given)
    assert found == pytest.approx(plain_support(codes.astype(float)), rel=1e-6)
    assert found[4] == 0
    now = given.toarray() if sp.issparse(given) else given
    assert np.array_equal(now, before)  # the caller's codes are not scaled


def test_equal_codes_count_documents_and_scale_and_sign_do_not_matter():
    codes = np.zeros((50, 2))
    codes[:17, 0], codes[:50, 1] = 3, -0.25
    assert effective_documents(codes) == pytest.approx([17, 50])
    for scale in (1e-300, 1e-30, 1e30, 1e300):
        assert effective_documents(scale * codes) == pytest.approx([17, 50])


def test_weak_topics_by_the_rule():
    codes = np.zeros((120, 4))
    for topic, n in enumerate((40, 40, 30, 15)):
        codes[:n, topic] = 1
    assert minimum_support(codes) == 35 / 2  # half of the median
    assert weak_topics(codes).tolist() == [False, False, False, True]
    few = np.zeros((1000, 4))
    few[:10] = 1
    assert minimum_support(few) == 1000 / 4 / 5  # all topics have the same few documents
    assert weak_topics(few).all()
    assert weak_topics(codes, minimum=40).tolist() == [False, False, True, True]
    assert not weak_topics(codes, minimum=0).any()


# --- edges ---------------------------------------------------------------------------------------


def test_one_document_no_document_and_no_topic():
    assert effective_documents([[2.0, 0.0]]).tolist() == [1, 0]
    assert weak_topics([[2.0, 0.0]]).tolist() == [False, True]
    assert effective_documents(np.zeros((0, 3))).tolist() == [0, 0, 0]
    assert effective_documents(np.zeros((3, 0))).tolist() == []
    assert weak_topics(np.zeros((3, 0))).tolist() == []
    assert effective_documents(sp.csr_matrix((4, 2))).tolist() == [0, 0]
    assert weak_topics(sp.csr_matrix((4, 2))).all()


def test_codes_that_are_not_finite():
    for value in (np.nan, np.inf):
        with refused("finite", "NaN"):
            effective_documents([[value, 1]])


def test_stored_zeros_are_no_documents():
    codes = sp.csr_matrix(([1.0, 0.0, 1.0], ([0, 1, 2], [0, 0, 0])), shape=(3, 1))
    assert effective_documents(codes).tolist() == [2]


# --- a good model and shuffled ones --------------------------------------------------------------


class Fixed(TransformerMixin, BaseEstimator):
    """Given topics; the code of a document is its number of words of each topic."""

    def __init__(self, components, words):
        self.components_, self.feature_names_in_ = components, words
        self.topic_shares_ = np.full(len(components), 1 / len(components))
        self.n_features_in_ = len(words)

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return sp.csr_matrix(X.counts @ self.components_.T)


@pytest.fixture(scope="module")
def posts():
    """Documents of one planted topic each, all with the signature of their author; the topics."""
    planted, truth = laconic.datasets.make_topics(
        N_AUTHORS * POSTS,
        N_TOPICS * N_WORDS,
        N_TOPICS,
        words_per_topic=N_WORDS,
        topics_per_document=1,
        document_length=30,
        background=0,
    )
    authors = np.arange(len(planted)) % N_AUTHORS
    signatures = np.kron(np.eye(N_AUTHORS, dtype=int), np.ones(N_WORDS, dtype=int))[authors]
    names = [f"a{author:02}w{word:02}" for author in range(N_AUTHORS) for word in range(N_WORDS)]
    words = np.array([*planted.vocabulary, *names], dtype=object)
    corpus = Corpus(sp.hstack([planted.counts, signatures]), words)
    topics = np.pad(truth.topics, ((0, 0), (0, len(names))))
    return corpus, topics, authors


def shuffled_words(topics):
    """Each topic gets random words."""
    return np.random.default_rng(0).permuted(topics, axis=1)


def topics_of_signatures(topics):
    """In every other topic, words change places with the signature of an author."""
    topics = topics.copy()
    for topic in range(0, N_TOPICS, 2):
        author = N_TOPICS + topic
        topics[topic] = np.roll(topics[topic], (author - topic) * N_WORDS)
    return topics


# Random words do not lower the support: they are all over the corpus, in the posts of many authors.
# So for these metrics, the words of topics change places with those of signatures.
SHUFFLES = {
    "npmi": shuffled_words,
    "npmi_sources": shuffled_words,
    "support": topics_of_signatures,
    "weak_topics": topics_of_signatures,
    "lone_topics": topics_of_signatures,
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_a_shuffled_model_is_visibly_worse(posts, name):
    corpus, topics, authors = posts
    right, wrong = (
        laconic.evaluate(Fixed(components, corpus.vocabulary), corpus, [name], source=authors)[name]
        for components in (topics, SHUFFLES[name](topics))
    )
    if METRICS[name].better == "higher":
        assert right > 1.2 * wrong
        assert right > wrong + 0.1
    else:
        assert right == 0
        assert wrong == 0.5  # exactly the topics that are signatures


def test_coherence_over_documents_rewards_signatures(posts):
    """Why support is measured at all."""
    corpus, topics, _ = posts
    right, wrong = (
        laconic.evaluate(Fixed(components, corpus.vocabulary), corpus, ["npmi"])["npmi"]
        for components in (topics, topics_of_signatures(topics))
    )
    assert wrong > right


def test_which_documents_and_which_topics_have_the_codes_does_not_matter_for_support(posts):
    corpus, topics, _ = posts
    codes = corpus.counts @ topics_of_signatures(topics).T
    draw = np.random.default_rng(0)
    shuffled = codes[draw.permutation(codes.shape[0])][:, draw.permutation(codes.shape[1])]
    assert np.sort(effective_documents(shuffled)) == pytest.approx(
        np.sort(effective_documents(codes))
    )
    assert weak_topics(shuffled).sum() == weak_topics(codes).sum() == N_TOPICS / 2


def test_topics_per_document_counts_codes_of_documents_with_words():
    words = ["cat", "dog", "emu"]
    corpus = Corpus([[1, 0, 0], [1, 2, 3], [0, 0, 0], [0, 1, 1]], words)
    model = Fixed(np.eye(3), np.array(words, dtype=object))
    found = laconic.evaluate(model, corpus, ["topics_per_document"])
    assert found["topics_per_document"] == (1 + 3 + 2) / 3
    empty = Corpus(np.zeros((2, 3)), words)
    with refused("topics_per_document", "no document"):
        laconic.evaluate(model, empty, ["topics_per_document"])


def test_support_of_a_fitted_model_on_documents_without_its_words():
    corpus, _ = laconic.datasets.make_topics(60, 80, 3)
    model = laconic.pipeline("plsa", n_components=3, random_state=0).fit(corpus)
    empty = Corpus(np.zeros((4, 80)), corpus.vocabulary)
    found = laconic.evaluate(model, empty, ["support", "weak_topics"])
    assert dict(found) == {"support": 0, "weak_topics": 1}
