"""Access to the steps of a model: a pipeline or a single estimator.

Functions import scikit-learn only if they need it, because stand-ins for the estimators of a saved
model are shown without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.models.coding import is_a


def is_pipeline(model: Any) -> bool:
    """Return whether a model is a pipeline of scikit-learn or a stand-in for one."""
    return hasattr(type(model), "named_steps")


def steps_of(model: Any) -> list[Any]:
    """Return the steps of a pipeline in order; a single estimator counts as one step."""
    return [step for _, step in model.steps] if is_pipeline(model) else [model]


def last_step(model: Any) -> Any:
    """Return the last step, a fitted or unfitted estimator that has the topics."""
    return model[-1] if is_pipeline(model) else model


def with_last_step(model: Any, estimator: Any) -> Any:
    """Return a model with the earlier steps of `model` and with `estimator` as the last step."""
    if not is_pipeline(model):
        return estimator
    return type(model)([*model.steps[:-1], (model.steps[-1][0], estimator)])


def transform_before(model: Any, X: Any) -> Any:
    """Transform documents with all steps before the last step."""
    return model[:-1].transform(X) if is_pipeline(model) else X


def takes_texts(model: Any) -> bool:
    """Return whether the first step counts the words of texts, and is not a `Vectorizer`."""
    first = steps_of(model)[0]
    if is_a(first, "Vectorizer") or not hasattr(first, "__sklearn_tags__"):
        return False
    from sklearn.utils import get_tags

    return bool(get_tags(first).input_tags.string)


def as_input(model: Any, corpus: Corpus) -> Any:
    """Return the documents of a corpus in the form that the first step of a model needs."""
    if not takes_texts(model):
        return corpus
    if corpus.texts is None:
        raise LaconicError(
            f"{type(steps_of(model)[0]).__name__} needs texts, but this corpus has none; read it "
            "with keep_texts=True."
        )
    return [text or "" for text in corpus.texts]


def fitted_step(model: Any) -> Any:
    """Return the last step; raise an error if `model` is not a fitted model.

    Examples
    --------
    >>> fitted_step("posts.model")
    Traceback (most recent call last):
        ...
    laconic.errors.LaconicError: model must be a fitted model, not the path 'posts.model'; \
load it with laconic.load('posts.model').
    """
    estimator = last_step(model)
    if isinstance(estimator, (str, Path)):
        raise LaconicError(
            f"model must be a fitted model, not the path {str(estimator)!r}; load it with "
            f"laconic.load({str(estimator)!r})."
        )
    if not hasattr(estimator, "components_"):
        from sklearn.base import BaseEstimator
        from sklearn.utils.validation import check_is_fitted

        if not isinstance(estimator, BaseEstimator):
            raise LaconicError(f"model must be a fitted model; got {type(estimator).__name__}.")
        check_is_fitted(estimator)
        raise LaconicError(f"{type(estimator).__name__} has no topics; pass a topic model.")
    return estimator


def encoding_step(model: Any) -> Any:
    """Return the last step; raise an error if it is not fitted or cannot encode documents."""
    estimator = last_step(model)
    if not (hasattr(estimator, "sparse_output") or hasattr(estimator, "components_")):
        from sklearn.base import BaseEstimator

        if isinstance(estimator, BaseEstimator):
            raise LaconicError(
                f"{type(estimator).__name__} has no topics, so it cannot encode documents."
            )
    return fitted_step(model)


def laconic_step(model: Any) -> Any:
    """Return the last step; raise an error if it is not a fitted model of laconic."""
    estimator = encoding_step(model)
    if not hasattr(estimator, "sparse_output"):
        raise LaconicError(
            f"{type(estimator).__name__} is not a model of laconic; charts, the explorer and "
            "reports need one, but laconic.topics, similar, top_documents and search accept it."
        )
    return estimator


def coding_topics(estimator: Any) -> Any:
    """Return the topics that documents are coded with; ``components_`` may have fewer words."""
    return getattr(estimator, "coding_components_", estimator.components_)
