"""Figure 4 of the PCP paper with its own sampler: perplexity of LDA on the background L and on D.

The paper states neither which 2,000 stories of Reuters it uses nor how it turns L into counts, but
it prints four facts about the decomposition of the test half: L at i = 5 has about 76 % of the
vocabulary, and at i = 6 more than 95 %; S at i = 18 has about 3,000 entries, and at i = 19 fewer
than 1,000. Stories and rounding are chosen by these facts, never by the perplexities.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Run, threads
from benchmarks.likelihood import Tomotopy, perplexity
from benchmarks.papers.literal_pcp import inexact_alm
from benchmarks.papers.pcp import PAPER, Halves
from benchmarks.reuters import counted, reuters

N_TOPICS, ALPHA, ETA = 50, 1.0, 0.1
ITERATIONS, TO_INFER = 2000, 20
ALM_TOL = 1e-5
FIT_STEPS = (5, 6, 12, 18)  # of 5 to 18; the paper: "in the case of i = 5, 6, nearly 30-35 %"
PAPER_RATIO = 0.7
ROUNDINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"rounded": np.rint, "cut": np.trunc}


class Facts(NamedTuple):
    """Facts of the test half that the paper prints."""

    words_5: float  # % of the vocabulary that is left in L at i = 5
    words_6: float
    entries_18: float  # number of non-zero entries of S at i = 18
    entries_19: float


PAPER_FACTS = Facts(76, 95, 3000, 1000)
STEPS = (5, 6, 18, 19)
NAMES = Facts(
    "vocabulary in L at i=5",
    "vocabulary in L at i=6",
    "entries of S at i=18",
    "entries of S at i=19",
)


def pcp_gibbs(run: Run) -> None:
    """Figure 4 by Gibbs sampling, on the stories and with the rounding that fit printed facts."""
    iterations = 20 if run.smoke else ITERATIONS
    run.note(
        "2,000 stories without titles, their 3,000 most frequent words; every second story is a "
        f"test story. PCP by inexact ALM on each half, λ = i/√m. LDA by tomotopy: {N_TOPICS} "
        f"topics, α = {ALPHA:g}, η = {ETA:g}, {iterations:,} iterations, {TO_INFER} for test "
        "stories. Perplexities as in the paper: L under LDA fitted to L beside D under LDA fitted "
        "to D, which are different texts. 'On D': test stories D under both models."
    )
    with threads(1):
        stories = reuters(run)
        n = 2 * stories.n_scored
        corpora = {f"{n:,} longest": stories.longest(n), f"{n:,} first": stories.first(n)}
        readings: dict[tuple[str, str], tuple[Facts, Halves]] = {}
        for name, part in corpora.items():
            counts = counted(part, title_words=False).counts
            D = Halves(counts[::2], counts[1::2])
            splits = {i: background(D.test, i) for i in STEPS}
            for rounding, whole in ROUNDINGS.items():
                readings[name, rounding] = facts(D.test, splits, whole), D
        for reading, (found, _) in readings.items():
            _fact_rows(run, ", ".join(reading), found)
        chosen = min(readings, key=lambda reading: misfit(readings[reading][0]))
        run.note(f"Chosen by the printed facts: {', '.join(chosen)}.")
        if find_spec("tomotopy") is None:
            run.note("No perplexities: tomotopy is not installed; install laconic[bench].")
            return
        _perplexity_rows(
            run, ", ".join(chosen), readings[chosen][1], ROUNDINGS[chosen[1]], iterations
        )


def background(D: sp.csr_matrix, i: int) -> np.ndarray:
    return inexact_alm(D.toarray(), i / np.sqrt(D.shape[1]), tol=ALM_TOL).low_rank


def whole_words(L: np.ndarray, whole: Callable[[np.ndarray], np.ndarray]) -> sp.csr_matrix:
    return sp.csr_matrix(np.maximum(whole(L), 0))


def facts(
    D: sp.csr_matrix, splits: dict[int, np.ndarray], whole: Callable[[np.ndarray], np.ndarray]
) -> Facts:
    left = [100 * np.mean(whole_words(splits[i], whole).getnnz(axis=0) > 0) for i in STEPS[:2]]
    # S is D - L up to the residual, so entries below a hundredth of a word are zeros
    entries = [np.sum(np.abs(D.toarray() - splits[i]) > 0.01) for i in STEPS[2:]]
    return Facts(*left, *map(float, entries))


def misfit(found: Facts) -> float:
    """Return the sum of relative differences from the printed facts."""
    ratios = [
        np.log(max(value, 1e-9) / paper) for value, paper in zip(found, PAPER_FACTS, strict=True)
    ]
    return float(np.abs(ratios).sum())


def _fact_rows(run: Run, what: str, found: Facts) -> None:
    for name, value, paper in zip(NAMES, found, PAPER_FACTS, strict=True):
        peer = {} if run.smoke else {"peer": PAPER, "peer_value": paper}
        run.row(f"{name}, {what}", value, "%" if paper < 100 else "", **peer)


def _perplexity_rows(
    run: Run, what: str, D: Halves, whole: Callable[[np.ndarray], np.ndarray], iterations: int
) -> None:
    plain = sample(run, D.train, iterations)
    of_D = {"training": score(plain, D.train), "test": score(plain, D.test)}
    for i in FIT_STEPS[:1] if run.smoke else FIT_STEPS:
        L = Halves(*(whole_words(background(part, i), whole) for part in D))
        if not L.train.nnz or not L.test.nnz:
            run.note(f"i={i}: L has no whole words.")
            continue
        model = sample(run, L.train, iterations)
        of_L = {"training": score(model, L.train), "test": score(model, L.test)}
        for part, value in of_L.items():
            run.row(
                f"perplexity of the {part} part, LDA on L, i={i}, {what}",
                value,
                "",
                peer="LDA on D",
                peer_value=of_D[part],
            )
        run.row(
            f"perplexity on D, test part, LDA on L, i={i}, {what}",
            score(model, D.test),
            "",
            peer="LDA on D",
            peer_value=of_D["test"],
        )
        kept = [100 * one.sum() / of.sum() for one, of in zip(L, D, strict=True)]
        run.note(
            f"i={i}: L has {kept[0]:.0f} % (training) and {kept[1]:.0f} % (test) of all words."
        )


def sample(run: Run, X: sp.csr_matrix, iterations: int) -> Tomotopy:
    model = Tomotopy(4 if run.smoke else N_TOPICS, run.seed + 1, iterations, alpha=ALPHA, eta=ETA)
    model.system.iterations_to_infer = TO_INFER
    # the paper keeps its priors; by default, tomotopy estimates them
    model.prepare(X)
    model.system.model.optim_interval = 0
    return model.fit(X)


def score(model: Tomotopy, X: sp.csr_matrix) -> float:
    """Return the perplexity of the words that the model knows."""
    topics = model.topics()
    seen = sp.csr_matrix(X @ sp.diags((topics.sum(axis=0) > 0).astype(np.float64)))
    seen.eliminate_zeros()
    return perplexity(topics, model.mixtures(seen, None), seen)
