"""Tests of a topic's chart over time: gaps for missing times, pale bars for few documents."""

from __future__ import annotations

import re

import pytest

from laconic.web.report.topics import WIDEST, gaps, over_time
from laconic.wording import Nouns


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (["1990", "1991", "1993"], [0, 0, 1]),
        (["2020-11", "2020-12", "2021-01", "2021-04"], [0, 0, 0, 2]),
        (["2021-02-27", "2021-02-28", "2021-03-02"], [0, 0, 1]),
        (["1990"], [0]),
        (["1000", "1001", str(1002 + WIDEST)], [0, 0, 0]),  # the gap is too wide to be shown
    ],
)
def test_times_that_are_missing_leave_a_gap(times, expected):
    assert gaps(times) == expected


def test_columns_tell_their_height_gap_and_documents():
    shown = over_time([["1990", 0.2, 40], ["1991", 0.4, 3], ["1993", 0.1, 1]], Nouns())
    columns = re.findall(r'<i style="(.*?)"( class="few")? title="(.*?)"></i>', shown)
    assert [style for style, _, _ in columns] == ["--h:0.5", "--h:1", "--h:0.25;--g:1"]
    assert [bool(few) for _, few, _ in columns] == [False, True, True]
    assert columns[2][2] == "1993: 10.0\u202f% of 1 document"
