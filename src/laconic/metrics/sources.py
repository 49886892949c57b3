"""Metrics that relate topics to the sources of documents, such as authors, senders or sites.

A topic whose leading documents all come from one source is often a signature or a template. The
words of such a topic always occur together, so its coherence over documents is high.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, check_at_least

N_LEADING = 20
"""Default number of leading documents of a topic: the documents with the largest codes."""


def lone_topics(codes: Any, source: Iterable[Any], n_documents: int = N_LEADING) -> np.ndarray:
    """Return, for each topic, whether half or more of its leading documents have one source.

    The leading documents of a topic are the documents with the largest absolute codes. A topic may
    have fewer than `n_documents` leading documents. A topic without documents counts as lone.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
    source : iterable of length n_documents
        The source of each document, such as its author. A document whose source is None, NaN or an
        empty string counts as a source of one document.
    n_documents : int, default=20
        Number of leading documents per topic.

    Returns
    -------
    ndarray of bool of shape (n_topics,)

    Examples
    --------
    >>> codes = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> lone_topics(codes, ["ann", "bob", "cem", "dan", "dan", "ann"]).tolist()
    [False, True]
    """
    check_at_least("n_documents", n_documents)
    leading = leading_documents(codes, n_documents)
    return are_lone(leading, source_numbers(source, np.shape(codes)[0]))


@dataclass
class Leading:
    """Rows and absolute codes of the leading documents of each topic, largest codes first.

    `merge` adds the leading documents of the next part of the documents.

    Examples
    --------
    >>> first, second = leading_documents([[2, 0], [1, 1]], 2), leading_documents([[3, 0]], 2, 2)
    >>> [rows.tolist() for rows in first.merge(second).rows]
    [[2, 0], [1]]
    """

    rows: list[np.ndarray]
    codes: list[np.ndarray]
    n_documents: int  # maximum number per topic

    def merge(self, other: Leading) -> Leading:
        merged = Leading([], [], self.n_documents)
        for topic in range(len(self.rows)):
            rows = np.concatenate([self.rows[topic], other.rows[topic]])
            codes = np.concatenate([self.codes[topic], other.codes[topic]])
            best = np.argsort(-codes, kind="stable")[: self.n_documents]
            merged.rows.append(rows[best])
            merged.codes.append(codes[best])
        return merged


def leading_documents(codes: Any, n_documents: int = N_LEADING, first_row: int = 0) -> Leading:
    """Return the documents with the largest absolute codes; codes that are zero do not count.

    `first_row` is the row number of the first row of `codes`, if `codes` is a part.
    """
    columns = abs(sp.csc_matrix(codes))
    columns.eliminate_zeros()
    columns.sort_indices()  # among equal codes, earlier documents come first
    leading = Leading([], [], n_documents)
    for topic in range(columns.shape[1]):
        entries = slice(columns.indptr[topic], columns.indptr[topic + 1])
        best = np.argsort(-columns.data[entries], kind="stable")[:n_documents]
        leading.rows.append(columns.indices[entries][best].astype(np.int64) + first_row)
        leading.codes.append(columns.data[entries][best])
    return leading


def are_lone(leading: Leading, numbers: np.ndarray) -> np.ndarray:
    """Return whether each topic is lone, given the number of the source of each document."""
    lone = np.ones(len(leading.rows), dtype=bool)
    for topic, rows in enumerate(leading.rows):
        if len(rows):
            _, n_from = np.unique(numbers[rows], return_counts=True)
            lone[topic] = 2 * n_from.max() >= len(rows)
    return lone


def merge_sources(corpus: Corpus, source: Iterable[Any]) -> Corpus:
    """Merge all documents of a source into one document.

    If the result is passed to `coherence`, it counts the sources in which words co-occur.

    Parameters
    ----------
    corpus : Corpus
    source : iterable of length n_documents
        As in `lone_topics`.

    Returns
    -------
    Corpus
        Corpus without metadata. Each row contains the summed counts of a source, and sources are
        in the order of their first documents.

    Examples
    --------
    >>> corpus = Corpus([[1, 0], [0, 2], [0, 4]], ["cat", "dog"])
    >>> merge_sources(corpus, ["ann", "bob", "ann"]).counts.toarray().tolist()
    [[1, 4], [0, 2]]
    """
    numbers = source_numbers(source, len(corpus))
    n_sources = int(numbers.max(initial=-1)) + 1
    entries = np.ones(len(numbers), dtype=np.int64), (numbers, np.arange(len(numbers)))
    sums = sp.csr_matrix(entries, shape=(n_sources, len(numbers)))
    return Corpus(sums @ corpus.counts, corpus.vocabulary)


def source_numbers(source: Iterable[Any], n_documents: int) -> np.ndarray:
    """Number the sources from 0, in the order of their first documents.

    Examples
    --------
    >>> source_numbers(["ann", "", "bob", None, "ann"], 5).tolist()
    [0, 1, 2, 3, 0]
    """
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise LaconicError(
            f"source must be a sequence with one entry per document; got {source!r}."
        )
    names = source.tolist() if isinstance(source, np.ndarray) else list(source)
    if len(names) != n_documents:
        raise LaconicError(
            f"There are {len(names):,} sources for {n_documents:,} documents; pass one per "
            "document."
        )
    missing = [_is_missing(name) for name in names]
    if names and all(missing):
        raise LaconicError("No document has a source; pass sources that are not all empty.")
    numbers: dict[Any, int] = {}
    keys = [(row, None) if missing[row] else name for row, name in enumerate(names)]
    try:
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    except TypeError as error:  # a source is a list or a dict
        raise LaconicError("The source of each document must be a string or a number.") from error


def _is_missing(name: Any) -> bool:
    """Return whether a source is None, NaN, pandas' NA or a blank string."""
    if name is None or type(name).__name__ == "NAType":
        return True
    return not name.strip() if isinstance(name, str) else bool(name != name)
