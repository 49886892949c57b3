"""Tests of docs/benchmarks.md: it has all tables and figures, and matches the results."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks import harness, pictures, report
from benchmarks.papers import claims
from benchmarks.papers.index import BETTER, ENTRIES
from benchmarks.papers.names import PAPERS
from benchmarks.registry import BENCHMARKS

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
COMMITTED = report.read_results(harness.RESULTS)
NAMED = {result["name"]: result for result in COMMITTED}


def results(**values: float) -> dict[str, dict[str, Any]]:
    rows = [
        {"what": what, "value": value, "unit": "", "peer": "the paper", "ratio": value / 2}
        for what, value in values.items()
    ]
    return {"made-up": {"name": "made-up", "rows": rows}}


def printed(good: str | None, **numbers: float) -> claims.Claim:
    return claims.printed("made-up", numbers, good=good)


def verdict(claim: claims.Claim, **values: float) -> str:
    entry = claims.Entry("a paper", "figure", "", ("made-up",), (claim,))
    return claims.judge(entry, results(**values)).verdict


# --- verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("good", "value", "expected"),
    [
        (None, 10.9, "reproduced"),
        (None, 9.1, "reproduced"),
        (None, 12.0, "not reproduced"),
        ("lower", 8.0, "better"),
        ("lower", 12.0, "not reproduced"),
        ("higher", 12.0, "better"),
        ("higher", 8.0, "not reproduced"),
    ],
)
def test_a_printed_number(good: str | None, value: float, expected: str) -> None:
    assert verdict(printed(good, a=10.0), a=value) == expected


def test_some_missed_is_partly() -> None:
    assert verdict(printed(None, a=10.0, b=10.0), a=10.0, b=20.0) == "partly"
    assert verdict(printed("lower", a=10.0, b=10.0), a=5.0, b=20.0) == "partly"


def test_statements_are_judged_by_rows() -> None:
    claim = claims.above("a above b", "made-up", "a", "b")
    assert verdict(claim, a=2.0, b=1.0) == "reproduced"
    assert verdict(claim, a=1.0, b=2.0) == "not reproduced"
    tenfold = claims.below("ten times", "made-up", "a", "b", " s", times=10)
    assert verdict(tenfold, a=1.0, b=9.0) == "not reproduced"
    assert verdict(tenfold, a=1.0, b=10.0) == "reproduced"
    assert tenfold.find(results(a=1.0, b=9.0)).ours == "1 against 9 s"


def test_a_statement_of_a_ratio() -> None:
    options = {"of": "inverse"}
    claim = claims.stated("fast", "made-up", ("a",), lambda t: t >= 4, "{0} times", **options)
    assert claim.find(results(a=0.5)).ours == "4 times"


def test_a_row_is_told_by_its_peer() -> None:
    rows = [{"what": "fit", "peer": peer, "value": 1.0} for peer in ("NMF", "LSA")]
    assert claims.row_of({"name": "one", "rows": rows}, "fi* | L*")["peer"] == "LSA"
    with pytest.raises(LookupError, match="no row 'fit / x'".replace("/", r"\|")):
        claims.row_of({"name": "one", "rows": rows}, "fit | x")


def test_without_results_it_is_not_run_and_without_claims_shown() -> None:
    entry = claims.Entry("a paper", "figure", "", ("missing",), (printed(None, a=1.0),))
    assert claims.judge(entry, {}).verdict == "not run"
    assert claims.judge(claims.Entry("a paper", "figure", ""), {}).verdict == "shown"


# --- the list of tables and figures --------------------------------------------------------------

ASKED_FOR = {
    "Sparse LSA": "table 2 (a), table 3 (a), table 4, figure 2 (a), figure 3, section 5.4",
    "STC": "figure 2, left, figure 3, figure 4, figure 5, figure 6",
    "SCTM": "figure 1, figure 2, figure 3",
    "PCP": "table 1, figure 2, figure 3, figure 4, figure 5",
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_is_in_the_index(paper: str) -> None:
    items = [entry.item for entry in ENTRIES if entry.paper == paper]
    assert len(set(items)) == len(items)
    for item in re.findall(r"(?:table|figure|section) [\d.]+", ASKED_FOR[paper]):
        assert any(known.startswith(item) for known in items), item


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_entries_name_what_there_is(entry: claims.Entry) -> None:
    assert set(entry.benchmarks) <= set(BENCHMARKS)
    assert {claim.benchmark for claim in entry.claims} <= set(entry.benchmarks)
    assert entry.claims or entry.said
    claims.judge(entry, NAMED)  # fails if a row is missing in the committed results


def test_claims_of_our_own_name_what_there_is() -> None:
    for claim in BETTER:
        assert claim.benchmark in BENCHMARKS
        if claim.benchmark in NAMED:
            claim.find(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_every_committed_row_states_its_tolerance(name: str) -> None:
    for row in NAMED[name]["rows"]:
        assert "tolerance" in row, row["what"]
        assert (row["unit"] in harness.TIMINGS) <= (row["tolerance"] is None), row["what"]


# --- docs/benchmarks.md --------------------------------------------------------------------------


def test_page_is_what_its_results_make_it() -> None:
    written = report.PAGE.read_text(encoding="utf-8")
    assert written == report.page(COMMITTED), "run python -m benchmarks report"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_has_its_row(entry: claims.Entry) -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n### {entry.paper}\n")[2].partition("\n### ")[0]
    (row,) = [line for line in section.splitlines() if line.startswith(f"| **{entry.item}**")]
    assert claims.judge(entry, NAMED).verdict in row
    for command in entry.commands(NAMED):
        assert command in row


def test_pictures_of_the_page_are_there() -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    shown = set(re.findall(r"\(pictures/([\w-]+)\.svg\)", page))
    assert shown == set(pictures.drawable(NAMED))
    assert shown == {file.stem for file in pictures.PICTURES.glob("*.svg")}


def test_ticks_of_a_logarithmic_axis_are_round() -> None:
    assert pictures.ticks([0.3, 12.0]) == [0.5, 1, 2, 5, 10]
    assert pictures.ticks([0.05, 0.0, 900.0]) == pytest.approx([0.1, 1, 10, 100])


def test_every_chart_can_be_drawn() -> None:
    for name in pictures.drawable(NAMED):
        drawn = pictures.CHARTS[name].draw(NAMED).to_dict()
        values = re.findall(r"'values': \[\{", str(drawn))
        assert values, f"{name} has no points"


def peers() -> dict[str, Any]:
    run = harness.Run("peers")
    for name, seconds, quality in (("nmf", 20.0, 0.8), ("slsa, words_per_topic=20", 1.0, 0.9)):
        beside = {} if name == "nmf" else {"peer": "nmf", "peer_value": 20.0}
        run.row(f"seconds to fit, {name}, K=50", seconds, "s", **beside)
        run.row(f"C_v, {name}, K=50", quality, "")
        run.row(f"accuracy, {name}, K=50", quality, "")
    return harness.execute(lambda _: None, run)


def test_peers_have_a_line_each_and_a_picture() -> None:
    result = {"peers": peers()}
    lines = report.peers(result)
    assert "| nmf | 50 | 20 | 0.8 | 0.8 |" in lines
    assert "| **slsa, words_per_topic=20** | 50 | 1 (0.05) | 0.9 | 0.9 |" in lines
    assert "(pictures/peers.svg)" in "\n".join(lines)
    assert "words_per_topic=20" in str(pictures.CHARTS["peers"].draw(result).to_dict())


def test_not_run_is_said() -> None:
    text = report.PAGE.read_text(encoding="utf-8")
    empty = report.page([], text)
    rows = [line for line in empty.splitlines() if line.startswith("| **figure 5**")]
    assert rows
    assert all("not run" in row for row in rows)
    assert "Not run: `python -m benchmarks run peers`" in empty


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="has no section papers"):
        report.page([], "# Benchmarks\n")


def test_page_keeps_what_is_around() -> None:
    text = "before\n<!-- x: begin -->\nold\n<!-- x: end -->\nafter\n"
    assert report.between(text, "x", "new") == (
        "before\n<!-- x: begin -->\n\nnew\n\n<!-- x: end -->\nafter\n"
    )
