"""Synthetic documents drawn from known topics, to test whether a model recovers the topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError


class PlantedTopics(NamedTuple):
    """Topics and codes from which `make_topics` drew the documents.

    Attributes
    ----------
    topics : ndarray of shape (n_topics, n_words)
        Word distribution of each topic; rows sum to one.
    codes : ndarray of shape (n_documents, n_topics)
        Share of each topic in each document, without background words; rows sum to one.

    Examples
    --------
    >>> corpus, planted = make_topics(100, 60, 4, words_per_topic=10)
    >>> planted.topics.shape, planted.codes.shape
    ((4, 60), (100, 4))
    """

    topics: np.ndarray
    codes: np.ndarray


def make_topics(
    n_documents: int = 500,
    n_words: int = 1000,
    n_topics: int = 10,
    *,
    words_per_topic: int = 20,
    topics_per_document: int = 2,
    document_length: int = 100,
    background: float = 0.1,
    overlap: float = 0.0,
    random_state: int | np.random.Generator | None = 0,
) -> tuple[Corpus, PlantedTopics]:
    """Generate a synthetic corpus from known topics.

    Each document mixes `topics_per_document` topics, which are chosen at random, in proportions
    drawn uniformly from the simplex. Within a topic, the word of rank r has a probability
    proportional to 1/√r. Some words of each document are background words, which are drawn
    uniformly from the words that are in no topic.

    Parameters
    ----------
    n_documents, n_words, n_topics : int
        Number of documents, words and topics. Words that are in no topic are background words.
    words_per_topic : int, default=20
        Number of words with non-zero probability in each topic.
    topics_per_document : int, default=2
        Number of topics with non-zero share in each document.
    document_length : int, default=100
        Average number of words per document. The number follows a Poisson distribution, but is at
        least one.
    background : float, default=0.1
        Expected share of background words in a document.
    overlap : float, default=0.0
        Share of a topic's words that also belong to the next topic, between 0 and 0.5.
    random_state : int, numpy Generator or None, default=0
        Random seed. The same seed always generates the same corpus.

    Returns
    -------
    corpus : Corpus
        The name of a word shows its origin, such as ``"t03w17"`` for word 17 of topic 3 and
        ``"bg0042"`` for a background word. The label of a document is its strongest topic.
    truth : PlantedTopics
        The topics and codes from which the documents were drawn.

    Examples
    --------
    >>> from laconic.datasets import make_topics
    >>> corpus, truth = make_topics(100, 60, 3, words_per_topic=10)
    >>> corpus.shape, truth.topics.shape, truth.codes.shape
    ((100, 60), (3, 60), (100, 3))
    >>> [str(word) for word in corpus.vocabulary[truth.topics[2] > 0]][:4]
    ['t02w00', 't02w01', 't02w02', 't02w03']
    """
    n_shared = round(overlap * words_per_topic)
    n_own = words_per_topic - n_shared
    n_background = n_words - n_topics * n_own
    _check_sizes(n_topics, topics_per_document, n_own, n_background, background, overlap)
    rng = np.random.default_rng(random_state)

    own = n_background + np.arange(n_topics * n_own).reshape(n_topics, n_own)
    words = np.hstack(
        [own, np.roll(own, -1, axis=0)[:, :n_shared]]
    )  # word numbers; rows are topics, columns are ranks
    profile = 1 / np.sqrt(np.arange(1, words_per_topic + 1))
    profile /= profile.sum()
    topics = np.zeros((n_topics, n_words))
    np.put_along_axis(topics, words, profile[np.newaxis], axis=1)

    chosen = rng.random((n_documents, n_topics)).argsort(axis=1)[:, :topics_per_document]
    shares = rng.dirichlet(np.ones(topics_per_document), n_documents)
    codes = np.zeros((n_documents, n_topics))
    np.put_along_axis(codes, chosen, shares, axis=1)

    # Draw the topic of each token and the rank of its word in that topic. Then replace some tokens
    # with background words.
    lengths = np.maximum(1, rng.poisson(document_length, n_documents))
    document = np.repeat(np.arange(n_documents), lengths)
    bounds = shares.cumsum(axis=1)[document, :-1]
    slot = (rng.random(len(document))[:, np.newaxis] > bounds).sum(axis=1)
    rank = rng.choice(words_per_topic, len(document), p=profile)
    word = words[chosen[document, slot], rank]
    if n_background:
        replaced = rng.random(len(document)) < background
        word[replaced] = rng.integers(n_background, size=int(replaced.sum()))

    ones = np.ones(len(document), dtype=np.int32)
    counts = sparse.coo_matrix((ones, (document, word)), shape=(n_documents, n_words))
    vocabulary = _planted_names(n_background, n_topics, n_own)
    corpus = Corpus(counts.tocsr(), vocabulary, labels=codes.argmax(axis=1))
    return corpus, PlantedTopics(topics, codes)


def _check_sizes(
    n_topics: int,
    topics_per_document: int,
    n_own: int,
    n_background: int,
    background: float,
    overlap: float,
) -> None:
    """Raise an error if no corpus can be generated with the given parameters."""
    if not 0 <= overlap <= 0.5:
        raise LaconicError(
            f"The parameter 'overlap' of make_topics must be between 0 and 0.5; got {overlap}."
        )
    if not 0 <= background <= 1:
        raise LaconicError(
            f"The parameter 'background' of make_topics must be between 0 and 1; got {background}."
        )
    if not 1 <= topics_per_document <= n_topics:
        raise LaconicError(
            f"The parameter 'topics_per_document' of make_topics must be between 1 and "
            f"n_topics={n_topics}; got {topics_per_document}."
        )
    if n_background < (background > 0):
        raise LaconicError(
            f"n_words={n_background + n_topics * n_own} of make_topics leaves no words for the "
            f"background, because n_topics={n_topics} topics with {n_own} separate words per topic "
            f"need {n_topics * n_own} words; increase n_words, or lower n_topics or "
            "words_per_topic."
        )


def _planted_names(n_background: int, n_topics: int, n_own: int) -> list[str]:
    """Return the names of all words in sorted order: background words, then words of topics."""
    digits = max(4, len(str(n_background - 1)))
    topic_digits = max(2, len(str(n_topics - 1)))
    word_digits = max(2, len(str(n_own - 1)))
    return [f"bg{i:0{digits}}" for i in range(n_background)] + [
        f"t{k:0{topic_digits}}w{i:0{word_digits}}" for k in range(n_topics) for i in range(n_own)
    ]
