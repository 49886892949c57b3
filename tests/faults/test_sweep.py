"""Tests that no failing call and no kill tears a file: the old or the new result is complete.

Here only some calls of some operations fail; ``python -m tests.faults.sweep`` tests all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.tracing import SUPPORTED

OPERATIONS = (
    "save a model",
    "change a note",
    "write a checkpoint",
    "write a.svm",
    "write codes.parquet",
)
OPTIONS = ("--kinds", "ENOSPC,kill", "--stride", "10")


@pytest.mark.skipif(not SUPPORTED, reason="the calls are traced on Linux with x86-64 only")
def test_operations_are_complete_or_change_nothing() -> None:
    done = subprocess.run(  # a process of its own, which may fork
        [sys.executable, "-m", "tests.faults.sweep", *OPERATIONS, *OPTIONS],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["operation"] for result in results] == list(OPERATIONS)
    for result in results:
        assert result["failures"] == []
        assert result["killed"] >= 1
        assert result["refused"] >= 1
        assert all("No space left on device" in text for text in result["messages"])
