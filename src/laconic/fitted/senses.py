"""What a word means where: the topics it takes over a corpus, with documents as examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.model import TopicView
from laconic.fitted.topics import with_names

TOPIC_WORDS = 8


def senses(
    model: Any, word: str | int, corpus: Corpus | None = None, *, n_examples: int = 3
) -> pl.DataFrame:
    """The topics that a word takes, the strongest first; see `STC.senses`.

    Parameters
    ----------
    model : STC, MedSTC or Pipeline that ends in one
    word : str
    corpus : Corpus, optional
        As it was read, if the model is a pipeline: it is weighted as for the fit.
    n_examples : int, default=3
    """
    view = TopicView.of(model)
    estimator = view.estimator
    if not hasattr(estimator, "word_topics_"):
        raise LaconicError(
            f"{type(estimator).__name__} has no codes of words and so no senses; STC and MedSTC do."
        )
    if corpus is not None and not isinstance(corpus, Corpus):
        raise LaconicError(
            f"Examples come from a Corpus, not from {type(corpus).__name__}; see laconic.read."
        )
    column = view.column_of(word)
    codes = sp.csr_matrix(estimator.word_topics_[[column]])
    order = np.argsort(-codes.data, kind="stable")
    topics, weights = codes.indices[order], codes.data[order].astype(np.float64)
    table = pl.DataFrame(
        {
            "topic": topics.astype(np.int64),
            "weight": weights / (weights.sum() or 1.0),
            "words": pl.Series(
                [view.signed_words(topic, TOPIC_WORDS) for topic in topics],
                dtype=pl.List(pl.String),
            ),
        }
    )
    table = with_names(table, view, name="topic")
    if corpus is None:
        return table
    documents = _examples(view, column, corpus, topics, n_examples)
    called = [[_name(corpus, row) for row in rows] for rows in documents]
    return table.with_columns(
        pl.Series("examples", called, dtype=pl.List(pl.String)),
        pl.Series("documents", documents, dtype=pl.List(pl.Int64)),
    )


def _examples(
    view: TopicView, column: int, corpus: Corpus, topics: np.ndarray, n_examples: int
) -> list[list[int]]:
    """Rows of the documents whose code for the word is strongest in each topic."""
    weighted = view.preprocess(corpus)
    counts = view.align(corpus).counts[:, [column]]
    holds = np.flatnonzero(np.asarray((counts != 0).todense()).ravel())
    codes = view.estimator.word_codes(weighted[holds])
    of_word = [codes[i][[column]].toarray().ravel() for i in range(len(codes))]
    table = np.array(of_word) if of_word else np.zeros((0, view.n_topics))
    examples = []
    for k in topics:
        best = np.argsort(-table[:, k], kind="stable")[:n_examples]
        examples.append([int(holds[i]) for i in best if table[i, k] > 0])
    return examples


def _name(corpus: Corpus, row: int) -> str:
    """What a document is called: its title, its id or its number."""
    for names in (corpus.titles, corpus.ids):
        if names is not None and names[row]:
            return str(names[row])
    return str(row)
