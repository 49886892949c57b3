"""Corpus store: a folder of arrays, which are memory-mapped and read in blocks of rows.

==================  ============================================================================
``corpus.json``     format number, shape, parameters of the vectoriser, names of metadata columns
``counts.*.npy``    the CSR arrays (data, indices, indptr) of all documents
``vocabulary.txt``  one word per line
``documents.parquet``  ids, titles, labels and texts; each column is read on first use
==================  ============================================================================
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic import __version__
from laconic.corpus.matrices import csr
from laconic.corpus.vocabulary import Vocabulary, as_objects
from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import (
    load_array,
    load_json,
    load_words,
    save_array,
    save_json,
    save_words,
)
from laconic.files.atomic_folder import open_folder, path_inside
from laconic.files.json_values import function_name
from laconic.files.tables import write_parquet
from laconic.wording import plural

logger = logging.getLogger(__name__)

FORMAT = 1
MARKER = "corpus.json"
DOCUMENTS = "documents.parquet"
LARGEST = 2**31 - 1  # maximum number of documents and of words
METADATA = ("ids", "titles", "labels", "texts")


@dataclass
class StoredColumns:
    """The columns of ``documents.parquet``, which are read one at a time."""

    path: Path
    names: tuple[str, ...]
    n_documents: int

    def load(self, name: str) -> np.ndarray:
        import polars as pl

        try:
            column = pl.read_parquet(self.path, columns=[name])[name]
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise ModelFileError(
                self.path, f"column {name!r} cannot be read ({error}); save the corpus again"
            ) from error
        if len(column) != self.n_documents:
            raise ModelFileError(
                self.path,
                f"is damaged: the number of {name} is {len(column)}, but there are "
                f"{plural(self.n_documents, 'document')}; save the corpus again",
            )
        if name != "labels" or column.null_count():
            return as_objects(column.to_list())
        values = column.to_numpy()
        return values.astype(str) if values.dtype == object else values


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


def write_store(
    folder: Path,
    counts: sp.csr_matrix,
    words: np.ndarray | None,
    documents: dict[str, np.ndarray],
    vectorizer: dict[str, Any] | None,
) -> None:
    """Write a corpus into an empty folder."""
    for part in ("data", "indices"):
        save_array(folder, f"counts.{part}", getattr(counts, part))
    save_array(folder, "counts.indptr", counts.indptr.astype(np.int64))
    if words is not None:
        save_words(folder, "vocabulary", words)
    _save_documents(documents, folder / DOCUMENTS)
    save_json(
        folder,
        "corpus",
        {
            "format": FORMAT,
            "laconic": __version__,
            "kind": "corpus",
            "shape": list(counts.shape),
            "nonzeros": int(counts.nnz),
            "dtype": counts.dtype.name,
            "words": words is not None,
            "documents": list(documents),
            "vectorizer": _plain_settings(vectorizer),
        },
    )


def is_store(path: str | Path) -> bool:
    """Return whether `path` is a saved corpus."""
    return (Path(path) / MARKER).is_file()


def open_store(path: Path) -> StoredCorpus:
    """Open the corpus at `path` without reading its counts."""
    folder = open_folder(path, MARKER)
    header = _read_header(folder)
    counts = _map_counts(folder, header)
    n_documents, n_words = header.shape
    words = load_words(folder, "vocabulary", count=n_words) if header.has_words else None
    return StoredCorpus(
        folder,
        counts,
        None if words is None else Vocabulary(words),
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
        n_documents, n_words = (int(number) for number in header["shape"])
        nonzeros, dtype = int(header["nonzeros"]), np.dtype(header["dtype"])
        has_words, columns = bool(header["words"]), tuple(header["documents"])
        settings = header["vectorizer"]
        if min(n_documents, n_words, nonzeros) < 0 or max(n_documents, n_words) > LARGEST:
            raise ValueError(f"shape {header['shape']}")
        if not set(columns) <= set(METADATA):
            raise ValueError(f"documents {columns}")
        if settings is not None and not isinstance(settings, dict):
            raise ValueError("vectorizer")
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            folder / MARKER, f"is damaged ({error!r}); save the corpus again"
        ) from error
    return _Header((n_documents, n_words), nonzeros, dtype, has_words, columns, settings)


def _map_counts(folder: Path, header: _Header) -> sp.csr_matrix:
    """Memory-map all counts; only the row pointer is read and checked."""
    entries = (header.nonzeros,)
    data = load_array(folder, "counts.data", dtype=header.dtype, shape=entries)
    indices = load_array(folder, "counts.indices", dtype=np.int32, shape=entries)
    indptr = load_array(folder, "counts.indptr", dtype=np.int64, shape=(header.shape[0] + 1,))
    if indptr[0] != 0 or indptr[-1] != header.nonzeros or np.any(np.diff(indptr) < 0):
        raise ModelFileError(
            folder, "is damaged: the row pointer of the counts is invalid; save the corpus again"
        )
    if header.nonzeros <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return csr(data, indices, np.asarray(indptr), header.shape)


def load_rows(folder: Path, start: int, stop: int, n_words: int) -> sp.csr_matrix:
    """Return a copy of the rows ``start:stop`` of a store; the file does not stay mapped."""
    indptr = load_array(folder, "counts.indptr", dtype=np.int64)[start : stop + 1]
    first, last = int(indptr[0]), int(indptr[-1])
    data = np.array(load_array(folder, "counts.data")[first:last])
    indices = np.array(load_array(folder, "counts.indices", dtype=np.int32)[first:last])
    rows = csr(data, indices, (indptr - first).astype(np.int32), (stop - start, n_words))
    return check_rows(rows, folder)


def check_rows(rows: sp.csr_matrix, folder: Path) -> sp.csr_matrix:
    """Return `rows`; raise an error if their indices or counts are invalid."""
    if rows.nnz and (rows.indices.min() < 0 or rows.indices.max() >= rows.shape[1]):
        raise ModelFileError(
            folder, "is damaged: counts refer to words that do not exist; save the corpus again"
        )
    # The comparisons are also false if a count is NaN.
    if rows.nnz and not (rows.data.min() > 0 and rows.data.max() < np.inf):
        raise ModelFileError(
            folder, "is damaged: some counts are not positive numbers; save the corpus again"
        )
    return rows


def _save_documents(columns: dict[str, np.ndarray], path: Path) -> None:
    """Write the metadata of the documents."""
    import polars as pl

    frame = pl.DataFrame([_as_series(name, values.tolist()) for name, values in columns.items()])
    with path.open("wb") as file:
        write_parquet(frame, file)


def _as_series(name: str, values: list[Any]) -> Any:
    import polars as pl

    try:
        return pl.Series(name, values, strict=True)
    except TypeError as error:
        raise LaconicError(
            f"The {name} of this corpus have several types and cannot be saved as one column; "
            "convert them all to strings."
        ) from error


def _plain_settings(settings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Convert settings to JSON values; replace functions by their names."""
    if settings is None:
        return None
    return {
        key: function_name(value) if callable(value) else value for key, value in settings.items()
    }
