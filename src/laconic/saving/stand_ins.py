"""Stand-ins for the estimators of a saved model.

Commands that only show a model need its attributes, but not its methods, as do edits of topics, and
search needs only to code a text. The import of scikit-learn and of the estimators would take most
of the time of such a command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from laconic.errors import LaconicError
from laconic.models import CLASSES
from laconic.saving.rules import ANY_NUMBER
from laconic.weighting.weights import SCHEMES, Z_SCORES

PLAIN = (bool, int, float, str, type(None))  # types of the parameters that are kept
STEPS = {"vectorizer": "Vectorizer", "weighting": "Weighting", **CLASSES}
DISTRIBUTIONS = ("plsa", "sctm", "stc", "medstc")  # models whose topics are word distributions


class StandIn:
    """Fitted attributes and parameters of a saved estimator; only simple parameters are attributes.

    The class of a stand-in has the name of the class of the estimator.
    """

    TOPICS_ARE_DISTRIBUTIONS = False
    SAVED_NAME = ""  # name of the class in ``model.json``

    def __init__(self, **parameters: Any) -> None:
        self._parameters = parameters
        for name, value in parameters.items():
            if name.endswith("_") or hasattr(type(self), name):
                raise LaconicError(f"{name!r:.50} is not a parameter of {type(self).__name__}")
            is_number = isinstance(value, (int, float)) and name != "tol"
            problem = ANY_NUMBER(float(value), {}) if is_number else None
            if problem is not None:
                raise LaconicError(f"the parameter {name} of {type(self).__name__} must {problem}")
            if isinstance(value, PLAIN):
                setattr(self, name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters, with the current values of those that are attributes."""
        return {name: getattr(self, name, value) for name, value in self._parameters.items()}

    def _derived(self, name: str, make: Callable[[], Any], *learned: Any) -> Any:
        """Return ``make()``, which is computed once; nothing changes a stand-in."""
        cache = self.__dict__.setdefault("_cache", {})
        if name not in cache:
            cache[name] = make()
        return cache[name]

    def get_feature_names_out(self, words: Any = None) -> np.ndarray:
        """Return the words of a step before the last, given the words that enter it."""
        own = getattr(self, "vocabulary_", getattr(self, "feature_names_in_", None))
        if own is None and words is None:
            raise ValueError("The step has no words.")
        if own is not None and words is not None and not np.array_equal(own, words):
            raise ValueError("The step has other words.")
        return words if own is None else own


class StandInPipeline:
    """Steps of a saved pipeline, with the parts of the interface of a pipeline that reading needs.

    Examples
    --------
    >>> pipeline = StandInPipeline([("model", StandIn(n_components=3))])
    >>> pipeline[-1].n_components
    3
    """

    def __init__(self, steps: list[tuple[str, Any]]) -> None:
        self.steps = steps

    @property
    def named_steps(self) -> dict[str, Any]:
        return dict(self.steps)

    def __getitem__(self, position: int) -> Any:
        return self.steps[position][1]


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > -1


def _is_target(value: Any) -> bool:
    return value is None or isinstance(value, (int, float, str))


# The parameters with which each model codes documents, and what they must be.
CODING_PARAMETERS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "sc": {
        "codes": ("lasso", "sparse", "projection").__contains__,
        "positive": (True, False).__contains__,
    },
    "slsa": {
        "codes": ("auto", "sparse", "projection").__contains__,
        "positive": (True, False).__contains__,
        "topics_per_document": _is_target,
    },
    "plsa": {"doc_smoothing": _is_share},
    "weighting": {
        "scheme": lambda scheme: scheme in SCHEMES and scheme not in Z_SCORES,
        "dtype": ("float32", "float64").__contains__,
        "output": ("corpus", "csr").__contains__,
    },
    "vectorizer": {},
}


def can_code(name: str, step: StandIn) -> bool:
    """Return whether a stand-in codes documents; if not, the estimator is needed."""
    values = vars(step)
    if name not in CODING_PARAMETERS or "edits_" in values:
        return False
    return all(
        parameter in values and is_valid(values[parameter])
        for parameter, is_valid in CODING_PARAMETERS[name].items()
    )


def has_stand_in(name: object) -> TypeGuard[str]:
    """Return whether a name in ``model.json`` is the name of one of laconic's classes."""
    return isinstance(name, str) and name in STEPS


def stand_in_for(name: str) -> type[StandIn]:
    """Return the class of stand-ins for the class that has this name in ``model.json``."""
    known = {"TOPICS_ARE_DISTRIBUTIONS": name in DISTRIBUTIONS, "SAVED_NAME": name}
    return type(STEPS[name], (StandIn,), known)
