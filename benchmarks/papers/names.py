"""Names of the four papers."""

from __future__ import annotations

SPARSE_LSA, STC, SCTM, PCP = "Sparse LSA", "STC", "SCTM", "PCP"
