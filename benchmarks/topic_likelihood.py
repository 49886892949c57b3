"""Document completion by SCTM, PLSA and LDA on NIPS papers, for several numbers of topics.

Every model is fitted to the training documents once per setting. The setting and the kind of
mixtures are chosen on the validation documents, and the test documents are scored with this choice.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Goal, Run, python_output, threads
from benchmarks.likelihood import (
    Dealt,
    OurPLSA,
    OurSCTM,
    SklearnLDA,
    Tomotopy,
    Way,
    best_of_each_kind,
    deal,
    fit,
    perplexity,
    ways_of,
)
from benchmarks.nips import Papers, nips
from benchmarks.papers.comparison import has_tomotopy

SIZES = (50, 150)
MANY = 500  # a large number of topics; the paper stopped at 150 for lack of time
PASSES = 50  # number of passes of scikit-learn's LDA over all documents
ITERATIONS = 500  # number of iterations of tomotopy, which also estimates the prior of mixtures
OMEGAS = (2e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3)
N_SEEDS = 3
SCTM_NAME = "SCTM, smoothing='kl'"

Fits = list[tuple[str, Callable[[], Any]]]


class Judged(NamedTuple):
    """A model with the setting and the kind of mixtures chosen on the validation documents."""

    test: float  # perplexity of the test documents
    way: Way
    seconds: float  # time of the chosen fit
    model: Any


def lower_than(reference: float, what: str = "the peer's") -> Goal:
    return Goal(f"below {what}", lambda value: value < reference, "value")


def sctm_perplexity(run: Run) -> None:
    """Document completion of SCTM, PLSA and LDA on NIPS, 50 and 150 topics; SCTM with 500."""
    papers = nips(run)
    train = papers.part(papers.is_train)
    validation, test = (
        deal(papers.part(part), run.seed) for part in (papers.is_validation, papers.is_test)
    )
    passes, iterations = _efforts(run)
    run.note(
        f"{train.shape[0]:,} training, {validation.seen.shape[0]} validation and "
        f"{test.seen.shape[0]} test documents, {test.hidden.data.sum():,.0f} hidden test words; "
        "one thread and one fit for each setting. Settings, priors of mixtures and the kind of "
        "mixtures (inferred by the library, or by EM on its topics) are chosen on validation "
        f"documents for every model. LDA of scikit-learn makes {passes} passes over all documents; "
        f"LDA of tomotopy makes {iterations} iterations and estimates its prior of mixtures."
    )
    if not has_tomotopy():
        run.note("tomotopy is not installed and is left out; install laconic[bench].")
    sizes = (3, 6) if run.smoke else SIZES
    with threads(1):
        ours = {p: _compare(run, p, train, validation, test) for p in sizes}
        few, many = sizes
        run.row(
            f"perplexity, p={many}, {SCTM_NAME}",
            ours[many].test,
            "",
            peer=f"itself, p={few}",
            peer_value=ours[few].test,
            goal=lower_than(ours[few].test, f"p={few}"),
        )
        _many_topics(run, papers, ours[many], train, test)


def _efforts(run: Run) -> tuple[int, int]:
    return (2, 10) if run.smoke else (PASSES, ITERATIONS)


def candidates(run: Run, p: int) -> dict[str, Fits]:
    """Return the candidate fits of each model."""
    seed, (passes, iterations) = run.seed, _efforts(run)
    models: dict[str, Fits] = {
        SCTM_NAME: [
            (f"ω={omega:g}", lambda omega=omega: OurSCTM(p, seed, alpha=omega)) for omega in OMEGAS
        ],
        "PLSA": [
            (f"smoothing={a:g}", lambda a=a: OurPLSA(p, seed, smoothing=a))
            for a in (-0.05, 0.01, 0.02, 0.05, 0.1)
        ],
        "LDA, scikit-learn": [
            (
                f"priors {a:g} of documents and {b:g} of words",
                lambda a=a, b=b: SklearnLDA(p, seed, passes, doc_topic_prior=a, topic_word_prior=b),
            )
            for a, b in ((0.05, 0.02), (0.05, 0.05), (0.1, 0.1), (1 / p, 1 / p))
        ],
    }
    if has_tomotopy():
        models["LDA, tomotopy"] = [
            (f"prior {eta:g} of words", lambda eta=eta: Tomotopy(p, seed, iterations, eta=eta))
            for eta in (0.01, 0.05, 0.1)
        ]
    return {name: fits[:1] if run.smoke else fits for name, fits in models.items()}


def judge(fits: Fits, train: sp.csr_matrix, validation: Dealt, test: Dealt) -> list[Judged]:
    """Choose the best setting for each kind of mixtures and score it on the test documents."""
    fitted: dict[str, tuple[Any, float]] = {}
    ways: list[Way] = []
    for name, make in fits:
        model = make()
        fitted[name] = model, fit(model, train)
        ways += ways_of(model, name, make, validation)
    judged = []
    for way in best_of_each_kind(ways):
        model, seconds = fitted[way.fit]
        score = perplexity(model.topics(), way.of(model, test.seen), test.hidden)
        judged.append(Judged(score, way, seconds, model))
    return judged


def _compare(run: Run, p: int, train: sp.csr_matrix, validation: Dealt, test: Dealt) -> Judged:
    found: dict[str, Judged] = {}
    for name, fits in candidates(run, p).items():
        kinds = judge(fits, train, validation, test)
        for one in kinds:
            _say(run, p, name, one)
        found[name] = min(kinds, key=lambda one: one.way.perplexity)
    ours = found.pop(SCTM_NAME)
    for name, peer in found.items():
        run.row(
            f"perplexity, p={p}, {SCTM_NAME}",
            ours.test,
            "",
            peer=f"{name}, {peer.way.mixtures}",
            peer_value=peer.test,
            goal=lower_than(peer.test) if name.startswith("LDA") else None,
        )
    for name, peer in found.items():
        run.row(f"fit, p={p}, {SCTM_NAME}", ours.seconds, "s", peer=name, peer_value=peer.seconds)
    _over_seeds(run, p, ours, train, test)
    return ours


def _say(run: Run, p: int, name: str, one: Judged) -> None:
    way = one.way
    prior = "as fitted" if way.prior is None else f"{way.prior:g}"
    run.note(
        f"p={p}, {name}, {way.mixtures}: {way.fit}, prior of mixtures {prior}, perplexity "
        f"{way.perplexity:,.0f} on validation and {one.test:,.0f} on test documents."
    )


def _over_seeds(run: Run, p: int, ours: Judged, train: sp.csr_matrix, test: Dealt) -> None:
    """Measure how the perplexity varies over seeds with the chosen setting."""
    scores = [ours.test]
    for seed in range(run.seed + 1, run.seed + (1 if run.smoke else N_SEEDS)):
        model = OurSCTM(p, seed, alpha=ours.model.model.alpha_).fit(train)
        scores.append(perplexity(model.topics(), ours.way.of(model, test.seen), test.hidden))
    run.row(f"perplexity, p={p}, worst of {len(scores)} seeds, {SCTM_NAME}", max(scores), "")


def _many_topics(
    run: Run, papers: Papers, chosen: Judged, train: sp.csr_matrix, test: Dealt
) -> None:
    """Measure time, memory and perplexity of a fit with hundreds of topics."""
    p = 9 if run.smoke else MANY
    omega = chosen.model.model.alpha_
    model = OurSCTM(p, run.seed, alpha=omega)
    seconds = fit(model, train)
    score = perplexity(model.topics(), chosen.way.of(model, test.seen), test.hidden)
    run.row(f"fit, p={p}, ω={omega:g}", seconds, "s")
    run.row(f"perplexity, p={p}, ω={omega:g}", score, "")
    used = int(np.count_nonzero(model.model.topic_shares_))
    run.row(f"topics in use, p={p}", used, "topics")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "counts.npz")
        sp.save_npz(file, train, compressed=False)
        taken = python_output("-m", "benchmarks.coding", str(file), str(p), "1", "sctm")["bytes"]
    run.row(f"peak memory of the fit, p={p}", max(taken, 1) / 2**20, "MB")
