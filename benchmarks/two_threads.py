"""Speed-up of the fit of every model, and of coding with STC, by two threads."""

from __future__ import annotations

import multiprocessing
import time
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
    fits = _fits(X, y, K, seed)
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
    if len(counts) == 2:
        _at_once(run, (X, y, K, seed))


def _fits(X: Any, y: Any, K: int, seed: int) -> dict[str, Callable[[int], Any]]:
    """Return the fit of every model as a function of the number of threads."""
    fits: dict[str, Callable[[int], Any]] = {
        model.__name__: lambda n, model=model: model(K, n_jobs=n, random_state=seed).fit(X)
        for model in (SparseCoding, SparseLSA, PLSA, SCTM, STC)
    }
    fits["MedSTC"] = lambda n: MedSTC(K, n_jobs=n, random_state=seed).fit(X, y)
    fits["PCP"] = lambda n: PCP(n_jobs=n, random_state=seed).fit(X)
    return fits


def _at_once(run: Run, data: tuple[Any, ...]) -> None:
    """Time fits on one thread each in two processes that share nothing, beside a single process."""
    alone, both = (_in_processes(data, n, run.repeats) for n in (1, 2))
    for name, seconds in both.items():
        run.row(
            f"{name}.fit on 1 thread, 2 processes at once",
            seconds,
            "s",
            peer="1 process",
            peer_value=alone[name],
        )
    limit = min(2 * alone[name] / both[name] for name in both)
    most = max(2 * alone[name] / both[name] for name in both)
    run.note(
        "Two processes share nothing but the machine. If both together take longer than one, cores "
        "share caches, memory or clock. A fit on two threads can hardly gain more than that: here "
        f"{limit:.2f} to {most:.2f} times, depending on the model."
    )


def _in_processes(data: tuple[Any, ...], n_processes: int, repeats: int) -> dict[str, float]:
    """Fit all models in every process at once; of each fit, return the best time of the slowest."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(n_processes), context.SimpleQueue()
    workers = [
        context.Process(target=_worker, args=(data, barrier, results, repeats))
        for _ in range(n_processes)
    ]
    for worker in workers:
        worker.start()
    times = [results.get() for _ in workers]
    for worker in workers:
        worker.join()
    return {name: min(map(max, zip(*(t[name] for t in times), strict=True))) for name in times[0]}


def _worker(data: tuple[Any, ...], barrier: Any, results: Any, repeats: int) -> None:
    times: dict[str, list[float]] = {}
    with threads(1):
        for name, fit in _fits(*data).items():
            fit(1)  # loads the kernels
            for _ in range(repeats):
                barrier.wait()
                start = time.perf_counter()
                fit(1)
                times.setdefault(name, []).append(time.perf_counter() - start)
    results.put(times)


def _limited(task: Callable[[int], Any], n_threads: int) -> Any:
    with threads(n_threads):
        return task(n_threads)
