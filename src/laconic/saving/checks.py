"""Check the parameters and fitted attributes of an estimator when it is saved and loaded.

The checks of parameters import the estimators; the checks of attributes do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.outputs import check_output
from laconic.errors import LaconicError
from laconic.files.json_values import FUNCTIONS
from laconic.saving.rules import (
    ANY_NUMBER,
    MAX_TOPICS,
    PARAMETERS,
    REQUIRED,
    RULES,
    TOGETHER,
    WEIGHTS,
    Sizes,
)
from laconic.saving.stand_ins import can_code
from laconic.text.defaults import NO_SETTINGS, SETTINGS
from laconic.weighting.weights import SCHEMES, Z_SCORES

MAX_WORKERS = 4096
MAX_PATTERN = 1000  # maximum length of a token pattern
MAX_NGRAM = 100
LABELS = (str, int, float, np.generic)  # types of the names of groups


def check_estimator(name: str, estimator: Any) -> None:
    """Raise a LaconicError if an estimator cannot be used, or not without risk.

    Parameters
    ----------
    name : str
        Name of the class in ``model.json``.
    estimator : estimator
        Estimator with all its parameters and fitted attributes.
    """
    check_attributes(name, estimator)
    _check_parameters(name, estimator)


def check_attributes(name: str, estimator: Any) -> None:
    """Raise a LaconicError if a fitted attribute of an estimator, or of a stand-in, is invalid."""
    fitted = {key: value for key, value in vars(estimator).items() if key.endswith("_")}
    rules, cls = RULES.get(name, {}), type(estimator).__name__
    missing = [key for key in REQUIRED.get(name, ()) if key not in fitted]
    for group in TOGETHER:
        known = [key for key in group if key in rules]
        if any(key in fitted for key in known):
            missing += [key for key in known if key not in fitted]
    if missing:
        raise LaconicError(f"the attribute {missing[0]} of {cls} is missing")
    sizes = _sizes(name, fitted)
    for key, value in fitted.items():
        problem = rules[key](value, sizes) if key in rules else _generic_problem(value)
        if problem is not None:
            raise LaconicError(f"the attribute {key} of {cls} must {problem}")
    if name == "stc":
        _check_stc(estimator)
    elif name == "pcp":
        _check_pcp(estimator)


def _sizes(name: str, fitted: Mapping[str, Any]) -> Sizes:
    """Return the sizes to which the axes of the attributes refer."""
    components: Any = fitted.get("components_")
    n_words = fitted.get("n_features_in_")
    if n_words is None and fitted.get("vocabulary_") is not None:
        n_words = len(fitted["vocabulary_"])
    sizes = {"words": int(n_words) if isinstance(n_words, Integral) else 0}
    sizes |= dict.fromkeys(("topics", "groups", "copies", "scores", "seeds", "seed_entries"), 0)
    if name in RULES and hasattr(components, "shape"):
        sizes["topics"] = components.shape[0]
        if sizes["topics"] > MAX_TOPICS:
            raise LaconicError(f"a model may have at most {MAX_TOPICS:,} topics")
    members: Any = fitted.get("group_members_")
    classes: Any = fitted.get("classes_")
    seeds: Any = fitted.get("seed_words_")
    if sp.issparse(seeds):
        wanted = int(np.count_nonzero(seeds.data > 0))
        sizes |= {"seeds": seeds.shape[0], "seed_entries": wanted}
    if sp.issparse(members):
        sizes |= {"groups": members.shape[0], "copies": members.nnz}
    if isinstance(classes, np.ndarray) and classes.ndim == 1:
        sizes["scores"] = 1 if len(classes) == 2 else len(classes)
    return sizes


def _generic_problem(value: Any) -> str | None:
    """Return what an attribute without a rule should be."""
    numbers = value.data if sp.issparse(value) else value
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "f" and numbers.size:
        return None if np.isfinite(numbers).all() else "contain only finite numbers"
    return None


def _check_parameters(name: str, estimator: Any) -> None:
    from laconic.engines.threads import count_workers

    n_jobs = getattr(estimator, "n_jobs", None)
    if count_workers(n_jobs) > MAX_WORKERS:
        raise LaconicError(f"n_jobs={n_jobs} is more than {MAX_WORKERS:,}")
    if name == "vectorizer":
        _check_vectorizer(estimator)
    elif name == "weighting":
        _check_weighting(estimator)
    elif name in RULES:
        _check_model(estimator)


def _check_model(model: Any) -> None:
    try:
        model.check_parameters()
    except LaconicError:
        raise
    except (ValueError, TypeError, OverflowError) as error:  # scikit-learn's messages
        raise LaconicError(str(error)) from error
    for name, value in model.get_params(deep=False).items():
        is_number = isinstance(value, Real) and name != "tol"
        rule = PARAMETERS.get(name, ANY_NUMBER if is_number else None)
        problem = rule(float(value), {}) if rule is not None else None
        if problem is not None:
            raise LaconicError(f"the parameter {name} of {type(model).__name__} must {problem}")
    if hasattr(model, "group_weights") and not isinstance(model.groups, (str, PathLike)):
        _check_groups(model.groups, model.group_weights)


def _check_pcp(model: Any) -> None:
    """Raise if attributes that depend on others are missing."""
    if model.rank_ != model.components_.shape[0]:
        raise LaconicError("rank_ of PCP must be the number of its components")
    if not (hasattr(model, "gap_") or hasattr(model, "document_length_")):
        raise LaconicError("the attribute document_length_ of PCP is missing")
    if hasattr(model, "code_threshold_") and not hasattr(model, "word_counts_"):
        raise LaconicError("the attribute word_counts_ of PCP is missing")


def _check_stc(model: Any) -> None:
    """Raise if `partial_fit` could not continue the fit."""
    needed = [] if hasattr(model, "statistics_") else ["topic_counts_", "topic_mass_"]
    needed += ["n_documents_", "divergence_"]
    for name in needed:
        if not hasattr(model, name):
            raise LaconicError(f"the attribute {name} of STC is missing")


def _check_groups(groups: Any, weights: Any) -> None:
    """Raise if the groups of words that a user passed to SparseLSA cannot be used."""
    if isinstance(groups, Mapping):
        members = [item for value in groups.values() for item in _items(value)]
        is_valid = all(isinstance(item, LABELS) for item in (*groups, *members))
    else:
        is_valid = all(isinstance(item, LABELS) for item in _items(groups))
    if isinstance(weights, Mapping):
        is_valid &= all(isinstance(item, LABELS) for item in weights)
        weights = list(weights.values())
    is_valid &= all(isinstance(item, Real) for item in _items(weights))
    if not is_valid:
        raise LaconicError("'groups' or 'group_weights' of SparseLSA contains invalid values")


def _items(value: Any) -> list[Any]:
    """Return the items of a list, set or array; any other value is the only item."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, set, frozenset)):
        return list(value)
    return [] if value is None else [value]


def check_coding(name: str, stand_in: Any) -> None:
    """Raise a LaconicError if a stand-in that codes texts cannot do so without risk.

    If it does not code texts (see `can_code`), the estimator is loaded, and checked then.
    """
    check_attributes(name, stand_in)
    if name == "weighting" and can_code(name, stand_in):
        _check_weighting(stand_in)
    elif name == "vectorizer":
        check_text_settings(stand_in.settings_)


def _check_weighting(weighting: Any) -> None:
    scheme, scale = weighting.scheme, weighting.scale_
    if scheme not in SCHEMES or weighting.dtype not in ("float32", "float64"):
        raise LaconicError(f"Weighting has the scheme {scheme!r} and the dtype {weighting.dtype!r}")
    check_output(weighting)
    needs_scale = scheme in Z_SCORES or scheme.startswith("tfidf")
    if (scale is not None) != needs_scale or hasattr(weighting, "center_") != (scheme in Z_SCORES):
        raise LaconicError(f"the weights of words do not match the weighting scheme {scheme!r}")
    if scheme.startswith("tfidf"):  # A document of words of weight zero would get NaN.
        problem = WEIGHTS(scale, {"words": weighting.n_features_in_})
        if problem is not None:
            raise LaconicError(f"the attribute scale_ of Weighting must {problem}")


def _check_vectorizer(vectorizer: Any) -> None:
    from laconic.text.settings import fixed_words

    check_output(vectorizer)
    check_text_settings(vectorizer.get_params(deep=False))
    check_text_settings(vectorizer.settings_)
    if vectorizer.vocabulary is not None:
        fixed_words(vectorizer.vocabulary)
    if vectorizer.vocabulary_ is None and not hasattr(vectorizer, "n_features_in_"):
        raise LaconicError("Vectorizer has neither words nor a number of words")


def check_text_settings(settings: Mapping[str, Any]) -> None:
    """Raise if saved settings of a `Vectorizer` are invalid."""
    from laconic.text.settings import check_settings  # needs numba

    known = {**SETTINGS, **NO_SETTINGS}
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise LaconicError(f"a Vectorizer has no setting {unknown[0]!r:.50}")
    given = {**known, **settings}
    for name in FUNCTIONS:  # If a function was not supplied, its name takes its place.
        if isinstance(given[name], str) and ":" in given[name]:
            given[name] = str
    try:
        pattern = given["token_pattern"]
        if isinstance(pattern, str) and len(pattern) > MAX_PATTERN:
            raise LaconicError(f"token_pattern has more than {MAX_PATTERN:,} characters")
        checked = check_settings(given)
    except (TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise LaconicError(f"a setting of the Vectorizer is invalid: {error}") from error
    if checked["ngram_range"][1] > MAX_NGRAM:
        raise LaconicError(f"ngram_range is longer than {MAX_NGRAM} words")
