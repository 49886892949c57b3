"""What an edit changes: the words of the new topics, and the number of documents it affects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic.fitted.documents import kept_documents
from laconic.fitted.model import TopicView
from laconic.fitted.notes import names_of
from laconic.fitted.topic_list import Topic
from laconic.models.edits.records import edits_of, new_topics, removed_topics

N_WORDS = 10
MOST = 20  # topics before an edit, and after it, that are listed


@dataclass(frozen=True)
class Preview:
    """What an edit changes.

    Attributes
    ----------
    text : str
        The edit in words.
    before, after : list of Topic
        The first topics that the edit removes or changes, and that take their place.
    n_topics : int
        Number of topics after the edit.
    documents : int or None
        Number of documents saved with the model that have one of the edited topics; None if no
        documents are saved.
    renumbered : int
        Number of other topics whose number changes.
    unlisted : int
        Number of topics that are neither in `before` nor in `after`, because there are too many.
    """

    text: str
    before: list[Topic]
    after: list[Topic]
    n_topics: int
    documents: int | None
    renumbered: int
    unlisted: int = 0


def preview(model: Any, edited: Any, n_words: int = N_WORDS) -> Preview:
    """Compare a model with the result of an edit.

    If `edited` is the result of `laconic.undo`, the changes are those of the undone edit, reversed.
    """
    return preview_views(TopicView.of(model), TopicView.of(edited), n_words)


def preview_views(old: TopicView, new: TopicView, n_words: int = N_WORDS) -> Preview:
    """Compare a model with the result of an edit as `preview` does, given views of both."""
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
        before=_chosen(old, gone[:MOST], n_words),
        after=_chosen(new, added[:MOST], n_words),
        n_topics=new.n_topics,
        documents=_count((new if is_undo else old).model, removed_topics(record)),
        renumbered=len(moved),
        unlisted=max(0, len(gone) - MOST) + max(0, len(added) - MOST),
    )


def _chosen(view: TopicView, numbers: np.ndarray, n_words: int) -> list[Topic]:
    """Return some topics with their words, as in `laconic.topics`; other topics are not ranked."""
    names, topics = names_of(view.model), []
    for number in numbers.tolist():
        name, share = names.get(number), float(view.shares[number])
        n_of_topic, pairs = len(view.ranked(number)[0]), view.top(number, n_words)
        topics.append(Topic(number, name, share, None, n_of_topic, pairs))
    return topics


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
