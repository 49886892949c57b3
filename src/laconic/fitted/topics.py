"""Topics as a table for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted.model import fitted_step
from laconic.fitted.notes import TopicNote, names_of, notes_of

RELEVANCE = 0.6
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
    if n_words < 1:
        raise LaconicError(f"n_words must be at least 1; got {n_words}.")
    if not 0 <= relevance <= 1:
        raise LaconicError(f"relevance must be from 0 to 1; got {relevance}.")
    estimator = fitted_step(model)
    components = sp.csr_matrix(estimator.components_)
    ranked = rank_words(estimator, relevance)
    names = getattr(estimator, "feature_names_in_", None)
    shares = np.asarray(estimator.topic_shares_, dtype=float)
    order = np.argsort(-shares, kind="stable")  # a stream keeps the order of its first batch
    rows = [top_words(ranked[[row]], names, n_words) for row in order]
    table = pl.DataFrame(
        {
            "topic": order,
            "share": shares[order],
            "n_words": np.diff(components.indptr)[order].astype(np.int64),
            "words": pl.Series(rows, dtype=pl.List(pl.String)),
        }
    )
    notes = notes_of(model)
    if not notes:
        return table
    said = pl.DataFrame([asdict(notes.get(topic, TopicNote())) for topic in order.tolist()], NOTED)
    return table.hstack(said)


def with_names(table: pl.DataFrame, model: Any, **columns: str) -> pl.DataFrame:
    """A table with a column of names for each of these columns of topics, where there are any."""
    for name, topics in columns.items():
        given = names_of(model, table[topics].to_list())
        if given is not None:
            table = table.with_columns(pl.Series(name, given, dtype=pl.String))
    return table


def rank_words(estimator: Any, relevance: float = RELEVANCE) -> sp.csr_matrix:
    """Weights whose size orders the words of a topic: p^relevance (p / p(word))^(1 - relevance).

    Topics that are no distributions have their own weights.
    """
    components = sp.csr_matrix(estimator.components_)
    if not getattr(estimator, "TOPICS_ARE_DISTRIBUTIONS", False) or not components.nnz:
        return components
    overall = np.asarray(estimator.topic_shares_ @ components).ravel()
    ranked = components.astype(np.float64)
    ranked.data /= np.maximum(overall[ranked.indices], 1e-300) ** (1 - relevance)
    return ranked


def top_columns(ranked: sp.csr_matrix, n_words: int) -> list[np.ndarray]:
    """Columns of the strongest words of each topic, whatever their sign, strongest first."""
    return [topic.indices[_strongest(topic, n_words)] for topic in ranked]


def _strongest(topic: sp.csr_matrix, n_words: int) -> np.ndarray:
    """Places of the largest weights, of equal ones the first."""
    sizes = np.abs(topic.data)
    places = np.arange(len(sizes))
    if len(sizes) > n_words:  # only those that can be among them are put in order
        least = np.partition(sizes, len(sizes) - n_words)[len(sizes) - n_words]
        places = np.flatnonzero(sizes >= least)
    return places[np.argsort(-sizes[places], kind="stable")][:n_words]


def top_words(topic: sp.csr_matrix, names: np.ndarray | None, n_words: int) -> list[str]:
    """The strongest words of a topic (one row), negative ones with a ``-``."""
    order = _strongest(topic, n_words)
    return [
        ("-" if weight < 0 else "") + (str(column) if names is None else str(names[column]))
        for column, weight in zip(topic.indices[order], topic.data[order], strict=True)
    ]
