"""Every table and figure of the four papers, with what each of them claims.

An entry names the benchmarks it is judged by; the verdict is worked out from their committed rows,
see `benchmarks.papers.claims`. Most figures are curves without numbers in the text: then the claims
are what the text says of them.
"""

from __future__ import annotations

from benchmarks.papers.claims import stated
from benchmarks.papers.claims_pcp import PCP_ENTRIES, PLANTED, READING
from benchmarks.papers.claims_sctm import HELD_OUT, SCTM_ENTRIES
from benchmarks.papers.claims_slsa import DENSITY, SPARSE_LSA_ENTRIES
from benchmarks.papers.claims_stc import STC_ENTRIES

ENTRIES = (*SPARSE_LSA_ENTRIES, *STC_ENTRIES, *SCTM_ENTRIES, *PCP_ENTRIES)

# --- what ours does better -----------------------------------------------------------------------

BETTER = (
    stated(
        "Sparse LSA: a fit beside the paper's algorithm as printed, D = 100, one thread",
        "slsa-paper-algorithm",
        ("fit, D=100, one thread, default*",),
        lambda times: times >= 10,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "Sparse LSA: the objective from our start beside that from the paper's, D = 500",
        DENSITY,
        ("final objective, D=500*",),
        lambda ratio: ratio < 1,
        "{0} of it",
        of="ratio",
    ),
    stated(
        "Sparse LSA: projecting one document beside dense LSA with the same sparse document",
        "slsa-transform",
        ("kernel, codes as an array | dense LSA, sparse*",),
        lambda times: times >= 6,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "STC: coding a document beside the paper's coordinate descent, at no higher objective",
        "stc-inference",
        ("coding one of 500 documents* | coordinate descent, tol=0.0001",),
        lambda times: times >= 20,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "MedSTC: a fit beside the paper's alternation, K = 60",
        "medstc-fit",
        ("fit, K=60, 1 thread*",),
        lambda times: times >= 20,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "MedSTC: accuracy beside the authors' program, K = 60",
        "medstc-fit",
        ("accuracy of this fit",),
        lambda ratio: ratio > 1,
        "{0} times as accurate",
        of="ratio",
    ),
    stated(
        "SCTM: perplexity of hidden words with smoothed topics beside LDA's, p = 150",
        HELD_OUT,
        ("perplexity by completion, p=150, SCTM, ω=5e-05*",),
        lambda ratio: ratio < 1,
        "{0} of LDA's",
        of="ratio",
    ),
    stated(
        "SCTM: a fit to within 1 % of the best objective beside SPAMS",
        "sctm-fit",
        ("fit to within 1 % of the best objective, 1 thread | SPAMS*",),
        lambda times: times >= 2,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "PCP: distance to the planted topics, factored beside the paper's exact problem",
        PLANTED,
        (f"distance, factored PCP, {READING}",),
        lambda ratio: ratio < 1,
        "{0} of it",
        of="ratio",
    ),
    stated(
        "PCP: title words among five keywords a story, our best method beside PCP alone",
        "keywords",
        ("longest: best", "longest: pcp"),
        lambda best, pcp: best > pcp,
        "{0} against {1}",
    ),
)
"""Where ours is ahead of what a paper prints or does, judged like everything else."""
