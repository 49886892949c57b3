"""Tests of the division of documents by class or time."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.fitted.documents import Documents, Names
from laconic.fitted.groups import group_documents


def grouped(labels, codes=None):
    codes = sp.csr_matrix(np.ones((len(labels), 2)) if codes is None else codes)
    return group_documents(Documents(codes, labels=Names.of(labels)))


def test_classes_are_by_size_then_name():
    groups = grouped(["b", "c", "a", "c", "a", ""])
    assert (groups.kind, groups.names, groups.sizes.tolist()) == (
        "class",
        ["a", "c", "b"],
        [2, 2, 1],
    )
    assert groups.members.tolist() == [2, 1, 0, 1, 0, -1]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([2001, 1999, 2001], ["1999", "2001"]),
        ([2001.0, 1999.0, 2001.0], ["1999", "2001"]),
        (["2001-03-04", "1999-12-31", "2001-03-04"], ["1999-12-31", "2001-03-04"]),
        (["2001-03", "1999-12", "2001-03"], ["1999-12", "2001-03"]),
        (["2001-03-04T10:00", "1999-12-31 09:30:00", ""], ["1999-12-31", "2001-03-04"]),
        # one date has no day, so all days are dropped
        (["2001-03-04", "2001-03", "1999-12-31"], ["1999-12", "2001-03"]),
    ],
)
def test_years_and_dates_are_times_in_order(labels, names):
    groups = grouped(labels)
    assert (groups.kind, groups.names) == ("time", names)
    assert groups.sizes.sum() == sum(label != "" for label in labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["1", "2"],
        ["2001", "x"],
        ["2001-13-01", "2001-01-01"],
        ["2001-02-29", "2001-01-01"],
        ["2001", "2001"],
        ["3001", "2001"],
    ],
)
def test_other_labels_are_classes(labels):
    assert grouped(labels).kind == "class"


@pytest.mark.parametrize(("n_days", "length"), [(50, 10), (400, 7), (4000, 4)])
def test_many_days_are_gathered(n_days, length):
    days = np.datetime64("2001-01-01") + np.arange(n_days)
    groups = grouped([str(day) for day in days])
    assert {len(name) for name in groups.names} == {length}
    assert groups.names == sorted(groups.names)
    assert groups.sizes.sum() == n_days


def test_without_labels_there_are_no_groups():
    assert group_documents(Documents(sp.csr_matrix((3, 2)))) is None
    assert grouped(["", "", ""]) is None
    assert group_documents(Documents(sp.csr_matrix((0, 2)), labels=Names.of([]))) is None


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c", ""]), st.integers(0, 10_000)), min_size=1)
)
def test_shares_are_the_means_over_documents(documents):
    labels, seeds = zip(*documents, strict=True)
    codes = np.array([np.random.default_rng(seed).integers(-2, 3, 4) for seed in seeds], float)
    groups = grouped(labels, codes)
    if groups is None:
        assert set(labels) == {""}
        return
    totals = np.abs(codes).sum(axis=1, keepdims=True)
    shares = np.abs(codes) / np.where(totals > 0, totals, 1)
    for name, row in zip(groups.names, groups.shares(Documents(sp.csr_matrix(codes))), strict=True):
        own = shares[[label == name for label in labels]]
        np.testing.assert_allclose(row, own.mean(axis=0), atol=1e-12)


def test_only_the_largest_classes_are_groups(monkeypatch):
    monkeypatch.setattr("laconic.fitted.groups.MAX_CLASSES", 2)
    groups = grouped(["b", "c", "a", "c", "a", "b", "b"])
    assert (groups.names, groups.sizes.tolist()) == (["b", "a"], [3, 2])
    assert groups.members.tolist() == [0, -1, 1, -1, 1, 0, 0]
