"""``laconic.drop_words``: remove words from a topic."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

from laconic.corpus.matrices import dense
from laconic.editing.applying import apply_edit
from laconic.editing.merge import merged_note
from laconic.editing.topics import TopicName, editable_step, find_topics
from laconic.errors import LaconicError
from laconic.fitted.model import TopicView
from laconic.models.edits.records import Record
from laconic.wording import some

SHOWN = 5  # number of words in an error message


def drop_words(model: Any, topic: TopicName, words: str | int | Iterable[str | int]) -> Any:
    """Return a new model in which some words are not words of a topic.

    The words no longer describe the topic: they are gone from its list of words, from charts and
    reports, and from the senses of the word, and `partial_fit` does not bring them back. Documents
    are still coded with the topics of the fit, so their codes do not change. To ignore a word
    altogether, fit the model again with the word as a stop word.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, which is not changed.
    topic : int or str
        The topic, by number or name.
    words : str or list of str
        Words of the topic; column numbers if the model was fitted without words.

    Returns
    -------
    estimator or Pipeline
        A model of the same class. `laconic.undo` takes the edit back.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = laconic.SparseLSA(2, alpha=0.1).fit(corpus)
    >>> laconic.topics(laconic.drop_words(model, 0, "purr"))[0].words
    ['cat']
    """
    estimator = editable_step(model)
    (number,) = find_topics(model, [topic])
    view = TopicView.of(model)
    given = [words] if isinstance(words, (str, int, np.integer)) else list(words)
    if not given:
        raise LaconicError("No word was given; give at least one word of the topic.")
    row = dense(estimator.components_[[number]]).ravel()
    columns = [_column(view, number, word, row) for word in given]
    left = np.delete(row, columns)
    if not np.any(left):
        raise LaconicError(
            f"Without these words, topic {number} would have no words; to remove the topic, use "
            "drop."
        )
    sources = np.arange(estimator.components_.shape[0])
    sources[number] = -1
    record: Record = {
        "operation": "drop_words",
        "topics": [number],
        "sources": sources,
        "columns": np.unique(columns),
    }
    names = some([view.word(column) for column in dict.fromkeys(columns)], 20)
    text = f"dropped from topic {number}: {names}"
    return apply_edit(model, record, text, note=merged_note(model, [number]))


def _column(view: TopicView, topic: int, word: str | int, row: np.ndarray) -> int:
    """Return the column of a word of a topic; the error suggests words of the topic."""
    column = view.column_of(word)
    if row[column]:
        return column
    words = [view.word(column) for column in view.columns(topic, len(row))]
    similar = get_close_matches(str(word).lower(), words, n=3)
    hint = f"its words are {some(words, SHOWN)}."
    if similar:
        hint = f"did you mean {', '.join(similar)}?"
    raise LaconicError(f"The word {word!r} is not in topic {topic}; {hint}")
