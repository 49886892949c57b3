"""Convert the state of a solver to JSON and arrays, and restore it without executing anything.

A resumed fit builds its solver as before, and then restores the state of the solver. A file
therefore contains only values. Functions, the engine and the documents stay those of the new
solver. Classes and steps are stored by name, and must be listed in the attribute ``SAVED`` of the
solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import csr

# attributes that are not stored, because a resumed fit sets them itself
KEPT = ("engine", "chunks", "D")
PLAIN = (bool, int, float, str, type(None))


class StateWriter:
    """Encodes the state of a solver; `arrays` then contains its arrays."""

    def __init__(self, saved: tuple[Any, ...]) -> None:
        self.saved = saved
        self.arrays: dict[str, np.ndarray] = {}
        self._names: dict[int, str] = {}

    def encode(self, value: Any) -> Any:
        """Convert a value to JSON, and add its arrays to `arrays`."""
        if isinstance(value, np.generic):  # not a float, because the dtype matters
            return {"scalar": self._array(np.asarray(value))}
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, np.dtype):
            return {"dtype": value.str}
        if sp.issparse(value):
            parts = [self._array(getattr(value, part)) for part in ("data", "indices", "indptr")]
            return {value.format: parts, "shape": list(value.shape)}
        if value in self.saved if callable(value) else type(value) in self.saved:
            return self._named(value)
        if isinstance(value, list | tuple):
            return {type(value).__name__: [self.encode(item) for item in value]}
        if hasattr(value, "load"):  # a state that an engine keeps in a file
            return self.encode(value.load())
        if type(value).__module__.startswith("laconic."):
            return {
                "object": {
                    name: self.encode(item)
                    for name, item in vars(value).items()
                    if name not in KEPT
                }
            }
        if callable(value):
            return {"kept": True}
        raise TypeError(f"a checkpoint cannot contain {type(value).__name__}")

    def _named(self, value: Any) -> dict[str, Any]:
        if callable(value):
            return {"function": value.__name__}
        names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
        return {
            "record": type(value).__name__,
            "fields": {name: self.encode(getattr(value, name)) for name in names},
        }

    def _array(self, array: np.ndarray) -> str:
        """Return the name of an array; an array that occurs twice is stored once."""
        name = self._names.setdefault(id(array), f"a{len(self._names)}")
        self.arrays[name] = array
        return name


class StateReader:
    """Restores what `StateWriter` encoded."""

    def __init__(self, saved: tuple[Any, ...], arrays: Mapping[str, np.ndarray]) -> None:
        self.saved = {value.__name__: value for value in saved}
        self.arrays = arrays
        self._loaded: dict[str, np.ndarray] = {}

    def restore(self, value: Any, tree: Any) -> Any:
        """Return the stored value; `value` is the value of the new solver."""
        if not isinstance(tree, dict):
            return tree
        tag = next(iter(tree))
        return self.DECODERS[tag](self, value, tree[tag], tree)

    def _array(self, name: str) -> np.ndarray:
        if name not in self._loaded:
            self._loaded[name] = self.arrays[name]
        return self._loaded[name]

    def _sparse(self, value: Any, parts: list[str], tree: dict[str, Any]) -> Any:
        data, indices, indptr = map(self._array, parts)
        n_rows, n_columns = tree["shape"]
        if "csc" in tree:
            return sp.csc_matrix((data, indices, indptr), shape=(n_rows, n_columns))
        return csr(data, indices, indptr, (n_rows, n_columns))

    def _record(self, value: Any, name: str, tree: dict[str, Any]) -> Any:
        stored = {key: self.restore(None, item) for key, item in tree["fields"].items()}
        return self.saved[name](**stored)

    def _object(self, value: Any, attributes: dict[str, Any], tree: dict[str, Any]) -> Any:
        for name, item in attributes.items():
            setattr(value, name, self.restore(getattr(value, name, None), item))
        return value

    DECODERS: dict[str, Callable[..., Any]] = {
        "array": lambda self, value, name, tree: self._array(name),
        "scalar": lambda self, value, name, tree: self._array(name)[()],
        "dtype": lambda self, value, name, tree: np.dtype(name),
        "csr": _sparse,
        "csc": _sparse,
        "list": lambda self, value, items, tree: [self.restore(None, item) for item in items],
        "tuple": lambda self, value, items, tree: tuple(self.restore(None, i) for i in items),
        "function": lambda self, value, name, tree: self.saved[name],
        "kept": lambda self, value, flag, tree: value,
        "record": _record,
        "object": _object,
    }
