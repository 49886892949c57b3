"""Write arrays of unknown length to ``.npy`` files, part by part."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import DTypeLike


class ArrayWriter:
    """Writes an array part by part, so that only one part is in memory.

    The length is written into the header when the file is closed. NumPy leaves room for it.

    Parameters
    ----------
    path : Path
        The file to create, which ends in ``.npy``.
    dtype : dtype
    width : int, optional
        Number of columns; by default, the array has one dimension.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "numbers.npy")
    ...     with ArrayWriter(path, np.int32) as writer:
    ...         writer.append([1, 2])
    ...         writer.append([3])
    ...     np.load(path).tolist()
    [1, 2, 3]
    """

    def __init__(self, path: Path, dtype: DTypeLike, width: int | None = None) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._columns = () if width is None else (width,)
        self._file = open(path, "wb")  # noqa: SIM115
        self._write_header()

    def append(self, values: object) -> None:
        """Write further entries, or rows if the array has columns."""
        part = np.ascontiguousarray(values, dtype=self.dtype)
        if part.shape[1:] != self._columns:
            raise ValueError(f"expected rows of shape {self._columns}, got {part.shape[1:]}")
        self._file.write(part.data.cast("B") if part.size else b"")
        self.length += len(part)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.length, *self._columns)

    def close(self) -> None:
        """Write the length of the array and close the file."""
        if self._file.closed:
            return
        with self._file:  # which is closed even if the disk is full
            self._file.seek(0)
            self._write_header()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            with suppress(OSError):  # The disk may be full, which is the first error.
                self._file.close()

    def _write_header(self) -> None:
        header = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": self.shape,
        }
        np.lib.format.write_array_header_1_0(self._file, header)
