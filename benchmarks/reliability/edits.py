"""Edits of saved folders that an attacker could make: arrays, JSON, words, columns and notes.

Each edit leaves files that can be parsed; shapes and dtypes in ``model.json`` are changed together
with the arrays. The manifest is removed or recomputed, so that the checks of the contents are
tested and not the checksums.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from laconic.files.arrays import save_array
from laconic.files.manifest import write_manifest

VALUES: list[Any] = [
    None, True, "abc", "", -1, 0, 1, 2, 3.5, -0.5, 1e-300, 1e308, 10**30, [], [1, 2], {}, "auto",
    {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"tuple": [1, "x"]}, {"set": ["a"]},
    {"dict": [["a", 1]]}, {"objects": [1, None]}, {"scalar": 7, "dtype": "<i8"},
    {"scalar": 1e30, "dtype": "<f4"}, {"tokenizer": "os:system"}, [[[]]], "a" * 10_000,
    {"words": "vocabulary", "count": 80},
]  # fmt: skip
NUMBERS: dict[str, Callable[[np.ndarray, random.Random], Any]] = {
    "NaN": lambda a, r: put(a, r, np.nan),
    "infinity": lambda a, r: put(a, r, np.inf),
    "minus infinity": lambda a, r: put(a, r, -np.inf),
    "large": lambda a, r: put(a, r, 3e38),
    "minus large": lambda a, r: put(a, r, -3e38),
    "quite large": lambda a, r: put(a, r, 1e14),
    "tiny": lambda a, r: put(a, r, 1e-45),
    "negative": lambda a, r: -a,
    "all zero": lambda a, r: a * 0,
    "all one": lambda a, r: a * 0 + 1,
    "all quite large": lambda a, r: a * 0 + np.asarray(1e14, a.dtype),
    "all tiny": lambda a, r: a * 0 + np.asarray(1e-40, a.dtype),
    "shuffled": lambda a, r: shuffled(a, r),
    "one zero": lambda a, r: put(a, r, 0),
    "random bits": lambda a, r: random_bits(a, r),
    "scaled up": lambda a, r: a * np.asarray(1e10, a.dtype),
    "scaled down": lambda a, r: a * np.asarray(1e-20, a.dtype),
}
INTEGERS: dict[str, Callable[[np.ndarray, random.Random], Any]] = {
    "minus one": lambda a, r: put(a, r, -1),
    "largest": lambda a, r: put(a, r, np.iinfo(a.dtype).max),
    "smallest": lambda a, r: put(a, r, np.iinfo(a.dtype).min),
    "one more": lambda a, r: put(a, r, None),
    "shuffled": lambda a, r: shuffled(a, r),
    "all zero": lambda a, r: a * 0,
    "reversed": lambda a, r: a[::-1],
    "random bits": lambda a, r: random_bits(a, r),
}
SHAPES: dict[str, Callable[[np.ndarray, random.Random], Any]] = {
    "one row less": lambda a, r: a[:-1],
    "one column less": lambda a, r: a[..., :-1],
    "one row more": lambda a, r: np.concatenate([a, a[:1]]),
    "transposed": lambda a, r: a.T if a.ndim > 1 else a[None],
    "flat": lambda a, r: a.reshape(-1),
    "no rows": lambda a, r: a[:0],
    "no columns": lambda a, r: a[..., :0],
    "doubles": lambda a, r: a.astype(np.float64),
    "floats": lambda a, r: a.astype(np.float32),
    "half floats": lambda a, r: a.astype(np.float16),
    "integers": lambda a, r: np.nan_to_num(a).astype(np.int64),
    "small integers": lambda a, r: np.nan_to_num(a).astype(np.int8),
    "booleans": lambda a, r: a.astype(bool),
    "other byte order": lambda a, r: a.astype(a.dtype.newbyteorder(">")),
    "strings": lambda a, r: a.astype("U8"),
}


def put(array: np.ndarray, draw: random.Random, value: Any) -> np.ndarray:
    """Replace one entry; None adds one to it."""
    array = np.array(array)
    if array.size:
        place = draw.randrange(array.size)
        with np.errstate(all="ignore"):
            array.flat[place] = array.flat[place] + 1 if value is None else value
    return array


def shuffled(array: np.ndarray, draw: random.Random) -> np.ndarray:
    flat = array.reshape(-1).copy()
    np.random.default_rng(draw.randrange(2**32)).shuffle(flat)
    return flat.reshape(array.shape)


def random_bits(array: np.ndarray, draw: random.Random) -> np.ndarray:
    data = bytearray(np.ascontiguousarray(array).tobytes())
    for _ in range(3):
        if data:
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return np.frombuffer(bytes(data), array.dtype).reshape(array.shape)


# --- edits of files ------------------------------------------------------------------------------


def edit_array(folder: Path, draw: random.Random) -> str:
    """Change the values, the shape or the dtype of one array, consistently with the JSON."""
    path = draw.choice(sorted(folder.glob("*.npy")))
    array = np.load(path)
    number_edits = NUMBERS if array.dtype.kind == "f" else INTEGERS
    edits = number_edits if draw.random() < 0.75 else SHAPES
    if array.dtype.kind not in "fiu":
        edits = SHAPES
    name = draw.choice(sorted(edits))
    with np.errstate(all="ignore"):
        try:
            changed = np.asarray(edits[name](array, draw))
        except (ValueError, TypeError, IndexError):
            return edit_array(folder, draw)
    save_array(folder, path.stem, changed)
    header = folder / ("corpus.json" if (folder / "corpus.json").exists() else "model.json")
    tree = json.loads(header.read_text())
    for node in nodes_of(tree):
        if isinstance(node, dict) and node.get("array") == path.stem:
            node["dtype"], node["shape"] = changed.dtype.str, list(changed.shape)
        if isinstance(node, dict) and f"{node.get('csr')}.data" == path.stem:
            node["dtype"] = changed.dtype.str
    header.write_text(json.dumps(tree))
    return f"{path.name}: {name}"


def edit_json(folder: Path, draw: random.Random) -> str:
    """Replace, delete or swap one value of a JSON file."""
    files = [path for path in sorted(folder.glob("*.json")) if path.stem != "manifest"]
    path = draw.choice([*files, *[p for p in files if p.stem != "notes"]])
    tree = json.loads(path.read_text())
    places = [
        (node, key)
        for node in nodes_of(tree)
        for key in (node if isinstance(node, dict) else range(len(node)))
    ]
    node, key = draw.choice(places)
    kind = draw.choice(["replace", "replace", "replace", "delete", "swap", "rename"])
    if kind == "replace":
        value = draw.choice(VALUES)
        node[key] = value
        what = f"set to {json.dumps(value)[:40]}"
    elif kind == "delete":
        del node[key]
        what = "deleted"
    elif kind == "swap":
        other, other_key = draw.choice(places)
        node[key], other[other_key] = other[other_key], node[key]
        what = f"swapped with {other_key}"
    elif isinstance(node, dict):
        node[f"{key}x_"] = node.pop(key)
        what = "renamed"
    else:
        node.append(node[key])
        what = "appended again"
    try:
        text = json.dumps(tree)
    except (ValueError, RecursionError):  # A value was swapped with its own part.
        return edit_json(folder, draw)
    path.write_text(text)
    return f"{path.name}, {key}: {what}"


def edit_words(folder: Path, draw: random.Random) -> str:
    """Change one list of words."""
    path = draw.choice(sorted(folder.glob("*.txt")))
    lines = path.read_text().split("\n")[:-1]
    place = draw.randrange(len(lines))
    edits: dict[str, Callable[[], None]] = {
        "word twice": lambda: lines.__setitem__(place, lines[place - 1]),
        "empty word": lambda: lines.__setitem__(place, ""),
        "long word": lambda: lines.__setitem__(place, "x" * 100_000),
        "odd characters": lambda: lines.__setitem__(place, "\x00\u202e\ud7ff\U0010ffff \t"),
        "reversed": lambda: lines.reverse(),
        "terminal codes": lambda: lines.__setitem__(place, "\x1b[2J\x1b]0;title\x07"),
    }
    name = draw.choice(sorted(edits))
    edits[name]()
    path.write_text("\n".join(lines) + "\n")
    return f"{path.name}: {name}"


def edit_columns(folder: Path, draw: random.Random) -> str:
    """Change one column of the documents of a store."""
    import polars as pl

    path = folder / "documents.parquet"
    frame = pl.read_parquet(path)
    n = len(frame)
    if not frame.columns:
        return edit_array(folder, draw)
    column = draw.choice(frame.columns)
    values: dict[str, list[Any]] = {
        "numbers": list(range(n)),
        "nothing": [None] * n,
        "lists": [["a", "b"]] * n,
        "objects": [{"a": 1}] * n,
        "bytes": [b"\xff\x00"] * n,
        "NaN": [float("nan")] * n,
        "the same": ["x"] * n,
        "long": ["y" * 100_000] * n,
        "booleans": [True] * n,
        "strange": ["\x1b[2J\u202e\x00"] * n,
    }
    name = draw.choice([*sorted(values), "fewer rows", "more rows", "renamed", "dropped"])
    if name in values:
        frame = frame.with_columns(pl.Series(column, values[name]))
    elif name == "fewer rows":
        frame = frame[:-1]
    elif name == "more rows":
        frame = pl.concat([frame, frame])
    elif name == "renamed":
        frame = frame.rename({column: "other"})
    else:
        frame = frame.drop(column)
    frame.write_parquet(path)
    return f"{path.name}, {column}: {name}"


def nodes_of(tree: Any) -> Iterator[Any]:
    """Yield all non-empty lists and objects in a JSON value."""
    if isinstance(tree, (dict, list)) and tree:
        yield tree
        for item in list(tree.values() if isinstance(tree, dict) else tree):
            yield from nodes_of(item)


def edit(folder: Path, draw: random.Random) -> str:
    """Edit a folder at random, leave its manifest unchanged, and return what was edited."""
    kinds: list[Callable[[Path, random.Random], str]] = [edit_array] * 5 + [edit_json] * 5
    if list(folder.glob("*.txt")):
        kinds.append(edit_words)
    if (folder / "documents.parquet").exists():
        kinds += [edit_columns] * 3
    return draw.choice(kinds)(folder, draw)


def forge_manifest(folder: Path, draw: random.Random) -> str:
    """Remove or recompute the manifest, as an attacker would."""
    kind = json.loads((folder / "manifest.json").read_text())["kind"]
    (folder / "manifest.json").unlink()
    if draw.random() < 0.5:
        return "manifest removed"
    write_manifest(folder, kind)
    return "manifest recomputed"
