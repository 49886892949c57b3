"""All tables and figures of the four papers, with their claims.

An entry names the benchmarks that it is compared with. The verdict is computed from their committed
rows; see `benchmarks.papers.claims`. Most figures are curves without printed numbers; in this case,
the claims are the statements in the text of the paper.
"""

from __future__ import annotations

from benchmarks.papers.claims import stated
from benchmarks.papers.claims_pcp import PCP_ENTRIES, PLANTED, READING
from benchmarks.papers.claims_sctm import HELD_OUT, SCTM_ENTRIES
from benchmarks.papers.claims_slsa import DENSITY, SPARSE_LSA_ENTRIES
from benchmarks.papers.claims_stc import STC_ENTRIES

ENTRIES = (*SPARSE_LSA_ENTRIES, *STC_ENTRIES, *SCTM_ENTRIES, *PCP_ENTRIES)

# --- our own claims ------------------------------------------------------------------------------

BETTER = (
    stated(
        "Sparse LSA: fit time compared with the paper's printed algorithm, D = 100, one thread",
        "slsa-paper-algorithm",
        ("fit, D=100, one thread, default*",),
        lambda times: times >= 10,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "Sparse LSA: objective with our initialisation relative to the paper's initialisation, "
        "D = 500",
        DENSITY,
        ("final objective, D=500*",),
        lambda ratio: ratio < 1,
        "ratio {0}",
        of="ratio",
    ),
    stated(
        "Sparse LSA: time to project one sparse document compared with dense LSA",
        "slsa-transform",
        ("kernel, codes as an array | dense LSA, sparse*",),
        lambda times: times >= 6,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "STC: time to code a document compared with coordinate descent, at no higher objective",
        "stc-inference",
        ("coding one of 500 documents* | coordinate descent, tol=0.0001",),
        lambda times: times >= 20,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "MedSTC: fit time compared with the paper's alternating algorithm, K = 60",
        "medstc-fit",
        ("fit, K=60, 1 thread*",),
        lambda times: times >= 20,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "MedSTC: accuracy compared with the authors' program, K = 60",
        "medstc-fit",
        ("accuracy of this fit",),
        lambda ratio: ratio > 1,
        "{0} times as accurate",
        of="ratio",
    ),
    stated(
        "SCTM: perplexity of held-out words with smoothed topics relative to LDA, p = 150",
        HELD_OUT,
        ("perplexity by completion, p=150, SCTM, ω=5e-05*",),
        lambda ratio: ratio < 1,
        "ratio {0}",
        of="ratio",
    ),
    stated(
        "SCTM: fit time to within 1 % of the best objective compared with SPAMS",
        "sctm-fit",
        ("fit to within 1 % of the best objective, 1 thread | SPAMS*",),
        lambda times: times >= 2,
        "{0} times faster",
        of="inverse",
    ),
    stated(
        "PCP: distance to the true topics of factored PCP relative to the paper's exact problem",
        PLANTED,
        (f"distance, factored PCP, {READING}",),
        lambda ratio: ratio < 1,
        "ratio {0}",
        of="ratio",
    ),
    stated(
        "PCP: title words among five keywords per story, our best method compared with PCP alone",
        "keywords",
        ("longest: best", "longest: pcp"),
        lambda best, pcp: best > pcp,
        "{0} against {1}",
    ),
)
"""Our own claims to be better than a paper, judged like all other claims."""
