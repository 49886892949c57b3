"""Section 2.4 of the PCP paper: "approximately 10" SVDs, and fewer steps for larger matrices."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Run, threads
from benchmarks.papers.literal_pcp import RHO, TOL, inexact_alm
from benchmarks.reuters import counted, reuters

SIZES = (500, 1000, 2000)
RANK_SHARE, WRONG_SHARE = 0.05, 0.05  # of the test problems of the paper's reference [20]
LARGEST_ERROR = 500.0
PAPER_SVDS = 10
RHOS = (RHO, 6.0)  # reference [20] starts its program with ρ = 6
TEXT_STEPS = (1, 5, 12)  # values of i, where λ = i/√m


def pcp_svds(run: Run) -> None:
    """Number of SVDs until L + S = D, by inexact ALM, on matrices of growing size."""
    run.note(
        f"Inexact ALM until ‖D-L-S‖ ≤ {TOL:g} ‖D‖. Square matrices n x n as in reference [20]: L0 "
        f"is the product of Gaussian matrices of rank {RANK_SHARE:g} n, {100 * WRONG_SHARE:g} % of "
        f"the entries of S0 are uniform in ±{LARGEST_ERROR:g}, λ = 1/√n. One SVD per step; it is "
        "computed from the Gram matrix. The error is ‖L-L0‖ / ‖L0‖. Stories: the first 1,000 of "
        "Reuters with their most frequent words, λ = i/√m."
    )
    with threads(1):
        for n in (20, 40) if run.smoke else SIZES:
            D, L0 = corrupted(n, run.seed)
            for rho in RHOS:
                found = inexact_alm(D, 1 / np.sqrt(n), rho)
                what = f"n={n}, ρ={rho:g}"
                paper = {} if run.smoke else {"peer": "the paper, about", "peer_value": PAPER_SVDS}
                run.row(f"SVDs, {what}", found.n_svds, "", tolerance=0.1, **paper)
                error = np.linalg.norm(found.low_rank - L0) / np.linalg.norm(L0)
                run.row(f"error of L, {what}", error, "", tolerance=None)
                run.row(
                    f"rank of L, {what}",
                    found.rank,
                    "",
                    peer="L0",
                    peer_value=round(RANK_SHARE * n),
                )
        counts = counted(reuters(run).first(), title_words=False).counts.toarray()
        for i in TEXT_STEPS[:1] if run.smoke else TEXT_STEPS:
            found = inexact_alm(counts, i / np.sqrt(max(counts.shape)))
            paper = {} if run.smoke else {"peer": "the paper, about", "peer_value": PAPER_SVDS}
            run.row(f"SVDs, stories, i={i}, ρ={RHO:g}", found.n_svds, "", tolerance=0.1, **paper)


def corrupted(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix of low rank with gross errors, and the matrix of low rank."""
    random = np.random.default_rng(seed)
    r = max(1, round(RANK_SHARE * n))
    L0 = random.normal(size=(n, r)) @ random.normal(size=(r, n))
    errors = random.uniform(-LARGEST_ERROR, LARGEST_ERROR, (n, n))
    return L0 + errors * (random.uniform(size=(n, n)) < WRONG_SHARE), L0
