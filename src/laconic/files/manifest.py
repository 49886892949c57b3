"""The file ``manifest.json`` in each saved folder: sizes and checksums of all other files.

The manifest detects damage, such as a flipped bit or a file of another save. It cannot detect
forgery, because whoever changes a file can also change the manifest. The file contains::

    {"format": 1, "kind": "pipeline", "laconic": "1.0", "python": "3.12.1", "numpy": "2.1.0",
     "scipy": "1.14.0", "saved": "2026-01-31T12:00:00+00:00",
     "files": {"model.json": {"bytes": 812, "blake2b": "…"},
               "model.components_.data.npy": {"bytes": …, "blake2b": "…", "dtype": "<f4",
                                              "shape": [900]}, …},
     …, "checksum": "…"}

``checksum`` is the checksum of the manifest itself, without this field. ``notes.json`` and
``automatic.json`` are not in the manifest, because programs change them after the folder was saved;
they have their own checksums.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from laconic import __version__
from laconic.errors import ModelFileError
from laconic.files.arrays import file_inside, load_json, save_json
from laconic.files.npy import array_type

FORMAT = 1
FILE = "manifest.json"
AUTOMATIC = "automatic.json"
CHANGING = ("notes.json", AUTOMATIC)
SMALL = 1 << 20  # files of at most this many bytes are verified whenever a folder is loaded
MAX_FILES = 100_000


@dataclass(frozen=True)
class Manifest:
    """Contents of the manifest of a folder."""

    folder: Path
    tree: dict[str, Any]

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        return self.tree["files"]

    @property
    def n_bytes(self) -> int:
        return sum(entry["bytes"] for entry in self.files.values())

    def check(self, *, limit: int | None = SMALL, only: str | None = None) -> None:
        """Raise a ModelFileError if files are missing, or have another size or checksum.

        Parameters
        ----------
        limit : int or None
            Maximum size of the files whose checksums are computed; None means all files.
        only : str, optional
            Name of the only file to check.
        """
        problems = self.problems(limit=limit, only=only)
        if problems:
            raise combined(self.folder, problems)

    def problems(
        self, *, limit: int | None = None, only: str | None = None
    ) -> list[ModelFileError]:
        """Return one error for each file that differs from the manifest."""
        problems = []
        for name, entry in self.files.items():
            if only is None or name == only:
                try:
                    _check_file(file_inside(self.folder, name), entry, limit)
                except ModelFileError as error:
                    problems.append(error)
        return problems


def combined(folder: str | Path, problems: list[ModelFileError]) -> ModelFileError:
    """Return one error for several damaged files of a folder."""
    if len(problems) == 1:
        return problems[0]
    names = ", ".join(Path(error.path).name for error in problems)
    return ModelFileError(
        folder, f"{len(problems)} files are damaged: {names}; restore the folder from a copy"
    )


def no_manifest(folder: str | Path) -> ModelFileError:
    """Return the error for a folder that cannot be verified."""
    return ModelFileError(
        folder,
        f"has no {FILE}, so damage cannot be detected (an older version may have saved it); to add "
        "one, load it and save it again",
    )


def _check_file(path: Path, entry: dict[str, Any], limit: int | None) -> None:
    try:
        size = path.stat().st_size
        if size != entry["bytes"]:
            raise ModelFileError(
                path, f"is damaged: it has {size:,} bytes, but was saved with {entry['bytes']:,}"
            )
        if (limit is None or size <= limit) and checksum_of(path) != entry["blake2b"]:
            raise ModelFileError(
                path,
                "is damaged or was changed since it was saved, because its checksum differs; "
                "restore it from a copy, or save the model or corpus again",
            )
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror}") from error


def checksum_of(path: Path) -> str:
    """Return the checksum of a file, which is read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, _blake2b).hexdigest()


def _blake2b(data: bytes = b"") -> Any:
    return hashlib.blake2b(data, digest_size=16)


def write_manifest(
    folder: Path, kind: str, fingerprinted: Sequence[str] = (), **facts: Any
) -> None:
    """Write the manifest of a folder whose other files are complete.

    Parameters
    ----------
    folder : Path
    kind : str
        "model", "pipeline" or "corpus".
    fingerprinted : sequence of str
        Names of files, some of which may not exist. A checksum of their contents becomes the entry
        `fingerprint`.
    **facts
        Other entries of the manifest, such as `history`.
    """
    names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    files = {name: _entry(folder / name) for name in names if name not in CHANGING}
    if fingerprinted:
        checksums = [files[name]["blake2b"] for name in fingerprinted if name in files]
        facts["fingerprint"] = checksum_of_tree(checksums)
    tree = {
        "format": FORMAT,
        "kind": kind,
        "laconic": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "saved": now(),
        **facts,
        "files": files,
    }
    save_json(folder, "manifest", {**tree, "checksum": checksum_of_tree(tree)})


def now() -> str:
    """Return the current time as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _entry(path: Path) -> dict[str, Any]:
    entry: dict[str, Any] = {"bytes": path.stat().st_size, "blake2b": checksum_of(path)}
    if path.suffix == ".npy":
        dtype, shape = array_type(path)
        entry |= {"dtype": dtype.str, "shape": list(shape)}
    return entry


def checksum_of_tree(tree: Any) -> str:
    """Return the checksum of a JSON value, which does not depend on spaces and order of keys.

    Examples
    --------
    >>> checksum_of_tree({"a": 1, "b": [2]}) == checksum_of_tree({"b": [2], "a": 1})
    True
    """
    text = json.dumps(tree, sort_keys=True, separators=(",", ":"))
    return str(_blake2b(text.encode()).hexdigest())


def load_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of a folder; return None if a version without manifests wrote the folder.

    Raises
    ------
    ModelFileError
        The manifest itself is damaged.
    """
    if not os.path.lexists(folder / FILE):
        return None
    tree = load_json(folder, "manifest", newest=FORMAT)
    rest = {key: value for key, value in tree.items() if key != "checksum"}
    if tree.get("checksum") != checksum_of_tree(rest):
        raise ModelFileError(
            folder / FILE, "is damaged, because its checksum differs; restore it from a copy"
        )
    files = tree.get("files")
    if not isinstance(files, dict) or len(files) > MAX_FILES or not all(map(_fits, files.values())):
        raise ModelFileError(folder / FILE, "is damaged: its list of files is not valid")
    return Manifest(folder, tree)


def _fits(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and type(entry.get("bytes")) is int
        and isinstance(entry.get("blake2b"), str)
    )
