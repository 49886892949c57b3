"""Tests of the figures of the STC benchmarks: averages of classes and change points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import newsgroups
from benchmarks.harness import Run, execute
from benchmarks.papers import stc_classes, stc_dirichlet

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
