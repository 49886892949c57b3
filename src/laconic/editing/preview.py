"""What an edit changes: the words of the new topics, and the number of documents it affects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic.fitted.documents import kept_documents
from laconic.fitted.model import TopicView
from laconic.fitted.topic_list import Topic, Topics
from laconic.fitted.topics import topics as topics_of
from laconic.models.edits.records import edits_of, new_topics, removed_topics

N_WORDS = 10


@dataclass(frozen=True)
class Preview:
    """What an edit changes.

    Attributes
    ----------
    text : str
        The edit in words.
    before, after : list of Topic
        The topics that the edit removes or changes, and the topics that take their place.
    n_topics : int
        Number of topics after the edit.
    documents : int or None
        Number of documents saved with the model that have one of the edited topics; None if no
        documents are saved.
    renumbered : int
        Number of other topics whose number changes.
    """

    text: str
    before: list[Topic]
    after: list[Topic]
    n_topics: int
    documents: int | None
    renumbered: int


def preview(model: Any, edited: Any, n_words: int = N_WORDS) -> Preview:
    """Compare a model with the result of an edit.

    If `edited` is the result of `laconic.undo`, the changes are those of the undone edit, reversed.
    """
    old, new = TopicView.of(model), TopicView.of(edited)
    records, earlier = edits_of(new.estimator), edits_of(old.estimator)
    is_undo = len(records) < len(earlier)
    record = earlier[-1] if is_undo else records[-1]
    gone, added = removed_topics(record), new_topics(record)
    gone, added = (added, gone) if is_undo else (gone, added)
    sources = np.asarray(record["sources"])
    moved = np.flatnonzero((sources >= 0) & (sources != np.arange(len(sources))))
    text = f"undid: {record['text']}" if is_undo else record["text"]
    return Preview(
        text=text,
        before=_chosen(topics_of(model, n_words), gone),
        after=_chosen(topics_of(edited, n_words), added),
        n_topics=new.n_topics,
        documents=_count(model if not is_undo else edited, removed_topics(record)),
        renumbered=len(moved),
    )


def _chosen(topics: Topics, numbers: np.ndarray) -> list[Topic]:
    wanted = set(numbers.tolist())
    return sorted((t for t in topics if t.number in wanted), key=lambda topic: topic.number)


def _count(model: Any, topics: np.ndarray) -> int | None:
    """Count the saved documents that have one of some topics."""
    documents = kept_documents(model)
    if documents is None:
        return None
    chosen = np.zeros(documents.n_topics, bool)
    chosen[topics] = True
    count = 0
    for _, block in documents.blocks():
        rows = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        count += len(np.unique(rows[chosen[block.indices]]))
    return count
