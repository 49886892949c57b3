"""``laconic.undo`` and ``laconic.edits``: take the last edit back, and list all edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic.editing.applying import number_map, with_estimator
from laconic.editing.codes import undone_documents
from laconic.editing.topics import editable_step
from laconic.errors import LaconicError, warn
from laconic.fitted.automatic import facts_of
from laconic.fitted.documents import kept_documents
from laconic.fitted.notes import TopicNote, notes_of
from laconic.models.edits.records import edits_of, undone


@dataclass(frozen=True)
class Edit:
    """An edit of the topics of a model.

    Attributes
    ----------
    operation : str
        "merge", "drop", "keep", "drop_words" or "split".
    topics : list of int
        Numbers of the edited topics before the edit.
    numbers : dict of int to int
        The new number of each other topic, by its number before the edit. These topics did not
        change.
    when : str
        Date and time of the edit.
    text : str
        The edit in words.

    Examples
    --------
    >>> Edit("drop", [1], {0: 0, 2: 1}, "2026-01-31T12:00:00+00:00", "dropped topic 1")
    2026-01-31 12:00: dropped topic 1
    """

    operation: str
    topics: list[int]
    numbers: dict[int, int]
    when: str
    text: str

    def __repr__(self) -> str:
        return f"{self.when[:16].replace('T', ' ')}: {self.text}"


def edits(model: Any) -> list[Edit]:
    """Return the edits of a model that can be undone, oldest first.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.

    Returns
    -------
    list of Edit
        Each edit says which topics it changed, and maps the old numbers of all other topics to
        their new numbers.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    >>> model = laconic.drop(laconic.PLSA(n_components=4).fit(corpus), 1)
    >>> [(edit.text, edit.numbers) for edit in laconic.edits(model)]
    [('dropped topic 1', {0: 0, 2: 1, 3: 2})]
    """
    return [
        Edit(r["operation"], list(r["topics"]), number_map(r), r["when"], r["text"])
        for r in edits_of(editable_step(model))
    ]


def undo(model: Any) -> Any:
    """Return a new model without the last edit of a model.

    The topics, and the codes of the documents that are saved with the model, are those before the
    edit, bit for bit, even if the model was saved and loaded in between. Names and notes of the
    edited topics are those before the edit; the other topics keep their current names and notes.

    Parameters
    ----------
    model : estimator or Pipeline
        An edited model, which is not changed.

    Returns
    -------
    estimator or Pipeline

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    >>> model = laconic.PLSA(n_components=4).fit(corpus)
    >>> restored = laconic.undo(laconic.merge(model, [1, 3]))
    >>> bool((restored.components_ == model.components_).all())
    True
    """
    estimator = editable_step(model)
    edits = edits_of(estimator)
    if not edits:
        raise LaconicError("There is nothing to undo, because the topics were not edited.")
    record = edits[-1]
    documents = kept_documents(model)
    if documents is not None:
        documents = undone_documents(documents, record)
        if documents is None:
            warn(
                "The documents saved with the model were coded after the edit, so they are left "
                "out; to save documents with the model, pass them to laconic.save."
            )
    current = notes_of(model)
    sources = np.asarray(record["sources"]).tolist()
    notes = {sources[topic]: note for topic, note in current.items() if sources[topic] >= 0}
    notes |= {int(topic): TopicNote().changed(note) for topic, note in record["notes"].items()}
    facts = {sources[topic]: fact for topic, fact in facts_of(model).items() if sources[topic] >= 0}
    text = f"undid: {record['text']}"
    return with_estimator(model, undone(estimator), documents, notes, facts, text)
