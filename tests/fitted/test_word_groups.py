"""Tests of the table of groups of words, and of the numbers of words in the labels of groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import laconic
from laconic import SparseLSA
from tests.messages import refused

GENES = [f"G{number}" for number in range(20)]
SETS = {
    "growth": [*GENES[:6], "U1", "U2"],
    "repair": [*GENES[4:10], "U3"],
    "small": GENES[10:13],
    "tiny": ["G13", "U1", "U2", "U3"],
}


@pytest.fixture(scope="module")
def levels():
    random = np.random.default_rng(1)
    X = random.normal(0, 0.3, (40, 20))
    X[:, :6] += random.normal(0, 2, (40, 1))
    X[:, 10:13] += random.normal(0, 2, (40, 1))
    return pd.DataFrame(X, columns=GENES)


def test_groups_of_each_topic(levels):
    X = levels
    table = laconic.topic_groups(SparseLSA(2, groups=SETS, alpha=2.5).fit(X), terms="genes")
    assert table["label"].to_list() == [
        "growth (6 of 8 genes measured)",
        "small (all 3 genes measured)",
    ]
    assert table["n_words"].to_list() == [6, 3]
    assert table["found"].to_list() == [6, 3]
    assert table["size"].to_list() == [8, 3]
    assert table["share"].to_list() == [1, 1]
    assert set(table["words"][0]) == set(GENES[:6])


def test_shares_and_strengths_add_up_to_the_topic(levels):
    X = levels
    sets = {f"set{n}": GENES[5 * n : 5 * n + 5] for n in range(4)}
    model = SparseLSA(2, groups=sets, alpha=0.1).fit(X)
    table = laconic.topic_groups(model)
    for topic in range(2):
        part = table.filter(table["topic"] == topic)
        norm = np.sqrt(model.components_[[topic]].power(2).sum())
        assert np.linalg.norm(part["strength"]) == pytest.approx(norm)
        assert part["share"].sum() == pytest.approx(1)
        assert part["strength"].is_sorted(descending=True)
    assert len(laconic.topic_groups(model, 1)) == 2


def test_a_group_that_lost_words_to_smaller_sets_says_so(levels):
    X = levels
    sets = {"growth": [*GENES[:6], "U1"], "core": GENES[:4]}
    model = SparseLSA(1, groups=sets, overlap="smallest", alpha=0.1).fit(X)
    labels = laconic.topic_groups(model, terms="genes")["label"].to_list()
    assert "growth (6 of 7 genes measured, 2 in group)" in labels
    assert "core (all 4 genes measured)" in labels


def test_words_without_weight_are_counted(levels):
    X = levels.copy()
    X["G0"] *= -1
    model = SparseLSA(1, groups=SETS, alpha=1.0, positive=True).fit(X)
    n_words = np.count_nonzero(model.components_.toarray()[0, :6])
    assert 0 < n_words < 6
    assert laconic.topic_groups(model)["label"][0] == (
        f"growth (6 of 8 words in the data, {n_words} with weight)"
    )


def test_a_word_in_no_set_is_named_alone(levels):
    X = levels.copy()
    X["G19"] *= 20
    table = laconic.topic_groups(SparseLSA(1, groups=SETS, alpha=2.0).fit(X))
    row = table.filter(table["group"] == "G19").row(0, named=True)
    assert row["label"] == "G19"
    assert row["size"] is None


def test_a_model_without_groups(levels):
    X = levels
    with refused("without groups", "groups="):
        laconic.topic_groups(SparseLSA(1, alpha=0.1).fit(X))
