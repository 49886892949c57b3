"""Speed of coding and fitting of SCTM, compared with SPAMS and scikit-learn on one problem.

The problem, for frequencies x of documents (rows of X) and topics b (columns of B):

    min Σ_i 1/2 ‖x_i - B θ_i‖² + ω Σ θ_i    θ ≥ 0, b ≥ 0, Σ b = 1

*Codes* (B given). SPAMS' ``lasso`` with ``mode=2, pos=True, lambda1=ω`` has the same objective, and
so has scikit-learn's ``sparse_encode`` with ``alpha=ω``, which divides by the number of words for
its Lasso.

*Topics*. ``trainDL`` of SPAMS with ``posD, posAlpha, modeD=3, gamma1=1`` keeps columns in {b ≥ 0, Σ
b ≤ 1}. That is the same problem: a column below one that any document uses can be scaled up and its
codes down, which keeps the fit and lowers the penalty. ``MiniBatchDictionaryLearning`` keeps
columns in the unit ball of the Euclidean norm instead, so it solves another problem, whose penalty
is the same if all topics have the same norm: α = ω / ‖b‖. Several α around that value are tried.
All topics are scaled to sum to one and the documents coded exactly before objectives are compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode

from benchmarks.harness import Goal, Run, at_most, faster, race, thread_counts, threads
from benchmarks.nips import nips
from laconic import SCTM, Weighting
from laconic.corpus.chunks import MemoryChunk
from laconic.engines import make_engine
from laconic.kernels.lasso import nonnegative_lasso
from laconic.models.first_topics import seed_topics

OMEGA = 1e-4
EXACT = 1e-10  # tolerance of the codes for computing objectives
CLOSE = 0.01  # target: relative distance from the best known objective
NO_SPAMS = "spams is not installed and is left out; install laconic[bench]."


def has_spams() -> bool:
    return find_spec("spams") is not None


def _where(n_threads: int) -> str:
    return f"{n_threads} thread{'s' if n_threads > 1 else ''}"


# --- the problem ---------------------------------------------------------------------------------


class Coding:
    """Lasso problem of each document for given topics (words x topics), in float64."""

    def __init__(self, X: sp.csr_matrix, topics: np.ndarray, omega: float) -> None:
        self.X = frequencies(X)
        self.topics = np.ascontiguousarray(topics, dtype=np.float64)
        self.omega = omega
        self.gram = self.topics.T @ self.topics
        self.correlations = np.ascontiguousarray(self.X @ self.topics)
        self.squares = np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel()

    def objective(self, codes: Any) -> float:
        theta = _dense(codes)
        loss = self.squares.sum() - 2 * np.sum(self.correlations * theta)
        loss += np.sum((theta @ self.gram) * theta)
        return float(loss / 2 + self.omega * theta.sum())

    def kkt(self, codes: Any) -> float:
        """Return the largest violation of the optimality conditions."""
        theta = _dense(codes)
        slope = theta @ self.gram - self.correlations + self.omega
        return float(np.abs(np.where(theta > 0, slope, np.minimum(slope, 0))).max(initial=0))

    def solve(self, tol: float = EXACT, n_threads: int = 1) -> np.ndarray:
        """Compute codes by the kernel, from the Gram matrix."""
        codes = np.zeros_like(self.correlations)
        penalty = np.full(len(self.gram), self.omega)
        parts = [slice(*part) for part in _bounds(len(codes), n_threads)]

        def solve_part(part: slice) -> None:
            nonnegative_lasso(self.gram, self.correlations[part], penalty, codes[part], tol)

        if n_threads == 1:
            solve_part(parts[0])
        else:
            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(solve_part, parts))
        return codes

    @cached_property
    def dense(self) -> np.ndarray:
        """Return dense documents as rows, as scikit-learn needs them."""
        return self.X.toarray()


def frequencies(X: sp.csr_matrix) -> sp.csr_matrix:
    return Weighting("frequencies").fit_transform(X).astype(np.float64)


def _dense(codes: Any) -> np.ndarray:
    return np.asarray(codes.toarray() if sp.issparse(codes) else codes, dtype=np.float64)


def _bounds(n: int, parts: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, n, parts + 1).astype(int)
    return list(pairwise(edges))


def exact_objective(X: sp.csr_matrix, topics: np.ndarray, omega: float) -> float:
    """Return the objective of topics (words x topics) on the simplex, with exact codes."""
    totals = topics.sum(axis=0)
    coding = Coding(X, topics / np.where(totals > 0, totals, 1), omega)
    return coding.objective(coding.solve())


# --- codes ---------------------------------------------------------------------------------------

OURS_GRAM, OURS_X = "ours, given the Gram matrix", "ours, from X"
SPAMS_GRAM, SPAMS_X = "SPAMS lasso, given the Gram matrix", "SPAMS lasso, from X"
SKLEARN = "sparse_encode, {}, from X"
CODING_GOALS = {SPAMS_GRAM: 5.0, SPAMS_X: 20.0}
SKLEARN_GOAL = 200.0
SAME = 1e-6  # relative difference of objectives that count as equal


def sctm_coding(run: Run) -> None:
    """Coding speed on NIPS papers at equal objective, compared with SPAMS and scikit-learn."""
    papers = nips(run)
    p = 5 if run.smoke else 50
    model = SCTM(p, alpha=OMEGA, smoothing=None, random_state=run.seed).fit(papers.counts)
    coding = Coding(papers.counts, model.components_.T, OMEGA)
    run.note(
        f"p={p}, ω={OMEGA:g}, {papers.counts.shape[0]:,} documents x {papers.counts.shape[1]:,} "
        f"words; {np.count_nonzero(coding.solve()) / papers.counts.shape[0]:.1f} topics per "
        "document. From X: ours accepts sparse counts and divides them by their sums; SPAMS' lasso "
        "and sparse_encode accept dense frequencies only, which are computed before timing. Given "
        "the Gram matrix: B'B and B'X are computed before too; SPAMS, which also needs ‖x‖, gets a "
        "short matrix of the same norms."
    )
    if not has_spams():
        run.note(NO_SPAMS)
    for n_threads in [1] if run.smoke else thread_counts():
        with threads(n_threads):
            timed = race(
                {
                    name: lambda solve=solve, n=n_threads: solve(n)
                    for name, solve in coders(coding, model, papers.counts).items()
                },
                run.repeats,
            )
        _coding_rows(run, coding, timed, n_threads)


def coders(coding: Coding, model: SCTM, counts: sp.csr_matrix) -> dict[str, Callable[[int], Any]]:
    """Return a coding function of each side, by number of threads."""
    solvers: dict[str, Callable[[int], Any]] = {
        OURS_GRAM: lambda n: coding.solve(n_threads=n),
        OURS_X: lambda n: model.set_params(n_jobs=n).transform(counts),
    }
    if has_spams():
        solvers |= spams_coders(coding)
    dictionary = np.ascontiguousarray(coding.topics.T)
    for algorithm in ("lasso_cd", "lasso_lars"):
        solvers[SKLEARN.format(algorithm)] = lambda n, algorithm=algorithm: sparse_encode(
            coding.dense,
            dictionary,
            algorithm=algorithm,
            alpha=coding.omega,
            positive=True,
            n_jobs=n,
        )
    return solvers


def spams_coders(coding: Coding) -> dict[str, Callable[[int], Any]]:
    """Return both calls of SPAMS, where documents are columns in Fortran order."""
    import spams

    gram, q = np.asfortranarray(coding.gram), np.asfortranarray(coding.correlations.T)
    topics = np.asfortranarray(coding.topics)
    X = np.asfortranarray(coding.dense.T)
    # It uses the norms of X and its height, the maximum number of topics of a document.
    norms = np.zeros_like(q)
    norms[0] = np.sqrt(coding.squares)
    options = {"lambda1": coding.omega, "mode": 2, "pos": True}
    return {
        SPAMS_GRAM: lambda n: spams.lasso(norms, Q=gram, q=q, numThreads=n, **options).T,
        SPAMS_X: lambda n: spams.lasso(X, D=topics, numThreads=n, **options).T,
    }


def _coding_rows(run: Run, coding: Coding, timed: Mapping[str, Any], n_threads: int) -> None:
    best = min(coding.objective(one.result) for one in timed.values())
    for name, one in timed.items():
        if name in (OURS_GRAM, OURS_X):
            continue
        ours = OURS_GRAM if name == SPAMS_GRAM else OURS_X
        run.row(
            f"{ours}, {_where(n_threads)}",
            1e3 * timed[ours].seconds,
            "ms",
            peer=name,
            peer_value=1e3 * one.seconds,
            goal=faster(CODING_GOALS.get(name, SKLEARN_GOAL)),
        )
    if n_threads > 1:
        return
    for name, one in timed.items():
        run.row(
            f"objective above the best, {name}",
            coding.objective(one.result) / best - 1,
            "",
            goal=at_most(SAME, of="value") if name in (OURS_GRAM, OURS_X) else None,
        )
    for name, one in timed.items():
        run.row(f"violation of the optimality conditions, {name}", coding.kkt(one.result), "")


# --- topics --------------------------------------------------------------------------------------

OURS = "SCTM"
FIT_GOALS = {"scikit-learn": 10.0, "SPAMS": 2.0}


class Point(NamedTuple):
    """Topics (words x topics) after a number of seconds of a fit."""

    seconds: float
    topics: np.ndarray


class Curve(NamedTuple):
    """Seconds and exact objectives along a fit."""

    seconds: np.ndarray
    objectives: np.ndarray

    def first_within(self, target: float) -> float | None:
        reached = np.flatnonzero(self.objectives <= target)
        return None if not len(reached) else float(self.seconds[reached[0]])


def sctm_fit(run: Run) -> None:
    """Seconds of SCTM and dictionary learning until within 1 % of the best known objective."""
    papers = nips(run)
    X, p = papers.counts, 5 if run.smoke else 50
    best, chosen = np.inf, None
    for n_threads in [1] if run.smoke else thread_counts():
        with threads(n_threads):
            curves = fit_curves(run, X, p, n_threads, chosen)
        best = min(best, *(curve.objectives.min() for curve in curves.values()))
        if n_threads == 1:
            _fit_notes(run, X, p, best)
        chosen = _fit_rows(run, curves, best, n_threads)


def fit_curves(
    run: Run, X: sp.csr_matrix, p: int, n_threads: int, chosen: set[str] | None
) -> dict[str, Curve]:
    """Return the curves of ours and of all (or the chosen) settings of the peers."""
    start = first_topics(X, p, run.seed)
    fits = {OURS: our_points(run, X, p, n_threads), **sklearn_fits(run, X, start)}
    if has_spams():
        fits |= spams_fits(run, X, start, n_threads)
    elif n_threads == 1:
        run.note(NO_SPAMS)
    return {
        name: _curve(X, points)
        for name, points in fits.items()
        if chosen is None or name == OURS or name in chosen
    }


def _curve(X: sp.csr_matrix, points: Iterator[Point]) -> Curve:
    seconds, objectives = [], []
    for point in points:
        seconds.append(point.seconds)
        objectives.append(exact_objective(X, point.topics, OMEGA))
    return Curve(np.array(seconds), np.array(objectives))


def first_topics(X: sp.csr_matrix, p: int, seed: int) -> np.ndarray:
    """Return our initial topics (words x topics), also used for the peers."""
    with make_engine("serial", 1) as engine:
        topics = seed_topics(engine, [MemoryChunk(X, 0, X.shape[0])], p, seed, np.float64)
    return np.ascontiguousarray(topics.T)


def _steps(most: int) -> list[int]:
    """Return all small numbers, then numbers that grow by about a fifth."""
    steps = [1]
    while steps[-1] < most:
        steps.append(min(most, max(steps[-1] + 1, round(1.2 * steps[-1]))))
    return steps


def our_points(run: Run, X: sp.csr_matrix, p: int, n_threads: int) -> Iterator[Point]:
    """Fit anew for each number of passes, best of several turns, initialisation included."""
    for passes in _steps(4 if run.smoke else 60):
        timed = race(
            {
                OURS: lambda passes=passes: SCTM(
                    p,
                    alpha=OMEGA,
                    smoothing=None,
                    max_iter=passes,
                    tol=0.0,
                    random_state=run.seed,
                    n_jobs=n_threads,
                ).fit(X)
            },
            run.repeats,
        )[OURS]
        yield Point(timed.seconds, timed.result.components_.T)


def sklearn_fits(run: Run, X: sp.csr_matrix, start: np.ndarray) -> dict[str, Iterator[Point]]:
    """Return one curve for each α and batch size."""
    norm = float(np.linalg.norm(start, axis=0).mean())
    times = (1.0,) if run.smoke else (0.03, 0.1, 0.3, 1.0)
    sizes = (256,) if run.smoke else (64, 256)
    most = 2 if run.smoke else 60
    return {
        f"scikit-learn, α={t:g} ω/‖b‖, batches of {size:,}": sklearn_points(
            X, start, t * OMEGA / norm, size, most
        )
        for t in times
        for size in sizes
    }


def sklearn_points(
    X: sp.csr_matrix, start: np.ndarray, alpha: float, size: int, most: int
) -> Iterator[Point]:
    """Record the dictionary during one fit; timing pauses while it is copied."""
    dense = frequencies(X).toarray()
    n_batches = -(-X.shape[0] // size)
    wanted = {step * n_batches for step in _steps(most)}
    points: list[Point] = []
    clock = _Clock()

    def watch(state: dict[str, Any]) -> None:
        clock.stop()
        if state["i"] + 1 in wanted:
            points.append(Point(clock.seconds, state["dictionary"].T.copy()))
        clock.start()

    model = MiniBatchDictionaryLearning(
        start.shape[1],
        alpha=alpha,
        fit_algorithm="cd",
        positive_dict=True,
        positive_code=True,
        dict_init=np.ascontiguousarray((start / np.linalg.norm(start, axis=0)).T),
        batch_size=size,
        max_iter=most,
        tol=0.0,
        max_no_improvement=None,
        callback=watch,
        random_state=0,
    )
    clock.start()
    model.fit(dense)
    yield from points


class _Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def start(self) -> None:
        self.started = time.perf_counter()

    def stop(self) -> None:
        self.seconds += time.perf_counter() - self.started


def spams_fits(
    run: Run, X: sp.csr_matrix, start: np.ndarray, n_threads: int
) -> dict[str, Iterator[Point]]:
    """Return the curves of SPAMS: three batch sizes, and the whole collection."""
    sizes = (256,) if run.smoke else (64, 256, 512)
    most = 2 if run.smoke else 40
    fits = {
        f"SPAMS, batches of {size}": spams_points(
            X, start, n_threads, most, batchsize=size, passes_of=max(1, X.shape[0] // size)
        )
        for size in sizes
    }
    for sweeps in (5,) if run.smoke else (2, 5):
        fits[f"SPAMS, whole collection, {sweeps} sweeps"] = spams_points(
            X, start, n_threads, most, batch=True, iter_updateD=sweeps
        )
    return fits


def spams_points(
    X: sp.csr_matrix,
    start: np.ndarray,
    n_threads: int,
    most: int,
    passes_of: int = 1,
    **options: Any,
) -> Iterator[Point]:
    """Run SPAMS anew for each number of passes: it has no intermediate results."""
    import spams

    columns = sp.csc_matrix(frequencies(X).T)
    for passes in _steps(most):
        timed = race(
            {
                "SPAMS": lambda passes=passes: spams.trainDL(
                    columns,
                    D=np.asfortranarray(start),
                    lambda1=OMEGA,
                    mode=2,
                    posAlpha=True,
                    posD=True,
                    modeD=3,
                    gamma1=1.0,
                    clean=False,
                    verbose=False,
                    iter=passes * passes_of,
                    numThreads=n_threads,
                    **options,
                )
            },
            1,
        )["SPAMS"]
        yield Point(timed.seconds, timed.result)


def _fit_notes(run: Run, X: sp.csr_matrix, p: int, best: float) -> None:
    run.note(
        f"p={p}, ω={OMEGA:g}, {X.shape[0]:,} documents x {X.shape[1]:,} words; best objective seen "
        f"{best:.5g}. Every side is recorded over its passes; at each point its topics are scaled "
        "to the simplex and the documents coded exactly, outside the timing, and the first point "
        "within 1 % counts. Peers start from our initial topics, whose computation counts for "
        "ours only. scikit-learn accepts dense frequencies only, SPAMS gets sparse ones. On "
        "two threads the peers run in the setting that was best on one."
    )


def _fit_rows(run: Run, curves: Mapping[str, Curve], best: float, n_threads: int) -> set[str]:
    """Add a row for each library in its best setting; return these settings."""
    target, where = (1 + CLOSE) * best, _where(n_threads)
    ours = curves[OURS].first_within(target)
    if ours is None:
        gap = 100 * (curves[OURS].objectives.min() / best - 1)
        run.note(f"Ours never gets within 1 % ({where}): it ends {gap:.2g} % above.")
    chosen = set()
    for library, times in FIT_GOALS.items():
        theirs = {name: curve for name, curve in curves.items() if name.startswith(library)}
        if not theirs:
            continue
        name, seconds, gap = _best_curve(theirs, best)
        chosen.add(name)
        if gap > CLOSE:
            run.note(
                f"{library} never gets within 1 % ({where}); its best curve, {name}, ends "
                f"{100 * gap:.2g} % above; the time of that whole curve is compared."
            )
        run.row(
            f"fit to within 1 % of the best objective, {where}",
            curves[OURS].seconds[-1] if ours is None else ours,
            "s",
            peer=name if gap <= CLOSE else f"{name}, {100 * gap:.2g} % above",
            peer_value=seconds,
            goal=faster(times) if ours is not None else _never(),
        )
    for name, curve in curves.items() if n_threads == 1 else ():
        run.row(
            f"lowest objective above the best, {name}",
            100 * (curve.objectives.min() / best - 1),
            "%",
        )
    return chosen


def _best_curve(curves: Mapping[str, Curve], best: float) -> tuple[str, float, float]:
    """Return name, seconds and final gap of the first curve within 1 %, or else the lowest."""
    reached = {name: curve.first_within((1 + CLOSE) * best) for name, curve in curves.items()}
    arrived = {name: seconds for name, seconds in reached.items() if seconds is not None}
    if arrived:
        name = min(arrived, key=lambda name: arrived[name])
        return name, arrived[name], curves[name].objectives.min() / best - 1
    name = min(curves, key=lambda name: curves[name].objectives.min())
    return name, curves[name].seconds[-1], curves[name].objectives.min() / best - 1


def _never() -> Goal:
    return Goal("within 1 %", lambda ratio: False, "ratio")
