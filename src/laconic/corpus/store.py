"""A corpus on disk: a folder of arrays, opened memory-mapped and read by blocks of rows.

==================  ============================================================================
``corpus.json``     format number, shape, settings of the vectoriser, which columns there are
``counts.*.npy``    the CSR arrays (data, indices, indptr) of all documents
``vocabulary.txt``  one word per line
``documents.parquet``  ids, titles, labels and texts, each read when it is first asked for
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

logger = logging.getLogger(__name__)

FORMAT = 1
MARKER = "corpus.json"
DOCUMENTS = "documents.parquet"
METADATA = ("ids", "titles", "labels", "texts")  # what may be known of each document


@dataclass
class StoredColumns:
    """The columns of ``documents.parquet``, read one at a time."""

    path: Path
    names: tuple[str, ...]
    n_documents: int

    def load(self, name: str) -> np.ndarray:
        import polars as pl

        try:
            column = pl.read_parquet(self.path, columns=[name])[name]
        except (OSError, pl.exceptions.PolarsError) as error:
            raise ModelFileError(
                self.path, f"the column {name!r} cannot be read ({error})"
            ) from error
        if len(column) != self.n_documents:
            raise ModelFileError(
                self.path, f"has {len(column)} {name} for {self.n_documents} documents"
            )
        if name != "labels" or column.null_count():
            return as_objects(column.to_list())
        values = column.to_numpy()
        return values.astype(str) if values.dtype == object else values


@dataclass(frozen=True)
class DiskChunk:
    """Rows of a corpus store; only they are read."""

    path: Path
    start: int
    stop: int
    n_words: int

    def load(self) -> sp.csr_matrix:
        return load_rows(self.path, self.start, self.stop, self.n_words)


class StoredCorpus(NamedTuple):
    """What a store holds: counts that are mapped, not read or checked, and columns to be read."""

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
    """Fill an empty folder with a corpus."""
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
    """Whether a corpus was saved here."""
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
    """What ``corpus.json`` says."""

    shape: tuple[int, int]
    nonzeros: int
    dtype: np.dtype
    has_words: bool
    columns: tuple[str, ...]
    vectorizer: dict[str, Any] | None


def _read_header(folder: Path) -> _Header:
    about = load_json(folder, "corpus", newest=FORMAT)
    try:
        n_documents, n_words = (int(number) for number in about["shape"])
        nonzeros, dtype = int(about["nonzeros"]), np.dtype(about["dtype"])
        has_words, columns = bool(about["words"]), tuple(about["documents"])
        settings = about["vectorizer"]
        if min(n_documents, n_words, nonzeros) < 0:
            raise ValueError(f"shape {about['shape']}")
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
    """All counts, memory-mapped; only their row pointer is read and checked."""
    entries = (header.nonzeros,)
    data = load_array(folder, "counts.data", dtype=header.dtype, shape=entries)
    indices = load_array(folder, "counts.indices", dtype=np.int32, shape=entries)
    indptr = load_array(folder, "counts.indptr", dtype=np.int64, shape=(header.shape[0] + 1,))
    if indptr[0] != 0 or indptr[-1] != header.nonzeros or np.any(np.diff(indptr) < 0):
        raise ModelFileError(folder, "the row pointer of the counts is damaged")
    if header.nonzeros <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return csr(data, indices, np.asarray(indptr), header.shape)


def load_rows(folder: Path, start: int, stop: int, n_words: int) -> sp.csr_matrix:
    """Rows ``start:stop`` of a store, copied so that the file is not kept mapped."""
    indptr = load_array(folder, "counts.indptr", dtype=np.int64)[start : stop + 1]
    first, last = int(indptr[0]), int(indptr[-1])
    data = np.array(load_array(folder, "counts.data")[first:last])
    indices = np.array(load_array(folder, "counts.indices", dtype=np.int32)[first:last])
    rows = csr(data, indices, (indptr - first).astype(np.int32), (stop - start, n_words))
    return check_rows(rows, folder)


def check_rows(rows: sp.csr_matrix, folder: Path) -> sp.csr_matrix:
    """The same rows, if they can be trusted; checked as they are read, not at open."""
    if rows.nnz and (rows.indices.min() < 0 or rows.indices.max() >= rows.shape[1]):
        raise ModelFileError(folder, "its counts name words that do not exist; it is damaged")
    if rows.nnz and not (rows.data.min() > 0 and rows.data.max() < np.inf):  # also false for NaN
        raise ModelFileError(folder, "it has counts that are not positive numbers; it is damaged")
    return rows


def _save_documents(columns: dict[str, np.ndarray], path: Path) -> None:
    """Write what is known of each document."""
    import polars as pl

    frame = pl.DataFrame([_as_series(name, values.tolist()) for name, values in columns.items()])
    frame.write_parquet(path)


def _as_series(name: str, values: list[Any]) -> Any:
    import polars as pl

    try:
        return pl.Series(name, values, strict=True)
    except TypeError as error:
        raise LaconicError(
            f"The {name} of this corpus are of several types and cannot be saved as one column; "
            "make them all strings."
        ) from error


def _plain_settings(settings: dict[str, Any] | None) -> dict[str, Any] | None:
    """Settings as JSON keeps them; a function goes by its name."""
    if settings is None:
        return None
    return {
        key: function_name(value) if callable(value) else value for key, value in settings.items()
    }
