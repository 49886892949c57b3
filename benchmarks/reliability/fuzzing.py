"""Benchmark `fuzzed-inputs`: mutated inputs of every reader and loader, and decompression bombs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from benchmarks.harness import ROOT, Run, at_least, at_most

INPUTS = 1_050_000
SMOKE = 300


def fuzzed_inputs(run: Run) -> None:
    """Count crashes, hangs and uses of more than 2 GB over all readers and loaders."""
    names = ("lines", "uci", "gmt") if run.smoke else ()
    total = {"inputs": 0, "crashes": 0, "hangs": 0, "memory": 0}
    peak, refused = 0, 0
    for result in _results(SMOKE if run.smoke else INPUTS, run.seed, names):
        for name in total:
            total[name] += result[name]
        peak = max(peak, result["peak"])
        refused += result["inputs"] - result["accepted"]
        run.row(f"{result['target']}: inputs", result["inputs"], "inputs")
        bad = result["crashes"] + result["hangs"] + result["memory"]
        run.row(f"{result['target']}: failures", bad, "", goal=at_most(0, "value"))
        for kind in result["failures"]:
            run.note(f"{result['target']}: {kind}")
    goal = None if run.smoke else at_least(1_000_000)
    run.row("all: inputs", total["inputs"], "inputs", goal=goal)
    for name, what in (("crashes", "crashes"), ("hangs", "hangs"), ("memory", "over 2 GB")):
        run.row(f"all: {what}", total[name], "", goal=at_most(0, "value"))
    run.row("all: refused with a message", refused, "inputs", tolerance=None)
    run.row("all: peak memory", peak / 1e6, "MB", goal=at_most(2000, "value"), tolerance=None)
    run.note(
        "A crash is an exception that is not a LaconicError, or a signal; a hang takes more than "
        "10 s; each child may use 2 GB of address space more than at its start."
    )


def _results(count: int, seed: int, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Run the campaign in two processes of their own, which fork; return the results."""
    command = [sys.executable, "-m", "fuzz.campaign", "--inputs", str(count), "--seed", str(seed)]
    parts = [
        subprocess.Popen(
            [*command, "--part", str(part), *names], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for part in (0, 1)
    ]
    results: list[dict[str, Any]] = []
    for process in parts:
        output, _ = process.communicate()
        if process.returncode:
            raise RuntimeError("the campaign failed")
        results += map(json.loads, output.splitlines())
    return results
