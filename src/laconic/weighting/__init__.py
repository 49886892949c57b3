"""Weights of words in documents, for models that do not fit counts.

The estimator is imported on first use, so that a query is weighted without scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from laconic.weighting.weights import SCHEMES, Weights

if TYPE_CHECKING:
    from laconic.weighting.transformer import Weighting, learn_scale

__all__ = ["SCHEMES", "Weighting", "Weights", "learn_scale"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'laconic.weighting' has no attribute {name!r}")
    return getattr(importlib.import_module("laconic.weighting.transformer"), name)
