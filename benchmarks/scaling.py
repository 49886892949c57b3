"""Growth of time and memory with the number of documents, read from disk.

If this module is run as a program, it fits a model to one corpus store and prints seconds and
bytes.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import laconic
from benchmarks.data import newsgroups
from benchmarks.harness import Goal, Run, at_most, peak_memory, python_output, threads, warm
from benchmarks.newsgroups import newsgroup_halves
from benchmarks.nips import nips
from laconic import SCTM, Corpus

PASSES = 5


def growth(run: Run) -> None:
    """Time and memory for 1, 2, 4 and 8 times as many documents, with equally many passes."""
    grow(
        run,
        "slsa",
        "a pipeline (balanced tf-idf, positive) with the default alpha, which grows with the "
        "square root of the number of documents",
    )


def sctm_memory(run: Run) -> None:
    """Growth of time and memory of SCTM, and its number of passes until convergence."""
    grow(run, "sctm", "SCTM without smoothing", smoothing=None)
    if not run.smoke:
        grow(run, "sctm", "SCTM with smoothing='kl', fitted once", ends_only=True, smoothing="kl")
    corpora = {"20 Newsgroups": newsgroup_halves(run).train, "NIPS": nips(run).counts}
    for name, counts in corpora.items():
        n_topics = 3 if run.smoke else 50
        model = SCTM(n_topics, random_state=run.seed, n_jobs=1).fit(counts)
        goal = Goal("stops by itself", lambda _, met=model.converged_: met, "value")
        run.row(f"passes until it stops, {name}, p={n_topics}", model.n_iter_, "passes", goal=goal)


def grow(run: Run, model: str, what: str, ends_only: bool = False, **options: Any) -> None:
    """Measure time and memory of a fit from disk for growing numbers of documents."""
    factors = (1, 2) if run.smoke else (1, 8) if ends_only else (1, 2, 4, 8)
    label = "".join(f", {name}={value!r}" for name, value in options.items())
    n_topics, n_threads = (3, 1) if run.smoke else (50, 2)
    corpus = newsgroups(run).counted()
    random = np.random.default_rng(run.seed)
    seconds = dict.fromkeys(factors, np.inf)
    memory = dict.fromkeys(factors, 0)
    with tempfile.TemporaryDirectory() as folder:
        for factor in factors:
            rows = random.integers(0, len(corpus), factor * len(corpus))
            Corpus(corpus.counts[rows], corpus.vocabulary).save(Path(folder, str(factor)))
        for _ in range(1 if ends_only else run.repeats):
            for factor in factors:
                seen = python_output(
                    "-m",
                    "benchmarks.scaling",
                    str(Path(folder, str(factor))),
                    model,
                    json.dumps({"n_components": n_topics, "n_jobs": n_threads, **options}),
                )
                seconds[factor] = min(seconds[factor], seen["seconds"])
                memory[factor] = max(memory[factor], seen["bytes"])
    run.note(
        f"Documents are drawn with replacement from {len(corpus):,} posts. The model is {what}, "
        f"with {n_topics} topics, {PASSES} passes and {n_threads} threads. Each fit runs in a "
        "separate process. Memory is the peak above the memory before the corpus is opened."
    )
    first = factors[0]
    for factor in factors:
        run.row(
            f"time, documents x{factor}{label}",
            seconds[factor],
            "s",
            peer=f"documents x{first}",
            peer_value=seconds[first],
        )
    slope = np.polyfit(np.log(factors), np.log([seconds[f] for f in factors]), 1)[0]
    run.row(
        f"time exponent (slope of log time){label}",
        slope,
        "",
        goal=at_most(1.05, of="value"),
        tolerance=None,
    )
    for factor in factors:
        run.row(
            f"peak memory, documents x{factor}{label}",
            memory[factor] / 2**20,
            "MB",
            peer=f"documents x{first}",
            peer_value=memory[first] / 2**20,
            goal=at_most(1.1) if factor == factors[-1] else None,
        )


def fit_store(store: str, name: str, options: dict[str, Any]) -> dict[str, float]:
    """Return the time in seconds and the additional peak memory in bytes of one fit."""
    with warnings.catch_warnings(), threads(options["n_jobs"]):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warm()
        before = peak_memory()
        start = time.perf_counter()
        model = laconic.pipeline(name, max_iter=PASSES, tol=0.0, **options)
        model.fit(laconic.read(store))
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "bytes": peak_memory() - before, "passes": model[-1].n_iter_}


if __name__ == "__main__":
    print(json.dumps(fit_store(*sys.argv[1:3], json.loads(sys.argv[3]))))
