"""Views of topics: words, documents, related topics, shares by class or over time, and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.fitted.document_sums import top_of_topic
from laconic.fitted.graph import partial_correlations
from laconic.saving.notes import as_tree
from laconic.web.page_data import SHOWN_WORDS, PageData
from laconic.web.views.common import (
    automatic_name,
    check_page,
    check_topic,
    document_stub,
    excerpt,
    rounded,
    stability,
    topic_stub,
)
from laconic.web.views.passages import Pieces, TopicPassages, fold_same

RELATED = 6  # maximum number of related topics for each of the three kinds of relation
BEST = 30  # number of words shown at each position of the relevance slider
STEPS = 10  # number of steps of the relevance slider
GROUPS = 30  # maximum number of classes shown
FEW = 5  # classes of fewer documents come last, because their means are uncertain


def topic(page_data: PageData, topic: int) -> dict[str, Any]:
    """Return a topic without its documents."""
    check_topic(page_data, topic)
    note = page_data.note_of(topic)
    return {
        "topic": topic,
        **asdict(note),
        "automatic": automatic_name(page_data, topic),
        "share": rounded(page_data.shares[topic]),
        "rank": page_data.order.index(topic) + 1,
        "n_topics": page_data.n_topics,
        "n_words": int(page_data.n_words_of[topic]),
        "weak": bool(page_data.weak[topic]),
        "stability": stability(page_data, topic),
        "group": int(page_data.topic_groups[topic]),
        "n_documents": int(page_data.sums.n_documents[topic]) if page_data.n_documents else 0,
        "called": page_data.stub_words[topic],
        "relevance": page_data.relevance,
        "words": _words(page_data, topic),
        "related": _related(page_data, topic),
        "groups": _groups(page_data, topic),
    }


def topic_documents(page_data: PageData, topic: int, page: int, size: int) -> dict[str, Any]:
    """Return a page of the top documents of a topic, in the order of `laconic.top_documents`.

    Each document has a passage with the words of the topic; documents of the same page whose
    passages say the same are folded into one entry.
    The first pages come from `PageData.sums`; further pages need a pass over all codes.
    """
    check_topic(page_data, topic)
    documents, n_documents = page_data.documents, 0
    if documents is not None and len(documents):
        n_documents = int(page_data.sums.n_documents[topic])
    part = check_page(page, size, n_documents)
    shown: list[dict[str, Any]] = []
    if documents is not None and n_documents:
        top = page_data.sums.top[topic]
        if part.stop > len(top.rows) and len(top.rows) < n_documents:
            top = top_of_topic(documents, topic)  # all documents of the topic, sorted
        strongest = top.strengths[0]
        passages = TopicPassages(page_data, topic)
        shown = [
            {
                **document_stub(page_data, int(row)),
                "share": rounded(share),
                "strength": rounded(strength / strongest),
                "pieces": passages.of(int(row)) or _beginning(page_data, int(row)),
            }
            for row, share, strength in zip(
                top.rows[part], top.shares[part], top.strengths[part], strict=True
            )
        ]
    return {"page": page, "size": size, "total": n_documents, "documents": fold_same(shown)}


def _beginning(page_data: PageData, row: int) -> Pieces | None:
    text = excerpt(page_data, row)
    return [(text, "")] if text else None


def _words(page_data: PageData, topic: int) -> list[list[Any]]:
    """Return the words that are among the top words for some position of the relevance slider.

    Each entry has the word, its weight in the topic, and its mean weight over topics.
    """
    row = page_data.weights[[topic]]
    if not row.nnz:
        return []
    sizes, overall = np.abs(row.data), np.maximum(page_data.overall[row.indices], 1e-300)
    chosen = {
        i
        for step in range(STEPS + 1)
        for i in _best(sizes / overall ** (1 - step / STEPS)).tolist()
    }
    order = sorted(chosen, key=lambda i: (-sizes[i], i))
    return [
        [str(page_data.words[row.indices[i]]), rounded(row.data[i]), rounded(overall[i])]
        for i in order
    ]


def _best(values: np.ndarray) -> np.ndarray:
    if len(values) <= BEST:
        return np.arange(len(values))
    return np.argpartition(-values, BEST - 1)[:BEST]


def _related(page_data: PageData, topic: int) -> list[dict[str, Any]]:
    """Return the related topics: similar words, the same documents, or an edge in the graph."""
    likeness = page_data.likeness[topic].copy()
    together = _together(page_data, topic)
    edges = _edges(page_data, topic)
    for values in (likeness, together, edges):
        values[topic] = -np.inf
    chosen = {*_top(likeness, 0.05), *_top(together, 0.05), *_top(np.abs(edges), 1e-9)} - {topic}
    order = sorted(chosen, key=lambda k: (-max(likeness[k], together[k]), k))
    return [
        {
            **topic_stub(page_data, k),
            "likeness": rounded(likeness[k]),
            "together": rounded(together[k]) if page_data.n_documents else None,
            "edge": rounded(edges[k]) if edges[k] else None,
        }
        for k in order
    ]


def _top(values: np.ndarray, least: float) -> list[int]:
    order = np.argsort(-values, kind="stable")[:RELATED]
    return [int(k) for k in order if values[k] >= least and np.isfinite(values[k])]


def _together(page_data: PageData, topic: int) -> np.ndarray:
    """Return the correlation of a topic's share with the share of each topic over documents."""
    if page_data.n_documents < 2:
        return np.zeros(page_data.n_topics)
    return np.array(page_data.sums.correlations[topic])


def _edges(page_data: PageData, topic: int) -> np.ndarray:
    precision = getattr(page_data.estimator, "topic_precision_", None)
    if precision is None:
        return np.zeros(page_data.n_topics)
    return np.array(partial_correlations(precision)[topic])


def _groups(page_data: PageData, topic: int) -> dict[str, Any] | None:
    """Return the mean share of a topic in each class or at each time.

    The class with the largest share is first, but classes of fewer than `FEW` documents come last.
    """
    groups = page_data.groups
    if groups is None:
        return None
    shares = page_data.group_shares[:, topic]
    order = list(range(len(groups.names)))
    if groups.kind == "class":
        order = [int(i) for i in np.lexsort((-shares, groups.sizes < FEW)) if shares[i] > 0]
        del order[GROUPS:]
    rows = [[groups.names[i], rounded(shares[i]), int(groups.sizes[i])] for i in order]
    more = int(np.count_nonzero(shares)) - len(rows) if groups.kind == "class" else 0
    return {"kind": groups.kind, "rows": rows, "more": more}


def topics_with_word(page_data: PageData, text: str) -> dict[str, Any]:
    """Return the topics that have a top word which contains `text`, with the word and its weight.

    Only the top `SHOWN_WORDS` words of a topic are searched, because a dense topic contains every
    word.
    """
    pattern = " ".join(text.split()).lower()
    if not pattern:
        raise LaconicError("The parameter 'having' is empty; pass a word or a part of a word.")
    matches = []
    for topic in range(page_data.n_topics):
        words = page_data.top_words(topic, SHOWN_WORDS)
        rank = next((i for i, (word, _) in enumerate(words) if pattern in word.lower()), None)
        if rank is not None:
            word, weight = words[rank]
            matches.append((rank, topic, [word, rounded(weight)]))
    matches.sort(key=lambda match: match[:2])
    return {"having": text, "topics": [[topic, word] for _, topic, word in matches]}


def set_note(page_data: PageData, topic: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the name, the note or the visibility of a topic."""
    check_topic(page_data, topic)
    if not page_data.write:
        raise LaconicError("Notes are read-only; start laconic explore with --write.")
    return {"topic": topic, **asdict(page_data.set_note(topic, changes))}


def all_notes(page_data: PageData) -> dict[str, Any]:
    """Return the notes in the format of the file notes.json."""
    return as_tree(page_data.notes)
