"""Figure 4 of the PCP paper with its own sampler: perplexity of LDA on the background L and on D.

The paper states neither which 2,000 stories of Reuters it uses nor how it turns L into counts, but
it prints four facts about the decomposition of the test half: L at i = 5 has about 76 % of the
vocabulary, and at i = 6 more than 95 %; S at i = 18 has about 3,000 entries, and at i = 19 fewer
than 1,000. Stories and rounding are chosen by these facts, never by the perplexities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Run, n_cores, threads
from benchmarks.likelihood import Tomotopy, perplexity
from benchmarks.papers.literal_pcp import inexact_alm
from benchmarks.papers.pcp import PAPER, Halves
from benchmarks.reuters import counted, reuters

N_TOPICS, ALPHA, ETA = 50, 1.0, 0.1
ITERATIONS, TO_INFER = 2000, 20
ALM_TOL = 1e-5
FIT_STEPS = range(5, 19)  # as in the figure
PAPER_RATIO = 0.7
Rounding = Callable[[np.ndarray], np.ndarray]
ROUNDINGS: dict[str, Rounding] = {"rounded": np.rint, "cut": np.trunc}


class Facts(NamedTuple):
    """Facts of the test half that the paper prints."""

    words_5: float  # % of the vocabulary that is left in L at i = 5
    words_6: float
    entries_18: float  # number of non-zero entries of S at i = 18
    entries_19: float


PAPER_FACTS = Facts(76, 95, 3000, 1000)
PAPER_WORDS_6, PAPER_LENGTH = 150, 500  # words that occur in S at i = 6, words of a story
ZERO = 0.01  # S is D - L up to the residual, so entries below this share of a word are zeros
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
            _story_rows(run, name, D.test, splits[STEPS[1]])
        for reading, (found, _) in readings.items():
            _fact_rows(run, ", ".join(reading), found)
        chosen = min(readings, key=lambda reading: misfit(readings[reading][0]))
        run.note(f"Chosen by the printed facts: {', '.join(chosen)}.")
        if find_spec("tomotopy") is None:
            run.note("No perplexities: tomotopy is not installed; install laconic[bench].")
            return
        _perplexity_rows(run, ", ".join(chosen), readings[chosen][1], chosen[1], iterations)


def background(D: sp.csr_matrix, i: int) -> np.ndarray:
    return inexact_alm(D.toarray(), i / np.sqrt(D.shape[1]), tol=ALM_TOL).low_rank


def whole_words(L: np.ndarray, whole: Rounding) -> sp.csr_matrix:
    return sp.csr_matrix(np.maximum(whole(L), 0))


def facts(D: sp.csr_matrix, splits: dict[int, np.ndarray], whole: Rounding) -> Facts:
    left = [100 * np.mean(whole_words(splits[i], whole).getnnz(axis=0) > 0) for i in STEPS[:2]]
    entries = [np.sum(np.abs(D.toarray() - splits[i]) > ZERO) for i in STEPS[2:]]
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


def _story_rows(run: Run, name: str, D: sp.csr_matrix, L: np.ndarray) -> None:
    """Add facts that the paper prints about all stories, which the choice does not use."""
    in_keywords = np.count_nonzero((np.abs(D.toarray() - L) > ZERO).any(axis=0))
    mean_length = D.sum() / D.shape[0]
    for what, value, paper in (
        (f"words in S at i={STEPS[1]}", in_keywords, PAPER_WORDS_6),
        ("words of a story", mean_length, PAPER_LENGTH),
    ):
        peer = {} if run.smoke else {"peer": PAPER, "peer_value": paper}
        run.row(f"{what}, {name}", value, "", **peer)


class Scores(NamedTuple):
    """Perplexities of LDA on L and, for the test part, of the same model on D."""

    training: float
    test: float
    real_test: float
    kept: tuple[float, float]  # words of L in % of the words of D, training and test part


class Task(NamedTuple):
    """One value of i, for a process of its own."""

    D: Halves
    i: int
    rounding: str
    run: Run
    iterations: int


def _perplexity_rows(run: Run, what: str, D: Halves, rounding: str, iterations: int) -> None:
    steps = FIT_STEPS[:1] if run.smoke else FIT_STEPS
    tasks = [
        Task(D, i, rounding, Run(run.name, run.smoke, seed=run.seed), iterations) for i in steps
    ]
    plain = sample(run, D.train, iterations)
    of_D = {"training": score(plain, D.train), "test": score(plain, D.test)}
    for i, found in zip(steps, _each(tasks), strict=True):
        if found is None:
            run.note(f"i={i}: L has no whole words.")
            continue
        rows = {
            f"perplexity of the training part, LDA on L, i={i}": (found.training, "training"),
            f"perplexity of the test part, LDA on L, i={i}": (found.test, "test"),
            f"perplexity on D, test part, LDA on L, i={i}": (found.real_test, "test"),
        }
        for name, (value, part) in rows.items():
            run.row(f"{name}, {what}", value, "", peer="LDA on D", peer_value=of_D[part])
        run.note(
            f"i={i}: L has {found.kept[0]:.0f} % (training) and {found.kept[1]:.0f} % (test) of "
            "all words."
        )


def _each(tasks: list[Task]) -> Iterator[Scores | None]:
    """Fit LDA for each task, in one process for each core."""
    if len(tasks) == 1:
        yield fit_background(tasks[0])
        return
    with ProcessPoolExecutor(n_cores(), mp_context=get_context("spawn")) as pool:
        yield from pool.map(fit_background, tasks)


def fit_background(task: Task) -> Scores | None:
    """Fit LDA to L of the training part; return None if L has no whole words."""
    D, whole = task.D, ROUNDINGS[task.rounding]
    with threads(1):
        L = Halves(*(whole_words(background(part, task.i), whole) for part in D))
        if not L.train.nnz or not L.test.nnz:
            return None
        model = sample(task.run, L.train, task.iterations)
        kept = tuple(100 * one.sum() / of.sum() for one, of in zip(L, D, strict=True))
        return Scores(score(model, L.train), score(model, L.test), score(model, D.test), kept)


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
