"""Speed-up of the fit of every model, and of coding with STC, by two threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.harness import Run, faster, race, thread_counts, threads
from benchmarks.newsgroups import newsgroup_halves
from laconic import PCP, PLSA, SCTM, STC, MedSTC, SparseCoding, SparseLSA


def two_threads(run: Run) -> None:
    """Speed-up of every model by two threads, on the training half of 20 Newsgroups."""
    halves = newsgroup_halves(run)
    X, y = halves.train, halves.train_labels
    K, seed = 5 if run.smoke else 50, run.seed
    coder = STC(K, random_state=seed).fit(X)
    fits: dict[str, Callable[[int], Any]] = {
        model.__name__: lambda n, model=model: model(K, n_jobs=n, random_state=seed).fit(X)
        for model in (SparseCoding, SparseLSA, PLSA, SCTM, STC)
    }
    fits["MedSTC"] = lambda n: MedSTC(K, n_jobs=n, random_state=seed).fit(X, y)
    fits["PCP"] = lambda n: PCP(n_jobs=n, random_state=seed).fit(X)
    tasks = {f"{name}.fit": fit for name, fit in fits.items()}
    tasks["STC.transform"] = lambda n: coder.set_params(n_jobs=n).transform(X)
    run.note(
        f"{X.shape[0]:,} documents, {X.shape[1]:,} words, raw counts, {K} topics, default settings."
    )
    counts = thread_counts()
    if len(counts) == 1:
        run.note("The machine has only one core, so two threads cannot be compared.")
    for name, task in tasks.items():
        timed = race(
            {str(n): lambda n=n, task=task: _limited(task, n) for n in counts}, run.repeats
        )
        most = counts[-1]
        run.row(
            f"{name}, {most} thread{'s' if most > 1 else ''}",
            timed[str(most)].seconds,
            "s",
            peer="1 thread",
            peer_value=timed["1"].seconds,
            goal=faster(1.7) if most > 1 else None,
        )


def _limited(task: Callable[[int], Any], n_threads: int) -> Any:
    with threads(n_threads):
        return task(n_threads)
