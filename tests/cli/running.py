"""Small documents, and how the command line is run for real."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

THEMES = {
    name: words.split()
    for name, words in {
        "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
        "ships": "sail mast harbour anchor captain wind deck rope storm tide",
        "bread": "flour yeast oven crust dough bake loaf butter knead salt",
    }.items()
}

Run = Callable[..., Result]


def documents(n: int = 60) -> list[dict[str, Any]]:
    """Texts of twelve words, each about one of three things."""
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


def environment(**more: str) -> dict[str, str]:
    """The environment of a real run, free of what the developer has set."""
    unwanted = ("LACONIC_DEBUG", "NO_COLOR", "FORCE_COLOR", "PYTHONWARNINGS", "COLUMNS")
    return {key: value for key, value in os.environ.items() if key not in unwanted} | more


def real_run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    settings: dict[str, Any] = {"capture_output": True, "text": True, "env": environment()}
    command = [sys.executable, "-m", "laconic", *arguments]
    return subprocess.run(command, timeout=120, **{**settings, **options})


def on_a_terminal(*arguments: str, columns: int = 60, **env: str) -> str:
    """What a command prints on a terminal of so many columns."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    variables = environment(COLUMNS=str(columns), TERM="xterm-256color", **env)
    command = [sys.executable, "-m", "laconic", *arguments]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=variables)
    os.close(theirs)
    out = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        out += part
    os.close(ours)
    assert process.wait(60) == 0, out.decode()
    return out.decode()


def without_escapes(out: str) -> list[str]:
    """The lines on a terminal without what colours them and moves the cursor."""
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", out).splitlines()
