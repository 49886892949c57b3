"""Apply an edit to a model, with its documents, notes and history."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from laconic.editing.codes import Parts, edited_documents
from laconic.files.manifest import now
from laconic.fitted.automatic import AutomaticFacts, facts_of, keep_facts
from laconic.fitted.documents import Documents, keep_documents, kept_documents
from laconic.fitted.notes import TopicNote, keep_notes, notes_of
from laconic.fitted.pipeline_steps import is_pipeline, last_step
from laconic.models.edits.assembly import inverse
from laconic.models.edits.records import Record, edited, removed_topics
from laconic.saving.history import continue_history


def apply_edit(
    model: Any, record: Record, text: str, *, note: TopicNote | None = None, parts: Parts = None
) -> Any:
    """Return a new model to which an edit is applied.

    Parameters
    ----------
    model : estimator or Pipeline
    record : dict
        See `laconic.models.edits.records`.
    text : str
        Sentence for the history of the model.
    note : TopicNote, optional
        Name and note of the first new topic.
    parts : ndarray of shape (n_documents, n_parts), optional
        Shares of the parts of a split topic in the documents that are saved with the model.
    """
    notes, old = notes_of(model), last_step(model)
    record = {**record, "n_before": old.components_.shape[0], "when": now(), "text": text}
    removed = removed_topics(record)
    record["notes"] = {
        int(topic): asdict(notes[topic]) for topic in removed.tolist() if topic in notes
    }
    estimator = edited(old, record)
    sources = np.asarray(record["sources"])
    kept = {
        topic: notes[source] for topic, source in enumerate(sources.tolist()) if source in notes
    }
    new = np.flatnonzero(sources < 0)
    if note is not None and len(new):
        kept[int(new[0])] = note
    documents = kept_documents(model)
    if documents is not None:
        documents = edited_documents(documents, record, parts)
    old_facts = facts_of(model)
    facts = {k: old_facts[old] for k, old in enumerate(sources.tolist()) if old in old_facts}
    return with_estimator(model, estimator, documents, kept, facts, text)


def with_estimator(
    model: Any,
    estimator: Any,
    documents: Documents | None,
    notes: Mapping[int, TopicNote],
    facts: Mapping[int, AutomaticFacts],
    text: str,
) -> Any:
    """Return a copy of a model with another last step, and what belongs to its topics."""
    for name in ("_documents", "_notes", "_automatic"):
        estimator.__dict__.pop(name, None)
    if documents is not None:
        keep_documents(estimator, documents)
    if notes:
        keep_notes(estimator, notes)
    if facts:
        keep_facts(estimator, facts)
    continue_history(last_step(model), estimator, text)
    if not is_pipeline(model):
        return estimator
    result = copy.copy(model)
    result.steps = [*model.steps[:-1], (model.steps[-1][0], estimator)]
    return result


def number_map(record: Record) -> dict[int, int]:
    """Return the new number of each topic that an edit left as it was."""
    numbers = inverse(np.asarray(record["sources"]), record["n_before"])
    return {old: new for old, new in enumerate(numbers.tolist()) if new >= 0}
