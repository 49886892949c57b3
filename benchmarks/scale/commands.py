"""Time and peak memory of the commands, from texts to the first view of the explorer."""

from __future__ import annotations

import tempfile
import urllib.request
from pathlib import Path

import psutil

from benchmarks.explorer import server
from benchmarks.harness import Goal, Run, at_most, peak_memory
from benchmarks.scale.command import Used, folder_size, measure
from benchmarks.scale.corpora import vocabulary, write_texts

LARGE = 1_000_000
SIZES = (100_000, LARGE)
LARGEST = 4_000_000  # only converted
MAX_CPU, MAX_MB = 45, 1200  # goals at 1,000,000 documents
GOALS = {
    "convert": (at_most(MAX_CPU, "value"), at_most(MAX_MB, "value")),
    "fit with documents and index": (None, at_most(MAX_MB, "value")),
    "transform to Parquet": (None, at_most(MAX_MB, "value")),
}
FIRST_VIEW = ("", "api/overview", "api/charts/map")


def scale_commands(run: Run) -> None:
    """CPU time, peak memory and output of each command at 100,000 and 1,000,000 documents."""
    for n_documents in (200,) if run.smoke else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            _all_commands(run, Path(folder), n_documents)
    if not run.smoke:
        with tempfile.TemporaryDirectory() as folder:
            _convert(run, Path(folder), LARGEST)
    run.note(
        "Synthetic documents of 80 to 100 words out of 100,000, with ids, titles, labels and "
        "texts. Each command runs in its own process, with its default number of threads. CPU "
        "seconds are user and system time, including the start of Python. Memory is the peak of "
        "the resident memory, including pages of memory-mapped files. 1 MB is 2^20 bytes. The "
        "model is Sparse LSA."
    )


def _convert(run: Run, folder: Path, n_documents: int) -> None:
    texts, store = folder / "texts.jsonl", folder / "texts.corpus"
    write_texts(texts, n_documents, run.seed)
    used = measure(run, "convert", texts, "-o", store, "--label", "label", "-q")
    _report(run, "convert", n_documents, used, store)


def _all_commands(run: Run, folder: Path, n_documents: int) -> None:
    _convert(run, folder, n_documents)
    texts, store, model = folder / "texts.jsonl", folder / "texts.corpus", folder / "posts.model"
    npz, parquet = folder / "codes.npz", folder / "codes.parquet"
    sparse_lsa = "-m", "slsa", "-k", 3 if run.smoke else 100, "-q"
    words = vocabulary(1000)
    commands: dict[str, tuple[tuple[object, ...], Path | None]] = {
        "fit with documents and index": (("fit", store, *sparse_lsa, "-o", model), model),
        "fit from texts, without documents": (
            ("fit", texts, *sparse_lsa, "--no-documents", "-o", folder / "other.model"),
            folder / "other.model",
        ),
        "transform to npz": (("transform", model, store, "-o", npz, "-q"), npz),
        "transform to Parquet": (("transform", model, store, "-o", parquet, "-q"), parquet),
        "topics": (("topics", model), None),
        "one query": (("search", model, *words[500:503]), None),
        "keywords": (("keywords", store), None),
        "evaluate": (("evaluate", model, store), None),
    }
    for what, (arguments, output) in commands.items():
        _report(run, what, n_documents, measure(run, *arguments), output)
    if not run.smoke:
        _report(run, "explore, first view", n_documents, _first_view(model), None)


def _first_view(model: Path) -> Used:
    """Start the explorer, request the page and its first data, and measure the server."""
    with server(model) as url:
        for path in FIRST_VIEW:
            with urllib.request.urlopen(f"{url}{path}", timeout=600) as answer:
                answer.read()
        (process,) = (
            child for child in psutil.Process().children() if "explore" in child.cmdline()
        )
        times = process.cpu_times()
        return Used(times.user + times.system, 0, peak_memory(process.pid), "")


def _report(run: Run, what: str, n_documents: int, used: Used, output: Path | None) -> None:
    cpu_goal, memory_goal = GOALS.get(what, (None, None))
    where = f"{what}, {n_documents:,} documents"

    def goal(one: Goal | None, smallest: int) -> Goal | None:
        return one if n_documents >= smallest else None

    # The goal for the time holds for a million documents, that for the memory also for more.
    cpu_goal = cpu_goal if n_documents == LARGE else None
    run.row(f"{where}: time", used.cpu, "core-seconds", goal=cpu_goal)
    run.row(f"{where}: peak memory", used.peak / 2**20, "MB", goal=goal(memory_goal, LARGE))
    if output is not None:
        run.row(f"{where}: output", folder_size(output) / 2**20, "MB")
