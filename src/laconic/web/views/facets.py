"""Filters of lists of documents by main topic, label and time, and the counts of each choice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.web.page_data import PageData
from laconic.web.views.common import NotFoundError, check_topic

LABELS = 200  # maximum number of labels that the user can choose from
TIMES = 400  # maximum number of times that the user can choose from
ORDERS = ("corpus", "clear", "mixed", "newest", "oldest")


class Filter(NamedTuple):
    """Conditions on documents; None means any.

    `topic` is the main topic of a document, that is, the topic with its largest absolute weight.
    `since` and `until` are the first and the last time, as named in the facets.
    """

    label: str | None = None
    topic: int | None = None
    since: str | None = None
    until: str | None = None

    def without(self, facet: str) -> Filter:
        """Return the filter without the condition of one facet."""
        if facet == "time":
            return self._replace(since=None, until=None)
        return self._replace(**{facet: None})


def check_filter(page_data: PageData, conditions: Filter) -> Filter:
    """Raise an error if a condition cannot be met."""
    if conditions.label is not None and conditions.label not in page_data.labels:
        raise NotFoundError(f"No document has the label {conditions.label[:50]!r}.")
    if conditions.topic is not None:
        check_topic(page_data, conditions.topic)
    if (conditions.since or conditions.until) and not _has_times(page_data):
        raise LaconicError("The documents have no dates; remove 'since' and 'until'.")
    return conditions


def select(page_data: PageData, rows: np.ndarray, conditions: Filter) -> np.ndarray:
    """Return the rows that meet all conditions, in the given order."""
    if conditions.label is not None:
        rows = rows[page_data.labels.is_label(rows, conditions.label)]
    if conditions.topic is not None:
        rows = rows[page_data.main_topics.topics[rows] == conditions.topic]
    if conditions.since or conditions.until:
        assert page_data.groups is not None
        names, members = np.array(page_data.groups.names), page_data.groups.members[rows]
        first = np.searchsorted(names, conditions.since) if conditions.since else 0
        last = np.searchsorted(names, conditions.until, "right") if conditions.until else len(names)
        rows = rows[(members >= first) & (members < last)]
    return rows


def sort(page_data: PageData, rows: np.ndarray, order: str) -> np.ndarray:
    """Return the rows in one of the `ORDERS`; ties stay in the order of the corpus."""
    if order not in ORDERS:
        raise LaconicError(f"sort must be one of {', '.join(ORDERS)}; got {order[:40]!r}.")
    if order == "corpus":
        return rows
    if order in ("clear", "mixed"):
        shares = page_data.main_topics.shares[rows]
        return rows[np.argsort(-shares if order == "clear" else shares, kind="stable")]
    if not _has_times(page_data):
        raise LaconicError(f"The documents have no dates; sort={order!r} needs dates.")
    assert page_data.groups is not None
    times = page_data.groups.members[rows]
    return rows[np.argsort(-times if order == "newest" else times, kind="stable")]


def facets(page_data: PageData, rows: np.ndarray, conditions: Filter) -> dict[str, Any]:
    """Return the choices of each facet with their numbers of documents among `rows`.

    The counts of a facet are those of documents that meet the conditions of the other facets.
    """
    found: dict[str, Any] = {"topics": _topics(page_data, rows, conditions)}
    if _has_times(page_data):
        found["times"] = _times(page_data, rows, conditions)
    elif page_data.labels.sizes:
        chosen = select(page_data, rows, conditions.without("label"))
        found["labels"] = list(islice(page_data.labels.sizes_in(chosen).items(), LABELS))
    return found


def _topics(page_data: PageData, rows: np.ndarray, conditions: Filter) -> list[list[int]]:
    chosen = select(page_data, rows, conditions.without("topic"))
    topics = page_data.main_topics.topics[chosen]
    sizes = np.bincount(topics[topics >= 0], minlength=page_data.n_topics)
    order = np.argsort(-sizes, kind="stable")
    return [[int(topic), int(sizes[topic])] for topic in order if sizes[topic]]


def _times(page_data: PageData, rows: np.ndarray, conditions: Filter) -> list[list[Any]]:
    assert page_data.groups is not None
    groups = page_data.groups
    members = groups.members[select(page_data, rows, conditions.without("time"))]
    sizes = np.bincount(members[members >= 0], minlength=len(groups.names))
    return [[name, int(size)] for name, size in zip(groups.names, sizes, strict=True)][:TIMES]


def _has_times(page_data: PageData) -> bool:
    return page_data.groups is not None and page_data.groups.kind == "time"


def orders(page_data: PageData) -> Sequence[str]:
    """Return the orders in which the documents can be sorted."""
    return ORDERS if _has_times(page_data) else ORDERS[:3]
