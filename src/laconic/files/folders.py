"""Folders of plain arrays, words and JSON: how a saved model and a corpus store lie on disk.

A folder appears whole or not at all: it is written beside its place under a hidden name,
flushed to disk and renamed. Nothing that is read back is trusted: no pickle, no file outside
the folder, no shape or index that could lead a compiled kernel astray.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from laconic.errors import ModelFileError

try:
    import fcntl
except ImportError:  # Windows: leftovers of a killed writer then stay until deleted by hand
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

MARKERS = ("model.json", "corpus.json")  # one of them makes a folder ours
SUFFIXES = (".npy", ".txt", ".json", ".parquet")  # all that is ever written into one
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # of a file name; no "..", no hidden file

ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {escape: character for character, escape in ESCAPES.items()}

# One at a time, as numpy gives the header of an array to `ast.literal_eval`, and Python 3.11 counts
# the depth of all syntax trees under construction in one place (python/cpython#106905): a garbage
# collection in the middle of one runs finalizers, so another thread may have its turn, and if that
# reads a header too, both counts are wrong: "SystemError: AST constructor recursion depth mismatch"
# in a fit by threads from a corpus on disk.
_HEADER = threading.Lock()


# ---- writing a folder whole or not at all ----


def check_target(path: str | Path, force: bool = False) -> Path:
    """Return where a folder would be written, or say why it would not be.

    Parameters
    ----------
    path : str or Path
        Folder to write; a symbolic link is followed.
    force : bool
        Whether a saved model or corpus store that is already there may be replaced.

    Raises
    ------
    ModelFileError
        Something is there and `force` is false, or it is not laconic's own.
    """
    target = Path(os.path.realpath(path))
    if not os.path.lexists(target):
        if not target.parent.is_dir():
            raise ModelFileError(path, f"the folder {target.parent} does not exist; make it first")
        return target
    if not force:
        raise ModelFileError(path, "exists; give force=True (--force) to replace it")
    if not target.is_dir():
        raise ModelFileError(path, "is a file, not a saved model or corpus; choose another name")
    stranger = _stranger(target)
    if stranger is not None:
        raise ModelFileError(
            path, f"holds {stranger}, which laconic did not write; it is not replaced"
        )
    return target


def _stranger(folder: Path) -> str | None:
    """Name of an entry that shows that the folder is not (only) ours; None if it may go."""
    entries = sorted(entry for entry in folder.rglob("*") if entry.name != ".DS_Store")
    if entries and not any((folder / marker).is_file() for marker in MARKERS):
        return entries[0].name
    for entry in entries:
        if entry.is_symlink() or not (entry.is_dir() or entry.suffix in SUFFIXES):
            return str(entry.relative_to(folder))
    return None


def write_folder(path: str | Path, force: bool, write: Callable[[Path], None]) -> None:
    """Fill a folder so that it appears at `path` whole or not at all.

    Parameters
    ----------
    path : str or Path
        Where the folder shall be.
    force : bool
        Replace a saved model or corpus store that is already there. It stays whole until the
        new one is complete. Anything else that is there is never touched.
    write : callable
        Called with the path of an empty folder on the same file system, which it fills.

    Raises
    ------
    ModelFileError
        The place is taken, or the disk is full, read-only or out of reach.

    Examples
    --------
    >>> import tempfile
    >>> from laconic.files.folders import load_json, save_json, write_folder
    >>> with tempfile.TemporaryDirectory() as home:
    ...     place = Path(home, "small.model")
    ...     write_folder(place, False, lambda folder: save_json(folder, "model", {"format": 1}))
    ...     load_json(place, "model")
    {'format': 1}
    """
    try:
        _tidy(Path(os.path.realpath(path)))
        target = check_target(path, force)
        temporary = _sibling(target, "tmp")
        temporary.mkdir()
        lock = _lock(temporary)
        try:
            write(temporary)
            _flush(temporary)
            _move_in(temporary, check_target(path, force))  # much may have happened meanwhile
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            if lock is not None:
                os.close(lock)
    except OSError as error:
        # numpy reports a short write without an error number
        reason = error.strerror or "the disk is full, or a limit on file sizes is reached"
        raise ModelFileError(path, f"cannot be written: {reason}") from error


def _sibling(target: Path, suffix: str) -> Path:
    """A fresh hidden name beside the target."""
    return target.with_name(f".{target.name}.laconic-{secrets.token_hex(4)}.{suffix}")


def _move_in(temporary: Path, target: Path) -> None:
    """Rename the finished folder into place; if that fails, the old one is put back."""
    if target.exists():
        aside = _sibling(target, "old")
        target.rename(aside)
        try:
            temporary.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    else:
        temporary.rename(target)
    _flush_one(target.parent)


def _tidy(target: Path) -> None:
    """Clear away what killed writers left; put back an old folder that one had moved aside."""
    if not target.parent.is_dir():
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.laconic-[0-9a-f]{{8}}\.(tmp|old)")
    leftovers = [entry for entry in target.parent.iterdir() if pattern.fullmatch(entry.name)]
    temporary = [entry for entry in leftovers if entry.suffix == ".tmp"]
    if any(_is_locked(entry) for entry in temporary):
        return  # another process is writing to this very name
    for aside in sorted((entry for entry in leftovers if entry.suffix == ".old"), key=_age):
        if not target.exists():
            logger.info("%s: put back after an interrupted save", target)
            aside.rename(target)
        else:
            shutil.rmtree(aside, ignore_errors=True)
    for entry in temporary:
        shutil.rmtree(entry, ignore_errors=True)


def _age(entry: Path) -> float:
    """Sort key: newest first."""
    return -entry.stat().st_mtime


def _lock(folder: Path) -> int | None:
    """Lock a folder for as long as this process lives; the descriptor to close, or None."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another process, or a file system without locks
        os.close(descriptor)
        return None
    return descriptor


def _is_locked(folder: Path) -> bool:
    """Whether a living process writes this folder."""
    try:
        descriptor = _lock(folder)
    except FileNotFoundError:  # it has just been renamed into place
        return False
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Have a folder alone among those who ask; where there are no locks, everyone has it."""
    try:
        descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ModelFileError(folder, f"cannot be opened: {error.strerror}") from error
    try:
        if descriptor is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _flush(folder: Path) -> None:
    """Have everything on disk, so that a power cut after the rename cannot undo it."""
    for parent, _, files in os.walk(folder):
        for name in files:
            _flush_one(Path(parent, name))
        _flush_one(Path(parent))


def _flush_one(path: Path) -> None:
    """fsync a file or folder; Windows cannot open a folder for it."""
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# ---- reading one back ----


def open_folder(path: str | Path, marker: str) -> Path:
    """Return the folder as a Path if it carries the marker ("model.json" or "corpus.json").

    Raises
    ------
    ModelFileError
        There is no such folder, or it is something else.
    """
    folder = Path(path)
    if not folder.exists():
        try:
            _tidy(Path(os.path.realpath(folder)))
        except OSError as error:
            raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    if not folder.exists():
        raise ModelFileError(path, "there is no such folder")
    if not folder.is_dir():
        raise ModelFileError(path, "is a file; a saved model or corpus is a folder")
    if not os.path.lexists(folder / marker):
        raise ModelFileError(path, f"has no {marker}, so it is not what laconic saves")
    return folder


def path_inside(folder: Path, name: str) -> Path:
    """Path of a file of the folder; refuses names and links that lead out of it."""
    path = folder / name
    if not all(PART.fullmatch(part) for part in name.split("/")):
        raise ModelFileError(folder, f"names a file outside itself, {name!r}; do not trust it")
    try:
        resolved, home = path.resolve(), folder.resolve()
    except (OSError, RuntimeError) as error:  # a loop of links
        raise ModelFileError(path, "cannot be followed") from error
    if resolved != home / name:
        raise ModelFileError(path, "is a link that leads elsewhere; do not trust this folder")
    if not path.exists():
        raise ModelFileError(path, "is missing; the folder is damaged or was copied in part")
    if not path.is_file():
        raise ModelFileError(path, "is not a plain file")
    return path


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
