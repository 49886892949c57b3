"""Topics of a fitted model that few documents share."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.fitted.documents import Documents
from laconic.metrics.support import effective_documents, least_support

FEW_ITEMS = "shared by few {items}"  # mark of a weak topic in the explorer and the report


def support_of(estimator: Any, documents: Documents | None) -> np.ndarray | None:
    """Return the effective number of documents of each topic, or None if it is not known."""
    if documents is not None:
        return effective_documents(documents.codes)
    support = getattr(estimator, "topic_support_", None)
    return None if support is None else np.asarray(support)


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
