"""Sparsity paths: refits of a model of the chosen size, from dense to sparse.

The path varies the parameter that a user would set to make the model sparser. Each fit is
initialised with the topics of the previous fit, so a path costs little more than one fit. The
sparsest setting within one standard error of the best setting is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from laconic.tuning.trials import Documents, Trial, run_trial


class Sparsity(NamedTuple):
    """A parameter that makes a model sparse, and its values from dense to sparse.

    The value None means the default of the model.
    """

    parameter: str
    values: tuple[Any, ...]
    zeros_in: str  # name of the entries among which zeros are counted
    alternatives: tuple[str, ...] = ()  # other parameters that determine the sparsity
    is_warm: bool = True  # whether each fit is initialised with the topics of the previous fit


TOPICS_PER_DOCUMENT = (None, 10, 5, 3, 2, 1)

PATHS = {
    # None is at most 5.5 topics per document
    "sc": Sparsity("topics_per_document", (None, 4, 3, 2, 1), "codes of documents", ("alpha",)),
    "slsa": Sparsity(
        "words_per_topic",
        (None, 200, 100, 50, 20, 10, 5),
        "weights of topics",
        ("alpha", "groups"),
    ),
    "plsa": Sparsity("smoothing", (None, -0.02, -0.1, -0.2, -0.4, -0.8), "weights of topics"),
    "sctm": Sparsity("topics_per_document", TOPICS_PER_DOCUMENT, "codes of documents", ("alpha",)),
    "stc": Sparsity(
        "topics_per_document",
        TOPICS_PER_DOCUMENT,
        "codes of documents",
        ("doc_penalty", "doc_norm"),
    ),
    # no warm start, because MedSTC starts from topics of the classes and stays close to them
    "medstc": Sparsity(
        "topics_per_document",
        TOPICS_PER_DOCUMENT,
        "codes of documents",
        ("doc_penalty", "doc_norm"),
        is_warm=False,
    ),
    # no warm start, because each fit of a PCP follows a path of its own to find the threshold
    "pcp": Sparsity(
        "keywords_per_document",
        (None, 20, 10, 5, 2, 1),
        "keywords of documents",
        ("alpha",),
        is_warm=False,
    ),
}


class Step(NamedTuple):
    """A setting on the path and its trial."""

    value: Any
    trial: Trial


def is_sparsity_set(path: Sparsity, params: Mapping[str, Any]) -> bool:
    """Return whether `params` already determine the sparsity of the model."""
    return any(params.get(name) is not None for name in (path.parameter, *path.alternatives))


def values_for(path: Sparsity, size: int, n_words: int) -> list[Any]:
    """Return the values of the path that are small enough to change a model of this size."""
    limits = {"words_per_topic": n_words, "topics_per_document": size}
    limit = limits.get(path.parameter, np.inf)
    return [value for value in path.values if value is None or value < limit]


def run_path(
    path: Sparsity,
    values: Sequence[Any],
    make: Callable[..., Any],
    documents: Documents,
    random_state: int,
) -> Iterator[Step]:
    """Yield one step per value; `make` accepts the parameter and returns an unfitted pipeline."""
    init: Sequence[Any] = ()
    for value in values:
        params = {} if value is None else {path.parameter: value}
        trial = run_trial(
            partial(make, **params),
            documents,
            init=init if path.is_warm else (),
            by_codes=True,
            random_state=random_state,
        )
        yield Step(value, trial)
        init = trial.topics


def sparsest(steps: Sequence[Step]) -> Step:
    """Return the step with the most zeros among the steps within one standard error of the best."""
    best = max(steps, key=lambda step: step.trial.metric).trial
    limit = best.metric - best.standard_error
    return max(
        (step for step in steps if step.trial.metric >= limit), key=lambda step: step.trial.zeros
    )
