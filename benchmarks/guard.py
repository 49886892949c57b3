"""Guard against slow-downs: small versions of the speed benchmarks, compared with committed ratios.

Every row is a ratio of two times in one run, so that it hardly depends on the machine. The data are
synthetic, so that nothing has to be installed or downloaded. ``python -m benchmarks run guard``
writes new reference values; ``python -m benchmarks guard`` fails if a ratio has become worse by
half, which means that the speed has fallen by a third. Before it fails, it measures everything
again, and the better of the two ratios counts.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import (
    LatentDirichletAllocation,
    MiniBatchDictionaryLearning,
    TruncatedSVD,
    sparse_encode,
)

import laconic
from benchmarks.harness import Run, race, show, thread_counts, threads
from benchmarks.papers.pcp_reference import pursue
from benchmarks.search_speed import bm25s_askers, query_times
from laconic import PCP, PLSA, SCTM, STC, Corpus, MedSTC, SparseLSA, Weighting
from laconic.datasets import make_topics

SLOWER = 1.5
"""A ratio may be so many times the committed one."""
LEAST_SECONDS = 0.2  # Fast functions run so often that their runs take at least so long in total.
MOST_RUNS = 100


def guard(run: Run) -> None:
    """Ratios of speed that ``python -m benchmarks guard`` compares with the committed ones."""
    n_documents, n_words, n_topics = (80, 120, 4) if run.smoke else (6000, 10_000, 50)
    corpus, _ = make_topics(n_documents, n_words, n_topics, document_length=80, random_state=0)
    run.note(
        f"{n_documents:,} planted documents x {n_words:,} words, {n_topics} topics; one thread, "
        "except in the rows about threads."
    )
    with threads(1):
        _sparse_lsa(run, corpus, n_topics)
        _stc(run, corpus, n_topics)
        _sctm(run, corpus, n_topics)
        _pcp(run)
        _queries(run, corpus, n_topics)
    _threads(run, corpus, n_topics)
    _start(run, corpus[:60])


def _compare(
    run: Run, what: str, ours: Callable[[], Any], peer: str, theirs: Callable[[], Any]
) -> tuple[Any, Any]:
    """Add a row for the times of two functions, and return the results of both."""
    runners = {"ours": ours, peer: theirs}
    n_runs = run.repeats
    if not run.smoke:
        fastest = min(timed.seconds for timed in race(runners, 1).values())
        n_runs = min(max(n_runs, int(LEAST_SECONDS / fastest)), MOST_RUNS)
    timed = race(runners, n_runs)
    seconds, other = timed["ours"].seconds, timed[peer].seconds
    run.row(what, 1e3 * seconds, "ms", peer=peer, peer_value=1e3 * other)
    return timed["ours"].result, timed[peer].result


def _sparse_lsa(run: Run, corpus: Corpus, n_topics: int) -> None:
    X = Weighting("tfidf-balanced", output="csr").fit_transform(corpus)
    model, svd = _compare(
        run,
        "SparseLSA.fit",
        lambda: SparseLSA(2 * n_topics, alpha=0.05, n_jobs=1).fit(X),
        "TruncatedSVD.fit",
        lambda: TruncatedSVD(2 * n_topics, n_iter=5, random_state=0).fit(X),
    )
    dense = np.ascontiguousarray(svd.components_.T, dtype=np.float32)
    model.set_params(codes="projection")
    _compare(run, "projection", lambda: model.transform(X), "dense LSA", lambda: X @ dense)


def _stc(run: Run, corpus: Corpus, n_topics: int) -> None:
    X = corpus.counts.astype(np.float32)
    lda = LatentDirichletAllocation(
        n_topics, learning_method="online", max_iter=2, random_state=0, n_jobs=1
    )
    model, lda = _compare(
        run,
        "STC.fit",
        lambda: STC(n_topics, n_jobs=1).fit(X),
        "online LDA, 2 passes",
        lambda: lda.fit(X),
    )
    _compare(
        run, "STC.transform", lambda: model.transform(X), "LDA.transform", lambda: lda.transform(X)
    )


def _sctm(run: Run, corpus: Corpus, n_topics: int) -> None:
    X = corpus.counts.astype(np.float64)
    model = SCTM(n_topics, n_jobs=1).fit(X)
    dense, topics = X[:1000].toarray(), np.asarray(model.components_, dtype=np.float64)
    encode = partial(sparse_encode, algorithm="lasso_cd", alpha=model.alpha_)
    few = X[:1000]
    _compare(
        run,
        "SCTM.transform",
        lambda: model.transform(few),
        "sparse_encode",
        lambda: encode(dense, topics),
    )
    learner = MiniBatchDictionaryLearning(
        n_topics, max_iter=1, batch_size=256, positive_code=True, fit_algorithm="cd", random_state=0
    )
    _compare(
        run,
        "SCTM.fit",
        lambda: SCTM(n_topics, n_jobs=1).fit(few),
        "MiniBatchDictionaryLearning, 1 pass",
        lambda: learner.fit(dense),
    )


def _pcp(run: Run) -> None:
    shape = (30, 120) if run.smoke else (300, 900)
    corpus, _ = make_topics(*shape, 5, document_length=150, random_state=1)
    alpha = 5 / np.sqrt(max(shape))
    X = corpus.counts.astype(np.float64)
    exact = PCP(solver="exact", alpha=alpha, tol=1e-5)
    model, _ = _compare(
        run,
        "exact PCP.fit",
        lambda: exact.fit(X),
        "full-SVD ADMM",
        lambda: pursue(X.toarray().T, alpha, tol=1e-5),
    )
    few = X[:20]
    _compare(
        run,
        "exact PCP.keywords of 20 documents",
        lambda: model.keywords(few),
        "its fit",
        lambda: exact.fit(X),
    )
    counts = corpus.counts
    _compare(
        run,
        "factored PCP.fit",
        lambda: PCP(n_jobs=1).fit(counts),
        "PLSA.fit, 50 topics",
        lambda: PLSA(min(50, shape[0] // 2), n_jobs=1).fit(counts),
    )


def _queries(run: Run, corpus: Corpus, n_topics: int) -> None:
    words = corpus.vocabulary
    counts = corpus.counts
    texts = [" ".join(np.repeat(words[row.indices], row.data)) for row in counts]
    random = np.random.default_rng(0)
    some = texts[:: max(1, len(texts) // 100)]
    queries = [" ".join(random.choice(text.split(), 3)) for text in some]
    model = laconic.pipeline("slsa", n_components=n_topics, n_jobs=1).fit(corpus)
    index = laconic.search(model, texts, language="english")
    askers = {"ours": partial(index.query, k=10), **bm25s_askers(texts)}
    times = {name: float(np.median(each)) for name, each in query_times(askers, queries).items()}
    ours = times.pop("ours")
    for name, each in times.items():
        run.row("a query", ours, "ms", peer=name, peer_value=each)


def _threads(run: Run, corpus: Corpus, n_topics: int) -> None:
    counts, labels = corpus.counts, np.arange(len(corpus)) % 4
    weighted = Weighting("tfidf-balanced", output="csr").fit_transform(corpus)
    fits: dict[str, Callable[[int], Any]] = {
        "SparseLSA": lambda n: SparseLSA(n_topics, n_jobs=n).fit(weighted),
        "PLSA": lambda n: PLSA(n_topics, n_jobs=n).fit(counts),
        "SCTM": lambda n: SCTM(n_topics, n_jobs=n).fit(counts),
        "STC": lambda n: STC(n_topics, n_jobs=n).fit(counts),
        "MedSTC": lambda n: MedSTC(n_topics, n_jobs=n).fit(counts, labels),
    }
    if len(thread_counts()) < 2:
        return
    for name, fit in fits.items():
        _compare(
            run,
            f"{name}.fit, 2 threads",
            partial(_limited, fit, 2),
            "1 thread",
            partial(_limited, fit, 1),
        )


def _limited(fit: Callable[[int], Any], n: int) -> Any:
    with threads(n):
        return fit(n)


def _start(run: Run, corpus: Corpus) -> None:
    """Compare the CPU time of commands that show a model with that of starting Python."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.model")
        laconic.save(laconic.pipeline("slsa", n_components=3).fit(corpus), path, corpus=corpus)
        bare = _cpu_seconds(["-c", "import numpy, click"], run.repeats)
        for command in ("topics", "info"):
            used = _cpu_seconds(["-m", "laconic", command, str(path)], run.repeats)
            run.row(
                f"laconic {command}, CPU time",
                1e3 * used,
                "ms",
                peer="importing numpy and click",
                peer_value=1e3 * bare,
            )


def _cpu_seconds(arguments: list[str], repeats: int) -> float:
    """Return the lowest CPU time of several runs of Python."""
    times = []
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # the first run compiles Python files
    for _ in range(repeats + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=variables)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def better(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of two measurements, each with the lower of its two ratios."""
    rows = {(row["what"], row["peer"]): row for row in first["rows"]}
    for row in second["rows"]:
        other = rows.get((row["what"], row["peer"]))
        if other is None or row["ratio"] < other["ratio"]:
            rows[row["what"], row["peer"]] = row
    return {"rows": list(rows.values())}


def slower(committed: Mapping[str, Any], measured: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each ratio that is `SLOWER` times the committed ratio, or missing."""
    new = {(row["what"], row["peer"]): row["ratio"] for row in measured["rows"]}
    problems = []
    for row in committed["rows"]:
        name = f"{row['what']} against {row['peer']}"
        ratio = new.get((row["what"], row["peer"]))
        if ratio is None:
            problems.append(f"{name}: was not measured; it was {show(row['ratio'])}")
        elif ratio > SLOWER * row["ratio"]:
            problems.append(f"{name}: {show(ratio)} times the time; it was {show(row['ratio'])}")
    return problems
