"""Two models side by side: which of their topics are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.fitted.similar_topics import likeness_between
from laconic.metrics.stability import match
from laconic.web.page_data import PageData
from laconic.web.views.common import Missing, rounded, topic_stub
from laconic.web.views.overview import figures

WORDS = 12  # of each topic that are compared
SHOWN = 8  # words on one side only


def compared(material: PageData) -> dict[str, Any]:
    """Topics of both models in pairs, one to one, the most alike first."""
    other = material.other
    if other is None:
        raise Missing("There is no other model to compare with; name one with --compare.")
    likeness = likeness_between(material.model, other.model)
    left, right, _ = match(likeness)
    matched = [(int(i), int(j)) for i, j in zip(left, right, strict=True) if likeness[i, j] > 0]
    matched.sort(key=lambda pair: (-likeness[pair], pair))
    pairs = [_pair(material, other, i, j, rounded(likeness[i, j])) for i, j in matched]
    lonely = [
        _pair(material, other, i, None, None) for i in _rest(material, {i for i, _ in matched})
    ]
    lonely += [_pair(material, other, None, j, None) for j in _rest(other, {j for _, j in matched})]
    return {
        "models": [_model(material), _model(other)],
        "pairs": pairs + lonely,
        "mean_likeness": rounded(np.mean([likeness[pair] for pair in matched]) if matched else 0.0),
    }


def _model(material: PageData) -> dict[str, Any]:
    return {
        "title": material.title,
        "class": type(material.estimator).__name__,
        "n_topics": material.n_topics,
        "figures": figures(material),
    }


def _rest(material: PageData, matched: set[int]) -> list[int]:
    return [topic for topic in material.order if topic not in matched]


def _pair(
    material: PageData, other: PageData, left: int | None, right: int | None, likeness: float | None
) -> dict[str, Any]:
    ours = [] if left is None else [word for word, _ in material.top_words(left, WORDS)]
    theirs = [] if right is None else [word for word, _ in other.top_words(right, WORDS)]
    return {
        "left": None if left is None else topic_stub(material, left),
        "right": None if right is None else topic_stub(other, right),
        "likeness": likeness,
        "both": [word for word in ours if word in theirs],
        "left_only": [word for word in ours if word not in theirs][:SHOWN],
        "right_only": [word for word in theirs if word not in ours][:SHOWN],
    }
