"""Shorten topics for people to read.

The weights of words in a fitted topic serve to reconstruct documents. They do not show well what
the topic is about, because frequent words have large weights, and because the weight of a word that
belongs to two topics is split between these topics. In the shortened topics, words are therefore
ranked by the cosine of two vectors with one entry per document: the weights of the word and the
codes of the topic.
"""

from __future__ import annotations

import numpy as np

from laconic.corpus.matrices import unit_rows


def readable_topics(products: np.ndarray, lengths: np.ndarray, n_words: int) -> np.ndarray:
    """Return topics of unit length (topics x words) with the `n_words` words of largest cosine.

    Parameters
    ----------
    products : ndarray of shape (n_words, n_topics)
        Inner product of the weights of each word and the codes of each topic.
    lengths : ndarray of shape (n_words, n_topics)
        Length of the vector of the word's weights times the length of the vector of the topic's
        codes.
    n_words : int
        Maximum number of words per topic.
    """
    cosines = np.divide(products, lengths, where=lengths > 0, out=np.zeros(lengths.shape)).T
    topics = np.zeros(cosines.shape, products.dtype)
    for topic, cosine in zip(topics, cosines, strict=True):
        best = np.argsort(-np.abs(cosine), kind="stable")[:n_words]
        topic[best] = cosine[best]
    return np.asarray(unit_rows(topics))
