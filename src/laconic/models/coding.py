"""Code documents with a fitted model, or with a stand-in for a saved model.

The function `coding_step` of a model family returns the step by which `transform` codes a chunk of
documents, and its parameters. It needs only the fitted attributes of the model, and imports no
estimator, so that a query is coded without scikit-learn, whose import takes a second.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import MemoryChunk
from laconic.engines.base import Step

CodingStep = Callable[[Any], tuple[Step, tuple[Any, ...]]]

# The class of each model that has such a function, and the module of the function.
HOMES = {
    "SparseCoding": "laconic.models.sparse_coding.coding",
    "SparseLSA": "laconic.models.sparse_lsa.coding",
    "PLSA": "laconic.models.plsa.mixture",
}


def is_a(step: Any, name: str) -> bool:
    """Return whether a step is an estimator of laconic with this class name, or a stand-in for it.

    Unlike `isinstance`, this does not import the class.
    """
    return any(
        cls.__name__ == name and cls.__module__.startswith("laconic.") for cls in type(step).__mro__
    )


def coding_step_of(model: Any) -> CodingStep | None:
    """Return the function `coding_step` for a model; None if its family has none.

    An edited model has none either, because its codes are computed from codes of other topics.
    """
    if hasattr(model, "edits_"):
        return None
    for name, module in HOMES.items():
        if is_a(model, name):
            return importlib.import_module(module).coding_step
    return None


def code_rows(coding_step: CodingStep, model: Any, X: sp.csr_matrix) -> np.ndarray:
    """Return the codes of documents as an array: those of `transform`, without its checks."""
    step, params = coding_step(model)
    return step((*params, False), MemoryChunk(X, 0, X.shape[0]), None)[0]


def words_topics(model: Any) -> np.ndarray:
    """Return the topics as a cached array of words x topics.

    A model loaded from a file computes this array on first use.
    """
    # `np.array` copies even a single topic, because kernels are not compiled for read-only arrays.
    return model._derived("by_word", lambda: np.array(model.components_.T, order="C"))
