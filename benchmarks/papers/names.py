"""Names of the four papers."""

from __future__ import annotations

SPARSE_LSA, STC, SCTM, PCP = "Sparse LSA", "STC", "SCTM", "PCP"
PAPERS = {
    SPARSE_LSA: "Chen, Qi, Bai, Lin, Carbonell: Sparse Latent Semantic Analysis, SDM 2011",
    STC: "Zhu, Xing: Sparse Topical Coding, UAI 2011",
    SCTM: "Wang: Sparse Coding and an Application to Topic Models",
    PCP: "Min, Zhang, Wright, Ma: Decomposing Background Topics from Keywords by Principal "
    "Component Pursuit, CIKM 2010",
}
DRAWING = "a drawing of the model, without measurements"
