"""The fitted attributes that have an axis of topics, and how an edit changes them.

====================  ==========================================================================
kind                  values of the topics
====================  ==========================================================================
amounts               sums over documents: merged topics add up, split topics have a part
averages              properties of a topic: merged topics have the weighted mean
words                 weights of words: merged topics have the weighted mean
word amounts          sums over documents for each word
copies                weights of the copies of words, in the order of ``group_members_``
pairs                 a symmetric matrix of topics x topics
====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Field:
    """An attribute with an axis of topics: its kind, and whether topics are its columns."""

    kind: str
    columns: bool = False


FIELDS: dict[str, Field] = {
    "components_": Field("words"),
    "coding_components_": Field("words"),
    "probabilities_": Field("words"),
    "group_components_": Field("copies"),
    "topic_shares_": Field("amounts"),
    "topic_mass_": Field("amounts"),
    "topic_counts_": Field("amounts"),
    "topic_support_": Field("support"),
    "topic_means_": Field("amounts"),
    "topic_scales_": Field("averages"),
    "alpha_": Field("averages"),
    "coef_": Field("averages", columns=True),
    "word_topics_": Field("word amounts", columns=True),
    "topic_moments_": Field("pairs"),
    "topic_precision_": Field("pairs"),
}
AMOUNTS, WORD_AMOUNTS = Field("amounts"), Field("word amounts", columns=True)
# The sums of `partial_fit`: the position of each item in the tuple ``statistics_``, by class.
STATISTICS: dict[str, dict[tuple[int, ...], Field]] = {
    "SparseCoding": {(0,): WORD_AMOUNTS, (1,): AMOUNTS},
    "SparseLSA": {(0, 0): Field("pairs"), (0, 1): WORD_AMOUNTS, (0, 2): AMOUNTS},
    "PLSA": {(0,): WORD_AMOUNTS, (1,): AMOUNTS},
    "SCTM": {(0,): WORD_AMOUNTS, (1,): AMOUNTS},
    "STC": {(0,): WORD_AMOUNTS, (1,): WORD_AMOUNTS, (2,): AMOUNTS},
}
EDITABLE = ("SparseCoding", "SparseLSA", "PLSA", "SCTM", "STC", "MedSTC")


def fields_of(estimator: Any) -> Iterator[tuple[str, Field, Any]]:
    """Yield the name, the field and the value of each attribute with an axis of topics.

    Items of ``statistics_`` have names such as ``statistics_.0.1``.
    """
    values = vars(estimator)
    for name, field in FIELDS.items():
        if isinstance(value := values.get(name), np.ndarray) or hasattr(value, "tocsr"):
            yield name, field, value
    for path, field in STATISTICS.get(type(estimator).__name__, {}).items():
        value = values.get("statistics_")
        for position in path if value is not None else ():
            value = value[position]
        if isinstance(value, np.ndarray):
            yield ".".join(["statistics_", *map(str, path)]), field, value


def with_values(statistics: Any, new: dict[str, Any], name: str = "statistics_") -> Any:
    """Return ``statistics_`` with some items replaced."""
    if name in new:
        return new[name]
    if not isinstance(statistics, tuple):
        return statistics
    return tuple(with_values(item, new, f"{name}.{i}") for i, item in enumerate(statistics))
