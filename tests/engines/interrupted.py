"""An engine that simulates Ctrl-C, for tests of the state that a fit leaves."""

from __future__ import annotations

from laconic.engines.threads import Threads


class Interrupted(Threads):
    """An engine that raises KeyboardInterrupt in the step `step` after `passes` passes.

    Register it by ``monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs:
    Interrupted(...))``.
    """

    def __init__(self, step: str, passes: int) -> None:
        super().__init__(2)
        self.step = step
        self.left = passes

    def map_reduce(self, step, params, chunks, local=None):
        if step.__name__ == self.step:
            self.left -= 1
            if self.left == -1:
                step = interrupt
        return super().map_reduce(step, params, chunks, local)


def interrupt(params, chunk, state):
    raise KeyboardInterrupt
