"""How much of some documents each topic is."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.fitted.model import TopicView
from laconic.models import PCP, PLSA


def shares_of(model: Any, codes: sp.csr_matrix, corpus: Corpus) -> np.ndarray:
    """What ``topic_shares_`` would be if the model had been fitted to these documents.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted.
    codes : csr_matrix
        Of the documents.
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


def about_shares(estimator: Any) -> str:
    """What the share of a topic is a share of."""
    if isinstance(estimator, PCP):
        return "Its part of the background, by the root of the sum of its squared weights."
    if isinstance(estimator, PLSA):
        return "Its part of all words of the documents."
    return "Its part of all weights of topics in the documents."
