"""Private temporary folders, which are deleted even if the process that made them was killed."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from types import TracebackType
from typing import Self
from weakref import finalize

try:
    import fcntl
except ImportError:  # On Windows, folders of killed processes are not deleted.
    fcntl = None  # type: ignore[assignment]

PREFIX = "laconic-scratch-"
SETTLED = 60  # seconds after which a folder without a lock belongs to a killed process


class ScratchFolder:
    """Temporary folder that only this user can read.

    It is deleted by `close`, at the end of a ``with`` block, when the object is garbage-collected,
    or at the end of the process. Folders of processes that were killed are deleted when the next
    folder is created. The folder is in the usual place for temporary files, which the environment
    variable TMPDIR sets.

    Examples
    --------
    >>> with ScratchFolder() as folder:
    ...     _ = Path(folder.path, "part").write_text("some text")
    >>> folder.path.exists()
    False
    """

    def __init__(self) -> None:
        _delete_abandoned()
        self.path = Path(mkdtemp(prefix=PREFIX)).absolute()
        self._finalizer = finalize(self, _delete, self.path, _locked(self.path), os.getpid())

    def close(self) -> None:
        """Delete the folder and its files."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _delete(folder: Path, lock: int | None, owner: int) -> None:
    if os.getpid() == owner:  # A forked process must not delete the folder of its parent.
        shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        with suppress(OSError):
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder and return the descriptor; return None if another process has locked it."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _delete_abandoned() -> None:
    """Delete the folders of processes that were killed, which are not locked any more."""
    if fcntl is None:
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            if about.st_uid != os.getuid() or time.time() - about.st_mtime < SETTLED:
                continue
            if (lock := _locked(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
