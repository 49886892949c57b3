"""Benchmarks `kills` and `injected-faults`: operations that write files are killed or fail."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.harness import ROOT, Run, at_least, at_most

KILLS, COMMANDS = 37, 2  # of each operation, and of each command


def kills(run: Run) -> None:
    """Kill operations at random moments; the old or the new result must be complete."""
    options = ["--kills", "2", "write a page"] if run.smoke else []
    options = options or ["--kills", str(KILLS), "--commands", str(COMMANDS)]
    options += ["--seed", str(run.seed)]
    parts = [[]] if run.smoke else [["--part", "0"], ["--part", "1"]]
    total = failures = 0
    for result in _results("tests.faults.kills", *([*options, *part] for part in parts)):
        total += result["kills"]
        failures += len(result["failures"])
        run.row(
            f"{result['operation']}: torn, lost, mixed or unreadable, of {result['kills']} kills",
            len(result["failures"]),
            "",
            goal=at_most(0, "value"),
            tolerance=None,
        )
        for failure in result["failures"]:
            run.note(f"{result['operation']}: {failure}")
    run.row("kills", total, "", goal=None if run.smoke else at_least(800), tolerance=None)
    run.row("torn, lost, mixed or unreadable", failures, "", goal=at_most(0, "value"))
    run.note(
        "Each kill is a SIGKILL at a uniformly drawn moment of the operation. Then the old or the "
        "new result must load and be equal, and the next run must leave nothing else."
    )


def injected_faults(run: Run) -> None:
    """Fail, or kill at, each call that opens, writes, flushes, renames or deletes a file."""
    options = ["--kinds", "EIO", "--stride", "3", "write a page"] if run.smoke else []
    points = runs = failures = 0
    for result in _results("tests.faults.sweep", options):
        points += result["points"]
        runs += result["runs"]
        failures += len(result["failures"])
        run.row(f"{result['operation']}: calls", result["points"], "calls", tolerance=None)
        run.row(
            f"{result['operation']}: failures, of {result['runs']} faults",
            len(result["failures"]),
            "",
            goal=at_most(0, "value"),
        )
        for failure in result["failures"]:
            run.note(f"{result['operation']}: {failure}")
    run.row("calls at which faults are injected", points, "calls", tolerance=None)
    run.row("faults", runs, "faults", tolerance=None)
    run.row("torn, lost, mixed or unreadable", failures, "", goal=at_most(0, "value"))
    run.note(
        "At each call the operation fails with ENOSPC, EIO or EACCES, or is killed; a write that "
        "is killed writes the first half. A failed operation must raise LaconicError."
    )


def _results(module: str, *options: list[str]) -> Iterator[dict[str, Any]]:
    """Run campaigns at the same time in processes of their own, which fork; yield the results."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", module, *some], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for some in options
    ]
    for process in processes:
        with process:
            assert process.stdout is not None
            yield from map(json.loads, process.stdout)
        if process.returncode:
            raise RuntimeError(f"{module} failed")
