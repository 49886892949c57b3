"""Tests of ``--help``: it is complete, imports nothing slow, and matches the command reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

import laconic as package
from laconic.cli.main import COMMANDS, laconic
from laconic.cli.reference import reference

from .running import PATIENCE, Run, environment, mentions, real_run

HEAVY = ("numpy", "scipy", "sklearn", "numba", "polars", "rich", "pandas", "dask")
ROOT = Path(__file__).parents[2]


def test_help_lists_the_commands(run: Run) -> None:
    out = run("--help").stdout
    for name, short in COMMANDS.items():
        assert f"  {name}" in out
        assert short in out


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_is_the_first_line_of_the_long_one(name: str, run: Run) -> None:
    command = laconic.get_command(click.Context(laconic), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").splitlines()[0] == COMMANDS[name]
    assert COMMANDS[name] in run(name, "-h").stdout


def test_help_imports_nothing_heavy() -> None:
    """All help texts are printed in one process, whose imported modules are checked at the end."""
    asked = [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
    done = subprocess.run(
        [sys.executable, "-c", HELP, json.dumps(asked), *HEAVY],
        capture_output=True, text=True, timeout=PATIENCE, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed, imported = json.loads(done.stdout)
    assert all(text.startswith(("Usage: laconic ", "laconic ")) for text in printed)
    assert {f"laconic.cli.commands.{name}" for name in COMMANDS} <= set(imported)
    assert [name for name in HEAVY if name in imported] == []


# A program that prints each help text, then reports the texts and the imported modules.
HELP = """
import contextlib, io, json, sys
from laconic.cli.main import main

_, asked, *heavy = sys.argv
printed = []
for arguments in json.loads(asked):
    out = io.StringIO()
    sys.argv = ["laconic", *arguments]
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main()
    printed.append(out.getvalue())
found = [name for name in sys.modules if name in heavy or name.startswith("laconic.cli.")]
print(json.dumps([printed, found]))
"""


def test_the_module_is_the_command(run: Run) -> None:
    done = real_run("topics", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: laconic topics ")
    assert run("--version").stdout == f"laconic {package.__version__}\n"


def test_a_mistyped_command_is_guessed(run: Run) -> None:
    result = run("topcis", status=2)
    mentions(result, "'topcis'", "topics?")
    assert result.stdout == ""
    mentions(run("xyzzy", status=2), "'xyzzy'", ", ".join(COMMANDS))


def test_the_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert written == reference(), "run: make docs"
