"""What a topic means: its words, its documents, its relatives, where it is at home, its notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from laconic.errors import LaconicError
from laconic.fitted.graph import partial_correlations
from laconic.fitted.notes import TopicNote
from laconic.saving.notes import as_tree
from laconic.web.page_data import SHOWN_WORDS, PageData
from laconic.web.views.common import (
    check_page,
    check_topic,
    document_stub,
    excerpt,
    rounded,
    topic_stub,
)

RELATED = 6  # topics by their words, and as many by documents
BEST = 30  # words that are shown at a place of the slider
STEPS = 10  # places of the slider
GROUPS = 30
BLOCK = 4_000_000  # shares of documents that are multiplied at a time
DENSE = 0.1  # part of shares that are not zero, above which they are multiplied as if all were not
DIGITS = 9  # of a correlation; with more, chance would order topics that are alike


def topic(material: PageData, topic: int, together: np.ndarray | None = None) -> dict[str, Any]:
    """Everything of a topic but its documents; `together` is its row of `all_together`, if made."""
    check_topic(material, topic)
    note = material.notes.get(topic, TopicNote())
    return {
        "topic": topic,
        **asdict(note),
        "share": rounded(material.shares[topic]),
        "rank": material.order.index(topic) + 1,
        "n_topics": material.n_topics,
        "n_words": int(material.n_words_of[topic]),
        "n_documents": int(np.count_nonzero(_column(material, topic)[1] > 0)),
        "called": material.stub_words[topic],
        "relevance": material.relevance,
        "words": _words(material, topic),
        "related": _related(material, topic, together),
        "groups": _groups(material, topic),
    }


def topic_documents(material: PageData, topic: int, page: int, size: int) -> dict[str, Any]:
    """A page of the documents that have most of a topic, as `laconic.top_documents` orders them."""
    check_topic(material, topic)
    rows, shares, strengths = _documents_of(material, topic)
    part = check_page(page, size, len(rows))
    return {
        "page": page,
        "size": size,
        "total": len(rows),
        "documents": [
            {
                **document_stub(material, int(rows[place])),
                "share": rounded(shares[place]),
                "strength": rounded(strengths[place]),
                "excerpt": excerpt(material, int(rows[place])),
            }
            for place in range(len(rows))[part]
        ],
    }


def _documents_of(material: PageData, topic: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows with the topic, its shares in them, and what they are ordered by, 1 for the first."""
    rows, weights = _column(material, topic)
    if material.documents is None:
        return rows, weights, weights
    rows, weights = rows[weights > 0], weights[weights > 0]
    order = np.lexsort((rows, -weights * weights / material.documents.totals[rows]))
    rows, weights = rows[order], weights[order]
    shares = weights / material.documents.totals[rows]
    strengths = shares * weights
    return rows, shares, strengths / strengths[:1]


def _column(material: PageData, topic: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents with a topic and its weights in them."""
    if material.documents is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    codes = material.codes_by_topic
    part = slice(codes.indptr[topic], codes.indptr[topic + 1])
    return codes.indices[part], codes.data[part].astype(np.float64)


def _words(material: PageData, topic: int) -> list[list[Any]]:
    """Every word that some place of the slider puts among the best: word, weight, mean weight."""
    row = material.components[[topic]]
    if not row.nnz:
        return []
    sizes, overall = np.abs(row.data), np.maximum(material.overall[row.indices], 1e-300)
    chosen = {
        place
        for step in range(STEPS + 1)
        for place in _best(sizes / overall ** (1 - step / STEPS)).tolist()
    }
    order = sorted(chosen, key=lambda place: (-sizes[place], place))
    return [
        [str(material.words[row.indices[i]]), rounded(row.data[i]), rounded(overall[i])]
        for i in order
    ]


def _best(values: np.ndarray) -> np.ndarray:
    if len(values) <= BEST:
        return np.arange(len(values))
    return np.argpartition(-values, BEST - 1)[:BEST]


def _related(material: PageData, topic: int, together: np.ndarray | None) -> list[dict[str, Any]]:
    """Topics with like words, topics of the same documents, topics that a graph joins."""
    likeness = material.likeness[topic].copy()
    together = _together(material, topic) if together is None else together.copy()
    edges = _edges(material, topic)
    for values in (likeness, together, edges):
        values[topic] = -np.inf
    chosen = {*_top(likeness, 0.05), *_top(together, 0.05), *_top(np.abs(edges), 1e-9)} - {topic}
    order = sorted(chosen, key=lambda k: (-max(likeness[k], together[k]), k))
    return [
        {
            **topic_stub(material, k),
            "likeness": rounded(likeness[k]),
            "together": rounded(together[k]) if material.n_documents else None,
            "edge": rounded(edges[k]) if edges[k] else None,
        }
        for k in order
    ]


def _top(values: np.ndarray, least: float) -> list[int]:
    order = np.argsort(-values, kind="stable")[:RELATED]
    return [int(k) for k in order if values[k] >= least and np.isfinite(values[k])]


def _together(material: PageData, topic: int) -> np.ndarray:
    """Correlation of a topic's share with that of each other topic over the documents."""
    if material.n_documents < 2:
        return np.zeros(material.n_topics)
    rows, weights = _column(material, topic)
    own = np.zeros(material.n_documents)
    own[rows] = weights / material.documents.totals[rows]  # type: ignore[union-attr]
    return _correlations(material, material.document_shares.T @ own, topic)


def all_together(material: PageData) -> np.ndarray:
    """The same for every topic at once, which takes far less time than one after the other."""
    if material.n_documents < 2:
        return np.zeros((material.n_topics, material.n_topics))
    shares = material.document_shares
    products = np.zeros((material.n_topics, material.n_topics))
    rows = max(1, BLOCK // material.n_topics)
    with threadpool_limits(1, "blas"):  # the sums would differ with the number of threads
        for start in range(0, shares.shape[0], rows):
            part = shares[start : start + rows].astype(np.float64)
            if part.nnz > DENSE * part.shape[0] * part.shape[1]:
                part = part.toarray()
                products += part.T @ part
            else:
                products += (part.T @ part).toarray()
    return np.array([_correlations(material, row, k) for k, row in enumerate(products)])


def _correlations(material: PageData, products: np.ndarray, topic: int) -> np.ndarray:
    """Correlations from the sums of products of shares; digits that are noise are left out."""
    mean, deviation = material.share_moments
    covariance = products / material.n_documents - mean * mean[topic]
    scale = deviation * deviation[topic]
    return np.round(covariance / np.where(scale > 1e-12, scale, np.inf), DIGITS)


def _edges(material: PageData, topic: int) -> np.ndarray:
    precision = getattr(material.estimator, "topic_precision_", None)
    if precision is None:
        return np.zeros(material.n_topics)
    return np.array(partial_correlations(precision)[topic])


def _groups(material: PageData, topic: int) -> dict[str, Any] | None:
    """Mean share of the topic in each class, the largest first, or over time."""
    groups = material.groups
    if groups is None:
        return None
    shares = material.group_shares[:, topic]
    order = list(range(len(groups.names)))
    if groups.kind == "class":
        order = [int(i) for i in np.argsort(-shares, kind="stable")[:GROUPS] if shares[i] > 0]
    rows = [[groups.names[i], rounded(shares[i]), int(groups.sizes[i])] for i in order]
    more = int(np.count_nonzero(shares)) - len(rows) if groups.kind == "class" else 0
    return {"kind": groups.kind, "rows": rows, "more": more}


def topics_having(material: PageData, having: str) -> dict[str, Any]:
    """Topics with some letters in one of their strongest words, with that word and its weight.

    All words of a dense topic would have any letters; only the strongest `SHOWN_WORDS` are asked.
    """
    letters = " ".join(having.split()).lower()
    if not letters:
        raise LaconicError("having is empty; give a word or a part of one.")
    found = []
    for topic in range(material.n_topics):
        words = material.top_words(topic, SHOWN_WORDS)
        place = next((i for i, (word, _) in enumerate(words) if letters in word.lower()), None)
        if place is not None:
            word, weight = words[place]
            found.append((place, topic, [word, rounded(weight)]))
    found.sort(key=lambda entry: entry[:2])
    return {"having": having, "topics": [[topic, best] for _, topic, best in found]}


def set_note(material: PageData, topic: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the name of a topic, whether it is hidden, or its note."""
    check_topic(material, topic)
    if not material.write:
        raise LaconicError("This page is read-only; start it with --write to change names.")
    return {"topic": topic, **asdict(material.set_note(topic, changes))}


def all_notes(material: PageData) -> dict[str, Any]:
    """The notes as they lie beside the model."""
    return as_tree(material.notes)
