"""Edits of topics: what an edit would change, and the edit itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from laconic.editing.drop import drop, keep
from laconic.editing.drop_words import drop_words
from laconic.editing.merge import merge
from laconic.editing.preview import Preview, preview_views
from laconic.editing.split import split
from laconic.editing.topics import editable_step
from laconic.editing.undo import undo
from laconic.errors import LaconicError
from laconic.fitted.model import TopicView
from laconic.fitted.topic_list import Topic
from laconic.models.edits.records import edits_of
from laconic.web.page_data import PageData
from laconic.web.views.map import keep_places

OPERATIONS = ("merge", "split", "drop", "keep", "drop_words", "undo")
FIELDS = {"operation", "topics", "words", "into", "edits"}
MOST_PARTS = 20
Edit = Callable[[Any, Any], Any]


def preview_edit(page_data: PageData, change: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an edit would change."""
    edit = read_edit(page_data, change)
    edited = edit(page_data.model, page_data.corpus)
    return as_json(preview_views(page_data, TopicView(edited, vocabulary=page_data.names)))


def make_edit(page_data: PageData, change: Mapping[str, Any]) -> tuple[PageData, dict[str, Any]]:
    """Edit the model in its folder; return the data of the edited model, and what changed."""
    edited = page_data.edited(read_edit(page_data, change))
    keep_places(page_data, edited)
    return edited, as_json(preview_views(page_data, edited))


def read_edit(page_data: PageData, change: Mapping[str, Any]) -> Edit:
    """Return the edit that a request describes; raise an error if it is not valid."""
    if not page_data.can_edit:
        editable_step(page_data.model)
        raise LaconicError(
            "Topics are read-only; start laconic explore with --write and a saved model."
        )
    if unknown := sorted(set(change) - FIELDS):
        raise LaconicError(f"An edit has no field {unknown[0]!r:.50}.")
    operation, topics = change.get("operation"), change.get("topics", [])
    words, into = change.get("words", []), change.get("into", 2)
    if operation not in OPERATIONS:
        raise LaconicError(f"operation must be one of {', '.join(OPERATIONS)}.")
    if change.get("edits") != n_edits(page_data):
        raise LaconicError(
            "The topics were edited in another window; reload this page, and try again."
        )
    if not isinstance(topics, list) or not all(type(topic) is int for topic in topics):
        raise LaconicError("topics must be a list of numbers.")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise LaconicError("words must be a list of strings.")
    if type(into) is not int or not 2 <= into <= MOST_PARTS:
        raise LaconicError(f"into must be an integer from 2 to {MOST_PARTS}.")
    if operation in ("split", "drop_words") and len(topics) != 1:
        raise LaconicError(f"{operation} needs one topic.")
    edits: dict[str, Edit] = {
        "merge": lambda model, corpus: merge(model, topics),
        "split": lambda model, corpus: split(model, topics[0], corpus, into=into),
        "drop": lambda model, corpus: drop(model, topics),
        "keep": lambda model, corpus: keep(model, topics),
        "drop_words": lambda model, corpus: drop_words(model, topics[0], words),
        "undo": lambda model, corpus: undo(model),
    }
    return edits[operation]


def n_edits(page_data: PageData) -> int:
    """Return the number of edits that can be undone."""
    return len(edits_of(page_data.estimator))


def as_json(changes: Preview) -> dict[str, Any]:
    return {
        "text": changes.text,
        "before": [_topic(topic) for topic in changes.before],
        "after": [_topic(topic) for topic in changes.after],
        "n_topics": changes.n_topics,
        "n_documents": changes.documents,
        "n_renumbered": changes.renumbered,
        "n_unlisted": changes.unlisted,
    }


def _topic(topic: Topic) -> dict[str, Any]:
    return {"topic": topic.number, "name": topic.name, "words": topic.words}
