"""Tests of docs/papers.md: every verdict follows from committed rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import harness, report
from benchmarks.papers import headlines
from benchmarks.papers.headlines import Cell, Headline, Verdict
from benchmarks.papers.page import HEADLINES, MODULES, benchmark_names, sections, thresholds
from benchmarks.registry import BENCHMARKS

NAMED = {result["name"]: result for result in report.read_results(harness.RESULTS)}
CELL = Cell("made-up", ("theirs",))
OURS = Cell("made-up", ("ours",))


def results(commit: str = "0123", **values: float) -> dict[str, dict[str, Any]]:
    rows = [
        {"what": what, "value": value, "peer": "a peer", "peer_value": 2.0, "ratio": value / 2}
        for what, value in values.items()
    ]
    return {"made-up": {"name": "made-up", "commit": commit, "rows": rows}}


def headline(
    holds: Callable[..., bool] | None = None,
    literal: Cell | None = CELL,
    ours: Cell | None = OURS,
) -> Headline:
    holds = holds or headlines.near(10)
    return Headline("a paper", "table 1", "a number", "10", holds, literal, ours)


def verdict(one: Headline, **values: float) -> Verdict:
    return headlines.judge(one, results(**values)).verdict


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [
        (10.9, 5.0, Verdict.EQUAL),
        (9.1, 5.0, Verdict.EQUAL),
        (12.0, 10.0, Verdict.OURS),
        (12.0, 5.0, Verdict.NO),
    ],
)
def test_their_algorithm_decides_and_then_ours(
    theirs: float, ours: float, expected: Verdict
) -> None:
    assert verdict(headline(), theirs=theirs, ours=ours) is expected


def test_a_reading_and_missing_data_are_named() -> None:
    read = replace(headline(), reading="titles included")
    assert verdict(read, theirs=10, ours=10) is Verdict.READING
    assert verdict(read, theirs=20, ours=20) is Verdict.NO
    assert verdict(replace(read, no_data=True), theirs=10, ours=10) is Verdict.NO_DATA


def test_without_their_algorithm_it_holds_only_with_ours() -> None:
    assert verdict(headline(literal=None), ours=10) is Verdict.OURS
    assert verdict(headline(literal=None), ours=20) is Verdict.NO


def test_uncommitted_code_and_missing_results_do_not_count() -> None:
    judged = headlines.judge(headline(), results("0123-dirty", theirs=10, ours=10))
    assert (judged.literal, judged.ours, judged.verdict) == ("not run", "not run", Verdict.NOT_RUN)
    assert headlines.judge(headline(), {}).verdict is Verdict.NOT_RUN
    unknown = results(theirs=10, ours=10)
    unknown["made-up"]["cells"] = {"a": {"commit": "0123"}, "b": {"commit": "0123-dirty"}}
    assert headlines.judge(headline(), unknown).verdict is Verdict.NOT_RUN
    unknown["made-up"] |= {"cells": {}, "commit": None}
    assert headlines.judge(headline(), unknown).verdict is Verdict.NOT_RUN


def test_every_row_of_the_page_is_from_committed_code() -> None:
    judged = [headlines.judge(one, NAMED) for one in HEADLINES]
    assert [one.headline.says for one in judged if one.verdict is Verdict.NOT_RUN] == []


def test_a_cell_shows_values_ratios_and_pairs() -> None:
    found = results(a=1.0, b=3.0)
    assert Cell("made-up", ("a", "b"), "{0} and {1} %").shown(found) == "1 and 3 %"
    assert Cell("made-up", ("b",), "{0} times", of="ratio").shown(found) == "1.5 times"
    assert Cell("made-up", ("b",), "{0} and {1}", of="pair").shown(found) == "3 and 2"


def test_a_single_value_has_the_standard_deviation_of_its_row() -> None:
    found = results(a=93.0, b=92.0)
    found["made-up"]["rows"][0]["why"] = "± 0.53 over the splits"
    assert Cell("made-up", ("a",), "{0} %").shown(found) == "93 % (± 0.53)"
    assert Cell("made-up", ("a", "b"), "{0} and {1} %").shown(found) == "93 and 92 %"


def test_a_row_is_found_by_its_peer() -> None:
    rows = [{"what": "fit", "peer": peer, "value": 1.0} for peer in ("NMF", "LSA")]
    assert headlines.row_of({"name": "one", "rows": rows}, "fi* | L*")["peer"] == "LSA"
    with pytest.raises(LookupError, match=r"no row 'fit \\| x'"):
        headlines.row_of({"name": "one", "rows": rows}, "fit | x")


def test_order_of_values() -> None:
    assert headlines.rising(1, 2, 3)
    assert not headlines.rising(1, 3, 3)
    assert headlines.falling(3, 2, 1)


@pytest.mark.parametrize("one", HEADLINES, ids=lambda one: f"{one.paper}, {one.where}, {one.says}")
def test_headlines_name_rows_that_exist(one: Headline) -> None:
    assert one.cells or one.no_data
    for cell in one.cells:
        assert cell.benchmark in BENCHMARKS
        if cell.benchmark in NAMED:
            assert cell.shown(NAMED)  # fails if a row is missing in the committed result
            one.holds(*cell.values(NAMED))


def rows(lines: list[str]) -> list[list[str]]:
    """Return the cells of the rows of a table, without its heading."""
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][2:]


def test_the_page_has_a_row_for_each_headline() -> None:
    page = sections(NAMED)
    assert sum(len(rows(page[paper])) for paper in MODULES) == len(HEADLINES)
    numbers = [int(number) for number in re.findall(r"\d+", page["counts"][0])]
    assert numbers[0] == len(HEADLINES) == sum(numbers[1:])


def test_a_paper_has_its_tables_first_and_then_figures_by_number() -> None:
    page = sections(NAMED)
    places = list(dict.fromkeys(row[0] for row in rows(page["PCP"])))
    figures = ["figure 1", "figure 2", "figure 3 (a)", "figure 3 (b)", "figure 3 (c)"]
    assert places[:6] == ["table 1", *figures]
    assert places[-1] == "abstract"


def test_the_index_links_every_paper_and_counts_its_verdicts() -> None:
    index = sections(NAMED)["counts"][2:]
    assert index[0].startswith("- [Sparse LSA](#sparse-lsa): table 1 · table 2 · ")
    for line, paper in zip(index, MODULES, strict=True):
        counts = line.rpartition("(")[2]
        of_paper = [one for one in HEADLINES if one.paper == paper]
        assert sum(map(int, re.findall(r"\d+", counts))) == len(of_paper)


def test_every_threshold_of_our_own_is_listed() -> None:
    listed = rows(thresholds()["thresholds"])
    assert [row[2] for row in listed] == [one.judged for one in HEADLINES if one.judged]


@pytest.mark.parametrize(
    ("paper", "items"),
    {
        "Sparse LSA": "table 1, table 2, table 3, table 4, table 5, figure 2, figure 3, section 5",
        "STC": "figure 2, figure 3, figure 4, figure 5, figure 6",
        "SCTM": "figure 1, figure 2, figure 3, section 4",
        "PCP": "table 1, figure 1, figure 2, figure 3, figure 4, figure 5, abstract",
    }.items(),
)
def test_every_table_and_figure_has_a_row(paper: str, items: str) -> None:
    places = [one.where for one in HEADLINES if one.paper == paper]
    for item in items.split(", "):
        assert any(place.startswith(item) for place in places), item


def test_papers_lists_the_benchmarks_behind_the_page() -> None:
    assert set(benchmark_names()) <= set(BENCHMARKS)
    assert len(set(benchmark_names())) == len(benchmark_names())
