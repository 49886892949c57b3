"""Run shell blocks: plain ``laconic`` commands in this process, everything else in bash."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.cli.running import environment, in_process

TOP = Path(__file__).parents[2]
# Lines that affect the lines below them, so that the whole block must run in one shell
STATEFUL = re.compile(r"^\s*(?:(?:cd|export|set|for|while|if)\b|[A-Za-z_]\w*=)|<<", re.M)


def run_shell(code: str, folder: Path) -> None:
    """Run a shell block in the current folder; `folder` receives a program ``laconic``."""
    if STATEFUL.search(code):
        run_bash(code, folder)
        return
    for line in logical_lines(code):
        arguments = plain_arguments(line)
        if arguments is None:
            run_bash(line, folder)
        else:
            result = in_process(*arguments)
            assert result.exit_code == 0, f"{line}\n{result.stderr}{result.exception or ''}"


def logical_lines(code: str) -> Iterator[str]:
    """Yield the commands of a block: lines that end with a backslash continue."""
    for line in code.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line


def plain_arguments(line: str) -> list[str] | None:
    """Return the arguments of a ``laconic`` command, or None if only a shell can run the line."""
    program, *arguments = shlex.split(line, comments=True)
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", line).split(" #")[0]
    return None if program != "laconic" or re.search(r"[|<>;&$`*?]", unquoted) else arguments


def run_bash(code: str, folder: Path) -> None:
    """Run code in bash, where ``laconic`` is the command of this checkout."""
    program = folder / "laconic"
    if not program.exists():
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m laconic "$@"\n')
        program.chmod(0o755)
    settings = environment(
        PATH=f"{folder}{os.pathsep}{os.environ['PATH']}",
        PYTHONPATH=os.pathsep.join([str(TOP / "src"), os.environ.get("PYTHONPATH", "")]),
    )
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", code],
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{code}\n{done.stderr}"
