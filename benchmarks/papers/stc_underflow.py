"""Figure 2 (left) of the STC paper with exact zeros: where word codes of LDA underflow.

Footnote 4 of the paper says that "in theory, variational methods don't produce zero code elements",
but that very small values can be truncated, without saying at which value. In floating-point
numbers, zeros appear by themselves: φ is proportional to β exp ψ(α) for a topic without words of
the document, ψ(α) is about -1/α, and exp underflows below -745. So topics become exact zeros when α
falls below about 1.35e-3, which is the paper's "sharp change point around α = 10⁻³".
`benchmarks.papers.stc_dirichlet` measures the same curve with a cut of 1e-4, and the accuracy.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import psi

from benchmarks.harness import Goal, Run, threads
from benchmarks.newsgroups import newsgroup_halves
from benchmarks.papers.entropic_lda import EntropicLDA
from benchmarks.papers.stc_dirichlet import K, change_point
from benchmarks.papers.stc_words import SMALL

ALPHAS = (1e-4, 5e-4, 1e-3, 1.3e-3, 2e-3, 1e-2, 1e-1, 0.5)
PASSES = 10
EACH = 4  # one document in so many is used, unless the benchmark runs in full
PAPER_CHANGE = 1e-3
LEAST = np.log(np.nextafter(0, 1))  # exp of smaller numbers is zero


def stc_underflow(run: Run) -> None:
    """Figure 2 (left): exact zeros in word codes of LDA, by its Dirichlet parameter."""
    halves = newsgroup_halves(run)
    n_topics = 5 if run.smoke else K
    alphas = (1e-3, 2e-3) if run.smoke else ALPHAS
    each = 1 if run.smoke or run.full else EACH
    train, test = halves.train[::each], halves.test[::each]
    run.note(
        f"Variational LDA with {n_topics} topics and a fixed α, {PASSES} passes over "
        f"{train.shape[0]:,} documents of the training half. Word codes of {test.shape[0]:,} "
        "documents of the test half are computed in log space as in LDA-C. Exact zeros are "
        "elements that underflow; 'below 1e-4' counts all small elements. --full takes all "
        "documents. Before the run, the change was predicted at α = 1.35e-3, where exp ψ(α) "
        "underflows."
    )
    exact, small = {}, {}
    with threads(1):
        for alpha in alphas:
            lda = EntropicLDA(n_topics, 0.0, alpha=alpha, max_iter=PASSES, random_state=run.seed)
            codes = lda.fit(train).word_codes(test)
            exact[alpha] = float(np.mean(codes == 0))
            small[alpha] = float(np.mean(codes < SMALL))
            run.row(f"exact zeros in word codes, LDA, α={alpha:g}", exact[alpha], "")
            run.row(f"word codes below 1e-4, LDA, α={alpha:g}", small[alpha], "")
    few, many = min(alphas), max(alphas)
    run.row(
        f"exact zeros at α={few:g} beside those at α={many:g}",
        exact[few],
        "",
        peer=f"α={many:g}",
        peer_value=exact[many],
        goal=Goal("sparser", lambda value: value > exact[many], "value"),
    )
    for what, curve in (("exact zeros", exact), ("codes below 1e-4", small)):
        run.row(
            f"α of the sharpest change of {what}",
            change_point(curve),
            "",
            peer=None if run.smoke else "the paper, around",
            peer_value=None if run.smoke else PAPER_CHANGE,
        )
    underflow = brentq(lambda alpha: psi(alpha) - LEAST, 1e-4, 1e-2)
    run.row("α where exp ψ(α) underflows", underflow, "")
