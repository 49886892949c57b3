"""Help is complete, instant, and written down."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

import laconic as package
from laconic.cli.main import COMMANDS, laconic
from laconic.cli.reference import reference

from .running import Run, environment, real_run

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


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)], ids=" ".join
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import atexit, sys\n"
        f"heavy = {HEAVY!r}\n"
        "def found(): print(*[m for m in heavy if m in sys.modules], file=sys.stderr)\n"
        "atexit.register(found)\n"
        f"sys.argv = ['laconic', *{arguments!r}]\n"
        "from laconic.cli.main import main\n"
        "main()\n"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr.split() == []


def test_the_module_is_the_command() -> None:
    done = real_run("--version")
    assert (done.returncode, done.stdout) == (0, f"laconic {package.__version__}\n")
    assert real_run("topics", "--help").stdout.startswith("Usage: laconic topics ")


def test_a_mistyped_command_is_guessed(run: Run) -> None:
    result = run("topcis", status=2)
    assert "There is no command 'topcis'. Did you mean topics?" in result.stderr
    assert result.stdout == ""
    assert "There are demo, fit" in run("xyzzy", status=2).stderr


def test_the_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python -m laconic.cli.reference > docs/commands.md"
