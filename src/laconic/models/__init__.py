"""All model classes, and `MODELS`, which maps the command-line name of a model to its class."""

from __future__ import annotations

from typing import Any

from laconic.models.pcp.estimator import PCP
from laconic.models.plsa.estimator import PLSA
from laconic.models.sctm.estimator import SCTM
from laconic.models.sparse_coding.estimator import SparseCoding
from laconic.models.sparse_lsa.estimator import SparseLSA
from laconic.models.stc.medstc import MedSTC
from laconic.models.stc.stc import STC

MODELS: dict[str, Any] = {
    "sc": SparseCoding,
    "slsa": SparseLSA,
    "plsa": PLSA,
    "sctm": SCTM,
    "stc": STC,
    "medstc": MedSTC,
    "pcp": PCP,
}

__all__ = ["MODELS", "PCP", "PLSA", "SCTM", "STC", "MedSTC", "SparseCoding", "SparseLSA"]
