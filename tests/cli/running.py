"""Small documents, and functions that run the command line in this process or in another."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from laconic.cli.main import laconic
from tests.messages import check

THEMES = {
    name: words.split()
    for name, words in {
        "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
        "ships": "sail mast harbour anchor captain wind deck rope storm tide",
        "bread": "flour yeast oven crust dough bake loaf butter knead salt",
    }.items()
}
PATIENCE = 120  # timeout in seconds; long, because a busy machine or compilation may be slow

# Environment variables that the developer may have set and that would change the output.
UNWANTED = (
    "LACONIC_DEBUG", "PYTHONWARNINGS", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR",
    "CLICOLOR_FORCE", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE",
)  # fmt: skip


# ---- documents ----------------------------------------------------------------------------------


def documents(n: int = 60) -> list[dict[str, Any]]:
    """Return `n` documents of twelve words, each about one of three themes."""
    draw = random.Random(0)
    names = list(THEMES)
    return [
        {
            "id": f"d{i}",
            "title": f"About {names[i % 3]}",
            "group": names[i % 3],
            "body": " ".join(draw.choices(THEMES[names[i % 3]], k=12)),
        }
        for i in range(n)
    ]


def write_lines(path: str | Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write each record as a line of JSON."""
    lines = (json.dumps(record) + "\n" for record in records)
    Path(path).write_text("".join(lines), encoding="utf-8")


def columns(out: str) -> list[list[str]]:
    """Split each line of tab-separated output into fields."""
    return [line.split("\t") for line in out.splitlines()]


# ---- running in this process --------------------------------------------------------------------


@dataclass
class Result:
    """The exit status and the output of a command."""

    exit_code: int
    stdout: str
    stderr: str
    exception: BaseException | None = None


Run = Callable[..., Result]


class Stream(io.TextIOWrapper):
    """A standard stream in memory that can pretend to be a terminal."""

    def __init__(self, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def text(self) -> str:
        written: io.BytesIO = self.buffer  # type: ignore[assignment]
        return written.getvalue().decode()


def in_process(
    *arguments: object,
    input: str = "",
    stdout: Stream | None = None,
    stderr: Stream | None = None,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run a command in this process, with streams in memory and a known environment."""
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(input.encode())), encoding="utf-8")
    stdout, stderr = stdout or Stream(), stderr or Stream()
    status, exception = 0, None
    with pytest.MonkeyPatch.context() as patch:
        for name in set(UNWANTED) - {"LACONIC_DEBUG"}:
            patch.delenv(name, raising=False)
        for name, value in {"COLUMNS": "80", **(env or {})}.items():
            patch.setenv(name, value)
        for name, stream in {"stdin": stdin, "stdout": stdout, "stderr": stderr}.items():
            patch.setattr(sys, name, stream)
        try:
            laconic.main([str(argument) for argument in arguments], prog_name="laconic")
        except SystemExit as end:
            status = int(end.code or 0)
        except Exception as error:
            status, exception = 1, error
    return Result(status, stdout.text(), stderr.text(), exception)


def on_a_terminal(*arguments: object, columns: int = 60, **env: str) -> str:
    """Return the output of a command on a simulated terminal with `columns` columns."""
    screen = Stream(is_terminal=True)
    variables = {"COLUMNS": str(columns), "LINES": "50", "TERM": "xterm-256color", **env}
    result = in_process(*arguments, stdout=screen, stderr=screen, env=variables)
    assert result.exit_code == 0, (result.stdout, result.exception)
    return result.stdout


def without_escapes(out: str) -> list[str]:
    """Return the lines of terminal output without escape sequences for colours and the cursor."""
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", out).splitlines()


def mentions(result: Result, *parts: str) -> None:
    """Check that standard error contains all `parts`; golden files have the whole messages."""
    check(" ".join(result.stderr.split()), *parts, golden=False)


# ---- running in a separate process, for pipes, signals and terminals ----------------------------


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a separate process, without the variables in UNWANTED."""
    return {key: value for key, value in os.environ.items() if key not in UNWANTED} | more


def real_run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a separate process."""
    settings: dict[str, Any] = {
        "capture_output": True, "text": True, "encoding": "utf-8", "env": environment()
    }  # fmt: skip
    command = [sys.executable, "-m", "laconic", *arguments]
    return subprocess.run(command, timeout=PATIENCE, **{**settings, **options})


@contextmanager
def started(
    *arguments: str, code: str | None = None, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Start the command line, or the program `code` that calls it, with pipes for its streams."""
    program = ["-m", "laconic"] if code is None else ["-c", code]
    settings: dict[str, Any] = {
        "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8",
        "env": environment(),
    }  # fmt: skip
    command = [sys.executable, *program, *arguments]
    # A process in the background ignores Ctrl-C, and its children inherit that.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        child = subprocess.Popen(command, **{**settings, **options})
    finally:
        signal.signal(signal.SIGINT, usual)
    with child as process:
        try:
            yield process
        finally:
            process.kill()


def on_a_real_terminal(*arguments: str, columns: int = 60, **env: str) -> str:
    """Return the output of a command on a pseudo-terminal of the operating system."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    variables = environment(COLUMNS=str(columns), TERM="xterm-256color", PYTHONUTF8="1", **env)
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    out = b""
    with started(*arguments, **streams, env=variables) as process:
        os.close(theirs)
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the process has closed the terminal
                break
            if not part:
                break
            out += part
        os.close(ours)
        assert process.wait(PATIENCE) == 0, out.decode()
    return out.decode()
