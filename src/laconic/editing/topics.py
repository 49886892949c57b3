"""Check the model and the topics of an edit; topics are given by number or by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.fitted.notes import names_of
from laconic.fitted.pipeline_steps import laconic_step
from laconic.fitted.topic_list import Topic, Topics
from laconic.models.edits.attributes import EDITABLE

TopicName = int | str


def editable_step(model: Any) -> Any:
    """Return the last step of a model; raise an error if its topics cannot be edited."""
    estimator = laconic_step(model)
    name = type(estimator).__name__
    if name == "PCP":
        raise LaconicError(
            "The topics of PCP cannot be edited, because they are the axes of one background; hide "
            "a topic in the explorer, or fit another model."
        )
    if name not in EDITABLE:
        raise LaconicError(f"The topics of {name} cannot be edited; pass a model of laconic.")
    return estimator


def as_list(topics: Any) -> list[Any]:
    """Return one topic or several topics as a list; raise an error for anything else."""
    if isinstance(topics, (int, np.integer, str)):
        return [topics]
    if not isinstance(topics, Iterable):
        raise LaconicError(
            f"topics={topics!r} is neither a topic nor a list of topics; give numbers or names."
        )
    return list(topics)


def find_topics(model: Any, topics: TopicName | Iterable[TopicName]) -> list[int]:
    """Return the numbers of topics given by number or name; raise if one is given twice."""
    given = as_list(topics)
    names, n_topics = names_of(model), laconic_step(model).components_.shape[0]
    known = Topics(
        [Topic(number, names.get(number), None, None, 0, []) for number in range(n_topics)],
        n_topics,
    )
    numbers = [known[topic].number for topic in given]
    if not numbers:
        raise LaconicError("No topic was given; give at least one topic by its number or name.")
    for position, number in enumerate(numbers):
        if number in numbers[:position]:
            raise LaconicError(f"Topic {number} was given twice; give each topic once.")
    return numbers
