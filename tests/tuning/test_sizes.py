"""Tests of the numbers of topics that are tried."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.tuning.sizes import Sizes, between, doubled, read_sizes
from tests.messages import refused


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, Sizes(2, 200)),
        ([10, 5, 10], Sizes(5, 10, (5, 10))),
        (np.array([3, 7]), Sizes(3, 7, (3, 7))),
        (range(2, 5), Sizes(2, 4, (2, 3, 4))),
        (8, Sizes(8, 8, (8,))),
        (" 5, 10 ", Sizes(5, 10, (5, 10))),
        ("4:9", Sizes(4, 9)),
    ],
)
def test_what_may_be_asked_for(value, found):
    assert read_sizes(value, 2000) == found


def test_few_documents_have_few_topics():
    assert read_sizes(None, 100).largest == 20
    assert read_sizes(None, 3) == Sizes(2, 2)


@pytest.mark.parametrize("value", ["", "a", "5;10", "10:5", "0:4", [], [0], [2.5], [True], ["3"]])
def test_what_names_no_numbers(value):
    with refused(repr(value), "positive integers"):
        read_sizes(value, 1000)


@pytest.mark.parametrize("value", ["100", "5:100", [100]])
def test_more_topics_than_documents(value):
    with refused("100 topics", "80 documents"):
        read_sizes(value, 80)


@given(st.integers(1, 50), st.integers(0, 500))
def test_doubling_goes_from_end_to_end(least, more):
    sizes = list(doubled(least, least + more))
    assert (sizes[0], sizes[-1]) == (least, least + more)
    assert all(low < high <= 3 * low for low, high in pairwise(sizes))


@given(st.integers(1, 400))
def test_refinement_comes_to_any_number(wanted):
    """If `wanted` is best, a number within 5 % of it is found in few steps."""
    tried = list(doubled(2, 400))
    for _ in range(12):
        chosen = min(tried, key=lambda size: abs(np.log(size / wanted)))
        finer = between(tried, chosen)
        assert not set(finer) & set(tried)
        if not finer:
            break
        tried += finer
    assert not finer
    assert abs(chosen - wanted) <= max(wanted / 20, wanted < 2)
