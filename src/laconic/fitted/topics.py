"""Table of the topics of a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.fitted.notes import TopicNote
from laconic.fitted.ranking import RELEVANCE

NOTE_COLUMNS = {"name": pl.String, "hidden": pl.Boolean, "note": pl.String}


def topics(
    model: Any, n_words: int = 10, *, relevance: float = RELEVANCE, weak: bool = True
) -> pl.DataFrame:
    """Return the topics of a fitted model or pipeline, largest share first.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that has ``components_``.
    n_words : int, default=10
        Maximum number of words per topic, strongest first; words with negative weight have the
        prefix ``-``.
    relevance : float, default=0.6
        Used if topics are distributions over words: words are ranked by ``relevance`` times log p
        plus ``1 - relevance`` times the log of the lift p / p(word), where p is the probability of
        the word in the topic and p(word) its overall probability. With 1, words are ranked by p
        alone, so frequent words of the corpus are listed in every topic. With 0, words are ranked
        by the lift alone.
    weak : bool, default=True
        Whether to include topics that few documents share, which are often the signature of one
        author. See `laconic.metrics.minimum_support` for the rule.

    Returns
    -------
    polars.DataFrame
        Columns ``topic`` (row of ``components_``), ``share``, ``n_words`` (number of words with
        non-zero weight) and ``words`` (list of str). If the documents of the fit are known,
        the table also has ``support`` (effective number of documents) and ``weak`` (whether the
        support is small). If any topic has a note (see `laconic.explore`), the table also has
        ``name``, ``hidden`` and ``note``.

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> table = topics(SparseLSA(2, alpha=0.1).fit(corpus))
    >>> table["words"].to_list()
    [['cat', 'purr'], ['dog']]
    """
    check_at_least("n_words", n_words)
    if not 0 <= relevance <= 1:
        raise LaconicError(f"relevance must be between 0 and 1; got {relevance}.")
    view = TopicView.of(model, relevance)
    order = view.order
    rows = [view.signed_words(topic, n_words) for topic in order]
    columns = {
        "topic": order,
        "share": view.shares[order],
        "n_words": view.n_words_of[order].astype(np.int64),
        "words": pl.Series(rows, dtype=pl.List(pl.String)),
    }
    if view.support is not None:
        columns |= {"support": view.support[order], "weak": view.weak[order]}
    table = pl.DataFrame(columns)
    if view.notes:
        notes = [asdict(view.notes.get(topic, TopicNote())) for topic in order]
        table = table.hstack(pl.DataFrame(notes, NOTE_COLUMNS))
    return table if weak or view.support is None else table.filter(~pl.col("weak"))


def with_names(table: pl.DataFrame, view: TopicView, **columns: str) -> pl.DataFrame:
    """If any topic has a name, add a column of topic names for each given column of topics."""
    names_of = view.given_names
    for name, topics in columns.items() if names_of else ():
        names = [names_of.get(topic) for topic in table[topics].to_list()]
        table = table.with_columns(pl.Series(name, names, dtype=pl.String))
    return table
