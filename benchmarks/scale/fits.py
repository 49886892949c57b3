"""Fits from disk: Wikipedia's shape, growing numbers of documents, and over 2^31 non-zeros.

If this module is run as a program, it fits a model to a corpus store and prints what that took.
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

import laconic
from benchmarks.harness import Run, at_least, at_most, peak_memory, python_output, warm
from benchmarks.scale.command import folder_size, measure
from benchmarks.scale.corpora import WIKIPEDIA, write_nonzeros, write_texts, write_wikipedia
from laconic.models import MODELS

NONZEROS = 2_200_000_000
MINUTES, GIGABYTES = 25, 2  # goals for Wikipedia's shape
EXPONENT, CPU = 1.05, 60  # goals for growing numbers of documents
GROWTH = 8
LIMITED = ("sctm", "medstc")  # models with a goal for the time of their fit


def scale_wikipedia(run: Run) -> None:
    """Sparse LSA with 100 topics on a corpus with the shape of Wikipedia, from disk."""
    n_documents, n_topics = (2000, 5) if run.smoke else (WIKIPEDIA, 100)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "wikipedia.corpus")
        start = time.process_time()
        write_wikipedia(store, n_documents, run.seed)
        written = time.process_time() - start
        nonzeros = laconic.read(store).counts.nnz if run.smoke else _nonzeros(store)
        size = folder_size(store)
        used = measure(
            run,
            *("fit", store, "-m", "slsa", "-k", n_topics, "--no-documents", "--json"),
            *("-o", Path(folder, "wikipedia.model")),
        )
    facts = used.json
    run.row("documents", n_documents, "documents")
    run.row("non-zeros", nonzeros, "non-zeros")
    run.row("size of the store", size / 2**30, "GB")
    run.row("generator", written, "core-seconds")
    run.row(f"fit, {n_topics} topics", used.seconds / 60, "minutes",
            goal=at_most(MINUTES, "value"), tolerance=None)  # fmt: skip
    run.row(f"fit, {n_topics} topics: CPU", used.cpu, "core-seconds")
    run.row("passes until it stops", facts["passes"], "passes")
    run.row("converged", facts["converged"], "", goal=at_least(1), tolerance=None)
    run.row("peak memory", used.peak / 2**30, "GB", goal=at_most(GIGABYTES, "value"))
    run.note(
        "Topics and Zipf-distributed words by a generator; the numbers of different words of the "
        "documents are log-normal. The fit runs on all cores to its own stop, without keeping "
        "documents, and memory is the peak of the resident memory of its process. For comparison, "
        "gensim reports 4 h 9 min for LSI with 400 topics, in one pass over 3,931,787 articles "
        "with 756 million non-zeros on a laptop (its documentation, wiki.rst)."
    )


def _nonzeros(store: Path) -> int:
    header = json.loads((store / "corpus.json").read_text(encoding="utf-8"))
    return int(header["nonzeros"])


def scale_documents(run: Run) -> None:
    """Time of a whole fit of every model, for 8 times as many documents."""
    n_large, n_topics = (1600, 3) if run.smoke else (100_000, 50)
    sizes = n_large // GROWTH, n_large
    run.note(
        f"Whole fits with default settings and {n_topics} topics (PCP chooses its rank), from "
        "disk, on one thread, each in its own process after everything is compiled. The documents "
        "have 80 to 100 words out of 100,000 and one of 20 classes. The smaller corpus consists of "
        "the first documents of the larger one and has the same vocabulary. The exponent is the "
        "slope of the logarithm of the CPU seconds; models stop by themselves, so the numbers of "
        "passes may differ."
    )
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder, "texts.jsonl")
        write_texts(texts, n_large, run.seed)
        corpus = laconic.read(texts, label="label", keep_texts=False)
        for size in sizes:
            corpus[:size].save(Path(folder, str(size)))
        for name in ("slsa", "medstc") if run.smoke else MODELS:
            options = {} if name == "pcp" else {"n_components": n_topics}
            seen = {
                size: _fit_in_process(run, Path(folder, str(size)), name, options) for size in sizes
            }
            _report_growth(run, name, seen)


def _fit_in_process(run: Run, store: Path, name: str, options: dict[str, Any]) -> dict[str, float]:
    if run.smoke:
        return fit_store(str(store), name, {"max_iter": 2, **options})
    seen: dict[str, float] = python_output(
        "-m", "benchmarks.scale.fits", str(store), name, json.dumps(options)
    )
    return seen


def _report_growth(run: Run, name: str, seen: dict[int, dict[str, float]]) -> None:
    small, large = seen
    for size in seen:
        must = size == 100_000 and name in LIMITED
        goal = at_most(CPU, "value") if must else None
        run.row(f"{name}, {size:,} documents", seen[size]["cpu"], "core-seconds", goal=goal)
        run.row(f"{name}, {size:,} documents: passes", seen[size]["passes"], "passes")
        run.row(f"{name}, {size:,} documents: peak memory", seen[size]["peak"] / 2**20, "MB")
    exponent = np.log(seen[large]["cpu"] / seen[small]["cpu"]) / np.log(large / small)
    run.row(f"{name}: exponent", exponent, "", goal=at_most(EXPONENT, "value"), tolerance=None)


def fit_store(store: str, name: str, options: dict[str, Any]) -> dict[str, float]:
    """Return the CPU seconds, the passes and the peak memory in bytes of one fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm()
        start = time.process_time()
        model = laconic.pipeline(name, n_jobs=1, **options).fit(laconic.read(store))
        cpu = time.process_time() - start
    return {"cpu": cpu, "passes": model[-1].n_iter_, "peak": peak_memory()}


def scale_sizes(run: Run) -> None:
    """Time and peak memory of a fit for growing numbers of words and topics."""
    nonzeros, passes = (200_000, 2) if run.smoke else (16_000_000, 3)
    words = (1000,) if run.smoke else (25_000, 100_000, 400_000)
    topics = (2, 4) if run.smoke else (25, 100, 400)
    usual_words, usual_topics = words[len(words) // 2], topics[1]
    cases = [(n, usual_topics) for n in words]
    cases += [(usual_words, n) for n in topics if n != usual_topics]
    with tempfile.TemporaryDirectory() as folder:
        for n_words in words:
            write_nonzeros(Path(folder, str(n_words)), nonzeros, n_words, run.seed)
        for name in ("slsa",) if run.smoke else ("slsa", "plsa"):
            for n_words, n_topics in cases:
                options = {"n_components": n_topics, "max_iter": passes, "tol": 0.0}
                seen = _fit_in_process(run, Path(folder, str(n_words)), name, options)
                what = f"{name}, {n_words:,} words, {n_topics} topics"
                run.row(what, seen["cpu"], "core-seconds")
                run.row(f"{what}: peak memory", seen["peak"] / 2**20, "MB")
    run.note(
        f"{nonzeros:,} non-zeros in documents of 80 different words, from disk, on one thread; "
        f"{passes} passes, after those of the weighting and of the initialisation."
    )


def scale_nonzeros(run: Run) -> None:
    """A store with more than 2^31 non-zeros: written, opened, and fitted in one pass."""
    nonzeros, n_topics = (1_700_000, 3) if run.smoke else (NONZEROS, 20)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "large.corpus")
        start = time.process_time()
        write_nonzeros(store, nonzeros, 2000 if run.smoke else 100_000, run.seed)
        run.row("written", time.process_time() - start, "core-seconds")
        run.row("size of the store", folder_size(store) / 2**30, "GB")
        opened = measure(run, "info", store, "--json")
        run.row("non-zeros", _nonzeros(store), "non-zeros", goal=at_least(nonzeros))
        run.row("opened (laconic info)", opened.cpu, "core-seconds")
        run.row("opened: peak memory", opened.peak / 2**20, "MB")
        used = measure(
            run,
            *("fit", store, "-m", "slsa", "-k", n_topics, "--max-iter", 1, "--no-documents"),
            *("-q", "-o", Path(folder, "large.model")),
        )
        run.row("one pass", used.cpu, "core-seconds")
        run.row("one pass: peak memory", used.peak / 2**20, "MB")
        if run.full:
            copy = Path(folder, "copy.corpus")
            copied = measure(run, "convert", store, "-o", copy, "-q")
            run.row("copied by laconic convert", copied.cpu, "core-seconds")
            run.row("copied: peak memory", copied.peak / 2**20, "MB")
            run.row("copied: non-zeros", _nonzeros(copy), "non-zeros", goal=at_least(nonzeros))
    run.note(
        f"The store repeats 20,000 documents of 80 different words. The fit is Sparse LSA with "
        f"{n_topics} topics and one pass, after the passes of the weighting and of the "
        "initialisation."
    )


if __name__ == "__main__":
    print(json.dumps(fit_store(*sys.argv[1:3], json.loads(sys.argv[3]))))
