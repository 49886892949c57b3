"""Read and write arrays, sparse matrices, words and JSON as plain files in a folder.

Files are checked when they are read. An error is raised for pickles, for files outside the folder,
and for shapes or indices that would make a compiled kernel read out of bounds.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any
from weakref import finalize

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from laconic.errors import LaconicError, ModelFileError
from laconic.files.array_reader import ArrayReader
from laconic.files.atomic_folder import path_inside
from laconic.files.json_text import MAX_BYTES, parse_json
from laconic.files.npy import map_array

ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {escape: character for character, escape in ESCAPES.items()}

# Limits that are checked before a file is read or memory is taken for its contents.
MAX_WORDS = 1 << 27  # number of words or columns, about 134 million
MAX_WORD_BYTES = 2 << 30  # size of a file of words
MAX_NAME = 200  # length of the name of a file
MAX_DENSE_BYTES = 2 << 30  # size of a dense matrix that is stored as CSR


def file_inside(folder: Path, name: str) -> Path:
    """Return the path of a file in `folder`; raise if the name is too long or leads out of it."""
    if len(name) > MAX_NAME:
        raise ModelFileError(folder, f"refers to a file whose name is too long: {name[:50]}…")
    return path_inside(folder, name)


def save_array(folder: Path, name: str, array: np.ndarray) -> None:
    """Write an array of numbers, booleans or strings to ``NAME.npy``."""
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(_Writer(file), np.asanyarray(array), allow_pickle=False)


class _Writer:
    """A file without a descriptor, because NumPy ignores errors when it writes to a descriptor.

    If the disk is full, ``ndarray.tofile`` would return without an error and without the data.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write


def load_array(
    folder: Path,
    name: str,
    *,
    dtype: DTypeLike | None = None,
    shape: tuple[int | None, ...] | None = None,
    mmap: bool = True,
) -> np.ndarray:
    """Read ``NAME.npy``; by default, the array is memory-mapped and read-only.

    Parameters
    ----------
    folder : Path
        Folder of the file.
    name : str
        Name of the file without its suffix.
    dtype : dtype, optional
        Required dtype of the array.
    shape : tuple of int or None, optional
        Required shape, in which None allows any length of an axis.
    mmap : bool
        Whether to map the file into memory instead of reading it.

    Raises
    ------
    ModelFileError
        The file is missing, truncated or a link, contains Python objects, or does not have the
        required dtype or shape.
    """
    path = file_inside(folder, f"{name}.npy")
    array = map_array(path)
    if dtype is not None and array.dtype != np.dtype(dtype):
        raise ModelFileError(path, f"is damaged: expected {np.dtype(dtype)}, found {array.dtype}")
    if shape is not None and not _matches(array.shape, shape):
        raise ModelFileError(path, f"is damaged: expected shape {shape}, found {array.shape}")
    return array if mmap else np.array(array)


def open_array(folder: Path, name: str, *, dtype: DTypeLike | None = None) -> ArrayReader:
    """Open ``NAME.npy`` to read parts of it, without mapping it into memory."""
    reader = ArrayReader(file_inside(folder, f"{name}.npy"))
    if dtype is not None and reader.dtype != np.dtype(dtype):
        raise ModelFileError(
            reader.path, f"is damaged: expected {np.dtype(dtype)}, found {reader.dtype}"
        )
    return reader


def _matches(shape: tuple[int, ...], required: tuple[int | None, ...]) -> bool:
    """Return whether a shape equals the required shape, in which None allows any length."""
    return len(shape) == len(required) and all(
        need is None or have == need for have, need in zip(shape, required, strict=True)
    )


def save_csr(folder: Path, name: str, matrix: Any) -> None:
    """Write a CSR matrix to ``NAME.data.npy``, ``NAME.indices.npy`` and ``NAME.indptr.npy``."""
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
    """Read a CSR matrix of a given shape, and check its indices, which kernels do not check.

    Raises
    ------
    ModelFileError
        A file is missing or damaged, or the three files do not form a matrix of this shape.
    """
    n_rows, n_columns = shape
    if not 0 <= n_columns <= MAX_WORDS:
        raise ModelFileError(
            folder,
            f"is damaged: the matrix {name} has {n_columns} columns, but at most {MAX_WORDS:,} "
            "are possible",
        )
    indptr = load_array(folder, f"{name}.indptr", shape=(n_rows + 1,), mmap=mmap)
    indices = load_array(folder, f"{name}.indices", shape=(None,), mmap=mmap)
    data = load_array(folder, f"{name}.data", dtype=dtype, shape=indices.shape, mmap=mmap)
    for part, array in (("indptr", indptr), ("indices", indices)):
        if array.dtype not in (np.int32, np.int64):
            raise ModelFileError(
                folder / f"{name}.{part}.npy",
                f"is damaged: expected int32 or int64, found {array.dtype}",
            )
    if indptr[0] != 0 or indptr[-1] != len(indices) or np.any(indptr[1:] < indptr[:-1]):
        raise ModelFileError(
            folder / f"{name}.indptr.npy",
            "is damaged: the row pointers (indptr) of the CSR matrix are not valid",
        )
    if len(indices) and not (indices.min() >= 0 and indices.max() < n_columns):
        raise ModelFileError(
            folder / f"{name}.indices.npy",
            f"is damaged: it contains column numbers that are not between 0 and {n_columns - 1}",
        )
    if not is_sorted(indices, indptr):
        raise ModelFileError(
            folder / f"{name}.indices.npy",
            "is damaged: the column numbers in a row are not sorted or contain duplicates",
        )
    if data.dtype.kind not in "biuf":
        raise ModelFileError(
            folder / f"{name}.data.npy", f"is damaged: expected numbers, found {data.dtype}"
        )
    matrix = sparse.csr_matrix((data, indices, indptr), shape=shape)
    matrix.has_canonical_format = True
    return matrix


def is_sorted(indices: np.ndarray, indptr: np.ndarray) -> bool:
    """Return whether the column numbers of a CSR matrix ascend in each row."""
    ascending = indices[1:] > indices[:-1]
    starts = indptr[1:-1]  # Column numbers start again in each row.
    ascending[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    return bool(ascending.all())


def save_words(folder: Path, name: str, words: Iterable[str]) -> None:
    """Write one string per line to ``NAME.txt``, with escaped backslashes and line breaks."""
    lines = [f"{word}\n" for word in words]
    text = "".join(lines)
    if "\\" in text or "\r" in text or text.count("\n") > len(lines):
        table = str.maketrans(ESCAPES)
        text = "".join(f"{line[:-1].translate(table)}\n" for line in lines)
    (folder / f"{name}.txt").write_bytes(text.encode(errors="surrogatepass"))


def load_words(folder: Path, name: str, *, count: int | None = None) -> np.ndarray:
    """Read the strings in ``NAME.txt`` as an object array; if set, `count` must be its length.

    Raises
    ------
    ModelFileError
        The file is missing, incomplete, not UTF-8, or does not have `count` lines.
    """
    return WordsReader(folder, name, count=count).load()


class WordsReader:
    """Strings in the file ``NAME.txt``, which is opened now and read later."""

    def __init__(self, folder: Path, name: str, *, count: int | None = None) -> None:
        self.path = file_inside(folder, f"{name}.txt")
        self.count = count
        try:
            self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise ModelFileError(self.path, f"cannot be read: {error.strerror}") from error
        finalize(self, os.close, self._file)

    def load(self) -> np.ndarray:
        """Read the strings as an object array."""
        path, count = self.path, self.count
        try:
            if (size := os.fstat(self._file).st_size) > MAX_WORD_BYTES:
                raise ModelFileError(
                    path,
                    f"is too large for a list of words: {size:,} bytes, at most {MAX_WORD_BYTES:,}",
                )
            with open(self._file, "rb", closefd=False) as file:
                file.seek(0)
                data = file.read()
            n_lines = data.count(b"\n")  # Splitting takes many times the memory of the text.
            if (count is not None and n_lines != count) or n_lines > MAX_WORDS:
                expected = f"at most {MAX_WORDS}" if count is None else count
                raise ModelFileError(
                    path, f"is damaged: expected {expected} lines, found {n_lines}"
                )
            text = data.decode(errors="surrogatepass")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise ModelFileError(path, f"is damaged: line {line} is not valid UTF-8") from error
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
        lines = text.split("\n")  # splitlines() also splits at Unicode separators
        if lines.pop() != "":
            raise ModelFileError(path, "is incomplete: it ends in the middle of a line")
        words = np.empty(len(lines), dtype=object)
        words[:] = [_unescape(path, line) for line in lines] if "\\" in text else lines
        return words


def _unescape(path: Path, line: str) -> str:
    """Replace the escape sequences that `save_words` wrote with the original characters."""
    try:
        return re.sub(r"\\.?", lambda match: UNESCAPES[match.group()], line)
    except KeyError as error:
        raise ModelFileError(path, f"is damaged: unknown escape sequence {error}") from error


def save_json(folder: Path, name: str, value: dict[str, Any]) -> None:
    """Write indented JSON without NaN to ``NAME.json``, so that every JSON parser accepts it."""
    text = json.dumps(value, indent=2, allow_nan=False)
    if len(text) > MAX_BYTES:
        raise LaconicError(
            f"{name}.json would be larger than {MAX_BYTES >> 20} MB and could not be loaded; pass "
            "long lists and dicts in parameters as arrays"
        )
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def load_json(folder: Path, name: str, *, newest: int | None = None) -> dict[str, Any]:
    """Read the JSON object in ``NAME.json``.

    Parameters
    ----------
    folder : Path
        Folder of the file.
    name : str
        Name of the file without its suffix.
    newest : int, optional
        Highest value of the field "format" that the caller supports.

    Raises
    ------
    ModelFileError
        The file is missing or damaged, or was written by a newer version of laconic.
    """
    path = file_inside(folder, f"{name}.json")
    value = parse_json(path)
    if not isinstance(value, dict):
        raise ModelFileError(path, "is damaged: it is not a JSON object")
    if newest is not None:
        _check_format(path, value.get("format"), newest)
    return value


def _check_format(path: Path, number: object, newest: int) -> None:
    """Raise if the format number is invalid or this version of laconic does not support it."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ModelFileError(path, "is damaged: it has no valid format number")
    if number > newest:
        raise ModelFileError(
            path,
            f"was written by a newer version of laconic (the file has format {number}, but this "
            f"version supports formats up to {newest}); upgrade laconic",
        )
