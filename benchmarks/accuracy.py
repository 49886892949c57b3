"""Accuracy of STC and MedSTC on 20 Newsgroups, compared with topic models and tf-idf.

Models and weights are learned from the training half. Settings (weights of counts, penalties, C)
are chosen with the first seed on the validation part of this half; then the test half is scored
once per seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from benchmarks.harness import Goal, Run, at_least
from benchmarks.newsgroups import Halves, newsgroup_halves
from benchmarks.papers.comparison import (
    SklearnLDA,
    SklearnNMF,
    System,
    TomotopyLDA,
    choose_svm,
    has_tomotopy,
    svm_accuracy,
)
from laconic import STC, MedSTC, Weighting

N_SEEDS = 3
WEIGHTINGS = ("counts", "log-counts")
TFIDF_C = (0.03, 0.1, 0.3, 1.0, 3.0)
SWEEP = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
NO_TOMOTOPY = "tomotopy is not installed and is left out."


class Setting(NamedTuple):
    """Name of the weighting of the counts, and options of the model."""

    weighting: str
    options: dict[str, Any]

    def __str__(self) -> str:
        return ", ".join(
            [self.weighting, *(f"{name}={value:g}" for name, value in self.options.items())]
        )


class Weighted(NamedTuple):
    """Weighted counts of the training half and of the test half."""

    train: sp.csr_matrix
    test: sp.csr_matrix


def settings(weightings: Iterable[str], **grid: Iterable[float]) -> list[Setting]:
    """Return every combination of weightings and options."""
    return [
        Setting(weighting, dict(zip(grid, values, strict=True)))
        for weighting in weightings
        for values in product(*grid.values())
    ]


def weight(halves: Halves) -> dict[str, Weighted]:
    """Weight both halves with each weighting, which is learned from the training half only."""
    both = {}
    for name in WEIGHTINGS:
        weighting = Weighting(name, dtype="float32")
        both[name] = Weighted(
            weighting.fit_transform(halves.train), weighting.transform(halves.test)
        )
    return both


def dense(codes: Any) -> np.ndarray:
    return codes.toarray() if sp.issparse(codes) else np.asarray(codes)


def above_all(others: Iterable[float]) -> Goal:
    """Return the goal that our worst seed is above the best seed of the peer."""
    highest = max(others)
    return Goal(f"worst seed above the best of the peer, {highest:.1f}", _above(highest), "value")


def _above(bound: float) -> Callable[[float], bool]:
    return lambda value: value > bound


# --- STC -----------------------------------------------------------------------------------------

STC_GRID = settings(WEIGHTINGS, word_penalty=(0.003, 0.01, 0.03), doc_penalty=(0.01, 0.1))


def stc_accuracy(run: Run) -> None:
    """Accuracy of a linear SVM on codes of STC, LDA and NMF; effect of more passes."""
    halves = newsgroup_halves(run)
    data = weight(halves)
    run.note(
        f"{halves.train.shape[0]:,} training and {halves.test.shape[0]:,} test documents, "
        f"{halves.train.shape[1]:,} words. A linear SVM classifies codes; C and the scaling of "
        "codes are chosen on the validation part for every fit. Accuracies are means over seeds, "
        "with the range in brackets."
    )
    if not has_tomotopy():
        run.note(NO_TOMOTOPY)
    sizes = (5,) if run.smoke else (50, 100)
    ours = {K: _stc_rows(run, halves, data, K) for K in sizes}
    _more_passes(run, halves, sizes[0])
    for name, (make, n_seeds) in _peers(run).items():
        for K in sizes:
            theirs = [_score_system(halves, make(K, seed)) for seed in seeds_of(run)[:n_seeds]]
            run.row(
                f"STC, K={K}, worst seed",
                min(ours[K]),
                "%",
                peer=f"{name} {spread(theirs)}",
                peer_value=np.mean(theirs),
                goal=above_all(theirs),
            )


def _stc_rows(run: Run, halves: Halves, data: dict[str, Weighted], K: int) -> list[float]:
    """Choose the settings and return the accuracy of each seed."""
    grid = STC_GRID[-2:] if run.smoke else STC_GRID
    scored = []
    for setting in grid:
        model = STC(K, random_state=run.seed, **setting.options).fit(data[setting.weighting].train)
        codes = dense(model.transform(data[setting.weighting].train))
        chosen = choose_svm(codes, halves.train_labels, halves.is_validation)
        scored.append((chosen.validation, setting))
    _, setting = max(scored, key=lambda score: score[0])
    listed = "; ".join(f"{one}: {100 * score:.1f}" for score, one in scored)
    run.note(f"K={K}, accuracy on the validation part: {listed}. Chosen: {setting}.")
    X = data[setting.weighting]
    ours = [
        _score(halves, X, STC(K, random_state=seed, **setting.options)) for seed in seeds_of(run)
    ]
    row = f"STC, K={K}, {setting}"
    run.row(
        f"{row} {spread(ours)}",
        np.mean(ours),
        "%",
        goal=at_least(75) if K == 100 else None,
    )
    run.row(
        f"STC at its defaults, counts, K={K}",
        _score(halves, data["counts"], STC(K, random_state=run.seed)),
        "%",
    )
    return ours


def _peers(run: Run) -> dict[str, tuple[Callable[[int, int], System], int]]:
    """Map the name of each peer to a function that creates it and to its number of seeds."""
    passes = 2 if run.smoke else 10
    iterations = 10 if run.smoke else 200
    peers: dict[str, tuple[Callable[[int, int], System], int]] = {
        "NMF (nndsvd) on balanced tf-idf": (SklearnNMF, 1),
        f"LDA, scikit-learn, batch, {passes} passes": (
            lambda K, seed: SklearnLDA(K, seed, "batch", passes),
            N_SEEDS,
        ),
    }
    if has_tomotopy():
        peers[f"LDA, tomotopy, {iterations} iterations"] = (
            lambda K, seed: TomotopyLDA(K, seed, iterations),
            N_SEEDS,
        )
    return peers


def _score(halves: Halves, X: Weighted, model: STC) -> float:
    """Return the accuracy in % on the test half."""
    model.fit(X.train)
    return _judge(halves, dense(model.transform(X.train)), dense(model.transform(X.test)))


def _score_system(halves: Halves, system: System) -> float:
    system.fit(halves.train, halves.train_labels)
    return _judge(halves, system.codes(halves.train), system.codes(halves.test))


def _judge(halves: Halves, train_codes: np.ndarray, test_codes: np.ndarray) -> float:
    judged = svm_accuracy(
        train_codes, halves.train_labels, halves.is_validation, test_codes, halves.test_labels
    )
    return 100 * judged.accuracy


def seeds_of(run: Run) -> list[int]:
    return [run.seed + number for number in range(1 if run.smoke else N_SEEDS)]


def spread(values: list[float]) -> str:
    return f"[{min(values):.1f} to {max(values):.1f}]"


def _more_passes(run: Run, halves: Halves, K: int) -> None:
    """Check that more passes do not lower the accuracy of STC with default settings."""
    X = Weighted(halves.train, halves.test)
    few, many = (
        _score(halves, X, STC(K, max_iter=passes, tol=0.0, random_state=run.seed))
        for passes in (2, 20)
    )
    run.row(
        f"STC at its defaults, K={K}, 20 passes",
        many,
        "%",
        peer="2 passes",
        peer_value=few,
        goal=Goal("at most 1 point below", lambda value: value >= few - 1, "value"),
    )


# --- MedSTC --------------------------------------------------------------------------------------

MED_GRID = settings(WEIGHTINGS, C=(0.03, 0.1, 0.3), margin=(5.0, 10.0, 20.0))
PENALTY_GRID = settings(("",), word_penalty=(0.003, 0.01, 0.03), doc_penalty=(0.01, 0.1))
MED_GOALS = {60: 82, 100: 85}


def medstc_accuracy(run: Run) -> None:
    """Accuracy of MedSTC with and without joint training and for several C, and of tf-idf + SVM."""
    halves = newsgroup_halves(run)
    data = weight(halves)
    bar, chosen = _tfidf_svm(halves)
    run.note(
        f"{halves.train.shape[0]:,} training and {halves.test.shape[0]:,} test documents, "
        f"{halves.train.shape[1]:,} words. MedSTC uses its own classifier. Its settings are "
        "chosen on the validation part, which it is not fitted to: first weights, C and margin, "
        f"then penalties. Settings of tf-idf + LinearSVC, chosen in the same way: {chosen}. "
        "Accuracies are means over the seeds, with the range in brackets. If each class has one "
        "topic (K=20), the result does not depend on the seed."
    )
    for K in (5,) if run.smoke else (60, 100):
        _medstc_rows(run, halves, data, K, bar)
    _sweep(run, halves, data, K=5 if run.smoke else 20)


def _tfidf_svm(halves: Halves) -> tuple[float, str]:
    """Return the accuracy in % on the test half, and the settings chosen on the validation part."""
    part, y = ~halves.is_validation, halves.train_labels
    scored = []
    for name in ("tfidf", "tfidf-balanced"):
        X = Weighting(name, dtype="float32").fit_transform(halves.train)
        for C in TFIDF_C:
            svm = LinearSVC(C=C).fit(X[part], y[part])
            scored.append((svm.score(X[~part], y[~part]), name, C))
    validation, name, C = max(scored)
    weighting = Weighting(name, dtype="float32")
    svm = LinearSVC(C=C).fit(weighting.fit_transform(halves.train), y)
    accuracy = 100 * svm.score(weighting.transform(halves.test), halves.test_labels)
    return accuracy, f"{name}, C={C:g}, {100 * validation:.1f} % on the validation part"


def _medstc_rows(run: Run, halves: Halves, data: dict[str, Weighted], K: int, bar: float) -> None:
    setting = _choose_medstc(run, halves, data, K)
    X = data[setting.weighting]

    def scores(**options: Any) -> list[float]:
        return [
            100
            * MedSTC(K, random_state=seed, **{**setting.options, **options})
            .fit(X.train, halves.train_labels)
            .score(X.test, halves.test_labels)
            for seed in seeds_of(run)
        ]

    ours, start = scores(), scores(max_iter=1)
    what = f"MedSTC, K={K}, {setting} {spread(ours)}"
    run.row(
        what,
        np.mean(ours),
        "%",
        peer=f"tf-idf ({halves.train.shape[1]:,} words) + LinearSVC",
        peer_value=bar,
        goal=at_least(MED_GOALS[K]) if K in MED_GOALS else None,
    )
    run.row(
        f"MedSTC, K={K}, worst seed",
        min(ours),
        "%",
        peer=f"without joint training (max_iter=1) {spread(start)}",
        peer_value=np.mean(start),
        goal=above_all(start),
    )
    default = MedSTC(K, random_state=run.seed).fit(data["counts"].train, halves.train_labels)
    run.row(
        f"MedSTC at its defaults, counts, K={K}",
        100 * default.score(data["counts"].test, halves.test_labels),
        "%",
        peer="tf-idf + LinearSVC",
        peer_value=bar,
    )


def _choose_medstc(run: Run, halves: Halves, data: dict[str, Weighted], K: int) -> Setting:
    part, y = ~halves.is_validation, halves.train_labels
    scored: dict[str, float] = {}

    def validation(setting: Setting) -> float:
        X = data[setting.weighting].train
        model = MedSTC(K, random_state=run.seed, **setting.options).fit(X[part], y[part])
        scored[str(setting)] = 100 * model.score(X[~part], y[~part])
        return scored[str(setting)]

    best = max(MED_GRID[:2] if run.smoke else MED_GRID, key=validation)
    around = [
        Setting(best.weighting, best.options | penalties.options)
        for penalties in (PENALTY_GRID[:1] if run.smoke else PENALTY_GRID)
    ]
    best = max(around, key=validation)
    listed = "; ".join(f"{setting}: {accuracy:.1f}" for setting, accuracy in scored.items())
    run.note(f"K={K}, accuracy on the validation part: {listed}. Chosen: {best}.")
    return best


def _sweep(run: Run, halves: Halves, data: dict[str, Weighted], K: int) -> None:
    """Vary C over five orders of magnitude; the objective should fall, and no run diverge."""
    X = data["counts"]
    accuracy: dict[float, list[float]] = {}
    falls = True
    for C in (0.1, 100.0) if run.smoke else SWEEP:
        accuracy[C] = []
        for seed in seeds_of(run):
            model = MedSTC(K, C=C, random_state=seed).fit(X.train, halves.train_labels)
            objective = np.asarray(model.objective_)
            falls &= bool(np.isfinite(objective).all() and (np.diff(objective) <= 0).all())
            accuracy[C].append(100 * model.score(X.test, halves.test_labels))
    best = max(max(values) for values in accuracy.values())
    for C, values in accuracy.items():
        run.row(
            f"MedSTC, K={K}, C={C:g}, counts, worst seed {spread(values)}",
            min(values),
            "%",
            peer="the best of all C",
            peer_value=best,
            goal=at_least(0.5, of="ratio"),
        )
    runs = sum(map(len, accuracy.values()))
    run.note(f"The objective is finite and falls in all {runs} runs: {'yes' if falls else 'NO'}.")
