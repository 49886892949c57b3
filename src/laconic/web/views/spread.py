"""How topics relate to each other, and to the classes or times of the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laconic.fitted.topic_groups import LEFT_OUT
from laconic.web.page_data import PageData
from laconic.web.views.common import rounded

COLUMNS = 24  # maximum number of columns of a small chart
LEVELS = 20  # number of steps of the height of a column
SHOWN = 3  # number of classes or times that are named for each topic
NAMES = 3  # number of words that describe a group of topics
ALIKE = 0.5  # minimum likeness of two topics that are marked as similar
CLASSES = 6  # number of classes that are named in the overview


@dataclass(frozen=True)
class Spread:
    """Mean shares of topics in classes (largest class first) or over times, as small charts.

    Attributes
    ----------
    kind : str
        "class" or "time".
    names : list of str
        Class or time of each column; a column of several times has the first and the last of them.
    levels : ndarray of int, shape (n_topics, n_columns)
        Heights of the columns, from 0 to `LEVELS`; the highest column of a topic has `LEVELS`.
    """

    kind: str
    names: list[str]
    levels: np.ndarray
    _all_names: list[str]
    _shares: np.ndarray

    def most(self, topic: int) -> list[list[Any]]:
        """Return the classes or times in which a topic has the largest mean shares."""
        shares = self._shares[:, topic]
        order = np.argsort(-shares, kind="stable")[:SHOWN]
        return [[self._all_names[i], rounded(shares[i])] for i in order if shares[i] > 0]


def spread_of(page_data: PageData) -> Spread | None:
    """Return the small charts of all topics, or None without labels or while they are computed."""
    if page_data.is_waiting or page_data.groups is None or len(page_data.groups.names) < 2:
        return None
    groups, shares = page_data.groups, page_data.group_shares
    if groups.kind == "class":
        names, columns = groups.names[:COLUMNS], shares[:COLUMNS]
    else:
        parts = np.array_split(np.arange(len(groups.names)), min(COLUMNS, len(groups.names)))
        names = [_interval([groups.names[i] for i in part]) for part in parts]
        # the mean over all documents of several times
        columns = np.array([np.average(shares[p], axis=0, weights=groups.sizes[p]) for p in parts])
    most = columns.max(axis=0)
    levels = np.ceil(LEVELS * columns / np.where(most > 0, most, 1)).astype(int)
    return Spread(groups.kind, names, levels.T, groups.names, shares)


def _interval(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def classes(page_data: PageData) -> dict[str, Any] | None:
    """Return how many classes or times there are, and the largest classes or the end times."""
    if page_data.is_waiting or page_data.groups is None:
        return None
    groups = page_data.groups
    chosen = range(min(CLASSES, len(groups.names)))
    rows = list(chosen) if groups.kind == "class" else sorted({0, len(groups.names) - 1})
    return {
        "kind": groups.kind,
        "n": len(groups.names),
        "rows": [[groups.names[i], int(groups.sizes[i])] for i in rows],
    }


def similar_topics(page_data: PageData) -> dict[int, int]:
    """Map a topic to the most similar topic with a larger share, if the two are much alike."""
    ranks = np.empty(page_data.n_topics, dtype=int)
    ranks[page_data.order] = np.arange(page_data.n_topics)
    larger = ranks[None, :] < ranks[:, None]
    likeness = np.where(larger, page_data.likeness, -np.inf)
    best = likeness.argmax(axis=1)
    return {
        topic: int(other) for topic, other in enumerate(best) if likeness[topic, other] >= ALIKE
    }


def topic_groups(page_data: PageData) -> list[dict[str, Any]]:
    """Return the groups of similar topics, each with its words, share and number of topics."""
    groups = page_data.topic_groups
    return [
        {
            "group": group,
            "words": _words(page_data, np.flatnonzero(groups == group)),
            "n_topics": int(np.count_nonzero(groups == group)),
            "share": rounded(page_data.shares[groups == group].sum()),
        }
        for group in sorted(set(groups.tolist()) - {LEFT_OUT})
    ]


def _words(page_data: PageData, topics: np.ndarray) -> list[str]:
    """Return the words with the largest weight in several topics, weighted by their shares."""
    weights = np.asarray(page_data.shares[topics] @ page_data.sizes[topics]).ravel()
    order = np.argsort(-weights, kind="stable")[:NAMES]
    return [str(page_data.words[column]) for column in order if weights[column] > 0]
