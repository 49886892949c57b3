"""Topic shares of any set of documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.fitted.document_sums import code_blocks
from laconic.fitted.documents import Documents
from laconic.fitted.model import TopicView
from laconic.models import PCP, PLSA
from laconic.wording import Nouns


def shares_of(model: Any, documents: Documents, corpus: Corpus) -> np.ndarray:
    """Return the ``topic_shares_`` that a model fitted to the given documents would have.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    documents : Documents
        The documents with their codes.
    corpus : Corpus
        The same documents with their counts.

    Examples
    --------
    >>> corpus = Corpus([[3, 1], [0, 1]], ["cat", "dog"])
    >>> model = PLSA(2).fit(corpus)
    >>> import scipy.sparse as sp
    >>> codes = sp.csr_matrix([[0.5, 0.5], [1, 0]])
    >>> shares_of(model, Documents(codes), corpus).tolist()
    [0.6, 0.4]
    """
    view = TopicView(model)
    if isinstance(view.estimator, PLSA):
        corpus = view.align(corpus).replace(ids=None, titles=None, labels=None, texts=None)
    mass = np.zeros(documents.n_topics)
    for start, block in code_blocks(documents):
        if isinstance(view.estimator, PCP):
            mass += np.asarray(block.multiply(block).sum(axis=0), dtype=np.float64).ravel()
        elif isinstance(view.estimator, PLSA):
            lengths = view.weigh(corpus[start : start + block.shape[0]].counts).sum(axis=1)
            mass += np.asarray(lengths, dtype=np.float64).ravel() @ block
        else:
            mass += np.asarray(abs(block).sum(axis=0), dtype=np.float64).ravel()
    if isinstance(view.estimator, PCP):
        mass = np.sqrt(mass)
    return np.asarray(mass / (mass.sum() or 1.0))


def about_shares(estimator: Any, nouns: Nouns | None = None) -> str:
    """Return an explanation of topic shares for the explorer and the report."""
    nouns = nouns or Nouns()
    if isinstance(estimator, PCP):
        return "Norm of the topic's weights in the background, divided by the sum of all norms."
    if isinstance(estimator, PLSA):
        return nouns.fill("Share of the topic in all {terms} of the {items}.")
    return nouns.fill("Share of the topic in all topic weights of the {items}.")
