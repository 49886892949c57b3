"""Compare the topics of two models."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.fitted.similar_topics import likeness_between
from laconic.metrics.stability import match
from laconic.web.page_data import PageData
from laconic.web.views.common import NotFoundError, rounded, topic_stub
from laconic.web.views.overview import figures

WORDS = 12  # number of top words of each topic that are compared
SHOWN = 8  # maximum number of words listed that occur in only one of two matched topics


def comparison(page_data: PageData) -> dict[str, Any]:
    """Match the topics of two models one to one; the most similar pair is first."""
    other = page_data.other
    if other is None:
        raise NotFoundError("There is no second model to compare with; pass one with --compare.")
    likeness = likeness_between(page_data.model, other.model)
    left, right, _ = match(likeness)
    matched = [(int(i), int(j)) for i, j in zip(left, right, strict=True) if likeness[i, j] > 0]
    matched.sort(key=lambda pair: (-likeness[pair], pair))
    pairs = [_pair(page_data, other, i, j, rounded(likeness[i, j])) for i, j in matched]
    unmatched = [
        _pair(page_data, other, i, None, None) for i in _rest(page_data, {i for i, _ in matched})
    ]
    unmatched += [
        _pair(page_data, other, None, j, None) for j in _rest(other, {j for _, j in matched})
    ]
    return {
        "models": [_model(page_data), _model(other)],
        "pairs": pairs + unmatched,
        "mean_likeness": rounded(np.mean([likeness[pair] for pair in matched]) if matched else 0.0),
    }


def _model(page_data: PageData) -> dict[str, Any]:
    return {
        "title": page_data.title,
        "class": type(page_data.estimator).__name__,
        "n_topics": page_data.n_topics,
        "figures": figures(page_data),
    }


def _rest(page_data: PageData, matched: set[int]) -> list[int]:
    return [topic for topic in page_data.order if topic not in matched]


def _pair(
    page_data: PageData,
    other: PageData,
    left: int | None,
    right: int | None,
    likeness: float | None,
) -> dict[str, Any]:
    ours = [] if left is None else [word for word, _ in page_data.top_words(left, WORDS)]
    theirs = [] if right is None else [word for word, _ in other.top_words(right, WORDS)]
    return {
        "left": None if left is None else topic_stub(page_data, left),
        "right": None if right is None else topic_stub(other, right),
        "likeness": likeness,
        "both": [word for word in ours if word in theirs],
        "left_only": [word for word in ours if word not in theirs][:SHOWN],
        "right_only": [word for word in theirs if word not in ours][:SHOWN],
    }
