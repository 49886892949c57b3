"""Topics as a table for people."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError


def topics(model: Any, n_words: int = 10) -> pl.DataFrame:
    """The topics of a fitted model or pipeline, the largest share first.

    Parameters
    ----------
    model : estimator or Pipeline
        With ``components_``.
    n_words : int, default=10
        Most words to show for a topic, strongest first; a word that counts against a topic has a
        ``-`` before it.

    Returns
    -------
    polars.DataFrame
        Columns ``topic`` (row of ``components_``), ``share``, ``n_words`` (words with weight) and
        ``words`` (list of str).

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> table = topics(SparseLSA(2, alpha=0.1).fit(corpus))
    >>> table["words"].to_list()
    [['cat', 'purr'], ['dog']]
    """
    if n_words < 1:
        raise LaconicError(f"n_words must be at least 1; got {n_words}.")
    estimator = model[-1] if isinstance(model, Pipeline) else model
    check_is_fitted(estimator, "components_")
    components = sp.csr_matrix(estimator.components_)
    names = getattr(estimator, "feature_names_in_", None)
    shares = np.asarray(estimator.topic_shares_, dtype=float)
    order = np.argsort(-shares, kind="stable")  # a stream keeps the order of its first batch
    rows = [top_words(components[[row]], names, n_words) for row in order]
    return pl.DataFrame(
        {
            "topic": order,
            "share": shares[order],
            "n_words": np.diff(components.indptr)[order].astype(np.int64),
            "words": pl.Series(rows, dtype=pl.List(pl.String)),
        }
    )


def top_words(topic: sp.csr_matrix, names: np.ndarray | None, n_words: int) -> list[str]:
    """The strongest words of a topic (one row), negative ones with a ``-``."""
    order = np.argsort(-np.abs(topic.data), kind="stable")[:n_words]
    return [
        ("-" if weight < 0 else "") + (str(column) if names is None else str(names[column]))
        for column, weight in zip(topic.indices[order], topic.data[order], strict=True)
    ]
