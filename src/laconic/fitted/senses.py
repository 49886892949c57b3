"""Senses of a word: the topics of the word, with example documents."""

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
    """Return the senses of a word, which are its topics, strongest first; see `STC.senses`.

    Parameters
    ----------
    model : STC, MedSTC or Pipeline that ends with STC or MedSTC
    word : str
    corpus : Corpus, optional
        Documents from which the examples are taken. For a pipeline, pass the corpus as it was read,
        because the pipeline applies its own weighting.
    n_examples : int, default=3
        Maximum number of example documents per topic.
    """
    view = TopicView.of(model)
    estimator = view.estimator
    if not hasattr(estimator, "word_topics_"):
        raise LaconicError(
            f"{type(estimator).__name__} has no word codes and therefore no senses; use STC or "
            "MedSTC."
        )
    if corpus is not None and not isinstance(corpus, Corpus):
        raise LaconicError(
            f"corpus must be a Corpus; got {type(corpus).__name__}. Create one with laconic.read."
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
    names = [[_name(corpus, row) for row in rows] for rows in documents]
    return table.with_columns(
        pl.Series("examples", names, dtype=pl.List(pl.String)),
        pl.Series("documents", documents, dtype=pl.List(pl.Int64)),
    )


def _examples(
    view: TopicView, column: int, corpus: Corpus, topics: np.ndarray, n_examples: int
) -> list[list[int]]:
    """Return, for each topic, the documents (rows) in which the code of the word is strongest."""
    weighted = view.preprocess(corpus)
    counts = view.align(corpus).counts[:, [column]]
    rows = np.flatnonzero(np.asarray((counts != 0).todense()).ravel())
    codes = view.estimator.word_codes(weighted[rows])
    of_word = [codes[i][[column]].toarray().ravel() for i in range(len(codes))]
    table = np.array(of_word) if of_word else np.zeros((0, view.n_topics))
    examples = []
    for k in topics:
        best = np.argsort(-table[:, k], kind="stable")[:n_examples]
        examples.append([int(rows[i]) for i in best if table[i, k] > 0])
    return examples


def _name(corpus: Corpus, row: int) -> str:
    """Return the title of a document or, if it has none, the id or row."""
    for names in (corpus.titles, corpus.ids):
        if names is not None and names[row]:
            return str(names[row])
    return str(row)
