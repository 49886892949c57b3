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
from benchmarks.papers.page import (
    HEADLINES,
    MODULES,
    all_numbers,
    benchmark_names,
    sections,
    thresholds,
)
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
    assert verdict(replace(read, missing=True), theirs=10, ours=10) is Verdict.MISSING


def test_without_their_algorithm_it_holds_only_with_ours() -> None:
    assert verdict(headline(literal=None), ours=10) is Verdict.OURS
    assert verdict(headline(literal=None), ours=20) is Verdict.NO


def test_uncommitted_code_and_missing_results_do_not_count() -> None:
    judged = headlines.judge(headline(), results("0123-dirty", theirs=10, ours=10))
    assert (judged.literal, judged.ours) == ("no result", "no result")
    assert judged.verdict is Verdict.WAITING
    assert headlines.judge(headline(), {}).verdict is Verdict.WAITING
    unknown = results(theirs=10, ours=10)
    unknown["made-up"]["cells"] = {"a": {"commit": "0123"}, "b": {"commit": "0123-dirty"}}
    assert headlines.judge(headline(), unknown).verdict is Verdict.WAITING
    unknown["made-up"] |= {"cells": {}, "commit": None}
    assert headlines.judge(headline(), unknown).verdict is Verdict.WAITING


def test_a_row_that_says_nothing_does_not_count() -> None:
    found = results(theirs=10, ours=10)
    kinds = (headline(), replace(headline(), uncounted="arithmetic"))
    counts = headlines.counted([headlines.judge(one, found) for one in kinds])
    assert counts[Verdict.EQUAL] == sum(counts.values()) == 1


def test_the_verdict_follows_from_one_number_of_several_rows() -> None:
    apart = Cell("made-up", ("ours", "theirs"), "{n} points ({0} and {1})", headlines.lead)
    one = replace(headline(headlines.at_least(3), apart), ours=None)
    assert verdict(one, theirs=7, ours=10) is Verdict.EQUAL
    assert verdict(one, theirs=8, ours=10) is Verdict.NO
    assert apart.shown(results(theirs=7, ours=10)) == "3 points (10 and 7)"


def test_every_row_of_the_page_is_from_committed_code() -> None:
    judged = [headlines.judge(one, NAMED) for one in HEADLINES]
    assert [one.headline.says for one in judged if one.verdict is Verdict.WAITING] == []


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


def test_numbers_that_follow_from_several_values() -> None:
    assert headlines.first(3, 1) == 3
    assert headlines.lead(3, 1, 2) == 1
    assert headlines.smallest_step(1, 4, 6) == 2
    assert headlines.smallest_step(1, 4, 3) == -1


@pytest.mark.parametrize("one", HEADLINES, ids=lambda one: f"{one.paper}, {one.where}, {one.says}")
def test_headlines_name_rows_that_exist(one: Headline) -> None:
    assert one.cells or one.missing
    assert one.reading or not one.fitted
    if one.reading:
        assert one.literal is not None  # otherwise the verdict cannot depend on the reading
    for cell in one.cells:
        assert cell.benchmark in BENCHMARKS
        if cell.benchmark in NAMED:
            assert cell.shown(NAMED)  # fails if a row is missing in the committed result
            one.holds(cell.judged(NAMED))


def rows(lines: list[str]) -> list[list[str]]:
    """Return the cells of the rows of a table, without its heading."""
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [row for row in cells if row[0] not in ("where", "paper", "---")]


def test_the_first_page_has_the_main_rows_and_the_other_page_has_all() -> None:
    main, every = sections(NAMED), all_numbers(NAMED)
    for paper, module in MODULES.items():
        assert len(rows(main[paper])) == sum(one.main for one in module.HEADLINES)
        assert len(rows(every[paper])) == len(module.HEADLINES)


def test_the_opening_sentence_counts_every_number_once() -> None:
    every, equal, read, fitted, with_laconic, missed, missing = numbers(
        sections(NAMED)["counts"][0]
    )
    assert every == sum(not one.uncounted for one in HEADLINES)
    assert equal + read + with_laconic + missed + missing == every
    assert 0 < fitted <= read


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def test_a_paper_has_its_tables_first_and_then_figures_by_number() -> None:
    page = sections(NAMED)
    places = [re.sub(r"<.*>| \(\[.*", "", row[0]) for row in rows(page["PCP"])]
    figures = ["figure 1", "figure 2", "figure 3 (a)", "figure 3 (c)", "figure 4"]
    assert list(dict.fromkeys(places))[:6] == ["table 1", *figures]
    assert places[-1] == "abstract"


def test_the_index_links_to_every_table_and_counts_its_verdicts() -> None:
    page = sections(NAMED)
    index = page["counts"][2:]
    for line, paper in zip(index, MODULES, strict=True):
        linked = re.findall('href="#([^"]+)"', line)
        assert linked == re.findall('<a id="([^"]+)"', "\n".join(page[paper]))
        head, _, items = line.partition(": ")
        counts = re.findall(r"(?<=[(, ])(\d+) [a-z]", re.sub("<.*?</a>", "", items))
        assert sum(map(int, counts)) == sum(numbers(head))
    assert index[0].startswith("- [Sparse LSA](#sparse-lsa) ([every number](papers-numbers.md#s")
    assert '<a href="#sparse-lsa-table-2">table 2</a> (' in index[0]


def test_a_table_with_more_rows_links_to_all_of_them() -> None:
    main, every = sections(NAMED), all_numbers(NAMED)
    for paper in MODULES:
        headings = re.findall("^### (.+)", "\n".join(every[paper]), re.MULTILINE)
        anchors = {
            re.sub("[^a-z0-9]+", "-", heading.lower().replace(".", "")) for heading in headings
        }
        linked = re.findall(r"\[all (\d+)\]\(papers-numbers.md#([^)]+)\)", "\n".join(main[paper]))
        assert linked
        assert {anchor for _, anchor in linked} <= anchors


def test_every_letter_in_a_row_links_to_a_note_below_the_table() -> None:
    for paper in MODULES:
        lines = sections(NAMED)[paper]
        used = re.findall('href="#([^"]+)"', "\n".join(row[5] for row in rows(lines)))
        notes = next(line for line in lines if line.startswith("Notes: "))
        assert sorted(set(used)) == re.findall('<b id="([^"]+)"', notes)


def test_a_verdict_states_its_threshold_or_links_to_it() -> None:
    short = rows(sections(NAMED)["SCTM"])[0][7]
    assert short == "**with laconic** ([threshold](papers-thresholds.md))"
    whole = rows(all_numbers(NAMED)["SCTM"])[0][7]
    assert whole == "**with laconic** (needed: two thirds of the words in common)"


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
    places = [one.where for one in HEADLINES if one.paper == paper and one.main]
    for item in items.split(", "):
        assert any(place.startswith(item) for place in places), item


def test_papers_lists_the_benchmarks_behind_the_page() -> None:
    assert set(benchmark_names()) <= set(BENCHMARKS)
    assert len(set(benchmark_names())) == len(benchmark_names())
