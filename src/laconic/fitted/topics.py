"""Topics as a table for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.fitted.notes import TopicNote
from laconic.fitted.ranking import RELEVANCE

NOTED = {"name": pl.String, "hidden": pl.Boolean, "note": pl.String}


def topics(model: Any, n_words: int = 10, *, relevance: float = RELEVANCE) -> pl.DataFrame:
    """The topics of a fitted model or pipeline, the largest share first.

    Parameters
    ----------
    model : estimator or Pipeline
        With ``components_``.
    n_words : int, default=10
        Most words to show for a topic, strongest first; a word that counts against a topic has a
        ``-`` before it.
    relevance : float, default=0.6
        Where topics are distributions over words: the weight of a word's probability p in the
        topic against its lift p / p(word), both in logarithms. 1 orders by p alone, which names
        the frequent words of the corpus in every topic; 0 by the lift alone.

    Returns
    -------
    polars.DataFrame
        Columns ``topic`` (row of ``components_``), ``share``, ``n_words`` (words with weight) and
        ``words`` (list of str); ``name``, ``hidden`` and ``note`` where someone said something of a
        topic (see `laconic.explore`).

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
        raise LaconicError(f"relevance must be from 0 to 1; got {relevance}.")
    view = TopicView.of(model, relevance)
    order = view.order
    rows = [view.signed_words(topic, n_words) for topic in order]
    table = pl.DataFrame(
        {
            "topic": order,
            "share": view.shares[order],
            "n_words": view.n_words_of[order].astype(np.int64),
            "words": pl.Series(rows, dtype=pl.List(pl.String)),
        }
    )
    if not view.notes:
        return table
    said = [asdict(view.notes.get(topic, TopicNote())) for topic in order]
    return table.hstack(pl.DataFrame(said, NOTED))


def with_names(table: pl.DataFrame, view: TopicView, **columns: str) -> pl.DataFrame:
    """A table with a column of names for each of these columns of topics, where there are any."""
    given = view.given_names
    for name, topics in columns.items() if given else ():
        names = [given.get(topic) for topic in table[topics].to_list()]
        table = table.with_columns(pl.Series(name, names, dtype=pl.String))
    return table
