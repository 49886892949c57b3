"""Speed and memory of sparse topical coding: coding, fitting and compilation.

All libraries get the same float32 counts of 20 Newsgroups, split by date. If a library is not
installed, it is omitted, and a note is added. If this module is run as a program, it fits a model
to one file of counts and prints the memory that the fit needs.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness import (
    Goal,
    Run,
    at_most,
    faster,
    memory_now,
    peak_memory,
    python_output,
    race,
    reset_peak_memory,
    thread_counts,
    threads,
    warm,
)
from benchmarks.likelihood import GensimLDA, bags
from benchmarks.newsgroups import Halves, newsgroup_halves
from benchmarks.papers import literal_stc
from benchmarks.papers.comparison import TomotopyLDA, has_tomotopy, svm_accuracy
from laconic import STC, MedSTC
from laconic.models import MODELS

INFERENCE = {"word_penalty": 0.1, "doc_penalty": 1.0}
INFERENCE_GOALS = {"scikit-learn": 15, "gensim": 30, "tomotopy": 50}
LITERAL_DOCUMENTS = 500
LITERAL_ITERATIONS = 3  # number of measured iterations of the paper's algorithm
AUTHORS_ITERATIONS = 60  # number of iterations of the authors' program


def _where(n_threads: int) -> str:
    return f"{n_threads} thread{'s' if n_threads > 1 else ''}"


def _counts(run: Run) -> list[int]:
    """Return the numbers of threads to measure; only one thread in a smoke run."""
    return [1] if run.smoke else thread_counts()


def _missing(run: Run) -> None:
    for library in ("gensim", "tomotopy"):
        if find_spec(library) is None:
            run.note(f"{library} is not installed and is left out.")


# --- coding with trained topics ------------------------------------------------------------------


def stc_inference(run: Run) -> None:
    """Coding speed of STC, LDA of three libraries and the paper's coordinate descent."""
    halves = newsgroup_halves(run)
    K = 5 if run.smoke else 50
    model = STC(K, random_state=run.seed, **INFERENCE).fit(halves.train)
    peers = _trained_peers(run, halves, K)
    run.note(
        f"K={K}, ρ=0.1, λ=γ=1; {halves.test.shape[0]:,} test documents of "
        f"{halves.test.nnz / halves.test.shape[0]:.0f} words on average; all models are trained on "
        "the training half. gensim always codes with one thread. Documents for gensim and tomotopy "
        f"are converted before timing. The best of {run.repeats} runs of each library counts."
    )
    _missing(run)
    for n_threads in _counts(run):
        with threads(n_threads):
            if n_threads > 1:  # starts the worker processes before timing
                peers["scikit-learn"][1](n_threads)
            timed = race(
                {"ours": lambda n=n_threads: model.set_params(n_jobs=n).transform(halves.test)}
                | {
                    name: lambda infer=infer, n=n_threads: infer(n)
                    for name, (_, infer) in peers.items()
                },
                run.repeats,
            )
            ours = timed["ours"].seconds
            run.row(
                f"documents per second, STC, {_where(n_threads)}",
                halves.test.shape[0] / ours,
                "documents/s",
            )
            for name, (label, _) in peers.items():
                run.row(
                    f"coding the test half, {_where(n_threads)}",
                    ours,
                    "s",
                    peer=label,
                    peer_value=timed[name].seconds,
                    goal=faster(INFERENCE_GOALS[name]),
                )
    with threads(1):
        _beside_coordinate_descent(run, halves, model.set_params(n_jobs=1))


def _trained_peers(run: Run, halves: Halves, K: int) -> dict[str, tuple[str, Callable[[int], Any]]]:
    """Map the name of each peer to a function that codes the test half."""
    passes, iterations = (1, 10) if run.smoke else (5, 200)
    lda = LatentDirichletAllocation(
        K, learning_method="online", max_iter=passes, random_state=run.seed
    ).fit(halves.train)
    peers: dict[str, tuple[str, Callable[[int], Any]]] = {
        "scikit-learn": (
            "LatentDirichletAllocation.transform",
            lambda n: lda.set_params(n_jobs=n).transform(halves.test),
        )
    }
    if find_spec("gensim") is not None:
        gensim = GensimLDA(K, run.seed, passes=1)
        gensim.prepare(halves.train)
        gensim.fit(halves.train)
        documents = bags(halves.test)
        peers["gensim"] = (
            "gensim's LdaModel.inference",
            lambda n: gensim.model.inference(documents),
        )
    if has_tomotopy():
        sampler = TomotopyLDA(K, run.seed, iterations).fit(halves.train)
        _, made = sampler.make_documents(halves.test)
        peers["tomotopy"] = (
            f"tomotopy's LDAModel.infer, {sampler.iterations_to_infer} iterations",
            lambda n: sampler.infer(made, n),
        )
    return peers


def _beside_coordinate_descent(run: Run, halves: Halves, model: STC) -> None:
    """Compare time and objective for the same documents, topics and penalties."""
    X = halves.test[: 30 if run.smoke else LITERAL_DOCUMENTS]
    arguments = (model.components_, model.doc_penalty_, model.coupling, model.word_penalty_)
    literal_stc.code_documents(X[:2], *arguments)  # compile before timing
    for tol in (1e-4, 1e-6):
        timed = race(
            {
                "ours": lambda: model.transform(X),
                "literal": lambda tol=tol: literal_stc.code_documents(X, *arguments, tol=tol),
            },
            run.repeats,
        )
        peer = f"coordinate descent, tol={tol:g}"
        run.row(
            f"coding one of {X.shape[0]} documents, 1 thread",
            1e6 * timed["ours"].seconds / X.shape[0],
            "µs",
            peer=peer,
            peer_value=1e6 * timed["literal"].seconds / X.shape[0],
            goal=faster(20) if tol == 1e-4 else None,
        )
        run.row(
            "objective of these documents",
            coding_objective(model, X),
            "",
            peer=peer,
            peer_value=timed["literal"].result.objective.sum(),
            goal=at_most(1.0) if tol == 1e-4 else at_most(1.0001),
        )


def coding_objective(model: STC, X: sp.csr_matrix) -> float:
    """Return the objective of the paper for the codes of the model, in float64."""
    theta = model.transform(X).toarray().astype(np.float64)
    codes = model.word_codes(X).entries.toarray().astype(np.float64)
    document = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    means = np.einsum("pk,pk->p", codes, model.components_.T[X.indices].astype(np.float64))
    loss = means - X.data * np.log(means + model.offset)
    apart = ((codes - theta[document]) ** 2).sum()
    return float(
        loss.sum()
        + model.coupling * apart
        + model.word_penalty_ * codes.sum()
        + model.doc_penalty_ * (theta**2).sum()
    )


# --- fitting -------------------------------------------------------------------------------------


def stc_fit(run: Run) -> None:
    """Fit time of STC until convergence and of LDA, with the accuracy of each."""
    halves = newsgroup_halves(run)
    K = 5 if run.smoke else 50
    passes, iterations = (1, 10) if run.smoke else (5, 200)
    run.note(
        f"K={K}, {halves.train.shape[0]:,} documents x {halves.train.shape[1]:,} words. STC has "
        "default settings. A linear SVM classifies the codes of the last fit; its C and the "
        f"scaling are chosen on the validation part. The best of {run.repeats} fits counts."
    )
    _missing(run)
    for n_threads in _counts(run):
        with threads(n_threads):
            ours = race(
                {
                    "ours": lambda n=n_threads: STC(K, n_jobs=n, random_state=run.seed).fit(
                        halves.train
                    )
                },
                run.repeats,
            )["ours"]
            accuracy = _accuracy(
                halves, lambda X, fitted=ours.result: fitted.transform(X).toarray()
            )
            peers = _fitted_peers(run, halves, K, passes, iterations, n_threads)
            for name, (seconds, codes, times) in peers.items():
                run.row(
                    f"fit, {_where(n_threads)} ({ours.result.n_iter_} passes after the start)",
                    ours.seconds,
                    "s",
                    peer=name,
                    peer_value=seconds,
                    goal=faster(times),
                )
                if n_threads == 1:
                    theirs = _accuracy(halves, codes)
                    run.row(
                        "accuracy of these fits",
                        accuracy,
                        "%",
                        peer=name,
                        peer_value=theirs,
                        goal=_higher_than(theirs),
                    )


def _higher_than(reference: float) -> Goal:
    return Goal("higher", lambda value: value > reference, "value")


def _fitted_peers(
    run: Run, halves: Halves, K: int, passes: int, iterations: int, n_threads: int
) -> dict[str, tuple[float, Callable[[sp.csr_matrix], np.ndarray], float]]:
    """Return the fit time in seconds, the codes, and the target speed-up of STC."""
    lda = LatentDirichletAllocation(
        K, learning_method="online", max_iter=passes, random_state=run.seed, n_jobs=n_threads
    )
    if n_threads > 1:  # starts the worker processes before timing
        lda.fit(halves.train[:500])
    seconds = race({"lda": lambda: lda.fit(halves.train)}, run.repeats)["lda"].seconds
    peers = {f"LatentDirichletAllocation, online, {passes} passes": (seconds, lda.transform, 8.0)}
    if has_tomotopy():
        sampler = TomotopyLDA(K, run.seed, iterations, workers=n_threads)
        seconds = np.inf
        with warnings.catch_warnings():  # warns that the number of workers affects the result
            warnings.simplefilter("ignore", RuntimeWarning)
            for _ in range(run.repeats):
                sampler.prepare(halves.train)  # otherwise, the training would continue
                seconds = min(seconds, race({"tomotopy": sampler.train}, 1)["tomotopy"].seconds)
        peers[f"tomotopy, {iterations} iterations"] = (seconds, sampler.codes, 3.0)
    return peers


def _codes_of(model: STC) -> Callable[[sp.csr_matrix], np.ndarray]:
    return lambda X: model.transform(X).toarray()


def _accuracy(halves: Halves, codes: Callable[[sp.csr_matrix], np.ndarray]) -> float:
    judged = svm_accuracy(
        codes(halves.train),
        halves.train_labels,
        halves.is_validation,
        codes(halves.test),
        halves.test_labels,
    )
    return 100 * judged.accuracy


def medstc_fit(run: Run) -> None:
    """Fit time of MedSTC and of the paper's alternating algorithm, compiled."""
    halves = newsgroup_halves(run)
    K = 5 if run.smoke else 60
    X, y = halves.train, halves.train_labels
    some = slice(None, None, max(1, X.shape[0] // 60))  # documents of several classes
    literal_stc.fit_medstc(X[some], y[some], K, max_iter=1)  # compile before timing
    most = 2 if run.smoke else AUTHORS_ITERATIONS if run.full else LITERAL_ITERATIONS

    def alternate() -> literal_stc.LiteralSTC:
        return literal_stc.fit_medstc(X, y, K, start="uniform", max_iter=most)

    for n_threads in thread_counts():
        with threads(n_threads):
            ours = race(
                {"ours": lambda n=n_threads: MedSTC(K, n_jobs=n, random_state=run.seed).fit(X, y)},
                run.repeats,
            )["ours"]
        what = f"fit, K={K}, {_where(n_threads)} ({ours.result.n_iter_} passes after the start)"
        if n_threads > 1:
            run.row(what, ours.seconds, "s", goal=at_most(60, of="value"))
            continue
        with threads(1):
            theirs = race({"literal": alternate}, run.repeats)["literal"]
        measured = theirs.result.n_iter
        run.row(
            what,
            ours.seconds,
            "s",
            peer=f"the paper's alternation, {AUTHORS_ITERATIONS} iterations, from {measured}",
            peer_value=theirs.seconds * AUTHORS_ITERATIONS / measured,
            goal=faster(20),
        )
        run.row(
            "accuracy of this fit",
            100 * ours.result.score(halves.test, halves.test_labels),
            "%",
            peer="the authors' program" if not run.smoke else None,
            peer_value=79.7 if not run.smoke else None,
        )
    run.note(
        f"The paper's alternating algorithm was run for {measured} iterations, and its time was "
        f"scaled to {AUTHORS_ITERATIONS} iterations, because it never meets its stopping rule "
        "earlier. The first iterations are a little slower than later iterations. MedSTC runs "
        "until its own stopping rule. The authors' program took 1,651 CPU seconds on another "
        "machine."
    )


# --- memory --------------------------------------------------------------------------------------


def stc_memory(run: Run) -> None:
    """Peak memory of a fit above the memory before it, compared with the necessary minimum."""
    X = newsgroup_halves(run).train
    K = 5 if run.smoke else 50
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "counts.npz")
        sp.save_npz(file, X, compressed=False)
        for n_threads in _counts(run):
            taken = [
                python_output("-m", "benchmarks.coding", str(file), str(K), str(n_threads))["bytes"]
                for _ in range(run.repeats)
            ]
            allowed = X.nnz * 16 + X.shape[0] * K * 8 + (4 + 2 * n_threads) * K * X.shape[1] * 8
            run.row(
                f"peak memory of STC.fit, K={K}, {_where(n_threads)}",
                max(max(taken), 1) / 2**20,
                "MB",
                peer="the bound",
                peer_value=allowed / 2**20,
                goal=at_most(1.5),
            )
    run.note(
        f"{X.shape[0]:,} documents x {X.shape[1]:,} words, {X.nnz:,} non-zeros in float32. Each "
        "fit runs in a separate process after everything is compiled; reading the counts is "
        "included. The bound is non-zeros x 16 + documents x K x 8 + (4 + 2 x "
        "threads) x K x words x 8 bytes."
    )


def fit_memory(file: str, n_topics: int, n_threads: int, name: str = "stc") -> dict[str, float]:
    """Return the additional peak memory, in bytes, of reading the counts and fitting."""
    with warnings.catch_warnings(), threads(n_threads):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warm()
        reset_peak_memory()
        before = memory_now()
        MODELS[name](n_topics, n_jobs=n_threads).fit(sp.csr_matrix(sp.load_npz(file)))
    return {"bytes": peak_memory() - before}


# --- compiling -----------------------------------------------------------------------------------

FIRST_CALL = """
import json, os, sys, time
if sys.argv[1]:
    os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
import numpy as np
from laconic import STC
from laconic.engines import make_engine
from scipy.sparse import csr_matrix
import sklearn.svm
X = csr_matrix(np.random.default_rng(0).poisson(0.5, (60, 80)).astype(np.float32))
seconds = []
for _ in range(2):
    start = time.perf_counter()
    STC(5, n_jobs=1).fit(X).transform(X)
    seconds.append(time.perf_counter() - start)
print(json.dumps(seconds))
"""


def stc_compile(run: Run) -> None:
    """Time of the first fit and transform of a process, with an empty and with a filled cache."""
    with tempfile.TemporaryDirectory() as folder:
        cache = "" if run.smoke else folder
        cold = _first_call(cache)
        later = [_first_call(cache) for _ in range(run.repeats)]
    run.row("first fit + transform after install", cold[0], "s", goal=at_most(15, of="value"))
    overhead = min(max(first - second, 1e-6) for first, second in later)
    run.row(
        "first fit + transform of a later process, above the second",
        overhead,
        "s",
        goal=at_most(0.3, of="value"),
    )
    run.note(
        "60 random documents x 80 words, K=5. The time of imports is not included. "
        + ("The cache is the existing one." if run.smoke else "Cold: an empty cache folder.")
    )


def _first_call(cache: str) -> tuple[float, float]:
    first, second = python_output("-W", "ignore", "-c", FIRST_CALL, cache)
    return first, second


if __name__ == "__main__":
    print(json.dumps(fit_memory(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])))
