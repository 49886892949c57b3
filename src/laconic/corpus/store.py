"""Corpus store: a folder of arrays, which are memory-mapped and read in blocks of rows.

==================  ============================================================================
``corpus.json``     format number, shape, parameters of the vectoriser, names of metadata columns
``counts.*.npy``    the CSR arrays of all documents: data, indices (int32) and indptr (int64)
``vocabulary.txt``  one word per line
``documents.parquet``  ids, titles, labels and texts; only the wanted rows are read
``manifest.json``   sizes and checksums of the other files
==================  ============================================================================
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from laconic import __version__
from laconic.corpus.matrices import csr, ranges
from laconic.corpus.stored_columns import METADATA, StoredColumns, write_columns
from laconic.corpus.vocabulary import Vocabulary
from laconic.errors import LaconicError, ModelFileError
from laconic.files.array_writer import ArrayWriter
from laconic.files.arrays import (
    MAX_WORDS,
    is_sorted,
    load_array,
    load_json,
    load_words,
    open_array,
    save_json,
    save_words,
)
from laconic.files.atomic_folder import open_folder, path_inside
from laconic.files.json_values import function_name
from laconic.files.manifest import (
    SMALL,
    load_manifest,
    no_manifest,
    write_manifest,
)

if TYPE_CHECKING:
    import polars as pl

logger = logging.getLogger(__name__)

FORMAT = 1
MARKER = "corpus.json"
DOCUMENTS = "documents.parquet"
DTYPES = {"int32": np.dtype(np.int32), "float32": np.dtype(np.float32)}
MAX_NGRAM = 100
# Rows with at most `MAX_GAP` entries between them are read together, up to `BLOCK` entries.
MAX_GAP, BLOCK = 1 << 10, 1 << 20


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_limit(value: Any) -> bool:
    return value == "auto" or (isinstance(value, (int, float)) and value >= 0)


# Settings of the vectoriser that counted the corpus, and what their values must be.
SETTINGS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("strip_accents", "token_pattern", "tokenizer", "lemmatizer"), _is_text),
    **dict.fromkeys(("lowercase", "phrases"), lambda value: isinstance(value, bool)),
    **dict.fromkeys(("min_df", "max_df"), _is_limit),
    "stop_words": lambda value: (
        _is_text(value) or (isinstance(value, list) and all(isinstance(w, str) for w in value))
    ),
    "max_features": lambda value: value is None or (isinstance(value, int) and value >= 1),
    "ngram_range": lambda value: (
        isinstance(value, list)
        and len(value) == 2
        and all(type(n) is int for n in value)
        and 1 <= value[0] <= value[1] <= MAX_NGRAM
    ),
}


@dataclass(frozen=True)
class DiskChunk:
    """Handle of some rows of a corpus store; `load` reads only these rows."""

    path: Path
    start: int
    stop: int
    n_words: int

    def load(self) -> sp.csr_matrix:
        return load_rows(self.path, self.start, self.stop, self.n_words)


class StoredCorpus(NamedTuple):
    """Contents of a store.

    The counts are memory-mapped and unchecked; the metadata is read on first use.
    """

    path: Path
    counts: sp.csr_matrix
    words: Vocabulary | None
    vectorizer: dict[str, Any] | None
    columns: StoredColumns


class StoreWriter:
    """Writes a corpus part by part into an empty folder, so that only one part is in memory.

    Parameters
    ----------
    folder : Path
    dtype : dtype
        Type of the counts: int32 or float32.
    """

    def __init__(self, folder: Path, dtype: DTypeLike = np.int32) -> None:
        self.folder = folder
        self.n_documents = self.n_nonzeros = 0
        self._dtype = np.dtype(dtype)
        self._data = ArrayWriter(folder / "counts.data.npy", self._dtype)
        # Column numbers are less than 2^31, even if there are more than 2^31 of them.
        self._indices = ArrayWriter(folder / "counts.indices.npy", np.int32)
        self._indptr = ArrayWriter(folder / "counts.indptr.npy", np.int64)
        self._indptr.append([0])

    def append(self, rows: sp.csr_matrix) -> None:
        """Write the counts of further documents."""
        self._data.append(rows.data)
        self._indices.append(rows.indices)
        self._indptr.append(rows.indptr[1:].astype(np.int64) + self.n_nonzeros)
        self.n_documents += rows.shape[0]
        self.n_nonzeros += int(rows.nnz)

    def finish(
        self,
        n_words: int,
        words: Iterable[str] | None,
        documents: pl.LazyFrame,
        vectorizer: dict[str, Any] | None,
    ) -> None:
        """Write everything except the counts: words, metadata, settings and the manifest."""
        self.close()
        if words is not None:
            save_words(self.folder, "vocabulary", words)
        write_columns(documents, self.folder / DOCUMENTS)
        save_json(
            self.folder,
            "corpus",
            {
                "format": FORMAT,
                "laconic": __version__,
                "kind": "corpus",
                "shape": [self.n_documents, n_words],
                "nonzeros": self.n_nonzeros,
                "dtype": self._dtype.name,
                "words": words is not None,
                "documents": documents.collect_schema().names(),
                "vectorizer": _plain_settings(vectorizer),
            },
        )
        counted = [f"counts.{part}.npy" for part in ("data", "indices", "indptr")]
        write_manifest(self.folder, "corpus", fingerprinted=[*counted, "vocabulary.txt"])

    def close(self) -> None:
        """Close the files of the counts."""
        for part in (self._data, self._indices, self._indptr):
            part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def is_store(path: str | Path) -> bool:
    """Return whether `path` is a saved corpus."""
    return (Path(path) / MARKER).is_file()


def open_store(path: Path, *, verify: bool = False) -> StoredCorpus:
    """Open the corpus at `path` without reading its counts; if `verify`, check all files first."""
    folder = open_folder(path, MARKER)
    manifest = load_manifest(folder)
    if manifest is not None:
        manifest.check(limit=None if verify else SMALL)
    elif verify:
        raise no_manifest(path)
    header = _read_header(folder)
    counts = _map_counts(folder, header)
    n_documents, n_words = header.shape
    words = load_words(folder, "vocabulary", count=n_words) if header.has_words else None
    try:
        vocabulary = None if words is None else Vocabulary(words)
    except LaconicError as error:
        raise ModelFileError(folder / "vocabulary.txt", f"is damaged: {error}") from error
    return StoredCorpus(
        folder,
        counts,
        vocabulary,
        header.vectorizer,
        StoredColumns(path_inside(folder, DOCUMENTS), header.columns, n_documents),
    )


class _Header(NamedTuple):
    """Contents of ``corpus.json``."""

    shape: tuple[int, int]
    nonzeros: int
    dtype: np.dtype
    has_words: bool
    columns: tuple[str, ...]
    vectorizer: dict[str, Any] | None


def _read_header(folder: Path) -> _Header:
    header = load_json(folder, "corpus", newest=FORMAT)
    try:
        n_documents, n_words = header["shape"]
        nonzeros, has_words = header["nonzeros"], header["words"]
        dtype, columns, settings = header["dtype"], header["documents"], header["vectorizer"]
        numbers = (n_documents, n_words, nonzeros)
        if any(type(number) is not int or number < 0 for number in numbers):
            raise ValueError(f"shape {header['shape']!r:.50}")
        if n_words > MAX_WORDS:
            raise ValueError(f"{n_words} words")
        if not isinstance(dtype, str) or dtype not in DTYPES or not isinstance(has_words, bool):
            raise ValueError(f"dtype {dtype!r:.50}")
        known = isinstance(columns, list) and all(column in METADATA for column in columns)
        if not known or len(set(columns)) < len(columns):
            raise ValueError(f"documents {columns!r:.50}")
        for name, value in (settings or {}).items():
            if name not in SETTINGS or not SETTINGS[name](value):
                raise ValueError(f"vectorizer {name!r:.50}")
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(
            folder / MARKER, f"is damaged ({error!r}); save the corpus again"
        ) from error
    shape = n_documents, n_words
    return _Header(shape, nonzeros, DTYPES[dtype], has_words, tuple(columns), settings)


def _map_counts(folder: Path, header: _Header) -> sp.csr_matrix:
    """Memory-map all counts; only the row pointer is read and checked."""
    entries = (header.nonzeros,)
    data = load_array(folder, "counts.data", dtype=header.dtype, shape=entries)
    indices = load_array(folder, "counts.indices", dtype=np.int32, shape=entries)
    indptr = load_array(folder, "counts.indptr", dtype=np.int64, shape=(header.shape[0] + 1,))
    if indptr[0] != 0 or indptr[-1] != header.nonzeros or np.any(indptr[1:] < indptr[:-1]):
        raise ModelFileError(
            folder, "is damaged: the row pointer of the counts is invalid; save the corpus again"
        )
    return csr(data, indices, _row_pointer(indptr), header.shape)


def load_rows(folder: Path, start: int, stop: int, n_words: int) -> sp.csr_matrix:
    """Return a copy of the rows ``start:stop`` of a store; no file stays mapped."""
    with open_array(folder, "counts.indptr", dtype=np.int64) as file:
        indptr = file.read(start, stop + 1)
    first, last = int(indptr[0]), int(indptr[-1])
    with open_array(folder, "counts.data") as file:
        data = file.read(first, last)
    with open_array(folder, "counts.indices", dtype=np.int32) as file:
        indices = file.read(first, last)
    rows = csr(data, indices, _row_pointer(indptr - first), (stop - start, n_words))
    return check_rows(rows, folder)


def take_rows(folder: Path, rows: np.ndarray, indptr: np.ndarray, n_words: int) -> sp.csr_matrix:
    """Return a copy of some rows of a store, in the given order; only these rows are read.

    `indptr` is the row pointer of the store.
    """
    distinct, positions = np.unique(rows, return_inverse=True)
    starts, stops = indptr[distinct].astype(np.int64), indptr[distinct + 1].astype(np.int64)
    lengths = stops - starts
    is_border = (starts[1:] - stops[:-1] > MAX_GAP) | (np.diff(starts // BLOCK) > 0)
    data, indices = [], []
    with (
        open_array(folder, "counts.data") as data_file,
        open_array(folder, "counts.indices", dtype=np.int32) as indices_file,
    ):
        borders = [0, *(np.flatnonzero(is_border) + 1).tolist(), len(distinct)]
        for begin, end in pairwise(borders if len(distinct) else []):
            first, last = int(starts[begin]), int(stops[end - 1])
            wanted = ranges(starts[begin:end] - first, lengths[begin:end])
            data.append(data_file.read(first, last)[wanted])
            indices.append(indices_file.read(first, last)[wanted])
    if not data:
        return load_rows(folder, 0, 0, n_words)
    pointer = _row_pointer(np.concatenate([[0], np.cumsum(lengths)]))
    shape = (len(distinct), n_words)
    taken = check_rows(csr(np.concatenate(data), np.concatenate(indices), pointer, shape), folder)
    return taken if np.array_equal(distinct, rows) else taken[positions]


def _row_pointer(indptr: np.ndarray) -> np.ndarray:
    """Return a row pointer as int32 if its values allow it, otherwise as int64."""
    fits = indptr[-1] <= np.iinfo(np.int32).max
    return indptr.astype(np.int32 if fits else np.int64, copy=False)


def check_rows(rows: sp.csr_matrix, folder: Path) -> sp.csr_matrix:
    """Return `rows`; raise an error if their indices or counts are invalid."""
    if rows.nnz and (rows.indices.min() < 0 or rows.indices.max() >= rows.shape[1]):
        raise ModelFileError(
            folder, "is damaged: counts refer to words that do not exist; save the corpus again"
        )
    if not is_sorted(rows.indices, rows.indptr):
        raise ModelFileError(
            folder,
            "is damaged: the words of a document are not sorted or occur twice; save the corpus "
            "again",
        )
    # The comparisons are also false if a count is NaN.
    if rows.nnz and not (rows.data.min() > 0 and rows.data.max() < np.inf):
        raise ModelFileError(
            folder, "is damaged: some counts are not positive numbers; save the corpus again"
        )
    return rows


def _plain_settings(settings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Convert settings to JSON values; replace functions by their names."""
    if settings is None:
        return None
    return {
        key: function_name(value) if callable(value) else value for key, value in settings.items()
    }
