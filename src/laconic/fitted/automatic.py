"""Facts about topics that laconic computed after the fit: automatic names, and stability.

They are kept apart from the notes of users. Refitting a model drops them, because its topics
change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from laconic.fitted.pipeline_steps import last_step

ATTRIBUTE = "_automatic"  # attribute of an estimator that stores the facts


@dataclass(frozen=True)
class AutomaticFacts:
    """Facts about a topic.

    Attributes
    ----------
    name : str or None
        Automatic name; see `laconic.name_topics`.
    stability : float or None
        From 0 to 1; see `laconic.topic_stability`.

    Examples
    --------
    >>> AutomaticFacts("music").replaced(stability=0.5)
    AutomaticFacts(name='music', stability=0.5)
    """

    name: str | None = None
    stability: float | None = None

    def replaced(self, **fields: Any) -> AutomaticFacts:
        return replace(self, **fields)


def facts_of(model: Any) -> dict[int, AutomaticFacts]:
    """Return the facts about the topics of a model, by row of ``components_``."""
    estimator = last_step(model)
    topics, facts = getattr(estimator, ATTRIBUTE, (None, {}))
    if not facts or topics is not getattr(estimator, "components_", None):
        return {}
    return dict(facts)


def keep_facts(model: Any, facts: Mapping[int, AutomaticFacts]) -> None:
    """Attach facts to a model; refitting the model drops them."""
    estimator = last_step(model)
    known = {topic: fact for topic, fact in sorted(facts.items()) if fact != AutomaticFacts()}
    setattr(estimator, ATTRIBUTE, (estimator.components_, known))
