"""Choose the number of topics and the sparsity by held-out prediction and recurrence."""

from __future__ import annotations

from laconic.tuning.prediction import held_out_score
from laconic.tuning.result import Tuning
from laconic.tuning.tune import tune

__all__ = ["Tuning", "held_out_score", "tune"]
