"""Reuse and release of freed memory by the C library.

Dask starts workers with the environment variable ``MALLOC_TRIM_THRESHOLD_``. glibc then returns
every freed array to the system, and the next array of the same size consists of new pages. For
steps that compute arrays of words x topics, this takes as long as the computation.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

TRIM, MMAP = "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"
PARAMETERS = {TRIM: -1, MMAP: -3}  # numbers of these parameters in malloc.h
# The largest values that glibc chooses by itself if the environment sets none of them.
REUSING = {TRIM: 64 << 20, MMAP: 32 << 20}
MMAP_DEFAULT = 128 << 10


@contextmanager
def reused_memory() -> Iterator[None]:
    """Context manager in which freed arrays are reused, as in a process without these settings."""
    values = {name: os.environ.get(name, "") for name in PARAMETERS}
    libc = _libc()
    if libc is None or not values[TRIM].isdecimal() or values[MMAP]:
        yield
        return
    before = {TRIM: int(values[TRIM]), MMAP: MMAP_DEFAULT}
    try:
        for name, number in PARAMETERS.items():
            libc.mallopt(number, REUSING[name])
        yield
    finally:
        for name, number in PARAMETERS.items():
            libc.mallopt(number, before[name])


def release_memory() -> None:
    """Return freed memory to the system, because the next work needs memory of another kind."""
    libc = _libc()
    if libc is not None:
        libc.malloc_trim(0)


@cache
def _libc() -> Any:
    """Return the C library, or None if it is not glibc."""
    try:
        libc = ctypes.CDLL(None)
        libc.gnu_get_libc_version  # noqa: B018
    except (OSError, AttributeError, TypeError):
        return None
    return libc
