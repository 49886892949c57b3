"""Program that runs one ``laconic`` command and prints what the command used.

It imports nothing that the command does not import, so that time and memory are those of the
command itself.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path


def run(words: list[str]) -> tuple[float, float, str]:
    """Run a command in this process; return CPU seconds, seconds, and what it printed."""
    from laconic.cli.main import laconic

    cpu, start = time.process_time(), time.perf_counter()
    sys.stdout.flush()
    standard = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        printed = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
        before, sys.stdout = sys.stdout, printed
        try:
            laconic(words, standalone_mode=False)
            printed.flush()
        finally:
            sys.stdout = before
            os.dup2(standard, 1)
            os.close(standard)
        file.seek(0)
        output = file.read(100_000).decode(errors="replace")
    return time.process_time() - cpu, time.perf_counter() - start, output


def main() -> None:
    start = time.process_time()  # the time that Python took to start
    cpu, seconds, output = run(sys.argv[1:])
    status = Path("/proc/self/status").read_text()
    (peak,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
    print(json.dumps([start + cpu, seconds, peak * 1024, output]))


if __name__ == "__main__":
    main()
