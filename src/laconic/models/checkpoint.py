"""Checkpoints: the state of a fit after each pass, from which an interrupted fit continues.

The folder contains one file per solver of a fit, named after the model and a fingerprint of the
documents and parameters. Different fits can therefore share a folder. A fit that finds the file of
an earlier run restores the state of its solver and continues with the next pass, so the result has
the same bits as that of a fit that was not interrupted. A file is an archive of arrays (``.npz``),
in which every array has a checksum. One of the arrays contains JSON.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic import __version__
from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.engines.stats import Stats
from laconic.errors import LaconicError, ModelFileError
from laconic.files.atomic_file import replacing
from laconic.files.json_values import function_name
from laconic.files.leftovers import clean_up, write_problem
from laconic.models.passes import Passes
from laconic.models.solver_state import StateReader, StateWriter
from laconic.wording import plural

logger = logging.getLogger(__name__)

# parameters that do not change the result, so a fit can be continued with other values
IRRELEVANT = ("checkpoint", "engine", "n_jobs", "sparse_output", "verbose")
TREE = "state"  # name of the array that contains JSON
DAMAGED = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    EOFError,
    OSError,
    AttributeError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,  # from NumPy's parser of headers
    zipfile.BadZipFile,
    zlib.error,
)


class Checkpoint:
    """Files of one fit in the folder of its checkpoints.

    Parameters
    ----------
    folder : str or Path
        Folder, which is created if it does not exist.
    name : str
        Name of the files, which identifies the fit.
    """

    def __init__(self, folder: str | Path, name: str) -> None:
        self.folder = Path(folder)
        self.name = name
        self.n_stages = 0
        self.is_open = True
        _make_private_folder(self.folder)

    def next_stage(self) -> Stage:
        """Return the checkpoint of the next solver of the fit."""
        self.n_stages += 1
        return Stage(self, self.n_stages)

    def path(self, stage: int) -> Path:
        return self.folder / f"{self.name}-{stage}.npz"

    def close(self) -> None:
        """Write no more states, because the fit was interrupted and the rest is provisional."""
        self.is_open = False

    def finish(self) -> None:
        """Delete the files of a fit that has finished."""
        if self.is_open:
            self.delete_from(1)

    def delete_from(self, stage: int) -> None:
        """Delete the files of a stage and of all later stages."""
        while (path := self.path(stage)).exists():
            clean_up(path)
            path.unlink(missing_ok=True)
            stage += 1


class Stage:
    """Checkpoint of one solver; a fit may have several solvers, one after the other."""

    def __init__(self, checkpoint: Checkpoint, number: int) -> None:
        self.checkpoint = checkpoint
        self.number = number
        self._next_save = 0.0  # time at which saving is due

    def restore(self, solver: Any) -> Passes | None:
        """Restore the state of a solver; return None if there is no file."""
        path = self.checkpoint.path(self.number)
        if not self.checkpoint.is_open or not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                tree = json.loads(arrays[TREE].tobytes())
                reader = StateReader(solver.SAVED, arrays)
                passes = Passes(**tree["passes"])
                reader.restore(solver, tree["solver"])
        except DAMAGED as error:
            raise ModelFileError(
                path, "is a damaged checkpoint; delete it to start the fit from the beginning"
            ) from error
        if not passes.finished:  # Later files belong to a run that was interrupted by the user.
            self.checkpoint.delete_from(self.number + 1)
        done = plural(passes.n_iter, "pass", "passes")
        logger.info("The fit continues after %s from the checkpoint %s", done, path)
        return passes

    def is_due(self) -> bool:
        """Return whether a solver with many short steps should save now, in a tenth of its time."""
        return time.monotonic() >= self._next_save

    def save(self, solver: Any, passes: Passes) -> None:
        """Write the state of a solver atomically."""
        if not self.checkpoint.is_open:
            return
        started = time.monotonic()
        writer = StateWriter(solver.SAVED)
        tree = {"passes": passes._asdict(), "solver": writer.encode(solver)}
        header = np.frombuffer(json.dumps(tree).encode(), np.uint8)
        path = self.checkpoint.path(self.number)
        try:
            with replacing(path) as file:
                np.savez(file, **{TREE: header}, **writer.arrays)  # type: ignore[arg-type]
        except OSError as error:
            raise LaconicError(f"The checkpoint {path} {write_problem(error)}.") from error
        self._next_save = time.monotonic() + 9 * (time.monotonic() - started)


def open_checkpoint(model: Any, engine: Engine, chunks: Sequence[Chunk], labels: Any) -> Checkpoint:
    """Return the checkpoint of a fit of `model` to documents and labels."""
    if not isinstance(model.random_state, Integral):
        raise LaconicError(
            "With checkpoint=, random_state must be an integer, because a fit that continues must "
            f"draw the same random numbers; got {model.random_state!r}."
        )
    documents: Digest = engine.map_reduce(hash_chunk, None, chunks)
    params = model.get_params(deep=False)
    digest = hashlib.blake2b(digest_size=8)
    digest.update(f"{__version__} {type(model).__name__}".encode())
    digest.update(documents.value)
    for name in sorted(params.keys() - set(IRRELEVANT)):
        digest.update(name.encode())
        _add(digest, params[name])
    _add(digest, None if labels is None else np.asarray(labels, dtype=object).tolist())
    return Checkpoint(model.checkpoint, f"{type(model).__name__}-{digest.hexdigest()}")


@dataclass
class Digest(Stats):
    """Fingerprint of the documents of some chunks, in order."""

    value: bytes

    def merge(self, other: Digest) -> Digest:
        return Digest(hashlib.blake2b(self.value + other.value).digest())

    def copy(self) -> Digest:
        return self


def hash_chunk(params: None, chunk: Chunk, state: Any) -> tuple[Digest, Any]:
    """Engine step: compute the fingerprint of a chunk."""
    digest = hashlib.blake2b()
    _add(digest, chunk.load())
    return Digest(digest.digest()), state


def _add(digest: Any, value: Any) -> None:
    """Add a parameter or a matrix to a hash."""
    if sp.issparse(value):
        rows = value.tocsr()
        for part in (np.array(rows.shape), rows.data, rows.indices, rows.indptr):
            _add(digest, part)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{value.dtype.str} {value.shape}".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif isinstance(value, dict):
        for key in value:
            _add(digest, key)
            _add(digest, value[key])
    elif isinstance(value, list | tuple):
        digest.update(f"{len(value)}[".encode())
        for item in value:
            _add(digest, item)
    else:
        digest.update(f"{function_name(value) if callable(value) else value!r};".encode())


def _make_private_folder(folder: Path) -> None:
    """Create the folder, or check that nobody else can write to it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except FileExistsError as error:
        raise LaconicError(
            f"The checkpoint {folder} is a file, not a folder; choose another folder."
        ) from error
    except OSError as error:
        raise LaconicError(
            f"The checkpoint folder {folder} cannot be created: {error.strerror or error}; choose "
            "another folder."
        ) from error
    if os.name == "posix" and (status.st_mode & 0o002 or status.st_uid not in (os.geteuid(), 0)):
        raise LaconicError(
            f"The checkpoint {folder} is a folder that other users can change; choose a folder "
            "that only you can write to."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LaconicError(
            f"The checkpoint {folder} is a folder that you have no permission to write to; choose "
            "another folder."
        )
