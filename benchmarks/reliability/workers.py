"""Fits on a Dask cluster whose processes are killed or frozen in mid-fit."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Run, at_least, at_most
from benchmarks.reliability.clusters import ProcessCluster
from laconic import PCP, PLSA, SCTM, STC, Corpus, LaconicError, MedSTC, SparseCoding, SparseLSA
from laconic.datasets import make_topics

N_TOPICS = 20
TWICE, SOON = 2.0, 30.0  # goals: ratio of times, and seconds until a message


@dataclass(frozen=True)
class Case:
    """A model and the number of documents with which its fit takes about ten seconds."""

    model: type[Any]
    n_documents: int
    settings: dict[str, Any] = field(default_factory=dict)

    def fit(self, documents: Any, engine: str) -> Any:
        model = self.model(N_TOPICS, random_state=0, engine=engine, **self.settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The passes are too few to converge.
            return model.fit(documents, np.arange(documents.shape[0]) % 3)


CASES = {
    "slsa": Case(SparseLSA, 40_000, {"tol": 0}),
    "sc": Case(SparseCoding, 24_000, {"tol": 0, "max_iter": 15}),
    "plsa": Case(PLSA, 24_000, {"tol": 0, "max_iter": 15}),
    "sctm": Case(SCTM, 20_000, {"tol": 0, "max_iter": 15}),
    "sctm, online": Case(SCTM, 20_000, {"tol": 0, "max_iter": 6, "batch_size": 5000}),
    "stc": Case(STC, 24_000, {"tol": 0, "max_iter": 6}),
    "medstc": Case(MedSTC, 24_000, {"tol": 0, "max_iter": 3}),
    "pcp": Case(PCP, 500_000, {"tol": 0}),
}
SMOKE = {"slsa": Case(SparseLSA, 300, {"tol": 0, "max_iter": 5})}


@dataclass
class Outcome:
    """What happened to the disturbed fits of a model."""

    n_fits: int = 0
    n_same: int = 0
    seconds: float = 0.0  # of the disturbed fit with the largest ratio
    undisturbed: float = 1.0  # of the same fit without a kill

    def add(self, is_same: bool, seconds: float, undisturbed: float) -> None:
        self.n_fits += 1
        self.n_same += is_same
        if seconds / undisturbed > self.seconds / self.undisturbed:
            self.seconds, self.undisturbed = seconds, undisturbed


def lost_workers(run: Run) -> None:
    """Fits that lose a worker, all workers or the scheduler: results, times and messages."""
    rng = np.random.default_rng(run.seed)
    cases = SMOKE if run.smoke else CASES
    outcomes = {name: Outcome() for name in cases}
    with tempfile.TemporaryDirectory() as folder:
        if not run.smoke:
            _lose_everything(run, CASES["slsa"], Path(folder))
        for nanny in [False] if run.smoke else [False, True]:
            with ProcessCluster(folder, 2, nanny=nanny) as cluster:
                for name, case in cases.items():
                    _disturb(run, cluster, name, case, nanny, outcomes[name], rng)
    for name, outcome in outcomes.items():
        run.row(
            f"{name}: fits with the same result, of {outcome.n_fits}",
            outcome.n_same,
            "",
            goal=at_least(outcome.n_fits),
        )
        run.row(
            f"{name}: longest fit",
            outcome.seconds,
            "s",
            peer="undisturbed",
            peer_value=outcome.undisturbed,
            goal=None if run.smoke else at_most(TWICE),
        )
    run.note(
        "Planted topics; one of two workers with one thread each gets SIGKILL at a moment drawn "
        "uniformly from the middle half of the undisturbed fit. Each model is fitted from memory "
        "and from disk, with and without nannies that restart workers. A result is the same if "
        "topics and objective have the same bits as those of engine='serial' on the same data. "
        "The longest fit is the one with the largest ratio to the undisturbed fit before it."
    )


def _disturb(
    run: Run,
    cluster: ProcessCluster,
    name: str,
    case: Case,
    nanny: bool,
    outcome: Outcome,
    rng: np.random.Generator,
) -> None:
    """Fit a model from memory and from disk, each without and with a killed worker."""
    corpus, _ = make_topics(case.n_documents, 2000, N_TOPICS, random_state=run.seed)
    with tempfile.TemporaryDirectory() as folder:
        stored = Corpus.open(corpus.save(Path(folder, "corpus")))
        for documents in [corpus] if run.smoke else [corpus, stored]:
            expected = case.fit(documents, "serial")
            case.fit(corpus[:1000], cluster.address)  # New workers load modules and kernels first.
            start = time.perf_counter()
            case.fit(documents, cluster.address)
            undisturbed = time.perf_counter() - start
            victim = cluster.workers()[int(rng.integers(2))]
            delay = undisturbed * rng.uniform(0.25, 0.75)
            timer = threading.Timer(delay, os.kill, (victim, signal.SIGKILL))
            start = time.perf_counter()
            timer.start()
            model = case.fit(documents, cluster.address)
            seconds = time.perf_counter() - start
            timer.join()
            is_same = _same(model, expected)
            outcome.add(is_same, seconds, undisturbed)
            about = f"{name}, nanny: {nanny}, on disk: {documents is stored}"
            print(f"{about}: {undisturbed:.1f} s, {seconds:.1f} s, {is_same}", file=sys.stderr)
            if not run.smoke:
                _replace_lost(cluster, nanny)


def _replace_lost(cluster: ProcessCluster, nanny: bool) -> None:
    """Wait until the cluster has two workers again."""
    if not nanny:
        cluster.add_worker()
    time.sleep(0.5)  # until the scheduler has noticed the loss
    cluster.wait_for(2)


def _same(one: Any, other: Any) -> bool:
    """Return whether two models have the same bits."""
    parts = [sp.csr_matrix(model.components_) for model in (one, other)]
    return np.array_equal(one.objective_, other.objective_) and all(
        getattr(parts[0], name).tobytes() == getattr(parts[1], name).tobytes()
        for name in ("data", "indices", "indptr")
    )


def _lose_everything(run: Run, case: Case, folder: Path) -> None:
    """Measure how long a fit takes to raise an error after its cluster is lost."""
    corpus, _ = make_topics(case.n_documents, 2000, N_TOPICS, random_state=run.seed)
    losses: dict[str, Callable[[ProcessCluster], None]] = {
        "all workers killed": ProcessCluster.kill_workers,
        "scheduler killed": lambda cluster: cluster.scheduler.kill(),
        "scheduler frozen": lambda cluster: cluster.scheduler.send_signal(signal.SIGSTOP),
    }
    for what, lose in losses.items():
        with ProcessCluster(folder, 2) as cluster:
            moments: list[float] = []

            def act(
                lose: Callable[[ProcessCluster], None] = lose,
                cluster: ProcessCluster = cluster,
                moments: list[float] = moments,
            ) -> None:
                moments.append(time.perf_counter())
                lose(cluster)

            threading.Timer(2.0, act).start()
            message = ""
            while not message:  # A fit may end before its cluster is lost.
                try:
                    case.fit(corpus, cluster.address)
                except LaconicError as error:
                    message = str(error)
            seconds = time.perf_counter() - moments[0]
        run.row(f"{what}: time until the message", seconds, "s", goal=at_most(SOON, "value"))
        run.note(f"{what}: {message}")
