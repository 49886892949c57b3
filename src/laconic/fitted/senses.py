"""What a word means where: the topics it takes over a corpus, with documents as examples."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.model import fitted_step
from laconic.fitted.topics import rank_words, top_words, with_names

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
    estimator = fitted_step(model)
    if not hasattr(estimator, "word_topics_"):
        raise LaconicError(
            f"{type(estimator).__name__} has no codes of words and so no senses; STC and MedSTC do."
        )
    if corpus is not None and not isinstance(corpus, Corpus):
        raise LaconicError(
            f"Examples come from a Corpus, not from {type(corpus).__name__}; see laconic.read."
        )
    column = column_of(estimator, word)
    codes = sp.csr_matrix(estimator.word_topics_[[column]])
    order = np.argsort(-codes.data, kind="stable")
    topics, weights = codes.indices[order], codes.data[order].astype(np.float64)
    names = getattr(estimator, "feature_names_in_", None)
    ranked = rank_words(estimator)
    table = pl.DataFrame(
        {
            "topic": topics.astype(np.int64),
            "weight": weights / (weights.sum() or 1.0),
            "words": pl.Series(
                [top_words(ranked[[k]], names, TOPIC_WORDS) for k in topics],
                dtype=pl.List(pl.String),
            ),
        }
    )
    table = with_names(table, model, name="topic")
    if corpus is None:
        return table
    documents = _examples(model, column, corpus, topics, n_examples)
    called = [[_name(corpus, row) for row in rows] for rows in documents]
    return table.with_columns(
        pl.Series("examples", called, dtype=pl.List(pl.String)),
        pl.Series("documents", documents, dtype=pl.List(pl.Int64)),
    )


def column_of(estimator: Any, word: str | int) -> int:
    """The column of a word in a fitted model; near words are named where it is unknown."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        if not str(word).isdecimal() or int(word) >= estimator.n_features_in_:
            raise LaconicError(
                f"The model was fitted without words; give a column from 0 to "
                f"{estimator.n_features_in_ - 1} instead of {word!r}."
            )
        return int(word)
    found = np.flatnonzero(names == word)
    if len(found):
        return int(found[0])
    near = get_close_matches(str(word).lower(), [str(name) for name in names], n=3)
    hint = f"; it has {', '.join(near)}" if near else ""
    raise LaconicError(f"The model does not know the word {word!r}{hint}.")


def _examples(
    model: Any, column: int, corpus: Corpus, topics: np.ndarray, n_examples: int
) -> list[list[int]]:
    """Rows of the documents whose code for the word is strongest in each topic."""
    if isinstance(model, Pipeline):
        estimator, weighted = model[-1], model[:-1].transform(corpus)
    else:
        estimator, weighted = model, corpus
    names = getattr(estimator, "feature_names_in_", None)
    aligned = corpus if names is None or corpus.vocabulary is None else corpus.align(names)
    holds = np.flatnonzero(np.asarray((aligned.counts[:, [column]] != 0).todense()).ravel())
    codes = estimator.word_codes(weighted[holds])
    of_word = [codes[i][[column]].toarray().ravel() for i in range(len(codes))]
    table = np.array(of_word) if of_word else np.zeros((0, len(estimator.components_)))
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
