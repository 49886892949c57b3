"""Tests of `check`: the results of a new run are compared with the committed results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchmarks import __main__ as main_module
from benchmarks import checking, harness
from benchmarks.__main__ import main

QUICK = "slsa-bytes"
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def result(**values: float) -> dict[str, Any]:
    run = harness.Run("made-up")
    for what, value in values.items():
        run.row(what, value, "s" if what == "time" else "%")
    return harness.execute(lambda _: None, run)


def test_the_same_is_no_difference() -> None:
    assert checking.differences(result(a=1.0, b=2.0), result(a=1.0, b=2.0)) == []


def test_within_tolerance_is_no_difference_and_beyond_is_one() -> None:
    assert checking.differences(result(a=100.0), result(a=100.4)) == []
    (sentence,) = checking.differences(result(a=100.0), result(a=101.0))
    assert sentence == "a: 101 % now, 100 % committed (tolerance 0.5 %)"


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_is_infinite_or_undefined_in_both_is_no_difference(value: float) -> None:
    assert checking.differences(result(a=value), result(a=value)) == []
    assert checking.differences(result(a=value), result(a=1.0))


def test_clocks_are_never_compared() -> None:
    assert checking.differences(result(time=1.0), result(time=9.0)) == []


def test_rows_that_come_or_go_are_differences() -> None:
    found = checking.differences(result(a=1.0, b=2.0), result(b=2.0, c=3.0))
    assert found == ["a: committed, but not in the re-run", "c: in the re-run, but not committed"]


def test_rows_from_before_tolerances_have_that_of_their_unit() -> None:
    assert checking.tolerance({"unit": "%"}) == harness.TIGHT
    assert checking.tolerance({"unit": "ms"}) is None
    assert checking.tolerance({"unit": "GB"}) == harness.MEMORY
    assert checking.tolerance({"unit": "%", "tolerance": 0.2}) == 0.2


def test_rows_of_one_name_and_peer_are_told_apart() -> None:
    before, after = result(), result()
    for one, values in ((before, (1.0, 2.0)), (after, (1.0, 3.0))):
        run = harness.Run("made-up")
        for value in values:
            run.row("twice", value, "%")
        one["rows"] = [vars(row) for row in run.rows]
    (sentence,) = checking.differences(before, after)
    assert "3 % now, 2 % committed" in sentence


@pytest.fixture(scope="module")
def smoked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    done = CliRunner().invoke(main, ["run", QUICK, "--smoke", "--out", str(folder)])
    assert done.exit_code == 0
    return folder


def check(folder: Path) -> Result:
    return CliRunner().invoke(main, ["check", QUICK, "--results", str(folder)])


@pytest.mark.parametrize(("commit", "runs"), [("0123", 0), ("4567", 1), ("0123-dirty", 1)])
def test_resume_skips_only_results_of_the_current_commit(
    commit: str, runs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.write({**result(a=1.0), "name": QUICK, "commit": commit}, tmp_path)
    monkeypatch.setattr("benchmarks.__main__.commit", lambda: "0123")
    ran: list[harness.Run] = []
    monkeypatch.setitem(main_module.BENCHMARKS, QUICK, ran.append)
    done = CliRunner().invoke(main, ["run", QUICK, "--resume", "--out", str(tmp_path)])
    assert done.exit_code == 0
    assert len(ran) == runs


def test_check_passes_what_reproduces(smoked: Path) -> None:
    done = check(smoked)
    assert done.exit_code == 0
    assert "as committed (2 of 2 rows compared" in done.stdout


def test_check_ends_with_1_and_says_what_differs(smoked: Path, tmp_path: Path) -> None:
    committed = json.loads((smoked / f"{QUICK}.json").read_text(encoding="utf-8"))
    committed["rows"][0]["value"] *= 1.02
    harness.write(committed, tmp_path)
    done = check(tmp_path)
    assert done.exit_code == 1
    assert f"{QUICK}: differs" in done.stdout
    assert committed["rows"][0]["what"] in done.stdout
    assert "tolerance 0.5 %" in done.stdout


def test_check_of_what_was_never_committed_is_a_sentence(tmp_path: Path) -> None:
    done = check(tmp_path)
    assert done.exit_code == 2
    assert f"{QUICK} has no result in" in done.stderr
