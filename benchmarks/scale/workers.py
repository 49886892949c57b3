"""The Dask engine against threads, and how it scales over workers that only sleep."""

from __future__ import annotations

import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import laconic
from benchmarks.harness import Run, at_least, at_most, race
from benchmarks.reliability.clusters import ProcessCluster
from benchmarks.scale.corpora import write_nonzeros, write_wikipedia
from laconic.engines import make_engine
from laconic.engines.stats import Stats

SLOWER, TRAFFIC, EFFICIENCY = 1.35, 2, 0.85  # goals
N_WORKERS = 2
SLEEPERS = (1, 2, 4, 8)
PASSES = 3


def scale_dask(run: Run) -> None:
    """Two Dask workers against two threads, bytes moved a pass, and efficiency at 8 workers."""
    numbers = (N_WORKERS,) if run.smoke else SLEEPERS
    with tempfile.TemporaryDirectory() as folder, ProcessCluster(folder, numbers[0]) as cluster:
        chunks = _many_chunks(run, Path(folder))
        for n_workers in numbers:
            for _ in range(n_workers - len(cluster.workers())):
                cluster.add_worker()
            cluster.wait_for(n_workers)
            if n_workers == N_WORKERS:
                _against_threads(run, Path(folder), cluster)
            _sleeping_workers(run, cluster, n_workers, chunks)


# --- real work -----------------------------------------------------------------------------------


def _against_threads(run: Run, folder: Path, cluster: ProcessCluster) -> None:
    """Fit the same store with threads and with Dask workers."""
    n_documents, n_topics = (300, 3) if run.smoke else (500_000, 100)
    store = folder / "wikipedia.corpus"
    write_wikipedia(store, n_documents, run.seed)
    corpus = laconic.read(store)
    n_bytes = 8 * corpus.n_nonzeros  # of words and counts

    def fit(engine: str, n_passes: int) -> Any:
        model = laconic.pipeline(
            "slsa", n_topics, engine=engine, n_jobs=N_WORKERS, max_iter=n_passes, tol=0.0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The passes are too few to converge.
            return model.fit(corpus)[-1]

    fits = race(
        {
            "threads": lambda: fit("threads", PASSES),
            "dask": lambda: fit(cluster.address, PASSES),
        },
        1 if run.smoke else 3,  # In the first of them, workers load modules and kernels.
    )
    pids = cluster.workers()
    traffic = {}
    for n_passes in (1, PASSES):
        before = _loopback(), _written(pids)
        fit(cluster.address, n_passes)
        traffic[n_passes] = _loopback() - before[0], _written(pids) - before[1]
    run.row(
        f"Sparse LSA, {n_topics} topics, {PASSES} passes: {N_WORKERS} Dask workers",
        fits["dask"].seconds,
        "s",
        peer=f"{N_WORKERS} threads",
        peer_value=fits["threads"].seconds,
        goal=at_most(SLOWER),
    )
    same = np.array_equal(fits["dask"].result.objective_, fits["threads"].result.objective_)
    run.row("objectives with the same bits", same, "", goal=at_least(1))
    network, files = (
        max(last - first, 1) / (PASSES - 1)
        for first, last in zip(traffic[1], traffic[PASSES], strict=True)
    )
    for what, per_pass in {
        "over the network (loopback)": network,
        "written to shared files": files,
        "moved in all": network + files,
    }.items():
        run.row(
            f"bytes {what}, per pass",
            per_pass / 2**20,
            "MB",
            peer="bytes of the counts",
            peer_value=n_bytes / 2**20,
            goal=at_most(TRAFFIC) if per_pass > max(network, files) else None,
            tolerance=None,
        )
    run.row("bytes over the network, whole fit", traffic[PASSES][0] / 2**20, "MB", tolerance=None)
    run.note(
        f"{n_documents:,} documents with the shape of Wikipedia, from disk. Dask has a scheduler "
        "and workers with one thread each, in processes of their own on this machine; they are "
        "started before. Bytes of a pass are the difference between fits of "
        f"{PASSES} passes and of one pass, by the counters of the loopback device and of the "
        "processes; other programs that use the loopback device add to them."
    )


def _loopback() -> int:
    """Return the number of bytes that were sent over the loopback device since the start."""
    for name, counters in psutil.net_io_counters(pernic=True).items():
        if name.startswith("lo"):
            return int(counters.bytes_sent)
    return 0


def _written(pids: list[int]) -> int:
    """Return the number of bytes that processes and this process have written to files."""
    processes = [psutil.Process(), *map(psutil.Process, pids)]
    return sum(process.io_counters().write_chars for process in processes)


# --- sleeping workers ----------------------------------------------------------------------------


@dataclass
class Sums(Stats):
    """Statistics that cost nothing to compute."""

    n_chunks: int
    sums: np.ndarray


def sleep(seconds: float, chunk: Any, state: Any) -> tuple[Sums, None]:
    """Step that sleeps in place of work."""
    time.sleep(seconds)
    return Sums(1, np.ones((100, 1000), np.float32)), None


def _many_chunks(run: Run, folder: Path) -> list[Any]:
    """Write a store, which the sleeping workers never read, and return its chunks."""
    store = folder / "repeated.corpus"
    if run.smoke:
        write_nonzeros(store, 2_000_000, 2000, run.seed)
    else:
        write_nonzeros(store, 200_000_000, seed=run.seed)
    chunks: list[Any] = laconic.read(store).chunks()
    run.note(
        f"A sleeping worker sleeps {1000 * _nap(run):g} ms for each of {len(chunks):,} chunks and "
        "returns 400 kB of statistics. Efficiency is the time asleep, divided by the number of "
        "workers and by the time of the pass."
    )
    return chunks


def _nap(run: Run) -> float:
    return 0.005 if run.smoke else 0.06


def _sleeping_workers(run: Run, cluster: ProcessCluster, n_workers: int, chunks: list[Any]) -> None:
    """Time one sum over all chunks with workers that sleep."""
    with make_engine(cluster.address) as engine:
        engine.map_reduce(sleep, 0.0, chunks[: 4 * n_workers])  # Workers load modules first.
        start = time.perf_counter()
        total = engine.map_reduce(sleep, _nap(run), chunks)
        seconds = time.perf_counter() - start
    assert total.n_chunks == len(chunks)
    what = f"sleeping workers, {n_workers}"
    run.row(what, seconds, "s")
    efficiency = len(chunks) * _nap(run) / (n_workers * seconds)
    goal = at_least(EFFICIENCY) if n_workers == SLEEPERS[-1] else None
    run.row(f"{what}: efficiency", efficiency, "", goal=goal, tolerance=None)
