"""Private folder in which a fit on a Dask cluster keeps values that must outlive a worker.

The files are pickles whose arrays are stored next to the pickle and memory-mapped on loading.
Loading therefore takes almost no time, and the workers of one machine share the memory.
"""

from __future__ import annotations

import mmap
import os
import pickle
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder

ALIGNMENT = 64  # so that kernels see the same alignment as for arrays that NumPy allocates


@dataclass(frozen=True)
class Spilled:
    """Handle of a value in a file, which any process that sees the file can load."""

    path: str

    def load(self) -> Any:
        """Return the value; changes of its arrays do not change the file."""
        with open(self.path, "rb") as file:
            contents = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        size = int.from_bytes(contents[:8], "little")
        head, lengths = pickle.loads(contents[8 : 8 + size])
        start, buffers = _aligned(8 + size), []
        for length in lengths:
            buffers.append(contents[start : start + length])
            start = _aligned(start + length)
        return pickle.loads(head, buffers=buffers)

    def delete(self) -> None:
        """Delete the file; other processes may still use a value that they have loaded."""
        with suppress(OSError):
            os.unlink(self.path)


@dataclass(frozen=True)
class Inline:
    """Handle of a small value, which is sent as it is; Dask would look for tasks in a tuple."""

    value: Any

    def load(self) -> Any:
        """Return the value."""
        return self.value


def loaded(value: Any) -> Any:
    """Return the value of a handle; return any other value unchanged."""
    return value.load() if isinstance(value, Spilled | Inline) else value


class Pickled:
    """Value as a pickle and the buffers of its arrays, which are not copied."""

    def __init__(self, value: Any) -> None:
        try:
            from distributed.protocol.pickle import dumps  # also pickles functions of notebooks
        except ImportError:  # States of a fit without Dask contain no functions.
            from pickle import dumps

        buffers: list[pickle.PickleBuffer] = []
        self.head = dumps(value, protocol=5, buffer_callback=buffers.append)
        self.buffers = [buffer.raw() for buffer in buffers]

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self.head) + sum(buffer.nbytes for buffer in self.buffers)

    def write(self, path: str) -> Spilled:
        """Write a file atomically; two processes may write the same file at the same time."""
        index = pickle.dumps((self.head, [buffer.nbytes for buffer in self.buffers]))
        temporary = f"{path}.{secrets.token_hex(4)}"
        try:
            with open(temporary, "xb") as file:
                file.write(len(index).to_bytes(8, "little") + index)
                for buffer in self.buffers:
                    file.write(bytes(_aligned(file.tell()) - file.tell()))
                    file.write(buffer)
            os.replace(temporary, path)
        except BaseException as error:
            with suppress(OSError):
                os.unlink(temporary)
            if isinstance(error, OSError):
                raise LaconicError(
                    f"{os.path.dirname(path)}: the files of the fit cannot be written here: "
                    f"{error.strerror or error}; set the environment variable TMPDIR to another "
                    "folder that all workers can write to."
                ) from error
            raise
        return Spilled(path)


class SpillFolder(ScratchFolder):
    """Scratch folder whose files the workers of a cluster read and write."""

    def __init__(self) -> None:
        super().__init__()
        self.token = secrets.token_hex(8)
        self._count = 0
        Path(self.path, "token").write_text(self.token, encoding="ascii")

    def new_path(self) -> str:
        """Return the path of a new file."""
        self._count += 1
        return os.path.join(self.path, f"{self._count}")


def can_share(path: str, token: str) -> bool:
    """Return whether this process, usually a worker, can read and write the files of a folder."""
    try:
        if Path(path, "token").read_text(encoding="ascii") != token:
            return False
        Pickled(None).write(os.path.join(path, f"probe-{secrets.token_hex(4)}")).delete()
    except (OSError, LaconicError):
        return False
    return True


def delete_files(values: Iterable[Any]) -> None:
    """Delete the files of all handles among `values`."""
    for value in values:
        if isinstance(value, Spilled):
            value.delete()


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT
