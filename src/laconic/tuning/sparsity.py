"""How sparse a model of the chosen size may be: a path from dense to sparse.

Each model is made sparser in the words in which its users ask for it. A fit starts from the topics
of the one before, so a path costs little more than a fit. The sparsest setting is taken that
foretells within one standard error of the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from laconic.tuning.trials import Documents, Trial, run_trial


class Sparsity(NamedTuple):
    """A parameter that makes a model sparse, and its values from dense to sparse.

    None is the model's own default.
    """

    parameter: str
    values: tuple[Any, ...]
    of: str  # what the zeros are in
    instead: tuple[str, ...] = ()  # parameters that say how sparse it is, too
    is_warm: bool = True  # whether a fit can start from the topics of another


TOPICS_EACH = (None, 10, 5, 3, 2, 1)

PATHS = {
    "slsa": Sparsity(
        "words_per_topic",
        (None, 200, 100, 50, 20, 10, 5),
        "weights of topics",
        ("alpha", "groups"),
    ),
    "plsa": Sparsity("smoothing", (None, -0.02, -0.1, -0.2, -0.4, -0.8), "weights of topics"),
    "sctm": Sparsity("topics_per_document", TOPICS_EACH, "codes of documents", ("alpha",)),
    "stc": Sparsity(
        "topics_per_document", TOPICS_EACH, "codes of documents", ("doc_penalty", "doc_norm")
    ),
    # its topics are held near those of the classes where it starts
    "medstc": Sparsity(
        "topics_per_document",
        TOPICS_EACH,
        "codes of documents",
        ("doc_penalty", "doc_norm"),
        is_warm=False,
    ),
    # the threshold is what it finds by a path of its own
    "pcp": Sparsity(
        "keywords_per_document",
        (None, 20, 10, 5, 2, 1),
        "keywords of documents",
        ("alpha",),
        is_warm=False,
    ),
}


class Step(NamedTuple):
    """A setting on the path and what it came to."""

    value: Any
    trial: Trial


def is_told(path: Sparsity, params: Mapping[str, Any]) -> bool:
    """Whether parameters say already how sparse the model is."""
    return any(params.get(name) is not None for name in (path.parameter, *path.instead))


def values_for(path: Sparsity, size: int, n_words: int) -> list[Any]:
    """The values that make a difference to a model of this size."""
    limits = {"words_per_topic": n_words, "topics_per_document": size}
    limit = limits.get(path.parameter, np.inf)
    return [value for value in path.values if value is None or value < limit]


def follow(
    path: Sparsity,
    values: Sequence[Any],
    make: Callable[..., Any],
    documents: Documents,
    random_state: int,
) -> Iterator[Step]:
    """One trial for each value; `make` takes the parameter and returns an unfitted pipeline."""
    first: Sequence[Any] = ()
    for value in values:
        given = {} if value is None else {path.parameter: value}
        trial = run_trial(
            partial(make, **given),
            documents,
            first=first if path.is_warm else (),
            by_codes=True,
            random_state=random_state,
        )
        yield Step(value, trial)
        first = trial.topics


def sparsest(steps: Sequence[Step]) -> Step:
    """The one with most zeros within one standard error of the best."""
    best = max(steps, key=lambda step: step.trial.measure).trial
    limit = best.measure - best.standard_error
    return max(
        (step for step in steps if step.trial.measure >= limit), key=lambda step: step.trial.zeros
    )
