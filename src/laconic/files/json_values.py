"""Encode parameters and attributes as JSON, and store their arrays in separate files.

Values that JSON cannot represent become JSON objects whose first key names the type::

    {"array": "model.mean_", "dtype": "<f8", "shape": [100]}          numbers in a file
    {"csr": "model.components_", "dtype": "<f4", "shape": [10, 100], "matrix": true}
    {"csr": …, "dense": true}                          a dense matrix of mostly zeros
    {"words": "vocabulary", "count": 100}                             strings in a file
    {"tuple": [1, 2]}  {"dict": [["key", 1]]}  {"set": [1]}  {"objects": ["a", 1]}
    {"float": "nan"}  {"scalar": 0.5, "dtype": "<f4"}                 numbers
    {"tokenizer": "module:name"}, {"lemmatizer": …}                   name of a user's function

Decoding these objects does not execute or import anything.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from laconic.errors import LaconicError, ModelFileError
from laconic.files.array_reader import ArrayReader, blocks_of
from laconic.files.array_writer import ArrayWriter
from laconic.files.arrays import (
    MAX_DENSE_BYTES,
    MAX_WORDS,
    WordsReader,
    file_inside,
    load_array,
    load_csr,
    load_words,
    save_array,
    save_csr,
    save_words,
)

logger = logging.getLogger(__name__)

MAX_STEM = 100  # maximum length of the name of a file, without its endings
SMALL = 1 << 16  # minimum number of entries of a dense matrix that may be saved as CSR
PLAIN = (bool, int, str, type(None))
FUNCTIONS = ("tokenizer", "lemmatizer")  # parameters that may be functions of the user
VOCABULARIES = ("vocabulary_", "feature_names_in_")  # attributes that contain the words of a model


class Encoder:
    """Convert parameters and fitted attributes to JSON, and write their arrays to files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: set[str] = set()
        self.words: dict[str, np.ndarray] = {}

    def encode(self, value: Any, name: str) -> Any:
        """Convert a value to JSON; file names and error messages contain `name`."""
        parameter = name.rpartition(".")[2]
        if parameter in FUNCTIONS and _is_function(value):
            return {parameter: function_name(value)}
        if isinstance(value, np.str_):
            return str(value)
        if isinstance(value, np.generic):
            return {"scalar": self.encode(value.item(), name), "dtype": value.dtype.str}
        if isinstance(value, PurePath):
            return str(value)
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if sparse.issparse(value):
            return self._csr(value, name)
        if isinstance(value, list):
            return self._items(value, name)
        if isinstance(value, tuple):
            return {"tuple": self._items(value, name)}
        if isinstance(value, set | frozenset):
            return {"set": self._items(sorted(value, key=repr), name)}
        if isinstance(value, dict):
            return {
                "dict": [
                    [self.encode(key, name), self.encode(item, f"{name}.{key}")]
                    for key, item in value.items()
                ]
            }
        return self._other(value, name)

    def _items(self, values: Any, name: str) -> list[Any]:
        return [self.encode(item, f"{name}.{i}") for i, item in enumerate(values)]

    def _array(self, array: np.ndarray, name: str) -> dict[str, Any]:
        if array.dtype == object and array.ndim == 1:
            if all(issubclass(kind, str) for kind in set(map(type, array))):
                return self._words(array, name)
            return {"objects": self._items(array, name)}
        if array.dtype.kind not in "biufSU":
            raise LaconicError(
                f"{name} is an array of {array.dtype}, which cannot be saved; "
                "convert the array to real numbers or strings"
            )
        if _is_mostly_zero(array):
            return {**self._csr(sparse.csr_matrix(array), name), "dense": True}
        file = self.file_name(name)
        save_array(self.folder, file, array)
        return {"array": file, "dtype": array.dtype.str, "shape": list(array.shape)}

    def copy(self, array: Any, name: str) -> dict[str, Any]:
        """Write an array, or an array that is in another file, to a file, block by block."""
        width = array.shape[1] if len(array.shape) > 1 else None
        return self.write(blocks_of(array), name, array.dtype, width)

    def write(
        self, parts: Iterable[Any], name: str, dtype: DTypeLike, width: int | None = None
    ) -> dict[str, Any]:
        """Write an array to a file, part by part."""
        with self.writer(name, dtype, width) as writer:
            for part in parts:
                writer.append(part)
        return writer.tree()

    def writer(self, name: str, dtype: DTypeLike, width: int | None = None) -> EncodedArray:
        """Return a writer of an array that is written part by part."""
        return EncodedArray(self.folder, self.file_name(name), dtype, width)

    def _words(self, words: np.ndarray, name: str) -> dict[str, Any]:
        """Write strings to a file; a vocabulary shared by several steps is written only once."""
        for file, written in self.words.items():
            if np.array_equal(written, words):
                return {"words": file, "count": len(words)}
        is_vocabulary = name.endswith(VOCABULARIES)
        file = self.file_name("vocabulary" if is_vocabulary else name)
        self.words[file] = words
        save_words(self.folder, file, words)
        return {"words": file, "count": len(words)}

    def _csr(self, matrix: Any, name: str) -> dict[str, Any]:
        if matrix.format != "csr":
            raise LaconicError(
                f"{name} is a sparse {matrix.format} matrix, but only CSR matrices can be saved; "
                "convert it with .tocsr()"
            )
        file = self.file_name(name)
        save_csr(self.folder, file, matrix)
        return {
            "csr": file,
            "dtype": matrix.dtype.str,
            "shape": list(matrix.shape),
            "matrix": isinstance(matrix, sparse.spmatrix),
        }

    def _other(self, value: Any, name: str) -> Any:
        """Encode a random generator as None; raise for a value of any other type."""
        if isinstance(value, np.random.RandomState | np.random.Generator):
            logger.info(
                "%s is saved as None, because it is a random generator and not a seed", name
            )
            return None
        raise LaconicError(
            f"{name} has type {type(value).__name__}, which cannot be saved; use numbers, strings, "
            "arrays, or lists and dicts of these types"
        )

    def file_name(self, name: str) -> str:
        """Return a file name that is not yet used and that is valid on every file system."""
        stem = re.sub(r"[^A-Za-z0-9_.]|^\.", "_", name)[:MAX_STEM]
        unused = stem
        count = 1
        while unused.lower() in self.names:
            count += 1
            unused = f"{stem}-{count}"
        self.names.add(unused.lower())
        return unused


class EncodedArray(ArrayWriter):
    """Writer of an array in a folder, with the JSON that describes the array."""

    def __init__(self, folder: Path, file: str, dtype: DTypeLike, width: int | None) -> None:
        super().__init__(folder / f"{file}.npy", dtype, width)
        self.file = file

    def tree(self) -> dict[str, Any]:
        """Return the JSON of the array."""
        return {"array": self.file, "dtype": self.dtype.str, "shape": [*self.shape]}


class Decoder:
    """Convert the JSON that `Encoder` wrote back to values, and check the values."""

    def __init__(self, folder: Path, functions: Mapping[str, Callable[..., Any] | None]) -> None:
        self.folder = folder
        self.functions = functions
        self.needed_functions: set[str] = set()
        self.words: dict[str, np.ndarray] = {}
        self.opened: dict[str, Any] = {}  # files that are read in slices, or later

    def decode(self, tree: Any) -> Any:
        """Return the value that a JSON tree represents."""
        if isinstance(tree, list):
            return [self.decode(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        tag = next(iter(tree), "")
        if tag not in self.DECODERS:
            raise self.damaged(f"it contains a value of unknown type {tag!r}")
        return self.DECODERS[tag](self, tree)

    def open(self, tree: Any) -> None:
        """Open all files of a value, so that it can still be decoded if they are replaced."""
        if not isinstance(tree, dict):
            return
        tag = next(iter(tree), "")
        if tag == "array":
            self.reader(tree)
        elif tag == "csr":
            self.csr_readers(tree)
        elif tag == "words":
            self.words_reader(tree)
        elif tag not in self.DECODERS:
            for part in tree.values():
                self.open(part)

    def reader(self, tree: Any) -> ArrayReader:
        """Open an array that is read in slices; its dtype and shape must be those of the JSON."""
        return self._reader(str(tree["array"]), _dtype(tree), _shape(tree))

    def csr_readers(self, tree: Any) -> dict[str, ArrayReader]:
        """Open the arrays of a CSR matrix, which are read in slices and not checked."""
        n_rows, n_columns = _shape(tree)
        if n_columns > MAX_WORDS:
            raise self.damaged(f"the matrix {tree['csr']} has {n_columns} columns")
        name = str(tree["csr"])
        indptr = self._reader(f"{name}.indptr", None, (n_rows + 1,))
        indices = self._reader(f"{name}.indices", None, None)
        data = self._reader(f"{name}.data", _dtype(tree), indices.shape)
        for reader in (indptr, indices):
            if reader.dtype not in (np.int32, np.int64) or reader.ndim != 1:
                raise ModelFileError(
                    reader.path, f"is damaged: expected int32 or int64, found {reader.dtype}"
                )
        if int(indptr[0]) != 0 or int(indptr[-1]) != len(indices):
            raise ModelFileError(
                indptr.path, "is damaged: the row pointers (indptr) of the CSR matrix are not valid"
            )
        return {"data": data, "indices": indices, "indptr": indptr}

    def words_reader(self, tree: Any) -> WordsReader:
        """Open strings that are read later."""
        name, count = str(tree["words"]), _length(tree["count"])
        key = f"{count} words of {name}"
        if key not in self.opened:
            self.opened[key] = WordsReader(self.folder, name, count=count)
        return self.opened[key]

    def _reader(
        self, name: str, dtype: np.dtype | None, shape: tuple[int, ...] | None
    ) -> ArrayReader:
        file = f"{name}.npy"
        if file not in self.opened:
            self.opened[file] = ArrayReader(file_inside(self.folder, file))
        reader: ArrayReader = self.opened[file]
        if dtype is not None and reader.dtype != dtype:
            raise ModelFileError(reader.path, f"is damaged: expected {dtype}, found {reader.dtype}")
        if shape is not None and reader.shape != shape:
            raise ModelFileError(
                reader.path, f"is damaged: expected shape {shape}, found {reader.shape}"
            )
        return reader

    def damaged(self, problem: str) -> ModelFileError:
        """Return an error that says why ``model.json`` is damaged."""
        return ModelFileError(self.folder / "model.json", f"is damaged: {problem}")

    def _array(self, tree: dict[str, Any]) -> np.ndarray:
        return load_array(self.folder, str(tree["array"]), dtype=_dtype(tree), shape=_shape(tree))

    def _csr(self, tree: dict[str, Any]) -> Any:
        n_rows, n_columns = _shape(tree)
        dtype = _dtype(tree)
        matrix = load_csr(self.folder, str(tree["csr"]), shape=(n_rows, n_columns), dtype=dtype)
        if not tree.get("dense"):
            return matrix if tree["matrix"] else sparse.csr_array(matrix)
        if n_rows * n_columns * dtype.itemsize > MAX_DENSE_BYTES:
            raise self.damaged(
                f"the dense matrix {tree['csr']} would have {n_rows} x {n_columns} entries"
            )
        return matrix.toarray()

    def _words(self, tree: dict[str, Any]) -> np.ndarray:
        file = str(tree["words"])
        if file not in self.words:
            self.words[file] = load_words(self.folder, file, count=_length(tree["count"]))
        return self.words[file]

    def _objects(self, tree: dict[str, Any]) -> np.ndarray:
        items = [self.decode(item) for item in tree["objects"]]
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array

    def _scalar(self, tree: dict[str, Any]) -> Any:
        return _dtype(tree).type(self.decode(tree["scalar"]))

    def _function(self, tree: dict[str, Any]) -> Any:
        parameter, name = next(iter(tree.items()))
        self.needed_functions.add(parameter)
        # If the value is the name of a function, Vectorizer raises an error that asks for it.
        return self.functions.get(parameter) or str(name)

    DECODERS: dict[str, Callable[..., Any]] = {
        "array": _array,
        "csr": _csr,
        "words": _words,
        "objects": _objects,
        "scalar": _scalar,
        **dict.fromkeys(FUNCTIONS, _function),
        "float": lambda self, tree: float(tree["float"]),
        "tuple": lambda self, tree: tuple(self.decode(tree["tuple"])),
        "set": lambda self, tree: set(self.decode(tree["set"])),
        "dict": lambda self, tree: dict(self.decode(tree["dict"])),
    }


def _is_mostly_zero(array: np.ndarray) -> bool:
    """Return whether a matrix is large, and CSR takes less than half of its bytes."""
    if array.ndim != 2 or array.size < SMALL or array.dtype.kind != "f":
        return False
    if array.nbytes > MAX_DENSE_BYTES:
        return False
    return bool(2 * np.count_nonzero(array) * (array.itemsize + 4) < array.nbytes)


def _is_function(value: Any) -> bool:
    """Return whether a value is a function, or the name of a function that was not supplied."""
    return callable(value) or (isinstance(value, str) and ":" in value)


def function_name(function: Any) -> str:
    """Return the module and name of a function for messages; no code imports this name.

    Examples
    --------
    >>> function_name(re.escape), function_name(str.split), function_name("a name")
    ('re:escape', 'builtins:str.split', 'a name')
    """
    if isinstance(function, str):
        return function
    module = getattr(function, "__module__", None) or type(function).__module__
    return f"{module}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def _shape(tree: dict[str, Any]) -> tuple[int, ...]:
    return tuple(_length(length) for length in tree["shape"])


def _length(value: Any) -> int:
    """Return the length of an axis; raise if it is not a non-negative integer."""
    if type(value) is not int or value < 0:
        raise ValueError(f"length {value!r:.50}")
    return value


def _dtype(tree: dict[str, Any]) -> np.dtype:
    """Return the dtype of a saved array; raise if the array contains Python objects."""
    dtype = np.dtype(str(tree["dtype"])).newbyteorder("=")
    if dtype.kind not in "biufSU":
        raise ValueError(f"dtype {dtype}")
    return dtype


def readable(tree: Any) -> Any:
    """Convert a saved value to plain JSON for display; describe arrays by shape and dtype."""
    if isinstance(tree, list):
        return [readable(item) for item in tree]
    if not isinstance(tree, dict) or not tree:
        return tree
    tag, value = next(iter(tree.items()))
    if tag in ("array", "csr"):
        return f"{' x '.join(map(str, tree['shape']))} {tree['dtype']}"
    if tag == "words":
        return f"{tree['count']} words"
    if tag == "dict":
        return {str(key): readable(item) for key, item in value}
    return readable(value)


def files_of(tree: Any) -> set[str]:
    """Return the names of the files that contain a saved value, except ``vocabulary.txt``."""
    if not isinstance(tree, dict):
        return set()
    if "array" in tree:
        return {f"{tree['array']}.npy"}
    if "csr" in tree:
        return {f"{tree['csr']}.{part}.npy" for part in ("data", "indices", "indptr")}
    if "words" in tree and isinstance(tree["words"], str):
        return {f"{tree['words']}.txt"} - {"vocabulary.txt"}
    return {name for part in tree.values() for name in files_of(part)}
