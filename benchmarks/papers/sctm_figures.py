"""Figures 2 and 3 of the SCTM paper by the printed algorithms: does SCTM cross LDA?

SCTM is `literal_sctm`, LDA is `topicmodels_lda` (topicmodels, as in the paper). The paper prints
p̂ = Σ θ_j b_j with the θ of the lasso, which do not sum to one; so p̂ is no probability unless θ is
scaled. Both are scored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Run, threads
from benchmarks.nips import folds, without_words
from benchmarks.papers import literal_sctm
from benchmarks.papers.sctm import N_FOLDS, SIZES, document_perplexities, some_papers
from benchmarks.papers.topicmodels_lda import Stops, TopicmodelsLDA
from laconic import SCTM

ALPHAS = (0.01, 0.05, 0.1, 0.5)
OMEGAS = (5e-5, 1e-4, 5e-4, 1e-3)
DRAWN = (5e-5, 1e-4)  # penalties that figures 2 and 3 show
STEPS = (5, 10, 20)  # the paper does not state its number of outer steps
USUAL = 10  # the only number of outer steps for penalties that the figures do not show
FEWER_FOLDS = 3  # of ten, for values of α and ω that the figures do not show
STOPS = Stops(sweep_tol=1e-5, max_sweeps=100, em_tol=1e-4, max_steps=100)
UNSCALED, SCALED, FIXED = "θ as printed", "θ scaled", "penalty lowered"
LDA, PLUG_IN, KNOWN = "LDA as topicmodels", "plug-in", "unseen words deleted"

Scores = dict[str, list[np.ndarray]]  # name -> for each fold, one number for each document


class Fold(NamedTuple):
    """Counts of training documents and of held-out documents."""

    train: sp.csr_matrix
    test: sp.csr_matrix

    @property
    def known(self) -> sp.csr_matrix:
        """Held-out documents without words that no training document contains."""
        return without_words(self.test, self.train.getnnz(axis=0) > 0)


def sctm_figures(run: Run) -> None:
    """Figures 2 and 3: LDA and SCTM as printed, for all α and ω of the paper, and where they cross.

    The value 0 of a crossing means that SCTM is never below LDA.
    """
    counts = some_papers(run)
    n_folds, sizes = (2, (3, 5)) if run.smoke else (N_FOLDS, SIZES)
    parts = [
        Fold(counts[~held], counts[held]) for held in folds(counts.shape[0], n_folds, run.seed)
    ]
    fewer = n_folds if run.full else min(FEWER_FOLDS, n_folds)
    run.note(
        f"{counts.shape[0]} papers, {n_folds} folds ({fewer} for α and ω that the figures do not "
        "show, only for the fewest and the most topics; --full has all folds). LDA is variational "
        "EM with maximum-likelihood topics, log 0 = -100, scored by its bound like perplexity() of "
        "topicmodels; 'plug-in' scores the same topics with expected mixtures, as SCTM is scored. "
        f"SCTM starts from {literal_sctm.N_SEEDS} seed documents per topic with a Dirichlet draw. "
        "All words of held-out papers are scored, also those that no training paper has, unless "
        f"'{KNOWN}' is stated. '{UNSCALED}': p̂ = Σθb with the θ of the lasso, which sum to more "
        "than one for many topics, so that p̂ is no probability and the perplexity too low. "
        f"'{SCALED}': θ sums to one. '{FIXED}': the paper's simple fix for documents with a word "
        f"of probability zero: ω is multiplied by {literal_sctm.LOWER:g} up to "
        f"{literal_sctm.FIXES - 1} times and then set to zero."
    )
    found: dict[int, Scores] = {}
    with threads(1):
        for p in sizes:
            scores: Scores = {}
            for number, fold in enumerate(parts):
                is_fewer = number < fewer and p in (min(sizes), max(sizes))
                for alpha in ALPHAS if is_fewer else ALPHAS[:1]:
                    _add(scores, f"α={alpha:g}", lda_scores(fold, p, alpha, run.seed))
                for omega in OMEGAS if is_fewer else DRAWN:
                    steps = STEPS if omega in DRAWN else (USUAL,)
                    for name, one in sctm_scores(fold, p, omega, steps, run.seed).items():
                        _add(scores, f"SCTM as printed, ω={omega:g}, {name}", one)
                _add(scores, f"laconic, SCTM, ω={DRAWN[0]:g}", our_scores(fold, p, run.seed))
            _rows(run, p, scores)
            found[p] = scores
    _crossing_rows(run, found)
    _penalty_rows(run, found)


def _add(scores: Scores, name: str, one: dict[str, np.ndarray]) -> None:
    for kind, figures in one.items():
        what = f"{kind}, {name}" if name.startswith("α") else f"{name}, {kind}"
        scores.setdefault(what, []).append(figures)


# --- the models ----------------------------------------------------------------------------------


def lda_scores(fold: Fold, p: int, alpha: float, seed: int) -> dict[str, np.ndarray]:
    model = TopicmodelsLDA(p, alpha, seed, STOPS).fit(fold.train)
    plug_in = document_perplexities(model.word_topics.T, model.mixtures(fold.test), fold.test)
    return {
        LDA: model.perplexities(fold.test),
        f"{LDA}, {KNOWN}": model.perplexities(fold.known),
        f"{LDA}, {PLUG_IN}": plug_in,
    }


def sctm_scores(
    fold: Fold, p: int, omega: float, kept: tuple[int, ...], seed: int
) -> dict[str, dict[str, np.ndarray]]:
    """Return the perplexities after several numbers of outer steps."""
    found: dict[str, dict[str, np.ndarray]] = {}
    X = literal_sctm.frequencies(fold.test)
    fit = literal_sctm.steps(fold.train, p, omega, seed)
    for number, (topics, _) in zip(range(1, max(kept) + 1), fit, strict=False):
        if number in kept:
            codes = literal_sctm.code(X, topics, omega)
            lowered = literal_sctm.fixed_codes(X, topics, omega)
            scores = perplexities(topics, codes, fold.test)
            scores |= {
                f"{name}, {FIXED}": figures
                for name, figures in perplexities(topics, lowered, fold.test).items()
            }
            found[f"{number} steps"] = {**scores, "sum of θ": codes.sum(axis=1)}
    return found


def our_scores(fold: Fold, p: int, seed: int) -> dict[str, np.ndarray]:
    model = SCTM(p, alpha=DRAWN[0], smoothing=None, random_state=seed, n_jobs=1).fit(fold.train)
    topics = model.components_.astype(np.float64)
    return perplexities(topics, model.transform(fold.test).toarray(), fold.test)


def perplexities(topics: np.ndarray, codes: np.ndarray, X: sp.csr_matrix) -> dict[str, np.ndarray]:
    """Return the perplexity of each document with θ as it is, and scaled to sum to one."""
    codes = codes.astype(np.float64)
    totals = codes.sum(axis=1)
    as_printed = document_perplexities(topics, codes, X)
    # p̂ is divided by Σθ, so the perplexity is multiplied by it
    scaled = np.where(totals > 0, as_printed * np.where(totals > 0, totals, 1), np.inf)
    return {UNSCALED: as_printed, SCALED: scaled}


# --- rows ----------------------------------------------------------------------------------------


def _rows(run: Run, p: int, scores: Scores) -> None:
    lda = np.median(np.concatenate(scores[f"{LDA}, α={ALPHAS[0]:g}"]))
    for name, parts in scores.items():
        each = np.concatenate(parts)
        finite = each[np.isfinite(each)]
        if name.endswith("sum of θ"):
            run.row(
                f"median sum of θ, p={p}, {name.removesuffix(', sum of θ')}", np.median(each), ""
            )
            continue
        is_lda = name.startswith(LDA)
        peer = {} if is_lda else {"peer": f"{LDA}, α={ALPHAS[0]:g}", "peer_value": lda}
        if not is_lda and SCALED not in name:  # scaling does not change which are infinite
            infinite = 100 * (1 - len(finite) / len(each))
            what = name.replace(f", {UNSCALED}", "")
            run.row(f"documents with infinite perplexity, p={p}, {what}", infinite, "%")
        if len(finite):
            run.row(
                f"median perplexity of finite documents, p={p}, {name}",
                np.median(finite),
                "",
                **peer,
            )
        if np.isfinite(np.median(each)):
            low, high = np.quantile(each, (0.25, 0.75), method="nearest")
            run.row(f"median perplexity of documents, p={p}, {name}", np.median(each), "", **peer)
            if is_lda or f"ω={DRAWN[0]:g}, {USUAL} steps" in name:
                run.note(f"p={p}, {name}: quartiles {low:,.0f} and {high:,.0f}.")


def median(scores: Scores, name: str) -> float:
    return float(np.median(np.concatenate(scores[name]))) if name in scores else np.inf


def crossing(ours: dict[int, float], theirs: dict[int, float]) -> int:
    """Return the smallest p from which on `ours` is below `theirs`, or 0."""
    below = [p for p in ours if all(ours[q] < theirs[q] for q in ours if q >= p)]
    return min(below, default=0)


def _crossing_rows(run: Run, found: dict[int, Scores]) -> None:
    first = next(iter(found.values()))
    rivals = [name for name in first if name.startswith(LDA) and name.endswith(f"α={ALPHAS[0]:g}")]
    for name in first:
        if name.startswith(LDA) or name.endswith("sum of θ") or f"ω={DRAWN[0]:g}" not in name:
            continue
        ours = {p: median(scores, name) for p, scores in found.items()}
        for rival in rivals:
            theirs = {p: median(scores, rival) for p, scores in found.items()}
            what = f"topics from which {name} is below {rival}"
            paper = {} if run.smoke else {"peer": "the paper, about", "peer_value": 50}
            run.row(what, crossing(ours, theirs), "", tolerance=None, **paper)


def _penalty_rows(run: Run, found: dict[int, Scores]) -> None:
    """Figure 3: the difference of medians for the two penalties, over finite documents."""
    few, many = min(found), max(found)
    for steps in STEPS:
        for kind in (UNSCALED, SCALED):
            apart = {}
            for p in (few, many):
                low, high = (
                    np.concatenate(found[p][f"SCTM as printed, ω={omega:g}, {steps} steps, {kind}"])
                    for omega in DRAWN
                )
                apart[p] = np.median(high[np.isfinite(high)]) - np.median(low[np.isfinite(low)])
            for p, difference in apart.items():
                what = f"median perplexity at ω={DRAWN[1]:g} minus ω={DRAWN[0]:g}, finite documents"
                run.row(f"{what}, p={p}, {steps} steps, {kind}", difference, "", tolerance=None)
