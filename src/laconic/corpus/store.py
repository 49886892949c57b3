"""Corpus store: a folder of arrays, which are memory-mapped and read in blocks of rows.

==================  ============================================================================
``corpus.json``     format number, shape, parameters of the vectoriser, names of metadata columns
``counts.*.npy``    the CSR arrays (data, indices, indptr) of all documents
``vocabulary.txt``  one word per line
``documents.parquet``  ids, titles, labels and texts; each column is read on first use
``manifest.json``   sizes and checksums of the other files
==================  ============================================================================
"""

from __future__ import annotations

import logging
from collections.abc import Callable
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
    MAX_WORDS,
    is_sorted,
    load_array,
    load_json,
    load_words,
    save_array,
    save_json,
    save_words,
)
from laconic.files.atomic_folder import open_folder, path_inside
from laconic.files.json_values import function_name
from laconic.files.manifest import (
    SMALL,
    fingerprint_of,
    load_manifest,
    no_manifest,
    write_manifest,
)
from laconic.files.tables import write_parquet
from laconic.wording import plural

logger = logging.getLogger(__name__)

FORMAT = 1
MARKER = "corpus.json"
DOCUMENTS = "documents.parquet"
METADATA = ("ids", "titles", "labels", "texts")
# A column of strings may take `MAX_TEXT` bytes plus `MAX_RATIO` times the size of the compressed
# file; a small file could otherwise fill the memory.
MAX_TEXT = 1 << 29
MAX_RATIO = 100
DTYPES = {"int32": np.dtype(np.int32), "float32": np.dtype(np.float32)}
MAX_NGRAM = 100


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


@dataclass
class StoredColumns:
    """The columns of ``documents.parquet``, which are read one at a time."""

    path: Path
    names: tuple[str, ...]
    n_documents: int

    def load(self, name: str) -> np.ndarray:
        column = self._read(name)
        if name != "labels" or column.null_count():
            return as_objects(column.to_list())
        values = column.to_numpy()
        return values.astype(str) if values.dtype == object else values

    def _read(self, name: str) -> Any:
        """Read a column; the number of rows is read first, because compressed rows can be many."""
        import polars as pl

        try:
            table = pl.scan_parquet(self.path)
            n_rows = table.select(pl.len()).collect().item()
            if n_rows != self.n_documents:
                raise self._damaged(
                    f"the number of {name} is {n_rows}, but there are "
                    f"{plural(self.n_documents, 'document')}"
                )
            column = table.select(name).collect()[name]
            plain = column.dtype.is_numeric() or column.dtype in (
                pl.String, pl.Boolean, pl.Date, pl.Datetime, pl.Null
            )  # fmt: skip
            if not plain or column.dtype == pl.Decimal:
                raise self._damaged(f"the {name} have the type {column.dtype}")
            if column.dtype == pl.String:
                size = int(column.str.len_bytes().sum() or 0)
                if size > MAX_TEXT + MAX_RATIO * self.path.stat().st_size:
                    raise self._damaged(f"the {name} would take {size:,} bytes of memory")
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            problem = (str(error) or type(error).__name__).splitlines()[0]
            raise ModelFileError(
                self.path, f"column {name!r} cannot be read ({problem}); save the corpus again"
            ) from error
        return column

    def _damaged(self, problem: str) -> ModelFileError:
        return ModelFileError(self.path, f"is damaged: {problem}; save the corpus again")


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
    counted = [f"counts.{part}.npy" for part in ("data", "indices", "indptr")]
    write_manifest(
        folder, "corpus", fingerprint=fingerprint_of(folder, [*counted, "vocabulary.txt"])
    )


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
