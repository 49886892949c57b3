"""The fitted model out of whatever someone gives for one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError


def fitted_step(model: Any) -> Any:
    """The model itself, out of a pipeline or alone; refuses what is none or is not fitted.

    Examples
    --------
    >>> fitted_step("posts.model")
    Traceback (most recent call last):
        ...
    laconic.errors.LaconicError: A fitted model is needed, not the path 'posts.model'; \
load it with laconic.load('posts.model').
    """
    estimator = model[-1] if isinstance(model, Pipeline) else model
    if isinstance(estimator, (str, Path)):
        raise LaconicError(
            f"A fitted model is needed, not the path {str(estimator)!r}; load it with "
            f"laconic.load({str(estimator)!r})."
        )
    if not isinstance(estimator, BaseEstimator) and not hasattr(estimator, "components_"):
        raise LaconicError(f"A fitted model is needed; got {type(estimator).__name__}.")
    check_is_fitted(estimator, "components_")
    return estimator
