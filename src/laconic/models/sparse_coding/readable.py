"""Short topics for people to read.

The weight of a word in a topic says how to reconstruct documents, not what the topic is about:
frequent words have large weights, and a word that two topics share is split between them. For
reading, words are ranked by the cosine of two vectors over the documents: the weights of the word
and the codes of the topic.
"""

from __future__ import annotations

import numpy as np

from laconic.models.sparse_codes import unit_rows


def readable_topics(products: np.ndarray, lengths: np.ndarray, n_words: int) -> np.ndarray:
    """Return topics x words with the `n_words` words of largest cosine per topic, of unit length.

    Parameters
    ----------
    products : ndarray of shape (n_words, n_topics)
        Inner products of the words and the codes of topics, over the documents.
    lengths : ndarray of shape (n_words, n_topics)
        Products of their lengths.
    n_words : int
        Number of words per topic.
    """
    cosines = np.divide(products, lengths, where=lengths > 0, out=np.zeros(lengths.shape)).T
    topics = np.zeros(cosines.shape, products.dtype)
    for topic, cosine in zip(topics, cosines, strict=True):
        best = np.argsort(-np.abs(cosine), kind="stable")[:n_words]
        topic[best] = cosine[best]
    return np.asarray(unit_rows(topics))
