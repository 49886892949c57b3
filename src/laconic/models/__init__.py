"""All model classes, and `MODELS`, which maps the command-line name of a model to its class.

A class is imported when it is first used, so that a saved model is loaded without the other models.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.models.pcp.estimator import PCP
    from laconic.models.plsa.estimator import PLSA
    from laconic.models.sctm.estimator import SCTM
    from laconic.models.sparse_coding.estimator import SparseCoding
    from laconic.models.sparse_lsa.estimator import SparseLSA
    from laconic.models.stc.medstc import MedSTC
    from laconic.models.stc.stc import STC

    MODELS: dict[str, Any]

# The name of each model on the command line and in ``model.json``, and the name of its class.
CLASSES = {
    "sc": "SparseCoding",
    "slsa": "SparseLSA",
    "plsa": "PLSA",
    "sctm": "SCTM",
    "stc": "STC",
    "medstc": "MedSTC",
    "pcp": "PCP",
}

__all__ = ["MODELS", "PCP", "PLSA", "SCTM", "STC", "MedSTC", "SparseCoding", "SparseLSA"]


def __getattr__(name: str) -> Any:
    value: Any
    if name == "MODELS":
        value = {key: __getattr__(cls) for key, cls in CLASSES.items()}
    elif name in CLASSES.values():
        value = getattr(importlib.import_module("laconic"), name)
    else:
        raise AttributeError(f"module 'laconic.models' has no attribute {name!r}")
    globals()[name] = value
    return value
