"""Arrays, sparse matrices, words and JSON in a folder, each in plain files.

Nothing that is read back is trusted: no pickle, no file outside the folder, no shape or index
that could lead a compiled kernel astray.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from laconic.errors import ModelFileError
from laconic.files.atomic_folder import path_inside

ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {escape: character for character, escape in ESCAPES.items()}

# One at a time, as numpy gives the header of an array to `ast.literal_eval`, and Python 3.11 counts
# the depth of all syntax trees under construction in one place (python/cpython#106905): a garbage
# collection in the middle of one runs finalizers, so another thread may have its turn, and if that
# reads a header too, both counts are wrong: "SystemError: AST constructor recursion depth mismatch"
# in a fit by threads from a corpus on disk.
_HEADER = threading.Lock()


def save_array(folder: Path, name: str, array: np.ndarray) -> None:
    """Write an array of numbers, truth values or strings to ``NAME.npy``."""
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


def load_array(
    folder: Path,
    name: str,
    *,
    dtype: DTypeLike | None = None,
    shape: tuple[int | None, ...] | None = None,
    mmap: bool = True,
) -> np.ndarray:
    """Read ``NAME.npy``, memory-mapped and read-only unless told otherwise.

    Parameters
    ----------
    folder : Path
        Folder the file is in.
    name : str
        Name of the file without its suffix.
    dtype : dtype, optional
        The only dtype that is accepted.
    shape : tuple of int or None, optional
        The only shape that is accepted; None stands for any length.
    mmap : bool
        False reads the numbers into memory.

    Raises
    ------
    ModelFileError
        The file is missing, truncated, a link, holds Python objects, or is of another dtype or
        shape than asked for.
    """
    path = path_inside(folder, f"{name}.npy")
    try:
        with _HEADER:
            mapped = np.lib.format.open_memmap(path, mode="r")
    except (ValueError, OSError, OverflowError, MemoryError, TypeError, SyntaxError) as error:
        raise ModelFileError(path, f"is damaged or not a plain array ({_first(error)})") from error
    if path.stat().st_size != mapped.offset + mapped.nbytes:
        raise ModelFileError(path, "is longer than its own header says; the file is damaged")
    array = np.asarray(mapped)
    if array.dtype.kind not in "biufSU":
        raise ModelFileError(path, f"holds {array.dtype}, not plain numbers or strings")
    if not array.dtype.isnative:  # written on a machine of the other byte order
        array = array.astype(array.dtype.newbyteorder("="))
    if dtype is not None and array.dtype != np.dtype(dtype):
        raise ModelFileError(path, f"holds {array.dtype}; expected {np.dtype(dtype)}")
    if shape is not None and not _fits(array.shape, shape):
        raise ModelFileError(path, f"has the shape {array.shape}; expected {shape}")
    return array if mmap else np.array(array)


def _first(error: BaseException) -> str:
    """First line of an error's text."""
    return (str(error) or type(error).__name__).splitlines()[0]


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Whether a shape is the wanted one, None standing for any length."""
    return len(shape) == len(wanted) and all(
        want is None or have == want for have, want in zip(shape, wanted, strict=True)
    )


def save_csr(folder: Path, name: str, matrix: Any) -> None:
    """Write a scipy CSR matrix as ``NAME.data.npy``, ``NAME.indices.npy``, ``NAME.indptr.npy``."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    for part in ("data", "indices", "indptr"):
        save_array(folder, f"{name}.{part}", getattr(matrix, part))


def load_csr(
    folder: Path,
    name: str,
    *,
    shape: tuple[int, int],
    dtype: DTypeLike | None = None,
    mmap: bool = True,
) -> sparse.csr_matrix:
    """Read a CSR matrix of the given shape, its indices checked so that kernels can trust them.

    Raises
    ------
    ModelFileError
        A part is missing or damaged, or the three do not make a matrix of this shape.
    """
    n_rows, n_columns = shape
    indptr = load_array(folder, f"{name}.indptr", shape=(n_rows + 1,), mmap=mmap)
    indices = load_array(folder, f"{name}.indices", shape=(None,), mmap=mmap)
    data = load_array(folder, f"{name}.data", dtype=dtype, shape=indices.shape, mmap=mmap)
    for part, array in (("indptr", indptr), ("indices", indices)):
        if array.dtype not in (np.int32, np.int64):
            raise ModelFileError(
                folder / f"{name}.{part}.npy", f"holds {array.dtype}; expected int32 or int64"
            )
    if indptr[0] != 0 or indptr[-1] != len(indices) or np.any(indptr[1:] < indptr[:-1]):
        raise ModelFileError(
            folder / f"{name}.indptr.npy", "does not divide the entries into rows; it is damaged"
        )
    if len(indices) and not (indices.min() >= 0 and indices.max() < n_columns):
        raise ModelFileError(
            folder / f"{name}.indices.npy", f"names columns outside 0 to {n_columns - 1}"
        )
    rising = indices[1:] > indices[:-1]
    starts = indptr[1:-1]  # where a row starts the column may fall
    rising[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    if not rising.all():
        raise ModelFileError(
            folder / f"{name}.indices.npy", "names the columns of a row twice or out of order"
        )
    if data.dtype.kind not in "biuf":
        raise ModelFileError(folder / f"{name}.data.npy", f"holds {data.dtype}, not numbers")
    matrix = sparse.csr_matrix((data, indices, indptr), shape=shape)
    matrix.has_canonical_format = True
    return matrix


def save_words(folder: Path, name: str, words: Iterable[str]) -> None:
    """Write strings to ``NAME.txt``, one per line; backslash and line ends are escaped."""
    table = str.maketrans(ESCAPES)
    with open(folder / f"{name}.txt", "wb") as file:
        file.writelines(
            f"{word.translate(table)}\n".encode(errors="surrogatepass") for word in words
        )


def load_words(folder: Path, name: str, *, count: int | None = None) -> np.ndarray:
    """Read the strings of ``NAME.txt`` as an object array; `count` says how many there must be.

    Raises
    ------
    ModelFileError
        The file is missing, cut short, not UTF-8, or does not hold `count` lines.
    """
    path = path_inside(folder, f"{name}.txt")
    try:
        text = path.read_bytes().decode(errors="surrogatepass")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ModelFileError(path, f"line {line} is not UTF-8; the file is damaged") from error
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    lines = text.split("\n")  # not splitlines: a word may hold a Unicode line separator
    if lines.pop() != "":
        raise ModelFileError(path, "ends in the middle of a line; the file is cut short")
    if count is not None and len(lines) != count:
        raise ModelFileError(path, f"has {len(lines)} lines; expected {count}")
    words = np.empty(len(lines), dtype=object)
    words[:] = [_unescape(path, line) for line in lines] if "\\" in text else lines
    return words


def _unescape(path: Path, line: str) -> str:
    """Undo the escapes of `save_words`."""
    try:
        return re.sub(r"\\.?", lambda match: UNESCAPES[match.group()], line)
    except KeyError as error:
        raise ModelFileError(path, f"has an unknown escape {error}; it is damaged") from error


def save_json(folder: Path, name: str, value: dict[str, Any]) -> None:
    """Write ``NAME.json``, readable by people and by any JSON reader."""
    text = json.dumps(value, indent=2, allow_nan=False)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def load_json(folder: Path, name: str, *, newest: int | None = None) -> dict[str, Any]:
    """Read the object in ``NAME.json``.

    Parameters
    ----------
    folder : Path
        Folder the file is in.
    name : str
        Name of the file without its suffix.
    newest : int, optional
        Highest number in the field "format" that the caller understands.

    Raises
    ------
    ModelFileError
        The file is missing or damaged, or a newer laconic wrote it.
    """
    path = path_inside(folder, f"{name}.json")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(path, f"is damaged: {_first(error)}") from error
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    if not isinstance(value, dict):
        raise ModelFileError(path, "is damaged: it holds no JSON object")
    if newest is not None:
        _check_format(path, value.get("format"), newest)
    return value


def _check_format(path: Path, number: object, newest: int) -> None:
    """Refuse a format number that is absurd or that this version cannot know."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ModelFileError(path, "is damaged: it has no format number")
    if number > newest:
        raise ModelFileError(
            path,
            f"written by a newer laconic (format {number}; this one reads up to {newest});"
            " upgrade laconic",
        )
