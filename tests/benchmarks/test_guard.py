"""Tests of the guard against slow-downs; test_smoke.py runs the guard itself on tiny data."""

from __future__ import annotations

from typing import Any

from benchmarks.guard import better, slower


def result(**ratios: float) -> dict[str, Any]:
    return {"rows": [{"what": what, "peer": "X", "ratio": ratio} for what, ratio in ratios.items()]}


def test_a_speed_that_fell_by_a_third_is_reported() -> None:
    committed = result(fit=0.2, transform=0.1, query=1.0)
    assert slower(committed, result(fit=0.29, transform=0.05, query=1.4, new=9.0)) == []
    (problem,) = slower(committed, result(fit=0.31, transform=0.1, query=1.0))
    assert problem == "fit against X: 0.31 times the time; it was 0.2"


def test_a_row_that_is_missing_is_reported() -> None:
    (problem,) = slower(result(fit=0.2, query=1.0), result(fit=0.2))
    assert problem == "query against X: was not measured; it was 1"


def test_the_better_of_two_ratios_counts() -> None:
    both = better(result(fit=0.3, query=1.0), result(fit=0.2, query=1.7, new=1.0))
    assert {row["what"]: row["ratio"] for row in both["rows"]} == {
        "fit": 0.2,
        "query": 1.0,
        "new": 1.0,
    }
