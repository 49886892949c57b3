"""Figure 4 of sparse topical coding: the average document code of classes, by STC and MedSTC.

The paper draws six classes and says that their averages "are quite different" and that MedSTC "can
discover more discriminative representations". Here the averages are those of the test half, whose
labels no model has seen. How different two of them are is the share of one that has to be moved to
make the other: 0 where they are equal, 1 where they have no topic in common.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.accuracy import dense
from benchmarks.harness import Goal, Run
from benchmarks.newsgroups import Halves, newsgroup_halves
from laconic import STC, MedSTC

CLASSES = (
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "rec.autos",
    "rec.sport.baseball",
    "sci.med",
)
K = 60
N_WORDS = 8
WHY = "ours codes documents without looking at labels; the paper does not say how its codes came"


def stc_classes(run: Run) -> None:
    """Figure 4: average document codes of six classes, by STC and MedSTC."""
    halves = newsgroup_halves(run)
    n_topics = 5 if run.smoke else K
    names = tuple(halves.classes[:3]) if run.smoke else CLASSES
    run.note(
        f"Average codes of the test half at the defaults of both models, K={n_topics}, each scaled "
        "to sum to one; labels are known to MedSTC for the training half only. Apart: half the sum "
        "of absolute differences of two averages, the mean over pairs of the six classes, and for "
        "a class the least to any of all twenty. The paper prints pictures only, and says that "
        "averages are quite different, and with MedSTC more discriminative."
    )
    models = {
        "STC": STC(n_topics, random_state=run.seed).fit(halves.train),
        "MedSTC": MedSTC(n_topics, random_state=run.seed).fit(halves.train, halves.train_labels),
    }
    means = {
        name: class_means(model.transform(halves.test), halves) for name, model in models.items()
    }
    for name, mean in means.items():
        _rows(run, name, models[name], halves, mean, names)
    _pairs(run, {name: mean[_places(halves, names)] for name, mean in means.items()}, "six classes")
    _pairs(run, means, "all classes")


def class_means(codes: sp.csr_matrix, halves: Halves) -> np.ndarray:
    """Classes x topics: mean codes, scaled to sum to one."""
    members = np.eye(len(halves.classes))[halves.test_labels]
    means = members.T @ dense(codes)
    return means / np.maximum(means.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def apart(means: np.ndarray) -> np.ndarray:
    """How different each two rows are."""
    return np.abs(means[:, np.newaxis] - means[np.newaxis]).sum(axis=2) / 2


def mean_apart(means: np.ndarray) -> float:
    """Over pairs of different rows."""
    return float(apart(means)[np.triu_indices(len(means), 1)].mean())


def _places(halves: Halves, names: tuple[str, ...]) -> list[int]:
    return [int(np.flatnonzero(halves.classes == name)[0]) for name in names]


def _rows(
    run: Run, name: str, model: STC, halves: Halves, means: np.ndarray, names: tuple[str, ...]
) -> None:
    distances = apart(means) + 2 * np.eye(len(means))
    for label, place in zip(names, _places(halves, names), strict=True):
        order = np.argsort(-means[place], kind="stable")
        run.row(f"share of the strongest topic, {label}, {name}", means[place, order[0]], "")
        nearest = int(distances[place].argmin())
        run.row(f"apart from the nearest class, {label}, {name}", distances[place, nearest], "")
        topics = "; ".join(
            f"{means[place, k]:.2f} "
            + " ".join(
                halves.vocabulary[np.argsort(-model.components_[k], kind="stable")[:N_WORDS]]
            )
            for k in order[:3]
        )
        run.note(f"{label}, {name} (nearest: {halves.classes[nearest]}): {topics}.")


def _pairs(run: Run, means: dict[str, np.ndarray], what: str) -> None:
    found = {name: mean_apart(mean) for name, mean in means.items()}
    run.row(f"apart, mean over pairs of {what}, STC", found["STC"], "")
    more = found["MedSTC"] > found["STC"]
    run.row(
        f"apart, mean over pairs of {what}, MedSTC",
        found["MedSTC"],
        "",
        peer="STC",
        peer_value=found["STC"],
        goal=Goal("more than STC", lambda ratio: ratio > 1, "ratio"),
        why=None if more else WHY,
    )
