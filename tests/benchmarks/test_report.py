"""Tests of the generated pages: they match the committed results."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks import harness, pictures, report
from benchmarks.markdown import between

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
COMMITTED = report.read_results(harness.RESULTS)
NAMED = {result["name"]: result for result in COMMITTED}


@pytest.mark.parametrize("name", NAMED)
def test_every_committed_row_states_its_tolerance(name: str) -> None:
    for row in NAMED[name]["rows"]:
        assert "tolerance" in row, row["what"]
        assert (row["unit"] in harness.TIMINGS) <= (row["tolerance"] is None), row["what"]


# --- pages ---------------------------------------------------------------------------------------


def test_pages_match_the_results() -> None:
    for path, text in report.pages(COMMITTED).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: python -m benchmarks report"
    named = {file.stem for file in report.RESULT_PAGES.glob("*.md")}
    assert named == set(NAMED)


def test_a_result_page_says_if_the_code_was_not_committed() -> None:
    result = next(iter(NAMED.values()))
    clean = report.result_page({**result, "commit": "0123456789abcdef"}, {})
    assert "commit 0123456789," in clean
    dirty = report.result_page({**result, "commit": "0123456789abcdef-dirty"}, {})
    assert "commit 0123456789 with changes that were not committed," in dirty


def test_every_chart_is_on_the_page_of_its_result() -> None:
    for name in pictures.drawable(NAMED):
        page = report.RESULT_PAGES / f"{pictures.CHARTS[name].benchmark}.md"
        assert f"(../pictures/{name}.svg)" in page.read_text(encoding="utf-8")
    drawn = {file.stem for file in pictures.PICTURES.glob("*.svg")}
    assert drawn == set(pictures.drawable(NAMED))


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
    assert "Not run: `python -m benchmarks run peers`" in report.pages([])[report.PAGE]


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="has no section papers"):
        between("# Benchmarks\n", "papers", "text")


def test_page_keeps_what_is_around() -> None:
    text = "before\n<!-- x: begin -->\nold\n<!-- x: end -->\nafter\n"
    assert between(text, "x", "new") == (
        "before\n<!-- x: begin -->\n\nnew\n\n<!-- x: end -->\nafter\n"
    )
