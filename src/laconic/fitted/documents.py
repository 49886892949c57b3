"""Documents of a model: their codes, ids, titles and labels.

The documents come from a corpus, or were saved with the model (see `laconic.save`).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.fitted.code_rows import Rows, RowsCollector, SparseRows
from laconic.fitted.names import Names, NamesWriter
from laconic.fitted.pipeline_steps import (
    as_input,
    encoding_step,
    last_step,
    takes_texts,
    transform_before,
    with_last_step,
)
from laconic.wording import some

ROWS = 65_536  # number of documents per block
ROW = re.compile(r"row:([0-9]{1,18})")  # a row number given as text, such as "row:17"
ATTRIBUTE = "_documents"  # attribute of an estimator that stores the documents
COLUMNS = ("ids", "titles", "labels")  # names of the optional strings of each document


class Documents:
    """Codes of documents, with ids, titles and labels if available.

    Parameters
    ----------
    codes : csr_matrix, SparseRows or DenseRows
        Codes (float32) with one row per document, in memory or in files.
    ids, titles, labels : Names, optional
        `labels` are the class, year or date of each document.
    topics : array or matrix, optional
        The `components_` that the codes belong to.
    index : IndexParts or callable, optional
        Search index of the documents, or a function that reads it when it is first used.
    """

    def __init__(
        self,
        codes: sp.csr_matrix | Rows,
        ids: Names | None = None,
        titles: Names | None = None,
        topics: Any = None,
        index: Any = None,
        labels: Names | None = None,
    ) -> None:
        self.rows: Rows = SparseRows.of(codes) if sp.issparse(codes) else codes
        self.ids = ids
        self.titles = titles
        self.topics = topics
        self.labels = labels
        self._index = index
        # For each of the last edits of the model: the codes of the removed topics, and these codes
        # in the search index if they differ.
        self.removed: list[tuple[Any, Any]] = []

    def __len__(self) -> int:
        return self.rows.shape[0]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_index": self.index}  # A function cannot be pickled.

    @property
    def n_topics(self) -> int:
        return self.rows.shape[1]

    @property
    def has_index(self) -> bool:
        """Whether there is a search index, which is not read."""
        return self._index is not None

    @property
    def index(self) -> Any:
        """`IndexParts` of the search index, or None; a saved index is read on first use."""
        if callable(self._index):
            self._index = self._index()
        return self._index

    @index.setter
    def index(self, index: Any) -> None:
        self._index = index

    @cached_property
    def codes(self) -> sp.csr_matrix:
        """The codes of all documents in memory; for many documents, use `blocks`."""
        return self.block(0, len(self))

    def block(self, start: int, stop: int) -> sp.csr_matrix:
        """Return the codes of the documents ``start:stop``."""
        return self.rows.block(start, stop)

    def blocks(self) -> Iterator[tuple[int, sp.csr_matrix]]:
        """Yield the codes of all documents in blocks, each with the row of its first document."""
        for start in range(0, len(self), ROWS):
            yield start, self.block(start, min(start + ROWS, len(self)))

    def code(self, row: int) -> sp.csr_matrix:
        """Return the code of a document as a matrix with one row."""
        return self.block(row, row + 1)

    def check(self) -> None:
        """Read all codes and names, and raise an error if a file is damaged."""
        for _ in self.blocks():
            pass
        for names in (self.ids, self.titles, self.labels):
            if names is not None:
                names.check()

    def id(self, row: int) -> str:
        """Return the id of a document, or the row number if it has no id."""
        return (self.ids[row] if self.ids is not None else "") or str(row)

    def title(self, row: int) -> str | None:
        return (self.titles[row] if self.titles is not None else "") or None

    def label(self, row: int) -> str | None:
        return (self.labels[row] if self.labels is not None else "") or None

    def find(self, document: str | int | np.integer) -> int:
        """Return the row of a document from its row, id or title; "row:17" means row 17."""
        if not isinstance(document, str):
            if not 0 <= document < len(self):
                rows = f"rows are 0 to {len(self) - 1}" if len(self) else "there are no documents"
                raise LaconicError(f"There is no document {document}; {rows}.")
            return int(document)
        by_id = self._rows_of_id(document)
        if len(by_id) > 1:
            raise LaconicError(
                f"{len(by_id)} documents have the id {document!r}; choose one by its row: "
                f"{some([f'row:{row}' for row in by_id.tolist()], 3)}."
            )
        by_title = by_id if len(by_id) or self.titles is None else self.titles.rows_of(document)
        if len(by_title) > 1:
            ids = [self.id(row) for row in by_title[:4].tolist()]
            raise LaconicError(
                f"{len(by_title)} documents have the title {document!r}; choose one by its id: "
                f"{some(ids, 3)}."
            )
        if len(by_title):
            return int(by_title[0])
        if row := ROW.fullmatch(document):
            return self.find(int(row[1]))
        raise LaconicError(self._unknown(document))

    def has(self, name: str) -> bool:
        """Return whether a document has this id or title."""
        by_title = self.titles is not None and len(self.titles.rows_of(name)) > 0
        return by_title or len(self._rows_of_id(name)) > 0

    def _rows_of_id(self, document: str) -> np.ndarray:
        if self.ids is not None:
            return self.ids.rows_of(document)
        digits = document.isascii() and document.isdecimal() and len(document) < 20
        row = int(document) if digits else -1
        return np.array([row] if 0 <= row < len(self) else [], dtype=np.int64)

    def _unknown(self, document: str) -> str:
        columns = [column for column in (self.ids, self.titles) if column is not None]
        suggestions = list(
            dict.fromkeys(name for column in columns for name in column.suggest(document))
        )
        problem = f"No document has the id or title {document!r}"
        if suggestions:
            return f"{problem}; did you mean {some([repr(name) for name in suggestions], 3)}?"
        if self.ids is not None and len(self):
            return f"{problem}; ids look like {self.id(0)!r}."
        return f"{problem}; rows go from 0 to {len(self) - 1}."


def documents_for(model: Any, corpus: Any = None) -> Documents:
    """Return the documents of `corpus`, or by default the documents saved with the model."""
    encoding_step(model)
    documents = kept_documents(model) if corpus is None else documents_of(model, corpus)
    if documents is None:
        raise LaconicError(
            "No documents were saved with this model; pass the documents as corpus=."
        )
    return documents


def documents_of(model: Any, corpus: Any) -> Documents:
    """Encode `corpus` with the model; the ids, titles and labels of a Corpus are included.

    If the corpus is on disk, the result is in a scratch folder.
    """
    if not isinstance(corpus, Corpus):
        return Documents(encode(model, corpus))
    scratch = scratch_for(corpus)
    n_topics = encoding_step(model).components_.shape[0]
    rows = RowsCollector(scratch, "codes", n_topics)
    for part in encode_parts(model, corpus):
        rows.append(part)
    return Documents(rows.finish(), **names_of(corpus, scratch))


def scratch_for(corpus: Corpus) -> ScratchFolder | None:
    """Return a folder for what is computed from a corpus, or None if memory is large enough."""
    return None if corpus.path is None else ScratchFolder()


def names_of(corpus: Corpus, scratch: ScratchFolder | None = None) -> dict[str, Names | None]:
    """Return the ids, titles and labels of a corpus as `Names`, in memory or in a folder."""
    writer = ColumnsWriter(corpus, scratch)
    if writer.is_needed:
        for part in corpus.replace(texts=None).parts():
            writer.append(part)
    return writer.finish()


class ColumnsWriter:
    """Collects the ids, titles and labels of a corpus from its parts."""

    def __init__(self, corpus: Corpus, scratch: ScratchFolder | None) -> None:
        self._writers = {
            name: NamesWriter(scratch, name) if corpus.has(name) else None for name in COLUMNS
        }

    @property
    def is_needed(self) -> bool:
        return any(writer is not None for writer in self._writers.values())

    def append(self, part: Corpus) -> None:
        for name, writer in self._writers.items():
            if writer is not None:
                writer.append(getattr(part, name))

    def finish(self) -> dict[str, Names | None]:
        return {
            name: None if writer is None else writer.finish()
            for name, writer in self._writers.items()
        }


def encode(model: Any, X: Any) -> sp.csr_matrix:
    """Return codes as a canonical float32 CSR matrix, whatever the output format of the model."""
    return _canonical(
        with_last_step(model, _sparse_coder(model)).transform(_as_documents(model, X))
    )


def encode_parts(model: Any, X: Any) -> Iterator[sp.csr_matrix]:
    """Yield the codes of consecutive blocks of documents; stacked, they are ``encode(model, X)``.

    If `X` is a corpus on disk, only a few blocks are in memory at the same time.
    """
    return (_canonical(codes) for codes in code_parts(model, X))


def code_parts(model: Any, X: Any) -> Iterator[Any]:
    """Yield the same codes as `encode_parts`, but with the type that the model returns."""
    coder = _sparse_coder(model)
    if not hasattr(coder, "transform_parts") or (isinstance(X, Corpus) and takes_texts(model)):
        whole = with_last_step(model, coder)
        parts = X.parts() if isinstance(X, Corpus) else iter([X])
        return (whole.transform(_as_documents(model, part)) for part in parts)
    return coder.transform_parts(transform_before(model, X))


def _as_documents(model: Any, X: Any) -> Any:
    return as_input(model, X) if isinstance(X, Corpus) else X


def _sparse_coder(model: Any) -> Any:
    """Return a copy of the last step whose codes are CSR and never a data frame."""
    coder = copy.copy(encoding_step(model))
    if hasattr(coder, "sparse_output"):
        coder.sparse_output = True
    coder.__dict__.pop("_sklearn_output_config", None)  # the copy would share it with the original
    coder.set_output(transform="default")
    return coder


def _canonical(codes: Any) -> sp.csr_matrix:
    codes = sp.csr_matrix(codes, dtype=np.float32)
    codes.sum_duplicates()
    codes.eliminate_zeros()
    return codes


# ---- documents saved with a model ----


def kept_documents(model: Any) -> Documents | None:
    """Return the documents saved with a loaded model, or None if the model was refitted."""
    estimator = last_step(model)
    documents: Documents | None = getattr(estimator, ATTRIBUTE, None)
    if documents is None or documents.topics is not getattr(estimator, "components_", None):
        return None
    return documents


def keep_documents(estimator: Any, documents: Documents) -> None:
    """Attach documents to an estimator; refitting the estimator drops the documents."""
    documents.topics = estimator.components_
    setattr(estimator, ATTRIBUTE, documents)
