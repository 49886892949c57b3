"""Words of the columns of a model: from the model, from its pipeline, or from ``vocabulary=``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.errors import LaconicError
from laconic.fitted.pipeline_steps import last_step, steps_of
from laconic.wording import plural

GENERATED = re.compile(r"x\d+")  # name that scikit-learn makes up for a column without a name


def words_of(model: Any, vocabulary: Any = None) -> np.ndarray | None:
    """Return the word of each column of ``components_``, or None if the words are not known.

    Without `vocabulary`, the words are the ``feature_names_in_`` of the last step or what the
    steps before the last step return from ``get_feature_names_out``.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    vocabulary : optional
        The words of the columns of the model, or of the columns that enter its pipeline. See
        `laconic.topics` for the types.
    """
    n_columns = int(last_step(model).components_.shape[1])
    if vocabulary is not None:
        return _checked_words(model, vocabulary, n_columns)
    words = getattr(last_step(model), "feature_names_in_", None)
    if words is None:
        words = _words_after_steps(steps_of(model)[:-1], None)
        if words is not None and len(words) != n_columns:
            return None
    return words


def _checked_words(model: Any, vocabulary: Any, n_columns: int) -> np.ndarray:
    given = _as_words(vocabulary)
    if len(given) == n_columns:
        return given
    words = _words_after_steps(steps_of(model)[:-1], given)  # a step may select columns
    if words is None or len(words) != n_columns:
        raise LaconicError(
            f"vocabulary= has {plural(len(given), 'word')}, but the model has "
            f"{plural(n_columns, 'column')}; pass the words of the matrix that the model was "
            "fitted on."
        )
    return words


def _words_after_steps(steps: list[Any], words: np.ndarray | None) -> np.ndarray | None:
    """Return the names of the columns after some steps, or None if they are not known.

    A step that does not name its columns is assumed to keep its columns, as `Weighting` does.
    """
    for step in steps:
        if not hasattr(step, "get_feature_names_out"):
            continue  # includes None and "passthrough"
        try:
            words = as_strings(step.get_feature_names_out(words))
        except (AttributeError, TypeError, ValueError):
            return None  # the step does not know its columns, or not by these names
    if words is not None and all(map(GENERATED.fullmatch, words)):
        return None
    return words


def _as_words(vocabulary: Any) -> np.ndarray:
    if isinstance(vocabulary, Corpus):
        if vocabulary.vocabulary is None:
            raise LaconicError("The Corpus in vocabulary= has no words.")
        return vocabulary.vocabulary
    if isinstance(vocabulary, Vocabulary):
        return vocabulary.words
    if hasattr(vocabulary, "components_") or hasattr(last_step(vocabulary), "components_"):
        words = words_of(vocabulary)
        if words is None:
            raise LaconicError("The model in vocabulary= has no words.")
        return words
    if hasattr(vocabulary, "get_feature_names_out"):
        return as_strings(vocabulary.get_feature_names_out())
    columns = getattr(vocabulary, "token2id", vocabulary)  # a Dictionary of gensim
    if isinstance(columns, Mapping):
        return _words_by_column(columns)
    if isinstance(vocabulary, (str, bytes)) or not isinstance(vocabulary, Iterable):
        raise LaconicError(
            "vocabulary= must be a list of words, a dict of word and column, a fitted vectorizer, "
            f"a Dictionary of gensim or a Corpus; got {type(vocabulary).__name__}."
        )
    return as_strings(vocabulary)


def _words_by_column(columns: Mapping[Any, Any]) -> np.ndarray:
    """Return the words of a mapping from word to column, or from column to word."""
    if columns and all(isinstance(key, (int, np.integer)) for key in columns):
        columns = {word: column for column, word in columns.items()}
    words = as_strings(columns)
    order = np.array(list(columns.values()))
    if not np.array_equal(np.sort(order), np.arange(len(words))):
        raise LaconicError(
            "The dict in vocabulary= must map each word to its own column, and the columns must "
            f"be 0 to {len(words) - 1:,}."
        )
    return words[np.argsort(order)]
