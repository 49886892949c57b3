"""Senses of a word: the topics of the word, with example documents.

The command line, the chart of senses and the explorer all use `topics_of_word`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import encode
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import coding_topics
from laconic.fitted.topics import with_names

TOPIC_WORDS = 8


def senses(
    model: Any, word: str | int, corpus: Corpus | None = None, *, n_examples: int = 3
) -> pl.DataFrame:
    """Return the senses of a word, which are its topics, strongest first.

    For models with word codes (STC, MedSTC), the weight of a topic is its share in the codes of the
    word, over all documents of the fit. If topics are distributions over words, the weight is the
    probability of the topic given the word. For other models, the weight is the share of the topic
    in all weights of the word; it is negative if the word has a negative weight in the topic.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    word : str
        The word, or its column number if the model was fitted without a vocabulary.
    corpus : Corpus, optional
        Documents from which the examples are taken. For a pipeline, pass the corpus as it was read,
        because the pipeline applies its own weighting.
    n_examples : int, default=3
        Maximum number of example documents per topic.

    Returns
    -------
    polars.DataFrame
        One row per topic, with the columns ``topic``, ``weight`` and ``words``; with a corpus also
        ``examples`` (titles or ids) and ``documents`` (rows).

    Examples
    --------
    >>> from laconic import SparseLSA
    >>> words = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> senses(SparseLSA(2, alpha=0.1).fit(words), "dog").rows()
    [(1, 1.0, ['dog'])]
    """
    view = TopicView.of(model)
    if corpus is not None and not isinstance(corpus, Corpus):
        raise LaconicError(
            f"corpus must be a Corpus; got {type(corpus).__name__}. Create one with laconic.read."
        )
    column = view.column_of(word)
    topics, weights = topics_of_word(view, column)
    table = pl.DataFrame(
        {
            "topic": topics.astype(np.int64),
            "weight": weights,
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


def topics_of_word(view: TopicView, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the topics of a word and their shares, largest first; see `senses`.

    The absolute values of the shares sum to 1.
    """
    word_topics = getattr(view.estimator, "word_topics_", None)
    if word_topics is not None:
        entries = sp.csr_matrix(word_topics[[column]])
    else:
        entries = _weights_of_word(view, column)
    weights = entries.data.astype(np.float64)
    if word_topics is None and view.are_distributions:
        weights = weights * view.shares[entries.indices]
    shares = weights / (np.abs(weights).sum() or 1.0)
    order = np.argsort(-np.abs(shares), kind="stable")
    order = order[shares[order] != 0]
    return entries.indices[order], shares[order]


def _weights_of_word(view: TopicView, column: int) -> sp.csr_matrix:
    """Return the weights of a word in all topics as one row."""
    topics = coding_topics(view.estimator)
    return sp.csr_matrix(topics[:, [column]]).T.tocsr()


def _examples(
    view: TopicView, column: int, corpus: Corpus, topics: np.ndarray, n_examples: int
) -> list[list[int]]:
    """Return, for each topic, the documents (rows) in which the word has the topic most strongly.

    Without word codes, these are the documents with the word that have the largest share of the
    topic.
    """
    aligned = view.align(corpus)
    rows = np.flatnonzero(np.diff(aligned.counts[:, [column]].tocsr().indptr))
    strengths = _strengths(view, column, corpus, rows)
    examples = []
    for k in topics:
        of_topic = strengths[:, [k]].toarray().ravel()
        best = np.argsort(-of_topic, kind="stable")[:n_examples]
        examples.append([int(rows[i]) for i in best if of_topic[i] > 0])
    return examples


def _strengths(view: TopicView, column: int, corpus: Corpus, rows: np.ndarray) -> sp.csc_matrix:
    """Return a matrix (documents x topics): how strongly the word has each topic in `rows`."""
    if not len(rows):
        return sp.csc_matrix((0, view.n_topics))
    if hasattr(view.estimator, "word_codes"):
        codes = view.estimator.word_codes(view.preprocess(corpus)[rows])
        return sp.vstack([codes[i][[column]] for i in range(len(codes))], format="csc")
    shares = encode(view.model, corpus[rows]).astype(np.float64)
    totals = np.asarray(abs(shares).sum(axis=1)).ravel()
    signs = np.sign(_weights_of_word(view, column).toarray().ravel())
    scaled = sp.diags(1 / np.where(totals > 0, totals, 1)) @ shares @ sp.diags(signs)
    return sp.csc_matrix(scaled)


def _name(corpus: Corpus, row: int) -> str:
    """Return the title of a document or, if it has none, the id or row."""
    for names in (corpus.titles, corpus.ids):
        if names is not None and names[row]:
            return str(names[row])
    return str(row)
