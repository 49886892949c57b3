"""A Dask engine that kills a worker, for tests of fits that lose workers."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

from laconic.engines.dask import Dask


class FatalDask(Dask):
    """A Dask engine on which the call number `fatal` of `map_reduce` kills a worker once.

    Register it by ``monkeypatch.setitem(ENGINES, "fatal", lambda n_jobs: FatalDask(...))``.
    """

    def __init__(self, marker, fatal, address=None):
        super().__init__(address=address)
        self.marker, self.left = str(marker), fatal

    def map_reduce(self, step, params, chunks, local=None):
        self.left -= 1
        if self.left == 0:
            step = partial(die_once, step, self.marker, chunks[-2].start)
        return super().map_reduce(step, params, chunks, local)


def die_once(step, marker, start, params, chunk, state):
    """Step: kill this worker if it is the first to reach the chunk that begins at `start`."""
    if chunk.start == start:
        try:
            Path(marker).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return step(params, chunk, state)
