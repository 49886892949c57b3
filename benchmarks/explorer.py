"""Load test of the explorer: one server process gets many requests at scheduled times."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import laconic
from benchmarks.data import newsgroups
from benchmarks.harness import ROOT, Run, at_most
from benchmarks.open_loop import Outcome, arrivals, drive
from laconic import Corpus
from laconic.datasets import load_pydocs

RATE = 200  # mean number of requests per second
SECONDS = 30  # duration of the load test
GOAL = 100  # target for the 99th percentile of the latency, in milliseconds
FIRST_VIEW = 1000  # target for the latency of the first overview, in milliseconds
MANY = 1_000_000  # documents of a large model
SETTLED = 5  # time in seconds that a new server needs to prepare responses in the background
STATIC = ("index.html", "style.css", "app.js", "dom.js", "api.js", "charts.js")


def explorer(run: Run) -> None:
    """Latency of `laconic explore` with 200 requests/s for 30 s, and of the first overview."""
    corpus = _corpus(run)
    with tempfile.TemporaryDirectory() as folder:
        _under_load(run, corpus, Path(folder, "load.model"))
        many, large = Path(folder, "many.model"), Path(folder, "large.model")
        _save(corpus, many, 20 if run.smoke else 1000, run.seed, max_iter=3)
        _first_view(run, many, "1,000 topics")
        _save_large(corpus, large, run)
        _first_view(run, large, "1,000,000 documents")


def _corpus(run: Run) -> Corpus:
    if not run.smoke:
        return load_pydocs()
    posts = newsgroups(run)
    return laconic.read(posts.bodies)


# --- load ----------------------------------------------------------------------------------------


def _under_load(run: Run, corpus: Corpus, path: Path) -> None:
    """Measure errors and latencies, first with a cold cache and then with a warm cache."""
    rate, seconds = (50, 1) if run.smoke else (RATE, SECONDS)
    _save(corpus, path, 5 if run.smoke else 100, run.seed)
    paths = requests(corpus, 5 if run.smoke else 100, rate * seconds, run.seed)
    times = arrivals(rate, seconds, run.seed)
    run.note(
        f"Sparse LSA, 100 topics of 20 words, on {len(corpus):,} documents; one server process; "
        f"{len(paths):,} requests at random times in {seconds} s, {rate} per second on average, to "
        f"{len(set(paths)):,} different URLs: overview, topics, lists of documents, "
        "documents, words, searches, charts and files. The server and its client share "
        f"{os.cpu_count()} cores. Latency is measured from the scheduled time of a request. Cold: "
        f"{SETTLED} s after the start, without earlier requests. Warm: the same requests again. "
        + _circumstances()
    )
    with server(path) as url:
        time.sleep(0 if run.smoke else SETTLED)
        for state in ("cold", "warm"):
            _report(run, state, drive(url, paths, times))


def _circumstances() -> str:
    """Describe the load of the machine and the priority of the benchmark."""
    load = f"The load average of the machine was {os.getloadavg()[0]:.1f} before the run"
    usual = not hasattr(os, "sched_getscheduler") or os.sched_getscheduler(0) == os.SCHED_OTHER
    return f"{load}." if usual else f"{load}; server and client had priority over other programs."


def _report(run: Run, state: str, outcome: Outcome) -> None:
    for failure in outcome.failures[:5]:
        print(failure, file=sys.stderr)
    what = f"{RATE} requests/s, {state}"
    failed = len(outcome.failures)
    run.row(f"{what}: requests that failed", failed, "", goal=at_most(0, of="value"))
    run.row(f"{what}: median", outcome.percentile(50), "ms")
    goal = at_most(GOAL, of="value")
    run.row(f"{what}: 99 of 100 within", outcome.percentile(99), "ms", goal=goal)
    run.row(f"{what}: slowest", outcome.percentile(100), "ms")
    run.row(f"{what}: connections", outcome.connections, "connections", tolerance=None)


def requests(corpus: Corpus, n_topics: int, n: int, seed: int) -> list[str]:
    """Draw typical URLs at random; most of them are different."""
    draw = np.random.default_rng(seed)
    words = np.asarray(corpus.vocabulary)[np.argsort(-corpus.counts.sum(axis=0).A1)]

    def number(below: int) -> int:
        return int(draw.integers(below))

    def word() -> str:  # frequent words are drawn more often
        return str(words[int(len(words) * draw.random() ** 3)])

    def query() -> str:
        return quote(" ".join(word() for _ in range(2 + number(3))))

    kinds: list[tuple[int, Callable[[], str]]] = [
        (5, lambda: "/"),
        (8, lambda: f"/static/{STATIC[number(len(STATIC))]}"),
        (4, lambda: "/api/overview"),
        (12, lambda: f"/api/topics/{number(n_topics)}"),
        (12, lambda: f"/api/topics/{number(n_topics)}/documents?page={number(3)}"),
        (6, lambda: f"/api/documents?page={number(max(1, len(corpus) // 20))}"),
        (20, lambda: f"/api/documents/{number(len(corpus))}"),
        (6, lambda: f"/api/documents/{number(len(corpus))}/similar"),
        (8, lambda: f"/api/words/{quote(word(), safe='')}"),
        (5, lambda: f"/api/words?like={quote(word()[:3])}"),
        (10, lambda: f"/api/search?q={query()}"),
        (3, lambda: f"/api/charts/{('map', 'words', 'groups', 'matrix')[number(4)]}"),
        (1, lambda: "/api/themes"),
    ]
    shares = np.array([share for share, _ in kinds], dtype=float)
    chosen = draw.choice(len(kinds), n, p=shares / shares.sum())
    return [kinds[kind][1]() for kind in chosen]


# --- first view ----------------------------------------------------------------------------------


def _first_view(run: Run, path: Path, what: str) -> None:
    """Measure the latency of the overview as soon as the server is ready."""
    first, again, started = np.inf, np.inf, np.inf
    for _ in range(run.repeats):
        begin = time.perf_counter()
        with server(path) as url:
            started = min(started, time.perf_counter() - begin)
            first = min(first, _seconds(f"{url}api/overview"))
            again = min(again, _seconds(f"{url}api/overview"))
    run.note(f"{what}: times of the overview are the best of several runs, each with a new server.")
    goal = at_most(FIRST_VIEW, of="value")
    run.row(f"{what}: command to address", started, "s")
    run.row(f"{what}: overview, first answer", 1e3 * first, "ms", goal=goal)
    run.row(f"{what}: overview, second answer", 1e3 * again, "ms")


def _seconds(url: str) -> float:
    begin = time.perf_counter()
    with urllib.request.urlopen(url, timeout=60) as answer:
        answer.read()
    return time.perf_counter() - begin


# --- the server ----------------------------------------------------------------------------------


def _save(corpus: Corpus, path: Path, n_topics: int, seed: int, **options: Any) -> None:
    words = min(20, corpus.shape[1] // 2)
    model = laconic.pipeline(
        "slsa", n_components=n_topics, words_per_topic=words, random_state=seed, **options
    )
    model.fit(corpus)
    laconic.save(model, path, index=laconic.search(model, corpus))


def _save_large(corpus: Corpus, path: Path, run: Run) -> None:
    """Save a model with many documents: those of the corpus, repeated, without texts."""
    model = laconic.pipeline("sc", n_components=5 if run.smoke else 100, random_state=run.seed)
    model.fit(corpus)
    rows = np.arange(200 if run.smoke else MANY) % len(corpus)
    laconic.save(model, path, corpus=corpus.replace(texts=None)[rows])


@contextmanager
def server(path: Path, *options: str) -> Iterator[str]:
    """Run `laconic explore` in a separate process and yield its URL."""
    command = [sys.executable, "-m", "laconic", "explore", str(path), "--no-browser", "--port", "0"]
    command += options
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = ""
        while not (found := re.search(r"http://[\d.:]+/", said)):
            line = process.stderr.readline()
            if not line:
                raise RuntimeError(f"laconic explore ended: {said}")
            said += line
        yield found[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
