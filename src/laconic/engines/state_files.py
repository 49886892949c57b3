"""States of chunks in files, for fits in this process whose states would fill the memory."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from laconic.corpus.chunks import Chunk
from laconic.engines.spill import Pickled, Spilled, SpillFolder, loaded


class StateFiles:
    """Runs steps on chunks and, if wanted, writes the states of the chunks to files."""

    def __init__(self) -> None:
        self.on_disk = False
        self._folder: SpillFolder | None = None
        self._replaced: list[Spilled] = []  # handles of old states, whose files still exist
        self._lock = Lock()

    def begin(self, local: list[Any] | None) -> None:
        """Delete the files of replaced states, before a call that uses the states in `local`.

        They are not deleted at once, because a call that is interrupted may leave old states.
        """
        if local is not None and self._replaced:
            used = {state.path for state in local if isinstance(state, Spilled)}
            for state in [state for state in self._replaced if state.path not in used]:
                state.delete()
                self._replaced.remove(state)

    def run(
        self, step: Any, params: Any, chunks: Sequence[Chunk], local: list[Any] | None, index: int
    ) -> Any:
        """Run a step on a chunk, and replace the state of the chunk."""
        if local is None:
            return step(params, chunks[index], None)[0]
        old = local[index]
        value, state = step(params, chunks[index], loaded(old))
        local[index] = self._stored(state) if self.on_disk and state is not None else state
        if isinstance(old, Spilled):
            self._replaced.append(old)
        return value

    def close(self) -> None:
        """Delete all files."""
        if self._folder is not None:
            self._folder.close()
        self._folder, self._replaced = None, []

    def _stored(self, state: Any) -> Spilled:
        with self._lock:
            self._folder = self._folder or SpillFolder()
            path = self._folder.new_path()
        return Pickled(state).write(path)
