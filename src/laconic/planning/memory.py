"""Memory of this process and of the machine, and free space on a disk."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


def reset_peak() -> None:
    """Let the peak memory start again from the current memory, if the system allows it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """Return the peak of the resident memory of this process, in bytes."""
    if (peak := _status("VmHWM")) is not None:
        return peak
    try:
        import resource
    except ImportError:  # Windows
        return 0
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def _status(name: str) -> int | None:
    """Return a value of /proc/self/status in bytes, or None if there is no such file."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None


def machine_memory() -> int | None:
    """Return the memory of this machine in bytes, or None if it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
