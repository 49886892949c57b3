"""Topic shares of any set of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.fitted.model import TopicView
from laconic.models import PCP, PLSA
from laconic.wording import Nouns


def shares_of(model: Any, codes: sp.csr_matrix, corpus: Corpus) -> np.ndarray:
    """Return the ``topic_shares_`` that a model fitted to the given documents would have.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    codes : csr_matrix
        Codes of the documents.
    corpus : Corpus
        The documents themselves.

    Examples
    --------
    >>> corpus = Corpus([[3, 1], [0, 1]], ["cat", "dog"])
    >>> model = PLSA(2).fit(corpus)
    >>> shares_of(model, sp.csr_matrix([[0.5, 0.5], [1, 0]]), corpus).tolist()
    [0.6, 0.4]
    """
    view = TopicView(model)
    if isinstance(view.estimator, PCP):
        mass = np.sqrt(np.asarray(codes.multiply(codes).sum(axis=0), dtype=np.float64)).ravel()
    elif isinstance(view.estimator, PLSA):
        lengths = view.weigh(view.align(corpus).counts).sum(axis=1)
        mass = np.asarray(lengths, dtype=np.float64).ravel() @ codes
    else:
        mass = np.asarray(abs(codes).sum(axis=0), dtype=np.float64).ravel()
    return np.asarray(mass / (mass.sum() or 1.0))


def about_shares(estimator: Any, nouns: Nouns | None = None) -> str:
    """Return an explanation of topic shares for the explorer and the report."""
    nouns = nouns or Nouns()
    if isinstance(estimator, PCP):
        return "Norm of the topic's weights in the background, divided by the sum of all norms."
    if isinstance(estimator, PLSA):
        return nouns.fill("Share of the topic in all {terms} of the {items}.")
    return nouns.fill("Share of the topic in all topic weights of the {items}.")
