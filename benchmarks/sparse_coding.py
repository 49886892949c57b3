"""Speed of coding and fitting of SCTM, compared with SPAMS and scikit-learn on the same problem.

The frequencies x of documents are the rows of X, and the topics b are the columns of B. The problem
is

    min Σ_i 1/2 ‖x_i - B θ_i‖² + ω Σ θ_i    θ ≥ 0, b ≥ 0, Σ b = 1

*Codes* (B is given). ``lasso`` of SPAMS with ``mode=2, pos=True, lambda1=ω`` has the same
objective. ``sparse_encode`` of scikit-learn with ``alpha=ω`` also has the same objective, because
it divides ω by the number of words before it calls its Lasso.

*Topics*. ``trainDL`` of SPAMS with ``posD, posAlpha, modeD=3, gamma1=1`` keeps columns in {b ≥ 0, Σ
b ≤ 1}. This is the same problem: if a column that any document uses has a sum below one, it can be
scaled up and its codes down, which keeps the fit and lowers the penalty.
``MiniBatchDictionaryLearning`` keeps columns in the Euclidean unit ball instead, so it solves
another problem. If all topics have the same norm, its penalty is the same for α = ω / ‖b‖; several
α around this value are tried. Before objectives are compared, all topics are scaled to sum to one
and the documents are coded exactly.
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
EXACT = 1e-10  # tolerance of the codes from which objectives are computed
CLOSE = 0.01  # target for the relative distance from the best known objective
NO_SPAMS = "spams is not installed and is left out; install laconic[bench]."


def has_spams() -> bool:
    return find_spec("spams") is not None


def _where(n_threads: int) -> str:
    return f"{n_threads} thread{'s' if n_threads > 1 else ''}"


# --- the problem ---------------------------------------------------------------------------------


class Coding:
    """The lasso problems of all documents for given topics (words x topics), in float64."""

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
        """Compute the codes from the Gram matrix with the kernel of laconic."""
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
        """The documents as a dense array, which scikit-learn needs."""
        return self.X.toarray()


def frequencies(X: sp.csr_matrix) -> sp.csr_matrix:
    return Weighting("frequencies").fit_transform(X).astype(np.float64)


def _dense(codes: Any) -> np.ndarray:
    return np.asarray(codes.toarray() if sp.issparse(codes) else codes, dtype=np.float64)


def _bounds(n: int, parts: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, n, parts + 1).astype(int)
    return list(pairwise(edges))


def exact_objective(X: sp.csr_matrix, topics: np.ndarray, omega: float) -> float:
    """Scale topics (words x topics) to sum to one, and return the objective with exact codes."""
    totals = topics.sum(axis=0)
    coding = Coding(X, topics / np.where(totals > 0, totals, 1), omega)
    return coding.objective(coding.solve())


# --- codes ---------------------------------------------------------------------------------------

OURS_GRAM, OURS_X = "ours, given the Gram matrix", "ours, from X"
SPAMS_GRAM, SPAMS_X = "SPAMS lasso, given the Gram matrix", "SPAMS lasso, from X"
SKLEARN = "sparse_encode, {}, from X"
CODING_GOALS = {SPAMS_GRAM: 5.0, SPAMS_X: 20.0}
SKLEARN_GOAL = 200.0
SAME = 1e-6  # maximum relative difference of objectives that count as equal


def sctm_coding(run: Run) -> None:
    """Coding speed on NIPS papers at equal objective, compared with SPAMS and scikit-learn."""
    papers = nips(run)
    p = 5 if run.smoke else 50
    model = SCTM(p, alpha=OMEGA, smoothing=None, random_state=run.seed).fit(papers.counts)
    coding = Coding(papers.counts, model.components_.T, OMEGA)
    run.note(
        f"p={p}, ω={OMEGA:g}, {papers.counts.shape[0]:,} documents x {papers.counts.shape[1]:,} "
        f"words; {np.count_nonzero(coding.solve()) / papers.counts.shape[0]:.1f} topics per "
        "document. From X: our function accepts sparse counts and divides them by their sums; "
        "lasso of SPAMS and sparse_encode accept dense frequencies only, which are computed before "
        "timing. Given the Gram matrix: B'B and B'X are also computed before timing; SPAMS, which "
        "also needs ‖x‖, gets a matrix with few rows whose columns have the same norms."
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
    """Return a coding function of each library; its argument is the number of threads."""
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
    """Return two coding functions of SPAMS: given the Gram matrix, and from X.

    SPAMS needs documents as columns in Fortran order.
    """
    import spams

    gram, q = np.asfortranarray(coding.gram), np.asfortranarray(coding.correlations.T)
    topics = np.asfortranarray(coding.topics)
    X = np.asfortranarray(coding.dense.T)
    # given the Gram matrix, SPAMS uses only the norms of X and its number of rows, which limits the
    # number of topics of a document
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
    """The topics (words x topics) of a fit after a number of seconds."""

    seconds: float
    topics: np.ndarray


class Curve(NamedTuple):
    """Exact objectives during a fit, and the seconds after which they were reached."""

    seconds: np.ndarray
    objectives: np.ndarray

    def first_within(self, target: float) -> float | None:
        reached = np.flatnonzero(self.objectives <= target)
        return None if not len(reached) else float(self.seconds[reached[0]])


def sctm_fit(run: Run) -> None:
    """Seconds until SCTM and dictionary learning are within 1 % of the best known objective."""
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
    """Return the curves of SCTM and of the settings of the peers.

    If `chosen` is not None, only these settings of the peers are included.
    """
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
    """Return the initial topics of SCTM (words x topics), from which the peers also start."""
    with make_engine("serial", 1) as engine:
        topics = seed_topics(engine, [MemoryChunk(X, 0, X.shape[0])], p, seed, np.float64)
    return np.ascontiguousarray(topics.T)


def _steps(most: int) -> list[int]:
    """Return numbers of passes up to `most`: 1, 2, 3, …, later in steps of about 20 %."""
    steps = [1]
    while steps[-1] < most:
        steps.append(min(most, max(steps[-1] + 1, round(1.2 * steps[-1]))))
    return steps


def our_points(run: Run, X: sp.csr_matrix, p: int, n_threads: int) -> Iterator[Point]:
    """Fit SCTM again for each number of passes, and yield the best time of several runs.

    The time includes the initialisation.
    """
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
    """Return the points of scikit-learn for each α and batch size."""
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
    """Record the dictionary during one fit; the time of copying it is not counted."""
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
    """Return the points of SPAMS for three batch sizes and for the whole collection."""
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
    """Run SPAMS again for each number of passes, because it has no intermediate results."""
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
        f"p={p}, ω={OMEGA:g}, {X.shape[0]:,} documents x {X.shape[1]:,} words; the best objective "
        f"of all fits is {best:.5g}. The topics of every library are recorded after numbers of "
        "passes. They are scaled to the simplex and the documents are coded exactly, outside the "
        "timing; the time of the first record within 1 % of the best objective is compared. Peers "
        "start from our "
        "initial topics, but the time to compute these is counted for SCTM only. scikit-learn "
        "accepts dense frequencies only; SPAMS gets sparse frequencies. On two threads, the peers "
        "run with the setting that was best on one thread."
    )


def _fit_rows(run: Run, curves: Mapping[str, Curve], best: float, n_threads: int) -> set[str]:
    """Add a row for each library with its best setting, and return the best settings."""
    target, where = (1 + CLOSE) * best, _where(n_threads)
    ours = curves[OURS].first_within(target)
    if ours is None:
        gap = 100 * (curves[OURS].objectives.min() / best - 1)
        run.note(
            f"SCTM never gets within 1 % of the best objective ({where}); it ends {gap:.2g} % "
            "above."
        )
    chosen = set()
    for library, times in FIT_GOALS.items():
        theirs = {name: curve for name, curve in curves.items() if name.startswith(library)}
        if not theirs:
            continue
        name, seconds, gap = _best_curve(theirs, best)
        chosen.add(name)
        if gap > CLOSE:
            run.note(
                f"{library} never gets within 1 % of the best objective ({where}). Its best "
                f"setting, {name}, ends {100 * gap:.2g} % above; its total time is compared."
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
    """Return the name, time and smallest gap of the curve that first comes within 1 %.

    If no curve does, the curve with the lowest objective is used.
    """
    reached = {name: curve.first_within((1 + CLOSE) * best) for name, curve in curves.items()}
    arrived = {name: seconds for name, seconds in reached.items() if seconds is not None}
    if arrived:
        name = min(arrived, key=lambda name: arrived[name])
        return name, arrived[name], curves[name].objectives.min() / best - 1
    name = min(curves, key=lambda name: curves[name].objectives.min())
    return name, curves[name].seconds[-1], curves[name].objectives.min() / best - 1


def _never() -> Goal:
    return Goal("within 1 %", lambda ratio: False, "ratio")
