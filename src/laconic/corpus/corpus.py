"""Corpus: word counts of documents, the vocabulary, and metadata of the documents.

A ``Corpus`` is the data type that all parts of laconic exchange: a sparse matrix of counts, the
words of its columns and, optionally, an id, a title, a label and the text of each row. A corpus is
in memory or on disk (see ``laconic.corpus.store``). Models access only the chunks of a corpus, so
they work in the same way in both cases.
"""

from __future__ import annotations

import copy
import dataclasses
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import CHUNK_ROWS, Chunk, MappedChunk, memory_chunks, row_bounds
from laconic.corpus.matrices import ColumnMap
from laconic.corpus.store import (
    DiskChunk,
    StoreWriter,
    check_rows,
    load_rows,
    open_store,
    take_rows,
)
from laconic.corpus.stored_columns import METADATA, StoredColumns, as_table
from laconic.corpus.vocabulary import Vocabulary, as_objects, as_vocabulary
from laconic.errors import LaconicError
from laconic.files.atomic_folder import write_folder
from laconic.files.scratch_folder import ScratchFolder
from laconic.wording import plural

logger = logging.getLogger(__name__)


class Document(NamedTuple):
    """One document of a corpus.

    Examples
    --------
    >>> corpus = Corpus([[2, 0], [1, 3]], ["cat", "dog"], ids=["a", "b"], titles=["One", "Two"])
    >>> document = corpus[1]
    >>> document.id, document.title, document.words
    ('b', 'Two', {'cat': 1, 'dog': 3})
    """

    id: str | int
    title: str | None
    label: Any
    text: str | None
    words: dict[str, float]


class Corpus:
    """Word counts of documents.

    Parameters
    ----------
    counts : sparse matrix or array of shape (n_documents, n_words)
        Counts, which must be finite and not negative.
    vocabulary : sequence of str, optional
        The word of each column, without duplicates. By default, columns have no words.
    ids, titles, texts : sequence of str, optional
        One value per document.
    labels : sequence, optional
        The class of each document, of any type.
    vectorizer : dict, optional
        Parameters of the `Vectorizer` that counted the words.

    Attributes
    ----------
    counts : csr_matrix of shape (n_documents, n_words)
        ``int32`` if all values are integers, else ``float32``. If the corpus is on disk, the counts
        are memory-mapped.
    vocabulary : ndarray of str or None

    Examples
    --------
    >>> corpus = Corpus([[2, 0], [1, 3], [0, 0]], ["cat", "dog"], labels=["a", "b", "b"])
    >>> corpus
    Corpus of 3 documents x 2 words (3 non-zero; 1 empty document; labels)
    >>> corpus[1].words
    {'cat': 1, 'dog': 3}
    >>> corpus[corpus.labels == "b"].shape
    (2, 2)
    """

    ndim = 2

    def __init__(
        self,
        counts: Any,
        vocabulary: Iterable[str] | None = None,
        *,
        ids: Sequence[Any] | None = None,
        titles: Sequence[Any] | None = None,
        labels: Sequence[Any] | np.ndarray | None = None,
        texts: Sequence[Any] | None = None,
        vectorizer: Mapping[str, Any] | None = None,
    ) -> None:
        self._set_up(as_counts(counts), vectorizer)
        self._name_columns(vocabulary)
        metadata = {"ids": ids, "titles": titles, "labels": labels, "texts": texts}
        self._documents.update(self._checked(metadata))

    def _set_up(self, counts: sp.csr_matrix, vectorizer: Mapping[str, Any] | None) -> None:
        """Initialise all attributes for a corpus in memory without words and metadata."""
        self._counts = counts
        self.vectorizer = None if vectorizer is None else dict(vectorizer)
        self._words: Vocabulary | None = None
        self._documents: dict[str, np.ndarray] = {}
        self.path: Path | None = None
        self.weighting: Any = None
        self._stored: StoredColumns | None = None
        self._columns: ColumnMap | None = None  # maps columns on disk to columns of this corpus
        self._mapped: sp.csr_matrix | None = None  # cached result of applying `_columns`
        self._pointer = counts.indptr  # end of each row, before words were dropped
        self.scratch: Any = None  # temporary folder that must exist as long as this corpus
        self._trusted = True  # False for a corpus on disk, whose rows are checked when read

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = False) -> Corpus:
        """Open a corpus saved with `save`; its counts stay on disk.

        Parameters
        ----------
        path : str or Path
            The folder of the corpus.
        verify : bool, default=False
            Whether to compare the checksums of all files first, which reads the whole folder.
        """
        stored = open_store(Path(path), verify=verify)
        corpus = cls.__new__(cls)
        corpus._set_up(stored.counts, stored.vectorizer)
        corpus._words, corpus._stored = stored.words, stored.columns
        corpus.path, corpus._trusted = stored.path, False
        return corpus

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Save the corpus as a folder of arrays; `laconic.read` opens it memory-mapped.

        Parameters
        ----------
        path : str or Path
            The folder to create.
        force : bool, default=False
            Whether to replace an existing corpus.
        """

        def write(folder: Path) -> None:
            with StoreWriter(folder, self._counts.dtype) as writer:
                for chunk in self._view(weighting=None).chunks():
                    writer.append(chunk.load())
                writer.finish(self.shape[1], self.vocabulary, self._table(), self.vectorizer)

        write_folder(Path(path), force, write)
        return Path(path)

    # --- contents --------------------------------------------------------------------------------

    @property
    def counts(self) -> sp.csr_matrix:
        if not self._trusted:
            assert self.path is not None
            check_rows(self._counts, self.path)
            self._trusted = True
        if self._columns is None:
            return self._counts
        if self._mapped is None:
            self._mapped = self._columns(self._counts)
        return self._mapped

    @property
    def n_nonzeros(self) -> int:
        """Number of non-zero counts."""
        return int((self._counts if self._columns is None else self.counts).nnz)

    @property
    def matrix(self) -> sp.csr_matrix:
        """The counts or, if a `Weighting` was applied, the weighted counts; the input of models."""
        return self.counts if self.weighting is None else self.weighting(self.counts)

    @property
    def vocabulary(self) -> np.ndarray | None:
        return None if self._words is None else self._words.words

    @property
    def words(self) -> Vocabulary | None:
        """The vocabulary as a `Vocabulary` object, which maps words to columns."""
        return self._words

    @property
    def ids(self) -> np.ndarray | None:
        return self._metadata("ids")

    @property
    def titles(self) -> np.ndarray | None:
        return self._metadata("titles")

    @property
    def labels(self) -> np.ndarray | None:
        return self._metadata("labels")

    @property
    def texts(self) -> np.ndarray | None:
        return self._metadata("texts")

    @property
    def shape(self) -> tuple[int, int]:
        width = self._counts.shape[1] if self._columns is None else self._columns.n_words
        return self._counts.shape[0], width

    @property
    def n_empty(self) -> int:
        """Number of documents without words."""
        return int(np.count_nonzero(np.diff(self._counts.indptr) == 0))

    def __len__(self) -> int:
        return self._counts.shape[0]

    def __repr__(self) -> str:
        n, m = self.shape
        notes = [f"{self._counts.nnz:,} non-zero"] if self._columns is None else []
        if self.n_empty:
            notes.append(f"{self.n_empty:,} empty document{'s' if self.n_empty > 1 else ''}")
        notes += [name for name in METADATA if self.has(name)]
        if self.path is not None:
            notes.append("on disk")
        if self.weighting is not None:
            notes.append(f"weighted by {self.weighting.scheme}")
        return f"Corpus of {n:,} documents x {m:,} words ({'; '.join(notes)})"

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        # Without this method, NumPy would iterate over the documents forever.
        raise TypeError(
            "a Corpus is not an array; use corpus.counts or corpus.matrix, and in pipelines with "
            "other estimators Vectorizer(output='csr')"
        )

    def __iter__(self) -> Iterator[Document]:
        parts = [self] if self.path is None else self.parts()
        return (part._document(row) for part in parts for row in range(len(part)))

    @overload
    def __getitem__(self, key: int | np.integer) -> Document: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | np.ndarray) -> Corpus: ...
    def __getitem__(self, key: Any) -> Corpus | Document:
        if isinstance(key, tuple):
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError(
                    "index a Corpus by documents only; for a matrix, use corpus.counts[rows, "
                    "columns]"
                )
            key = key[0]  # scikit-learn selects rows of an object with a shape by [rows, ...]
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            return self._document(int(key))
        rows = self._rows(key)
        counts = self._counts_of(rows)
        documents = self._metadata_of(rows)
        if not self.has("ids"):  # use the row numbers in this corpus as ids
            documents["ids"] = as_objects(rows)
        return self._view(
            _counts=counts,
            _documents=documents,
            path=None,
            _stored=None,
            _columns=None,
            _mapped=None,
            _pointer=counts.indptr,
            _trusted=True,
        )

    def has(self, name: str) -> bool:
        """Return whether the documents have "ids", "titles", "labels" or "texts"."""
        return name in self._documents or (self._stored is not None and name in self._stored.names)

    def repeated_ids(self) -> tuple[int, str, int]:
        """Return how many ids repeat, and the first of the most frequent ids and its frequency.

        Examples
        --------
        >>> Corpus([[1], [1], [1]], ids=["a", "b", "a"]).repeated_ids()
        (1, 'a', 2)
        """
        if self._stored is not None and "ids" in self._stored.names:
            return self._stored.repeated_ids()
        counts = Counter([] if self.ids is None else self.ids.tolist())
        repeated = [(id_, count) for id_, count in counts.items() if count > 1]
        example, count = max(repeated, key=lambda item: item[1], default=("", 1))
        return len(repeated), str(example), count

    def parts(self, rows: int = CHUNK_ROWS) -> Iterator[Corpus]:
        """Yield consecutive parts of at most `rows` documents, each of them in memory.

        A corpus on disk can therefore be processed in memory that does not grow with its size. If
        the corpus has no ids, the ids of a part are the row numbers in this corpus.

        Examples
        --------
        >>> corpus = Corpus([[2, 0], [1, 3], [0, 1]], ["cat", "dog"])
        >>> [len(part) for part in corpus.parts(2)]
        [2, 1]
        """
        return (self[start : start + rows] for start in range(0, len(self), rows))

    # --- modified copies -------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Corpus:
        """Return a copy with other words, metadata or settings; pass None to remove a value.

        Parameters
        ----------
        **changes
            Any of `vocabulary`, `ids`, `titles`, `labels`, `texts` and `vectorizer`; see `Corpus`.

        Examples
        --------
        >>> corpus = Corpus([[2, 0], [1, 3]], ["cat", "dog"], labels=["a", "b"])
        >>> corpus.replace(titles=["Cats", "Both"], labels=None)
        Corpus of 2 documents x 2 words (3 non-zero; titles)
        """
        unknown = changes.keys() - {*METADATA, "vocabulary", "vectorizer"}
        if unknown:
            allowed = ", ".join(("vocabulary", *METADATA, "vectorizer"))
            raise TypeError(f"a Corpus has no {min(unknown)!r} to replace; use {allowed}")
        rest = {name: column for name, column in self._documents.items() if name not in changes}
        other = self._view(_documents={**rest, **self._checked(changes)})
        if self._stored is not None:
            names = tuple(name for name in self._stored.names if name not in changes)
            other._stored = dataclasses.replace(self._stored, names=names)
        if "vocabulary" in changes:
            other._name_columns(changes["vocabulary"])
        if "vectorizer" in changes:
            other.vectorizer = changes["vectorizer"]
        return other

    def align(self, vocabulary: Iterable[str]) -> Corpus:
        """Return the same documents with the words of another vocabulary as columns.

        Words that are not in `vocabulary` are dropped, and their number is logged. Words that are
        only in `vocabulary` get zero counts.

        Examples
        --------
        >>> corpus = Corpus([[2, 1, 0], [1, 0, 3]], ["cat", "dog", "emu"])
        >>> corpus.align(["emu", "fox", "cat"]).counts.toarray().tolist()
        [[0, 0, 2], [3, 0, 1]]
        """
        words = as_vocabulary(vocabulary)
        if self._words is None:
            raise LaconicError(
                "This corpus has no vocabulary, so its columns cannot be matched by word; "
                "set vocabulary= when reading it."
            )
        if len(words) == len(self._words) and np.array_equal(words.words, self._words.words):
            return self
        if self.weighting is not None:
            raise LaconicError("A weighted corpus cannot be aligned; align it before weighting.")
        target = words.columns(self._words.words)
        n_shared = int(np.count_nonzero(target >= 0))
        if n_shared == 0:
            raise LaconicError(
                f"The corpus ({plural(len(self._words), 'word')}) and the model "
                f"({plural(len(words), 'word')}) have no words in common; read the corpus with "
                "the same settings (language, lowercase, tokenizer) as the model's training "
                "documents."
            )
        n_dropped = len(self._words) - n_shared
        if n_dropped:
            logger.info(
                "%d of %d words of the corpus are unknown to the model", n_dropped, len(self._words)
            )
        columns = ColumnMap(target, len(words))
        if self.path is None:
            # The bounds of chunks are those before columns are dropped, as for a corpus on disk.
            return self._view(_words=words, _counts=columns(self.counts))
        if self._columns is not None:
            columns = self._columns.then(columns)
        return self._view(_words=words, _columns=columns, _mapped=None)

    def recounted(
        self, counts: Iterable[sp.csr_matrix], vocabulary: Iterable[str], settings: dict[str, Any]
    ) -> Corpus:
        """Return the same documents with the counts of other words.

        Parameters
        ----------
        counts : iterable of csr_matrix
            The counts of consecutive documents. If this corpus is on disk, they are written to a
            temporary folder, which exists as long as the new corpus.
        vocabulary : iterable of str
        settings : dict
            Parameters of the `Vectorizer` that counted the words.
        """
        words = as_vocabulary(vocabulary)
        if self.path is None:
            other = Corpus(sp.vstack(list(counts), "csr"), words)
        else:
            scratch = ScratchFolder()
            with StoreWriter(scratch.path) as writer:
                for block in counts:
                    writer.append(block)
                writer.finish(len(words), words, as_table({}), None)
            other = Corpus.open(scratch.path)
            other.scratch = (scratch, self.scratch)
        other.vectorizer = dict(settings)
        return other._view(_documents=self._documents, _stored=self._stored)

    def weighted(self, weights: Any) -> Corpus:
        """Return the same documents with `weights`, which are applied when a chunk is loaded."""
        return self._view(weighting=weights)

    @property
    def n_stored(self) -> int:
        """Number of non-zero counts, including those of words that `align` dropped."""
        return int(self._pointer[-1])

    def bounds(self, split: float = 1) -> list[int]:
        """Return the row boundaries of the chunks; the chunk size is divided by `split`."""
        return row_bounds(self._pointer, split=split)

    def chunks(self, split: float = 1) -> list[Chunk]:
        """Return handles of blocks of rows, with the same boundaries in memory and on disk."""
        if self.path is None:
            return memory_chunks(self.matrix, self.bounds(split))
        steps = tuple(step for step in (self._columns, self.weighting) if step is not None)
        bounds = self.bounds(split)
        path = self.path.absolute()  # because workers may have another working directory
        plain: list[Chunk] = [
            DiskChunk(path, start, stop, self._counts.shape[1]) for start, stop in pairwise(bounds)
        ]
        return [MappedChunk(chunk, steps) for chunk in plain] if steps else plain

    # --- internals -------------------------------------------------------------------------------

    def _view(self, **attributes: Any) -> Corpus:
        """Return a shallow copy in which the given attributes are replaced."""
        view = copy.copy(self)
        vars(view).update(attributes)
        return view

    def _name_columns(self, vocabulary: Iterable[str] | None) -> None:
        self._words = None if vocabulary is None else as_vocabulary(vocabulary)
        if self._words is not None and len(self._words) != self.shape[1]:
            raise LaconicError(
                f"The vocabulary has {plural(len(self._words), 'word')}, but the matrix has "
                f"{plural(self.shape[1], 'column')}; pass one word per column."
            )

    def _checked(self, metadata: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Convert metadata to arrays with one value per document."""
        return {
            name: self._column(name, values)
            for name in METADATA
            if (values := metadata.get(name)) is not None
        }

    def _column(self, name: str, values: Any) -> np.ndarray:
        column = np.asarray(values) if name == "labels" else as_objects(values)
        if len(column) != len(self):
            raise LaconicError(
                f"Got {plural(len(column), name[:-1])} for {plural(len(self), 'document')}; pass "
                "one per document."
            )
        return column

    def _metadata(self, name: str) -> np.ndarray | None:
        if name not in self._documents and self._stored is not None and self.has(name):
            self._documents[name] = self._stored.load(name)
        return self._documents.get(name)

    def _table(self) -> Any:
        """Return the metadata as a table of polars; if it is on disk, it is not read."""
        names = [name for name in METADATA if self.has(name)]
        if self._stored is not None and not any(name in self._documents for name in names):
            return self._stored.scan(names)
        columns = {name: self._metadata(name) for name in names}
        return as_table({name: column for name, column in columns.items() if column is not None})

    def _metadata_of(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the metadata of some documents; if it is on disk, only these rows are read."""
        columns = {name: column[rows] for name, column in self._documents.items()}
        missing = [name for name in METADATA if self.has(name) and name not in columns]
        if missing:
            assert self._stored is not None
            if _are_consecutive(rows):
                columns |= self._stored.read(missing, int(rows[0]), int(rows[-1]) + 1)
            else:
                columns |= self._stored.take(missing, rows)
        return {name: columns[name] for name in METADATA if name in columns}

    def _counts_of(self, rows: np.ndarray) -> sp.csr_matrix:
        """Return the counts of some documents; if they are on disk, only these rows are read."""
        n_words = self._counts.shape[1]
        if self.path is None:
            counts = self._counts[rows]
        elif _are_consecutive(rows):
            counts = load_rows(self.path, int(rows[0]), int(rows[-1]) + 1, n_words)
        else:
            counts = take_rows(self.path, rows, self._counts.indptr, n_words)
        return counts if self._columns is None else self._columns(counts)

    def _rows(self, key: Any) -> np.ndarray:
        if isinstance(key, slice):
            return np.arange(*key.indices(len(self)))
        rows = np.asarray(key)
        if rows.ndim != 1:
            raise IndexError("index a Corpus by an integer, slice, integer array or boolean mask")
        if rows.dtype == bool:
            if len(rows) != len(self):
                raise IndexError(f"the mask has {len(rows)} entries for {len(self)} documents")
            return np.flatnonzero(rows)
        if len(rows) == 0:
            return rows.astype(np.intp)
        if rows.dtype.kind not in "iu":
            raise IndexError(f"index a Corpus by integers; got {rows.dtype}")
        rows = rows.astype(np.intp)
        if rows.min() < -len(self) or rows.max() >= len(self):
            raise IndexError(f"document index out of range; the corpus has {len(self):,} documents")
        return np.where(rows < 0, rows + len(self), rows)

    def _document(self, row: int) -> Document:
        if not -len(self) <= row < len(self):
            raise IndexError(
                f"document {row} is out of range; the corpus has {len(self):,} documents"
            )
        row %= len(self)
        line = self._counts_of(np.array([row]))
        names = line.indices if self._words is None else self._words.words[line.indices]
        words = {str(word): value.item() for word, value in zip(names, line.data, strict=True)}
        metadata = self._metadata_of(np.array([row]))
        id_, title, label, text = (
            metadata[name][0] if name in metadata else None for name in METADATA
        )
        return Document(row if id_ is None else id_, title, label, text, words)


def _are_consecutive(rows: np.ndarray) -> bool:
    return len(rows) > 0 and bool((np.diff(rows) == 1).all())


def as_counts(counts: Any) -> sp.csr_matrix:
    """Convert counts to canonical CSR (sorted, no duplicates or stored zeros), int32 or float32."""
    matrix = counts if sp.issparse(counts) else np.asarray(counts)
    if matrix.ndim != 2:
        raise LaconicError(
            f"Counts must be a matrix (documents x words); got an array with "
            f"{plural(matrix.ndim, 'dimension')}."
        )
    if matrix.dtype.kind not in "iufb":
        raise LaconicError(f"Counts must be real numbers; got values of type {matrix.dtype}.")
    X = sp.csr_matrix(matrix)
    if sp.issparse(counts) and not _is_canonical(X):
        X = X.copy()  # so that the matrix of the caller is not modified
    X.sum_duplicates()
    X.eliminate_zeros()
    if X.dtype.kind == "f" and not np.isfinite(X.data).all():
        row = int(np.searchsorted(X.indptr, np.flatnonzero(~np.isfinite(X.data))[0], "right")) - 1
        raise LaconicError(f"Document {row} has a NaN or infinite count; counts must be finite.")
    if X.nnz and X.data.min() < 0:
        row = int(np.searchsorted(X.indptr, int(np.argmin(X.data)), "right")) - 1
        raise LaconicError(f"Document {row} has a negative count; counts must not be negative.")
    integers = X.dtype.kind != "f" or bool((X.data == np.rint(X.data)).all())
    # The maximum is converted, because float32 cannot represent the largest int32 exactly.
    fits = not X.nnz or float(X.data.max()) <= np.iinfo(np.int32).max
    return X.astype(np.int32 if integers and fits else np.float32, copy=False)


def _is_canonical(X: sp.csr_matrix) -> bool:
    return bool(X.has_canonical_format) and (X.nnz == 0 or bool((X.data != 0).all()))
