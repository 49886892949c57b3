"""Support of topics: the effective number of documents that share a topic."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.corpus.support import CodeTotals as CodeTotals
from laconic.corpus.support import code_totals, least_support


def effective_documents(codes: Any) -> np.ndarray:
    """Return the effective number of documents of each topic, (Σ|x|)² / Σx² over its codes x.

    The number is n if the topic has equal weights in n documents and no weight in the other
    documents. It is close to 1 if one document has almost all of the weight, and 0 for a topic
    without documents.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)

    Returns
    -------
    ndarray of shape (n_topics,)

    Examples
    --------
    >>> effective_documents([[1, 0, 9], [1, 0, 1], [1, 0, 0], [1, 0, 0]]).round(2).tolist()
    [4.0, 0.0, 1.22]
    """
    return code_totals(codes).effective_documents


def weak_topics(codes: Any, minimum: float | None = None) -> np.ndarray:
    """Return whether each topic has fewer effective documents than a minimum.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
    minimum : float, optional
        Minimum effective number of documents; see `minimum_support` for the default.

    Returns
    -------
    ndarray of bool of shape (n_topics,)

    Examples
    --------
    >>> weak_topics([[2, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0], [0, 3, 7]]).tolist()
    [False, False, True]
    >>> weak_topics([[2, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0], [0, 3, 7]], minimum=4).tolist()
    [True, True, True]
    """
    least = minimum_support(codes) if minimum is None else minimum
    weak: np.ndarray = effective_documents(codes) < least
    return weak


def minimum_support(codes: Any) -> float:
    """Return the default minimum of `weak_topics`: half of the median support of the topics.

    The minimum is at least a fifth of n_documents / n_topics, the mean number of documents per
    topic.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)

    Returns
    -------
    float

    Examples
    --------
    >>> minimum_support([[2, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0], [0, 3, 7]])
    1.5
    """
    # The median adapts to dense codes: their many tiny values add up to several times
    # n_documents / n_topics, so a fixed share of that number would mark no topic. On 20 Newsgroups
    # (slsa with dense and with sparse codes, plsa, stc and NMF, 20 and 50 topics), one author leads
    # 93 of all 350 topics, 39 of the 65 topics below half of the median, and 19 of the 33 topics
    # below a third of the median. The bound n_documents / n_topics / 5 is needed for models in
    # which most topics have few documents.
    return least_support(effective_documents(codes), np.shape(codes)[0])
