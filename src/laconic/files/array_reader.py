"""Read slices of arrays in ``.npy`` files, without mapping the files into memory.

The pages of a mapped file stay in memory once they were used. A reader copies only the slice that
it is asked for, so an array of any size can be processed in little memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, Self
from weakref import finalize

import numpy as np

from laconic.errors import ModelFileError
from laconic.files.npy import checked_header

BLOCK = 1 << 20  # approximate number of bytes per block
WORTH_A_READ = 1 << 15  # number of bytes whose reading takes about as long as one more call
MOST_AT_ONCE = 1 << 25  # maximum number of bytes that are read to select some of them


class ArrayReader:
    """Array of numbers in a file, with one or two dimensions.

    The file stays open, so the array stays the same if the file is replaced by another one. A
    reader can be shared by threads. When it is pickled, it becomes an array in memory.

    Parameters
    ----------
    path : Path
    owner : object, optional
        Object that must exist as long as the file is used, such as a `ScratchFolder`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/numbers.npy", np.arange(10))
    ...     reader = ArrayReader(Path(folder, "numbers.npy"))
    >>> len(reader), int(reader[3]), reader[7:].tolist(), reader.take([1, 8]).tolist()
    (10, 3, [7, 8, 9], [1, 8])
    """

    def __init__(self, path: Path, owner: Any = None) -> None:
        self.path = path
        self.owner = owner
        self._lock = Lock()
        try:
            self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            self._close = finalize(self, os.close, self._file)
            header = checked_header(path, self._file)
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror or error}") from error
        self._stored, fortran, self.shape, self._offset = header
        self.dtype = self._stored.newbyteorder("=")
        plain = self.dtype.kind in "iuf" and len(self.shape) in (1, 2)
        if not plain or (fortran and len(self.shape) > 1):
            raise ModelFileError(path, "is damaged: it is not an array of numbers in rows")
        self._row = self._stored.itemsize * int(np.prod(self.shape[1:], dtype=np.int64))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: int | np.integer | slice) -> Any:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            rows = self._read(start, max(stop, start))
            return rows if step == 1 else rows[::step]
        row = int(key) + (len(self) if key < 0 else 0)
        if not 0 <= row < len(self):
            raise IndexError(f"row {key} of an array with {len(self)} rows")
        return self._read(row, row + 1)[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return np.asarray, (self[:],)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def __copy__(self) -> ArrayReader:
        return self

    def __deepcopy__(self, memo: Any) -> ArrayReader:
        return self

    def read(self, start: int, stop: int) -> np.ndarray:
        """Return the rows ``start:stop``; raise an error if the file does not contain them."""
        if not 0 <= start <= stop <= len(self):
            raise ModelFileError(
                self.path, f"is damaged: it does not contain the entries {start} to {stop}"
            )
        return self._read(start, stop)

    def take(self, rows: Any) -> np.ndarray:
        """Return the given rows; rows that are far apart are read separately."""
        numbers = np.asarray(rows, np.int64)
        if len(numbers) and numbers.min() >= 0 and numbers.max() < len(self):
            first, last = int(numbers.min()), int(numbers.max()) + 1
            if self.reads_at_once(first, last, len(numbers)):
                return np.asarray(self._read(first, last)[numbers - first])
        found = np.empty((len(rows), *self.shape[1:]), self.dtype)
        for position, row in enumerate(rows):
            found[position] = self[row]
        return found

    def reads_at_once(self, start: int, stop: int, n_reads: int) -> bool:
        """Tell whether reading ``start:stop`` is faster than `n_reads` small reads inside of it."""
        return (stop - start) * self._row <= min(n_reads * WORTH_A_READ, MOST_AT_ONCE)

    def _read(self, start: int, stop: int) -> np.ndarray:
        rows = np.empty((stop - start, *self.shape[1:]), self._stored)
        if rows.nbytes:
            self._fill(rows.reshape(-1).view(np.uint8), self._offset + start * self._row)
        return rows if self._stored.isnative else rows.astype(self.dtype)

    def _fill(self, buffer: np.ndarray, offset: int) -> None:
        done = 0
        while done < len(buffer):
            try:
                n_read = self._read_some(buffer.data[done:], offset + done)
            except OSError as error:
                raise ModelFileError(self.path, f"cannot be read: {error.strerror}") from error
            if not n_read:
                raise ModelFileError(self.path, "is damaged: the file was shortened")
            done += n_read

    def _read_some(self, buffer: memoryview, offset: int) -> int:
        if hasattr(os, "preadv"):  # A process and its forks share the position in the file.
            return os.preadv(self._file, [buffer], offset)
        with self._lock:
            os.lseek(self._file, offset, os.SEEK_SET)
            data = os.read(self._file, len(buffer))
            buffer[: len(data)] = data
            return len(data)


def blocks_of(array: Any, n_bytes: int = BLOCK) -> Iterator[np.ndarray]:
    """Yield consecutive rows of an array or a reader, in blocks of about `n_bytes`."""
    per_row = array.dtype.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
    rows = max(n_bytes // max(per_row, 1), 1)
    for start in range(0, len(array), rows):
        yield np.asarray(array[start : start + rows])
