"""CPU time of single queries, compared with the backends of bm25s."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import bm25s
import numpy as np
import Stemmer

import laconic
from benchmarks.harness import Run, at_most
from benchmarks.pursuit import K, cores, searched

OURS = "laconic.search"
SHOWN = "query with snippets and keywords"
REPEATS = 3  # of each query; the fastest counts, because other programs disturb the clock
SLOWER = 3.0  # target for our time, as a multiple of the time of the fastest backend


def search_latency(run: Run) -> None:
    """CPU time of a query to 100,000 documents, compared with the numpy and numba backends."""
    texts, queries, model = searched(run)
    run.note(
        f"The index and the queries of search-index: {len(texts):,} documents, "
        f"{len(queries):,} queries, the {K} best documents. The time of a query is the CPU time "
        f"of the process, including the analysis of the words; of {REPEATS} repeats, the fastest "
        "counts. bm25s scores words only; its numba backend runs the compiled scorer on one "
        f"thread. {OURS} also codes the query by Sparse LSA with {model[-1].n_components} topics, "
        "compares the code with the codes of all documents, and re-ranks the best documents. Both "
        f"return ids and scores; {OURS} also returns titles. Snippets and keywords are computed "
        f"when they are accessed, which only the rows '{SHOWN}' do."
    )
    with cores(1):
        index = laconic.search(model, texts, language="english")
        askers: dict[str, Callable[[str], Any]] = {
            OURS: partial(index.query, k=K),
            SHOWN: partial(_show, index),
            **bm25s_askers(texts),
        }
        times = query_times(askers, queries)
    measures = {
        "median": np.median,
        "mean": np.mean,
        "99th percentile": partial(np.quantile, q=0.99),
    }
    peers = [name for name in askers if name not in (OURS, SHOWN)]
    fastest = min(peers, key=lambda name: times[name].mean())
    for what, measure in measures.items():
        run.row(f"{SHOWN}, {what}", float(measure(times[SHOWN])), "ms")
        for name in peers:
            goal = at_most(SLOWER) if name == fastest and what == "99th percentile" else None
            value, peer = float(measure(times[OURS])), float(measure(times[name]))
            run.row(f"query, {what}", value, "ms", peer=name, peer_value=peer, goal=goal)


def _show(index: laconic.SearchIndex, query: str) -> None:
    """Answer a query, and compute all that a result page shows."""
    index._keywords.clear()  # The keywords of a document are cached.
    for hit in index.query(query, k=K):
        hit.snippet, hit.keywords  # noqa: B018 - computed on access


def query_times(
    askers: dict[str, Callable[[str], Any]], queries: list[str]
) -> dict[str, np.ndarray]:
    """Return the CPU time in milliseconds of each query; the libraries take turns."""
    for ask in askers.values():
        for query in queries[:20]:  # compiles, and builds caches
            ask(query)
    times = {name: np.full(len(queries), np.inf) for name in askers}
    for number, query in enumerate(queries):
        for _ in range(REPEATS):
            for name, ask in askers.items():
                start = time.process_time_ns()
                ask(query)
                used = (time.process_time_ns() - start) / 1e6
                times[name][number] = min(times[name][number], used)
    return times


def bm25s_askers(texts: list[str]) -> dict[str, Callable[[str], Any]]:
    """Build one index for each backend of bm25s, and return functions that query them."""
    stemmer = Stemmer.Stemmer("english")
    read = partial(bm25s.tokenize, stopwords="en", stemmer=stemmer, show_progress=False)
    tokens = read(texts)
    askers = {}
    for backend in ("numpy", "numba"):
        retriever = bm25s.BM25(method="lucene", backend=backend)
        if backend == "numba":
            retriever.activate_numba_scorer()
        retriever.index(tokens, show_progress=False)
        # One thread of the numpy backend would be a new thread for each query; 0 is no thread.
        n_threads = 1 if backend == "numba" else 0
        ask = partial(
            retriever.retrieve, k=min(K, len(texts)), n_threads=n_threads, show_progress=False
        )
        askers[f"bm25s, {backend}"] = partial(_ask, read, ask)
    return askers


def _ask(read: Callable[..., Any], ask: Callable[..., Any], query: str) -> Any:
    return ask(read(query))
