"""Kernels that are compiled before they are needed."""

from __future__ import annotations

import subprocess
import sys

from laconic.models import MODELS
from laconic.precompile import SHARES


def test_precompile_is_quiet_and_fits_what_there_is():
    done = subprocess.run(
        [sys.executable, "-m", "laconic.precompile"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(SHARES) == 2
    assert {"stc", "medstc"} < set(MODELS)
