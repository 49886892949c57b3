"""Benchmark harness: rows with goals, measurement of time and memory, and result files.

For a fair comparison, both sides run in turns in one process, with the same number of threads and
with everything compiled beforehand. The best time of several turns is used, because times vary.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from laconic import PLSA, SCTM, STC, MedSTC, SparseLSA, Vectorizer, Weighting
from laconic.datasets import make_topics

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().parent / "results"
REPEATS = 3
DIRTY = "-dirty"  # suffix of the commit if files differ from it
PACKAGES = (
    "laconic",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "bm25s",
    "PyStemmer",
    "gensim",
    "tomotopy",
    "spams-bin",
    "pyrpca",
    "yake",
)


# --- goals ---------------------------------------------------------------------------------------


class Goal(NamedTuple):
    """Target for the value of a row, or for the ratio of this value to the value of the peer."""

    text: str
    holds: Callable[[float], bool]
    of: str


def at_most(bound: float, of: str = "ratio") -> Goal:
    return Goal(f"{of} ≤ {bound:g}", lambda number: number <= bound, of)


def at_least(bound: float, of: str = "value") -> Goal:
    return Goal(f"{of} ≥ {bound:g}", lambda number: number >= bound, of)


def faster(times: float) -> Goal:
    return Goal(f"≥ {times:g}x faster", lambda ratio: ratio <= 1 / times, "ratio")


def smaller(times: float) -> Goal:
    return Goal(f"≤ 1/{times:g}", lambda ratio: ratio <= 1 / times, "ratio")


def within(margin: float, target: float) -> Goal:
    # 1e-9 allows for rounding errors
    return Goal(
        f"within {margin:g} of {target:g}",
        lambda value: abs(value - target) <= margin + 1e-9,
        "value",
    )


# --- one run of one benchmark --------------------------------------------------------------------


@dataclass
class Row:
    """One result and the result of a peer; ``ratio`` is always value / peer value."""

    what: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None
    goal: str | None = None
    met: bool | None = None
    tolerance: float | None = None  # allowed relative difference of a re-run; None if not compared
    why: str | None = None  # one line that explains the difference from the peer


class Auto:
    """Type of the marker `AUTO`, which stands for the default tolerance of a unit."""


AUTO = Auto()
# Tolerance of results that the seed determines; another BLAS or compiler may change them slightly
TIGHT = 0.005
MEMORY = 0.25  # tolerance of memory sizes
TIMINGS = ("s", "ms", "µs", "core-seconds", "documents/s", "words/s", "x faster")


def tolerance_of(unit: str) -> float | None:
    """Return the default tolerance of a unit, or None for times, which are not compared."""
    if unit in TIMINGS:
        return None
    return MEMORY if unit in ("MB", "GB") else TIGHT


@dataclass
class Run:
    """Settings and results of one run of a benchmark."""

    name: str
    smoke: bool = False
    full: bool = False
    seed: int = 0
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    # measures of single fits, of which the rows are means; kept in the result
    cells: dict[str, Any] = field(default_factory=dict)

    @property
    def repeats(self) -> int:
        return 1 if self.smoke else REPEATS

    def row(
        self,
        what: str,
        value: float,
        unit: str,
        *,
        peer: str | None = None,
        peer_value: float | None = None,
        goal: Goal | None = None,
        tolerance: float | Auto | None = AUTO,
        why: str | None = None,
    ) -> None:
        """Add one result and print it at once, because some benchmarks take a long time.

        `tolerance` is the relative difference that is allowed in a re-run; if it is None, the row
        is not compared. The default depends on the unit. `why` explains in one line how the result
        differs from the peer.
        """
        if isinstance(tolerance, Auto):
            tolerance = tolerance_of(unit)
        ratio = None if not peer_value else float(value) / float(peer_value)
        row = Row(what, float(value), unit, peer, _number(peer_value), ratio)
        row.tolerance, row.why = tolerance, why
        if goal is not None:
            number = row.value if goal.of == "value" else ratio
            row.goal, row.met = goal.text, number is not None and bool(goal.holds(number))
        self.rows.append(row)
        comparison = "" if peer is None else f"; {peer}: {show(row.peer_value)} {unit}"
        print(f"{what}: {show(row.value)} {unit}{comparison}", file=sys.stderr, flush=True)

    def note(self, sentence: str) -> None:
        """Add a note that helps readers to interpret the results."""
        self.notes.append(sentence)
        print(sentence, file=sys.stderr, flush=True)


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def show(number: float | None) -> str:
    """Format a number for a table with about four significant digits."""
    if number is None:
        return ""
    if number and abs(number) < 1e-3:
        return f"{number:.2e}"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def execute(
    benchmark: Callable[[Run], None], run: Run, command: str | None = None
) -> dict[str, Any]:
    """Run a benchmark and return its result in the format of the result files."""
    measured = commit()  # must be called before the run, because files may change during the run
    started = time.perf_counter()
    with warnings.catch_warnings():
        # Some peers run a fixed number of iterations and warn that they have not converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warm()
        benchmark(run)
    return {
        "name": run.name,
        "rows": [asdict(row) for row in run.rows],
        "notes": run.notes,
        "commit": measured,
        "seed": run.seed,
        "smoke": run.smoke,
        "seconds": round(time.perf_counter() - started, 1),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "command": command or f"python -m benchmarks run {run.name}",
        **({"cells": run.cells} if run.cells else {}),
    }


def write(result: Mapping[str, Any], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result['name']}.json"
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def commit() -> str | None:
    """Return the current commit, with the suffix "-dirty" if files differ from it or are new.

    Result files are ignored, because a run writes them one after the other.
    """
    results = f":(exclude){RESULTS.relative_to(ROOT).as_posix()}"
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--", ".", results],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.strip() + (DIRTY if changed.stdout else "")


def is_committed(result: Mapping[str, Any]) -> bool:
    """Return whether a result, with all its cells, was made from a known commit."""
    commits = [result["commit"], *(one.get("commit") for one in result.get("cells", {}).values())]
    return all(one is not None and not one.endswith(DIRTY) for one in commits)


def machine() -> dict[str, Any]:
    about: dict[str, Any] = {
        "cores": n_cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            about[package] = version(package)
        except PackageNotFoundError:
            about[package] = None
    return about


def n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- timing --------------------------------------------------------------------------------------


class Timed(NamedTuple):
    """The shortest time of several runs in seconds, and the result of the last run."""

    seconds: float
    result: Any


def race(runners: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, Timed]:
    """Time several functions in turns (A B A B …), so that a slow minute affects all of them."""
    best = dict.fromkeys(runners, np.inf)
    results: dict[str, Any] = {}
    for _ in range(repeats):
        for name, runner in runners.items():
            start = time.perf_counter()
            results[name] = runner()
            best[name] = min(best[name], time.perf_counter() - start)
    return {name: Timed(best[name], results[name]) for name in runners}


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Limit the threads of BLAS and OpenMP; laconic gets the same number through ``n_jobs``."""
    with threadpool_limits(limits=number):
        yield


def thread_counts() -> list[int]:
    """Return the numbers of threads to compare: one, and two if there are two cores."""
    return [1, 2] if n_cores() >= 2 else [1]


def warm() -> None:
    """Compile every kernel, or load it from the cache, before timing."""
    Vectorizer(n_jobs=1).fit_transform(["one two three", "two three four"])
    corpus, _ = make_topics(60, 80, 3, document_length=30)
    X = Weighting("tfidf-balanced").fit_transform(corpus.counts)
    for options in ({"alpha": 0.01}, {"words_per_topic": 10, "positive": True}):
        model = SparseLSA(3, n_jobs=1, **options).fit(X)
        model.transform(X)
        model.set_params(sparse_output=False).transform(X)
    labels = np.arange(corpus.shape[0]) % 2
    counts = corpus.counts.astype(np.float32)
    for mixed in (PLSA(3, n_jobs=1), SCTM(3, n_jobs=1), STC(3, n_jobs=1), MedSTC(4, n_jobs=1)):
        mixed.fit(counts, labels).transform(counts)


# --- memory --------------------------------------------------------------------------------------


def peak_memory(pid: int | str = "self") -> int:
    """Return the peak memory of this process in bytes or, on Linux, of another process.

    On Linux, /proc is used instead of ``getrusage``, because in a new process ``getrusage`` still
    reports the peak of the parent process.
    """
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def memory_now() -> int:
    """Return the current memory of this process in bytes, or the peak if it is unknown."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return peak_memory()


def reset_peak_memory() -> None:
    """Reset the peak memory if the system allows it, to exclude the memory of compilation."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def python_output(*arguments: str) -> Any:
    """Run Python in a new process and parse its output as JSON; its messages stay visible."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed; see its message above")
    return json.loads(done.stdout)
