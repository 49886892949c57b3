"""Graph of correlated topics, as a table of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.fitted.topics import with_names


def topic_graph(model: Any, n_words: int = 3) -> pl.DataFrame:
    """Return the topic graph of a model fitted with ``correlated=True``, strongest edges first.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that has ``topic_precision_``.
    n_words : int, default=3
        Number of words listed for each topic.

    Returns
    -------
    polars.DataFrame
        Columns ``topic`` and ``other`` (rows of ``components_``), ``weight`` (the partial
        correlation, which is positive if documents about one topic tend to be about the other too,
        given all remaining topics), ``words`` and ``other_words``.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> model = laconic.SCTM(4, correlated=True).fit(corpus)
    >>> topic_graph(model).columns
    ['topic', 'other', 'weight', 'words', 'other_words']
    """
    check_at_least("n_words", n_words)
    view = TopicView.of(model)
    precision = getattr(view.estimator, "topic_precision_", None)
    if precision is None:
        raise LaconicError(
            "The model has no topic graph; fit SCTM with correlated=True (on the command line: "
            "-m sctm --correlated)."
        )
    weights = partial_correlations(precision)
    first, second = np.nonzero(np.triu(weights, 1))
    edges = weights[first, second]
    order = np.argsort(-np.abs(edges), kind="stable")
    first, second = first[order], second[order]
    words = [view.signed_words(topic, n_words) for topic in range(view.n_topics)]
    table = pl.DataFrame(
        {
            "topic": pl.Series(first, dtype=pl.Int64),
            "other": pl.Series(second, dtype=pl.Int64),
            "weight": pl.Series(edges[order], dtype=pl.Float64),
            "words": pl.Series([words[i] for i in first], dtype=pl.List(pl.String)),
            "other_words": pl.Series([words[i] for i in second], dtype=pl.List(pl.String)),
        }
    )
    return with_names(table, view, name="topic", other_name="other")


def partial_correlations(precision: np.ndarray) -> np.ndarray:
    """Return the correlation of each pair of topics, given all other topics; 0 on the diagonal."""
    scale = 1 / np.sqrt(np.diag(precision))
    weights = -np.asarray(precision) * np.outer(scale, scale)
    np.fill_diagonal(weights, 0.0)
    return weights
