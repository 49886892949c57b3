"""Tests of gene benchmarks: groups from overlapping sets, selected groups and enrichment."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness import Run
from benchmarks.papers import genes, genes_printed

SMOKE = Run("", smoke=True)
NAMES = np.array([f"gene{n}" for n in range(98)])


def test_disjoint_groups_have_each_gene_once_in_its_smallest_set() -> None:
    sets = {"wide": set(NAMES[:30].tolist()), "narrow": set(NAMES[10:22].tolist())}
    grouped = genes.group(NAMES, sets, "disjoint")
    assert grouped.columns.tolist() == list(range(98))
    assert set(grouped.groups[10:22].tolist()) == {"narrow"}
    assert set(grouped.groups[:10].tolist()) == {"wide"}
    assert grouped.groups[40] == "gene40"  # in no set, so it forms its own group


def test_copied_groups_have_a_gene_once_in_each_of_its_sets() -> None:
    sets = {
        "wide": set(NAMES[:30].tolist()),
        "narrow": set(NAMES[10:22].tolist()),
        "tiny": set(NAMES[:3].tolist()),
    }
    grouped = genes.group(NAMES, sets, "copied")
    # Sets with fewer than ten genes, such as "tiny", are left out.
    assert sorted(set(grouped.groups.tolist())) == ["narrow", "wide"]
    assert sorted(grouped.sizes().tolist()) == [12, 30]
    assert np.bincount(grouped.columns)[10:22].tolist() == [2] * 12


def test_over_representation_is_that_of_the_best_component() -> None:
    found = genes.Selected([np.array(["a", "b"]), np.array(["c", "d"])], [], 1.0, 0.0)
    names = np.array(list("abcdefgh"))
    # A quarter of all genes and half of the genes of the first component are in the theme.
    assert genes.enrichment(found, {"a", "h"}, names) == 2
    assert genes.enrichment(found, {"nowhere"}, names) == 0


@pytest.mark.parametrize("rule", ["disjoint", "copied"])
def test_planted_sets_are_selected_whole_and_as_many_as_asked(rule: str) -> None:
    tumours, sets = genes._made_up(0), genes.load_sets(SMOKE)
    X = tumours.levels - tumours.levels.mean(axis=0)
    grouped = genes.group(tumours.genes, sets, rule)
    found = genes.select(X, tumours.genes, grouped, 2, 0)
    assert found.n_groups == 2
    members = set().union(*(sets[name] for part in found.groups for name in part.tolist()))
    assert {gene for part in found.genes for gene in part.tolist()} <= members
    assert genes.enrichment(found, genes.load_themes(SMOKE)["planted"], tumours.genes) > 2


def test_random_groups_have_the_same_sizes() -> None:
    tumours, sets = genes._made_up(0), genes.load_sets(SMOKE)
    grouped = genes.group(tumours.genes, sets, "disjoint")
    (found,) = genes._random_fits(SMOKE, tumours.levels, tumours.genes, grouped, 4)
    assert found.n_groups >= 1


def test_without_groups_as_much_is_explained() -> None:
    tumours = genes._made_up(0)
    X = tumours.levels - tumours.levels.mean(axis=0)
    few, many = (genes.plain_lengths(X, share * (X**2).sum(), 0).sum() for share in (0.3, 0.9))
    assert 0 < few < many


def test_probes_of_a_gene_are_averaged_and_gaps_filled() -> None:
    probes = np.array([[1.0, 3.0], [3.0, np.nan], [5.0, 5.0], [np.nan, np.nan]])
    made = genes._by_gene("x", probes, ["a", "a", "b", "c"], {"a", "b", "c"})
    assert made.genes.tolist() == ["a"]  # b is constant, c has no value
    np.testing.assert_allclose(made.levels, [[2.0], [3.0]])


def test_the_printed_algorithm_equals_block_coordinate_descent() -> None:
    tumours, sets = genes._made_up(0), genes.load_sets(SMOKE)
    X = tumours.levels - tumours.levels.mean(axis=0)
    grouped = genes_printed.in_order(genes.group(tumours.genes, sets, "disjoint"))
    A = genes_printed.printed(X, grouped, 1.2, 4)
    live = A.any(axis=1)
    X = X[:, grouped.columns]
    P, _, Qt = np.linalg.svd(X @ A[live].T, full_matrices=False)
    U = P @ Qt
    again = np.zeros((live.sum(), X.shape[1]))
    for _ in range(3):  # sweeps of algorithm 2
        for topic in range(len(again)):
            for name in np.unique(grouped.groups):
                here = grouped.groups == name
                rest = X[:, here] - U @ again[:, here] + np.outer(U[:, topic], again[topic, here])
                b = U[:, topic] @ rest
                bound = 1.2 * np.sqrt(here.sum())
                again[topic, here] = b * max(1 - bound / max(np.linalg.norm(b), 1e-300), 0)
    # The alternation ends when the last step changes A by less than its tolerance.
    np.testing.assert_allclose(A[live], again, atol=0.1)
    assert {*grouped.groups[A.any(axis=0)].tolist()} == {
        *grouped.groups[again.any(axis=0)].tolist()
    }


def test_a_p_value_counts_the_real_fit() -> None:
    assert genes_printed.p_value(3.0, np.array([1.0, 2.0, 2.5])) == 0.25
    assert genes_printed.p_value(2.0, np.array([1.0, 2.0, 2.5])) == 0.75
