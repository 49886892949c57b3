"""Documents of a model: their codes, ids, titles and labels.

The documents come from a corpus, or were saved with the model (see `laconic.save`).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, ModelFileError
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
MAX_COMPARED = 10_000  # maximum number of names compared with a mistyped name
ROW = re.compile(r"row:([0-9]{1,18})")  # a row number given as text, such as "row:17"
ATTRIBUTE = "_documents"  # attribute of an estimator that stores the documents
COLUMNS = ("ids", "titles", "labels")  # names of the optional strings of each document


class Names:
    """Strings of documents, stored in one UTF-8 buffer and decoded on access.

    Examples
    --------
    >>> names = Names.of(["cats", "dogs", None, "cats"])
    >>> names[1], names[2], names.rows_of("cats").tolist()
    ('dogs', '', [0, 3])
    >>> names.suggest("Cat"), names.suggest("dgs")
    (['cats'], ['dogs'])
    >>> names.distinct()
    (['', 'cats', 'dogs'], array([1, 2, 0, 1], dtype=int32))
    """

    def __init__(self, text: np.ndarray, ends: np.ndarray, path: Path | None = None) -> None:
        self.text = text
        self.ends = ends
        self.path = path

    @classmethod
    def of(cls, values: Iterable[Any]) -> Names:
        parts = [b"" if value is None else _encoded(str(value)) for value in values]
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        return cls(np.frombuffer(b"".join(parts), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> str:
        start = int(self.ends[row - 1]) if row else 0
        try:
            return bytes(self.text[start : int(self.ends[row])]).decode()
        except UnicodeDecodeError as error:
            raise ModelFileError(
                self.path or "documents",
                f"the text or name of document {row} is not valid UTF-8; the file is damaged",
            ) from error

    def rows_of(self, name: str) -> np.ndarray:
        """Return all rows whose string equals `name`."""
        wanted = _encoded(name)
        starts = self._starts()
        rows = np.flatnonzero(self.ends - starts == len(wanted))
        for offset, byte in enumerate(wanted):
            rows = rows[self.text[starts[rows] + offset] == byte]
        return rows

    def distinct(self) -> tuple[list[str], np.ndarray]:
        """Return the sorted distinct strings, and for each row the index of its string."""
        numbers: dict[bytes, int] = {}
        members = np.empty(len(self), dtype=np.int32)
        text, start = self.text.tobytes(), 0
        for row, end in enumerate(self.ends.tolist()):
            members[row] = numbers.setdefault(text[start:end], len(numbers))
            start = end
        names = [self[int(row)] for row in np.unique(members, return_index=True)[1]]
        order = sorted(range(len(names)), key=names.__getitem__)
        ranks = np.empty(len(names), dtype=np.int32)
        ranks[order] = np.arange(len(names))
        return [names[i] for i in order], ranks[members]

    def suggest(self, name: str, n: int = 3) -> list[str]:
        """Return up to `n` strings that contain `name`, or similar strings if none contains it."""
        matches = self._containing(name, n)
        if matches:
            return matches
        lengths = self.ends - self._starts()
        order = np.argsort(abs(lengths - len(_encoded(name))), kind="stable")[:MAX_COMPARED]
        by_lower = {self[row].lower(): self[row] for row in order.tolist() if lengths[row]}
        return [by_lower[match] for match in get_close_matches(name.lower(), by_lower, n=n)]

    def _starts(self) -> np.ndarray:
        return np.concatenate([np.zeros(min(1, len(self.ends)), np.int64), self.ends[:-1]])

    def _containing(self, name: str, n: int) -> list[str]:
        wanted, text = _encoded(name).lower(), self.text.tobytes().lower()
        matches: dict[str, None] = {}
        start = text.find(wanted) if wanted else -1
        while start >= 0 and len(matches) < n:
            row = int(np.searchsorted(self.ends, start, side="right"))
            if start + len(wanted) <= self.ends[row]:  # the match is within one string
                matches[self[row]] = None
                start = int(self.ends[row]) - 1
            start = text.find(wanted, start + 1)
        return list(matches)


@dataclass
class Documents:
    """Codes of documents (float32 CSR matrix), with ids, titles and labels if available."""

    codes: sp.csr_matrix
    ids: Names | None = None
    titles: Names | None = None
    topics: Any = None  # the `components_` that the codes belong to
    index: Any = None  # `IndexParts` of the search index of the documents
    labels: Names | None = None  # class, year or date of each document

    def __len__(self) -> int:
        return self.codes.shape[0]

    @property
    def n_topics(self) -> int:
        return self.codes.shape[1]

    def block(self, start: int, stop: int) -> sp.csr_matrix:
        """Return the codes of the documents ``start:stop``."""
        return self.codes[start:stop]

    def blocks(self) -> Iterator[tuple[int, sp.csr_matrix]]:
        """Yield the codes of all documents in blocks, each with the row of its first document."""
        for start in range(0, len(self), ROWS):
            yield start, self.block(start, min(start + ROWS, len(self)))

    def code(self, row: int) -> sp.csr_matrix:
        """Return the code of a document as a matrix with one row."""
        return self.block(row, row + 1)

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

    @cached_property
    def totals(self) -> np.ndarray:
        """Sum of the absolute topic weights of each document."""
        totals = np.zeros(len(self))
        for start, part in self.blocks():
            sizes = sp.csr_matrix(
                (np.abs(part.data.astype(np.float64)), part.indices, part.indptr), part.shape
            )
            totals[start : start + part.shape[0]] = sizes @ np.ones(part.shape[1])
        return totals

    @cached_property
    def roots(self) -> sp.csr_matrix:
        """Square roots of the codes, which must not be negative."""
        data = np.sqrt(self.codes.data.astype(np.float64))
        return sp.csr_matrix((data, self.codes.indices, self.codes.indptr), self.codes.shape)

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
    """Encode `corpus` with the model; the ids, titles and labels of a Corpus are included."""
    codes = encode(model, corpus)
    return Documents(codes, **(names_of(corpus) if isinstance(corpus, Corpus) else {}))


def names_of(corpus: Corpus) -> dict[str, Names | None]:
    """Return the ids, titles and labels of a corpus as `Names`."""
    columns = ((name, getattr(corpus, name)) for name in COLUMNS)
    return {name: None if values is None else Names.of(values) for name, values in columns}


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


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")  # JSON strings may contain lone surrogates
