"""Collect an array part by part, in memory or in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from laconic.files.array_reader import ArrayReader
from laconic.files.array_writer import ArrayWriter
from laconic.files.scratch_folder import ScratchFolder


class ArrayCollector:
    """Collects an array part by part.

    Parameters
    ----------
    scratch : ScratchFolder or None
        Folder of the file; None collects the array in memory.
    name : str
        Name of the file, without its suffix.
    dtype : dtype
    width : int, optional
        Number of columns; by default, the array has one dimension.

    Examples
    --------
    >>> for scratch in (None, ScratchFolder()):
    ...     collector = ArrayCollector(scratch, "numbers", np.int32)
    ...     collector.append([1, 2])
    ...     collector.append([3])
    ...     array = collector.finish()
    ...     type(array).__name__, array[1:].tolist()
    ('ndarray', [2, 3])
    ('ArrayReader', [2, 3])
    """

    def __init__(
        self,
        scratch: ScratchFolder | None,
        name: str,
        dtype: DTypeLike,
        width: int | None = None,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._scratch = scratch
        self._parts = [np.empty((0,) if width is None else (0, width), self.dtype)]
        if scratch is not None:
            self._path = scratch.path / f"{name}.npy"
            self._writer = ArrayWriter(self._path, dtype, width)

    def append(self, values: Any) -> None:
        part = np.asarray(values, self.dtype)
        self.length += len(part)
        if self._scratch is None:
            self._parts.append(part)
        else:
            self._writer.append(part)

    def finish(self) -> np.ndarray | ArrayReader:
        """Return the array; if it is in a file, the scratch folder exists as long as the array."""
        if self._scratch is None:
            return np.concatenate(self._parts)
        self._writer.close()
        return ArrayReader(self._path, owner=self._scratch)
