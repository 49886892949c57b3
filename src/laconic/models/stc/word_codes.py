"""Sparse word codes of STC, with one code for each stored entry of the counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import csr
from laconic.kernels.stc_words import encode_words
from laconic.kernels.stc_workspace import Penalties
from laconic.models.stc.solver import code


class WordCodes(Sequence[sp.csr_matrix]):
    """Word codes of documents, as a sequence of one CSR matrix (words x topics) per document.

    Parameters
    ----------
    entries : csr_matrix of shape (n_entries, n_topics)
        Code of each stored entry of the counts.
    columns : ndarray of shape (n_entries,)
        Column number (word) of each entry.
    indptr : ndarray of shape (n_documents + 1,)
        Index of the first entry of each document.
    n_words : int
    """

    def __init__(
        self, entries: sp.csr_matrix, columns: np.ndarray, indptr: np.ndarray, n_words: int
    ) -> None:
        self.entries = entries
        self.columns = columns
        self.indptr = indptr
        self.n_words = n_words

    @classmethod
    def join(cls, parts: list[WordCodes], shape: tuple[int, int]) -> WordCodes:
        """Concatenate the word codes of chunks; `shape` is (n_topics, n_words)."""
        if not parts:
            no_columns = np.zeros(0, np.int64)
            return cls(sp.csr_matrix((0, shape[0])), no_columns, np.zeros(1, np.int64), shape[1])
        starts = np.cumsum([0] + [part.indptr[-1] for part in parts])
        indptr = [part.indptr[1:] + start for part, start in zip(parts, starts[:-1], strict=True)]
        return cls(
            sp.vstack([part.entries for part in parts], format="csr"),
            np.concatenate([part.columns for part in parts]),
            np.concatenate([np.zeros(1, np.int64), *indptr]),
            shape[1],
        )

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @overload
    def __getitem__(self, document: int) -> sp.csr_matrix: ...

    @overload
    def __getitem__(self, document: slice) -> list[sp.csr_matrix]: ...

    def __getitem__(self, document: Any) -> Any:
        if isinstance(document, slice):
            return [self[i] for i in range(*document.indices(len(self)))]
        if not -len(self) <= document < len(self):
            raise IndexError(
                f"document {document} is out of range; there are {len(self)} documents, numbered "
                "from 0"
            )
        document %= len(self)
        start, stop = self.indptr[document], self.indptr[document + 1]
        codes = self.entries[start:stop]
        indptr = np.zeros(self.n_words + 1, codes.indptr.dtype)
        indptr[self.columns[start:stop] + 1] = np.diff(codes.indptr)
        return csr(
            codes.data, codes.indices, np.cumsum(indptr), (self.n_words, self.entries.shape[1])
        )

    @property
    def zeros(self) -> float:
        """Share of the entries of all word codes that are zero."""
        return 1 - self.entries.nnz / max(self.entries.shape[0] * self.entries.shape[1], 1)


def encode_chunk(
    params: tuple[np.ndarray, Penalties], chunk: Chunk, state: None
) -> tuple[WordCodes, None]:
    """Engine step: compute the word codes of a chunk."""
    words, penalties = params
    X = chunk.load()
    words = words.astype(np.result_type(X.dtype, words.dtype), copy=False)
    theta = code(X, words, penalties)[0]
    counts = X.data.astype(words.dtype, copy=False)
    data, topics, indptr = encode_words(counts, X.indices, X.indptr, words, theta, penalties)
    entries = csr(data, topics.astype(np.int64), indptr, (X.nnz, words.shape[1]))
    return WordCodes(entries, X.indices, X.indptr.astype(np.int64), X.shape[1]), None
