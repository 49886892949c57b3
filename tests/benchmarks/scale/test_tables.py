"""Tests of the generated tables of docs/scaling.md."""

from __future__ import annotations

from benchmarks import harness, report
from benchmarks.scale.tables import scaling_tables


def result(name: str, **rows: float) -> dict[str, object]:
    run = harness.Run(name)
    for what, value in rows.items():
        run.row(what, value, "s")
    return {"name": name, "rows": [vars(row) for row in run.rows]}


def test_a_line_per_command_and_a_column_per_size() -> None:
    rows = {
        "convert, 100,000 documents: time": 5.0,
        "convert, 100,000 documents: peak memory": 400.0,
        "convert, 1,000,000 documents: time": 40.0,
        "topics, 100,000 documents: time": 2.0,
    }
    lines = scaling_tables({"scale-commands": result("scale-commands", **rows)})["scale-commands"]
    assert lines[0] == "| command | 100,000 documents | 1,000,000 documents |"
    assert lines[2:] == ["| convert | 5 s, 400 MB | 40 s |", "| topics | 2 s |  |"]


def test_models_have_an_exponent() -> None:
    rows = {
        "slsa, 12,500 documents": 1.0,
        "slsa, 100,000 documents": 7.0,
        "slsa, 100,000 documents: passes": 9.0,
        "slsa: exponent": 0.9358,
    }
    lines = scaling_tables({"scale-documents": result("", **rows)})["scale-documents"]
    assert lines[0].endswith("| exponent of time |")
    assert lines[2] == "| slsa | 1 s | 7 s, 9 passes | 0.9358 |"


def test_the_page_has_all_sections() -> None:
    text = report.pages([])[report.SCALING]
    assert text.count("Not measured yet") == len(scaling_tables({}))
