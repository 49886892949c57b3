"""Tests that commands that only show a model import nothing slow, and print the same as before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .running import PATIENCE, Run, environment

HEAVY = ("sklearn", "numba", "polars", "pandas", "dask", "distributed", "scipy.stats", "rich")

# A program that runs a command, then reports which heavy modules it imported.
SHOW = """
import contextlib, io, json, sys
from laconic.cli.main import main

_, arguments, heavy = sys.argv
out = io.StringIO()
sys.argv = ["laconic", *json.loads(arguments)]
with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
    main()
print(json.dumps([out.getvalue(), [name for name in json.loads(heavy) if name in sys.modules]]))
"""


@pytest.mark.parametrize("command", ["topics", "info"])
def test_showing_a_model_imports_nothing_heavy(command: str, run: Run, model: Path) -> None:
    arguments = json.dumps([command, str(model)])
    done = subprocess.run(
        [sys.executable, "-c", SHOW, arguments, json.dumps(HEAVY)],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed, imported = json.loads(done.stdout)
    assert imported == []
    assert printed == run(command, model).stdout


def test_an_edit_imports_no_estimator(run: Run, model: Path) -> None:
    arguments = json.dumps(["edit", str(model), "merge", "0", "1", "--dry-run"])
    heavy = [name for name in HEAVY if name != "numba"]
    done = subprocess.run(
        [sys.executable, "-c", SHOW, arguments, json.dumps(heavy)],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed, imported = json.loads(done.stdout)
    assert imported == []
    assert printed == run("edit", model, "merge", "0", "1", "--dry-run").stdout


def test_a_query_imports_no_estimator(run: Run, model: Path) -> None:
    arguments = json.dumps(["search", str(model), "wind", "harbour"])
    heavy = [name for name in HEAVY if name != "numba"]
    done = subprocess.run(
        [sys.executable, "-c", SHOW, arguments, json.dumps(heavy)],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed, imported = json.loads(done.stdout)
    assert imported == []
    assert printed == run("search", model, "wind", "harbour").stdout
