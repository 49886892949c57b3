"""Run one ``laconic`` command in a process of its own, and measure it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import Run, peak_memory, python_output
from benchmarks.scale import child


class Used(NamedTuple):
    """What a command used, and the beginning of what it printed."""

    cpu: float  # seconds, user and system, including the start of Python
    seconds: float
    peak: int  # bytes of resident memory, including pages of memory-mapped files
    output: str

    @property
    def json(self) -> dict[str, Any]:
        """What the command printed with ``--json``."""
        found: dict[str, Any] = json.loads(self.output)
        return found


def measure(run: Run, *arguments: object) -> Used:
    """Run a command in a new process; in a smoke test, run it in this process, which is quicker."""
    words = [*map(str, arguments)]
    if run.smoke:
        cpu, seconds, output = child.run(words)
        return Used(cpu, seconds, peak_memory(), output)
    return Used(*python_output("-m", "benchmarks.scale.child", *words))


def folder_size(path: Path) -> int:
    """Return the size of a file, or of all files in a folder, in bytes."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
