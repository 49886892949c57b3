"""How a fitted `SparseCoding`, or a stand-in for one, codes documents; needs no scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.corpus.matrices import unit_rows
from laconic.engines.base import Step
from laconic.models.sparse_codes import (
    CodingParams,
    check_sparse,
    codes_of,
    correlations_of,
    lasso_params,
    ridge_params,
)


def coding_step(model: Any) -> tuple[Step, tuple[Any, ...]]:
    """Return the step that codes a chunk, and its parameters, to which `sparse` is to be added."""
    if model.codes == "projection":
        topics = model._derived("by_word", lambda: np.ascontiguousarray(model.components_.T))
        return correlations_of, (topics,)
    return codes_of, (coding_params(model),)


def coding_params(model: Any) -> CodingParams:
    """Return the parameters of sparse codes or lasso codes, which the model caches."""
    topics = getattr(model, "coding_components_", model.components_)
    if model.codes != "sparse":
        alpha = model.alpha_
        return model._derived(
            "lasso", lambda: lasso_params(topics, alpha, model.positive), topics, alpha
        )
    check_sparse(model)
    threshold = model.code_threshold_
    return model._derived(
        "ridge",
        lambda: ridge_params(unit_rows(topics), model.positive, threshold),
        topics,
        threshold,
    )
