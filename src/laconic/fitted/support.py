"""Topics of a fitted model that few documents share."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.corpus.support import code_totals, least_support
from laconic.fitted.document_sums import code_blocks
from laconic.fitted.documents import Documents

FEW_ITEMS = "shared by few {items}"  # mark of a weak topic in the explorer and the report


def support_of(estimator: Any, documents: Documents | None) -> np.ndarray | None:
    """Return the effective number of documents of each topic, or None if it is not known.

    A model that does not know it from its fit reads the codes of all documents.
    """
    support = getattr(estimator, "topic_support_", None)
    if support is None and documents is not None:
        return support_over(documents)
    return None if support is None else np.asarray(support)


def support_over(documents: Documents) -> np.ndarray:
    """Return the effective number of documents of each topic, in one pass over the codes."""
    totals = code_totals(documents.block(0, 0))
    for _, block in code_blocks(documents):
        totals = totals.merge(code_totals(block))
    return totals.effective_documents


def weak_topics_of(
    support: np.ndarray | None, estimator: Any, documents: Documents | None
) -> np.ndarray:
    """Return whether each topic has too few documents; False if the support is not known.

    See `laconic.metrics.minimum_support` for the rule.
    """
    if support is None:
        return np.zeros(estimator.components_.shape[0], dtype=bool)
    known = getattr(estimator, "n_documents_", 0) if documents is None else len(documents)
    weak: np.ndarray = support < least_support(support, known)
    return weak
