"""Tests of the reuse of freed memory, in processes that are started as Dask starts its workers."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

COUNT_FAULTS = """
import resource
import numpy as np
from laconic.engines.malloc import reused_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(1 << 18)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with reused_memory():
    inside = faults()
print(inside, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_freed_arrays_are_reused():
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    command = [sys.executable, "-c", COUNT_FAULTS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    inside, outside = map(int, done.stdout.split())
    pages = 20 * (8 << 18) // os.sysconf("SC_PAGESIZE")
    assert inside < pages / 4
    assert outside > pages / 2
