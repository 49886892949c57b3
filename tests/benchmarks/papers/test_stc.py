"""Tests of the figures of the STC benchmarks: averages of classes, change points, goals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import newsgroups
from benchmarks.harness import Run, execute
from benchmarks.papers import comparison, stc, stc_classes, stc_dirichlet

SMOKE = Run("made up", smoke=True)


@pytest.mark.parametrize("benchmark", [stc_classes.stc_classes, stc_dirichlet.stc_dirichlet])
def test_smoke(benchmark) -> None:
    rows = execute(benchmark, Run("made up", smoke=True))["rows"]
    assert all(np.isfinite(row["value"]) for row in rows)
    assert len({row["what"] for row in rows}) == len(rows)


CODES = np.array([[1.0, 0, 1], [1, 0, 5], [0, 3, 0]])


def test_class_means_are_shares_of_topics() -> None:
    means = stc_classes.class_means(CODES, np.array([0, 0, 1]), 3)
    np.testing.assert_allclose(means, [[0.25, 0, 0.75], [0, 1, 0], [0, 0, 0]])


def test_documents_are_counted_at_the_nearest_average() -> None:
    halves = replace(
        newsgroups.newsgroup_halves(SMOKE),
        classes=np.array(["a", "b"]),
        train_labels=np.array([0, 0, 1]),
        test_labels=np.array([0, 1, 1, 0]),
    )
    test = np.array([[0.0, 0, 2], [0, 9, 1], [4, 0, 0], [3, 1, 3]])
    assert stc_classes.nearest_share(sp.csr_matrix(CODES), test, halves) == 75


def test_apart_is_what_has_to_be_moved() -> None:
    means = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0, 1]])
    np.testing.assert_allclose(stc_classes.apart(means), [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    assert stc_classes.mean_apart(means) == pytest.approx(2.5 / 3)


def test_change_point_lies_between_the_most_different_neighbours() -> None:
    zeros = {1.0: 0.1, 1e-4: 0.9, 1e-2: 0.2, 1e-3: 0.8}
    assert stc_dirichlet.change_point(zeros) == pytest.approx(10**-2.5)
    # The same difference over a wider step is a smaller slope.
    assert stc_dirichlet.change_point({1e-4: 0.9, 1e-2: 0.6, 1e-1: 0.4}) == pytest.approx(10**-1.5)


def test_systems_stand_beside_what_the_paper_compares_them_with() -> None:
    lower = stc._beside("accuracy", "NMF", 60, 70.0, 75.0)
    assert (lower["peer"], lower["peer_value"], lower["why"]) == ("STC", 75.0, None)
    higher = stc._beside("accuracy", "NMF", 60, 76.0, 75.0)
    assert higher["why"]
    assert stc._beside("accuracy", "MedLDA", 20, 70.0, 80.0)["peer"] == "MedSTC"
    slow = stc._beside("training time", stc.LDA, 20, 30.0, 2.0)
    assert slow["goal"].holds(15.0)
    assert slow["why"] is None
    assert not slow["goal"].holds(9.0)
    assert stc._beside("training time", stc.LDA, 20, 3.0, 2.0)["why"]
    assert stc._beside("training time", "STC", 20, 3.0, 3.0) == {}


def test_the_authors_figures_stand_beside_ours() -> None:
    assert stc._beside("accuracy", "STC", 60, 75.0, 75.0)["peer_value"] == 58.3
    assert stc._beside("accuracy", "MedSTC", 60, 83.0, 75.0)["peer_value"] == 79.7
    assert stc._beside("accuracy", "MedSTC", 20, 83.0, 75.0)["peer_value"] == 80
    assert stc._beside("accuracy", "STC", 20, 60.0, 60.0) == {}


def test_zeros_of_systems_are_those_of_their_codes() -> None:
    halves = newsgroups.newsgroup_halves(SMOKE)
    nmf = comparison.SklearnNMF(4).fit(halves.train)
    assert stc._zeros(nmf, halves.test) == np.mean(nmf.codes(halves.test) == 0)
    weak, strong = (
        comparison.RegularisedLDA(4, 0, kappa, max_iter=4).fit(halves.train) for kappa in (0.0, 0.8)
    )
    assert stc._zeros(weak, halves.test) < stc._zeros(strong, halves.test) <= 1
    assert stc._zeros(object(), halves.test) is None
