"""Map ``.npy`` files into memory, and check their headers before any memory is taken.

`numpy.load` accepts more than laconic writes: pickled objects, structured dtypes, and headers that
are Python expressions. Here, a header must match a regular expression, and the size of the file
must be the size that the header states, so a header can neither run code nor claim memory.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np

from laconic.errors import ModelFileError

MAGIC = b"\x93NUMPY"
MAX_HEADER = 4096  # number of bytes; the headers that NumPy writes for plain arrays have 128
MAX_DIMENSIONS = 8
MAX_EMPTY_AXIS = 1 << 27  # maximum length of an axis of an array without entries
HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z]\d{0,6})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,15}, ?)*\d{0,15})\), ?\} *\n?"
)
PLAIN = {"b": {1}, "i": {1, 2, 4, 8}, "u": {1, 2, 4, 8}, "f": {2, 4, 8}}  # kinds and item sizes
MAX_STRING = 1 << 18  # maximum number of bytes per string in an array of strings
LAST_CODE_POINT = 0x10FFFF


def map_array(path: Path) -> np.ndarray:
    """Map an array of numbers, booleans or strings into memory, as a read-only array.

    Raises
    ------
    ModelFileError
        The file cannot be read, its header is not one that laconic writes, its size differs from
        the size in the header, or it contains anything but numbers, booleans and strings.
    """
    try:
        dtype, fortran, shape, offset = checked_header(path)
        if not dtype.itemsize * math.prod(shape):
            return np.empty(shape, dtype)
        order = "F" if fortran else "C"
        array = np.asarray(np.memmap(path, dtype, "r", offset, shape, order))  # type: ignore[call-overload]
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror or error}") from error
    if not array.dtype.isnative:  # The file comes from a machine with another byte order.
        array = array.astype(array.dtype.newbyteorder("="))
    _check_values(path, array)
    return array


def checked_header(
    path: Path, file: int | None = None
) -> tuple[np.dtype, bool, tuple[int, ...], int]:
    """Return the dtype, the Fortran order, the shape, and the offset of the first value.

    Raise an error if the size of the file is not the size that the header states. If the file is
    already open, `file` is its descriptor.
    """
    size = os.stat(path if file is None else file).st_size
    header = _read_header(path, file)
    dtype, _, shape, offset = header
    n_bytes = dtype.itemsize * math.prod(shape)
    if offset + n_bytes != size:
        relation = "longer" if size > offset + n_bytes else "shorter"
        raise ModelFileError(path, f"is damaged: the file is {relation} than its header states")
    return header


def array_type(path: Path) -> tuple[np.dtype, tuple[int, ...]]:
    """Return the dtype and the shape of an array without reading its values."""
    dtype, _, shape, _ = _read_header(path)
    return dtype, shape


def _read_header(
    path: Path, file: int | None = None
) -> tuple[np.dtype, bool, tuple[int, ...], int]:
    with open(path if file is None else file, "rb", closefd=file is None) as opened:
        start = opened.read(len(MAGIC) + 6 + MAX_HEADER)
    problem = "is damaged or not a plain array"
    if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + 4:
        raise ModelFileError(path, f"{problem} (it does not start like a .npy file)")
    begin = 10 if start[6] == 1 else 12
    length = int.from_bytes(start[8:begin], "little")
    if start[6] not in (1, 2, 3) or start[7] != 0 or length > MAX_HEADER:
        raise ModelFileError(path, f"{problem} (version or length of its header)")
    match = HEADER.fullmatch(start[begin : begin + length])
    if match is None or len(start) < begin + length:
        raise ModelFileError(path, f"{problem} (its header is not one that laconic writes)")
    descr, fortran, axes = (part.decode() for part in match.groups())
    shape = tuple(int(axis) for axis in axes.split(",") if axis.strip())
    if len(shape) > MAX_DIMENSIONS or (0 in shape and max(shape) > MAX_EMPTY_AXIS):
        raise ModelFileError(path, f"{problem} (shape {axes[:50]})")
    return _plain_dtype(path, descr), fortran == "True", shape, begin + length


def _plain_dtype(path: Path, descr: str) -> np.dtype:
    try:
        dtype = np.dtype(descr)
    except TypeError as error:
        raise ModelFileError(path, f"is damaged: unknown dtype {descr!r}") from error
    is_plain = dtype.itemsize in PLAIN.get(dtype.kind, ())
    is_string = dtype.kind in "SU" and 0 < dtype.itemsize <= MAX_STRING
    if not (is_plain or is_string):
        raise ModelFileError(
            path, f"is damaged or not a plain array (it contains {dtype}, not numbers or strings)"
        )
    return dtype


def _check_values(path: Path, array: np.ndarray) -> None:
    """Raise if bytes are not valid booleans or characters, on which NumPy has no check."""
    if array.dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
        raise ModelFileError(path, "is damaged: some values are neither true nor false")
    if array.dtype.kind == "U":
        characters = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
        if characters.max(initial=0) > LAST_CODE_POINT:
            raise ModelFileError(path, "is damaged: some strings are not valid Unicode")
