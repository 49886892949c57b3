"""Sums over the documents of a model, collected in one pass over their codes.

The pass holds one block of codes in memory. What it keeps grows with the number of topics, not with
the number of documents: counts, sums, and the top `TOP` documents of each topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from laconic.corpus.support import code_totals
from laconic.fitted.documents import ROWS, Documents

TOP = 1_000  # number of top documents kept per topic
BLOCK = 4_000_000  # maximum number of weights (documents x topics) in a block
DENSE = 0.1  # minimum share of nonzero weights for which a dense product is faster
# Correlations need documents x topics² operations. If these are more than OPERATIONS, correlations
# are computed from evenly spaced documents, but from at least LEAST documents.
OPERATIONS = 20_000_000_000
LEAST = 10_000
# decimals of correlations; with more decimals, rounding errors would order equal correlations
DIGITS = 9


class TopDocuments(NamedTuple):
    """Documents of a topic, strongest first; the strength is share x weight."""

    rows: np.ndarray
    weights: np.ndarray
    shares: np.ndarray

    @property
    def strengths(self) -> np.ndarray:
        return self.weights * self.shares


@dataclass(frozen=True)
class DocumentSums:
    """Sums over documents.

    Attributes
    ----------
    n_weights : int
        Number of nonzero weights in the codes.
    n_documents : ndarray of int
        Number of documents in which the weight of each topic is positive.
    support : ndarray
        Effective number of documents of each topic; see `laconic.metrics.effective_documents`.
    correlations : ndarray of shape (n_topics, n_topics)
        Correlations between the shares of topics over documents.
    top : list of TopDocuments
        At most `TOP` documents of each topic.
    """

    n_weights: int
    n_documents: np.ndarray
    support: np.ndarray
    correlations: np.ndarray
    top: list[TopDocuments]


def sum_documents(documents: Documents) -> DocumentSums:
    """Collect the sums over all documents.

    Examples
    --------
    >>> sums = sum_documents(Documents(sp.csr_matrix([[1.0, 0], [3, 1], [0, 2]])))
    >>> sums.n_weights, sums.n_documents.tolist(), sums.support.round(2).tolist()
    (4, [2, 2], [1.6, 1.8])
    >>> [top.rows.tolist() for top in sums.top], sums.correlations.tolist()
    ([[1, 0], [2, 1]], [[1.0, -1.0], [-1.0, 1.0]])
    """
    n_topics = documents.n_topics
    n_weights, n_documents = 0, np.zeros(n_topics, dtype=np.int64)
    totals = code_totals(documents.block(0, 0))
    top = _Top(n_topics, TOP)
    products = _Products(len(documents), n_topics)
    with threadpool_limits(1, "blas"):  # the products would depend on the number of threads
        for start, block in code_blocks(documents):
            totals = totals.merge(code_totals(block))
            n_weights += block.nnz
            n_documents += np.bincount(block.indices[block.data > 0], minlength=n_topics)
            totals_of_rows = block_totals(block)
            rows = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
            top.add(start + rows, block.indices, block.data, totals_of_rows[rows])
            products.add(start, block, totals_of_rows)
    support = totals.effective_documents
    return DocumentSums(n_weights, n_documents, support, products.correlations(), top.sorted())


def code_correlations(documents: Documents) -> np.ndarray:
    """Return the correlations between the shares of topics over documents, in one pass.

    Examples
    --------
    >>> code_correlations(Documents(sp.csr_matrix([[1.0, 0], [3, 1], [0, 2]]))).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    products = _Products(len(documents), documents.n_topics)
    with threadpool_limits(1, "blas"):  # the products would depend on the number of threads
        for start, block in code_blocks(documents):
            products.add(start, block, block_totals(block))
    return products.correlations()


def top_of_topic(documents: Documents, topic: int, n: int | None = None) -> TopDocuments:
    """Return the top `n` documents of a topic, by default all of them, in one pass."""
    top = _Top(1, n or max(1, len(documents)))
    for start, block in code_blocks(documents):
        chosen = np.flatnonzero(block.indices == topic)
        rows = np.searchsorted(block.indptr, chosen, side="right") - 1
        totals = block_totals(block)[rows]
        top.add(start + rows, np.zeros(len(rows), dtype=np.int32), block.data[chosen], totals)
    return top.sorted()[0]


def code_blocks(documents: Documents) -> Iterator[tuple[int, sp.csr_matrix]]:
    """Yield blocks of codes of at most `BLOCK` weights, each with the row of its first document."""
    rows = min(ROWS, max(1, BLOCK // max(1, documents.n_topics)))
    for start in range(0, len(documents), rows):
        yield start, documents.block(start, min(start + rows, len(documents)))


def block_totals(block: sp.csr_matrix) -> np.ndarray:
    """Return the sum of the absolute weights of each document in a block."""
    sizes = np.abs(block.data.astype(np.float64))
    return sp.csr_matrix((sizes, block.indices, block.indptr), block.shape) @ np.ones(
        block.shape[1]
    )


class _Top:
    """The top documents of each topic among the documents that were added so far, in order."""

    def __init__(self, n_topics: int, n: int) -> None:
        self._n = n
        self._n_topics = n_topics
        self._least = np.zeros(n_topics)  # strength that a further document must exceed
        self._limit = 2 * n * n_topics
        self._size = 0
        # topics, rows, weights and shares of the documents
        self._parts: list[tuple[np.ndarray, ...]] = []

    def add(
        self, rows: np.ndarray, topics: np.ndarray, weights: np.ndarray, totals: np.ndarray
    ) -> None:
        """Add weights of topics in documents; `totals` are the totals of the documents."""
        weights = weights.astype(np.float64)
        shares = weights / np.where(totals > 0, totals, 1)
        chosen = np.flatnonzero((weights > 0) & (weights * shares > self._least[topics]))
        self._parts.append((topics[chosen], rows[chosen], weights[chosen], shares[chosen]))
        self._size += len(chosen)
        if self._size > self._limit:
            self._drop_weakest()

    def sorted(self) -> list[TopDocuments]:
        """Return the top documents of each topic; equally strong documents are in row order."""
        self._drop_weakest()
        topics, rows, weights, shares = self._parts[0]
        order = np.lexsort((rows, -weights * shares, topics))
        rows, weights, shares = rows[order], weights[order], shares[order]
        ends = np.cumsum(np.bincount(topics, minlength=self._n_topics)).tolist()
        parts = (slice(start, end) for start, end in pairwise([0, *ends]))
        return [TopDocuments(rows[part], weights[part], shares[part]) for part in parts]

    def _drop_weakest(self) -> None:
        """Keep only the `n` strongest documents of each topic, sorted by topic, then by row."""
        empty = tuple(np.zeros(0, kind) for kind in (np.int32, np.int64, np.float64, np.float64))
        columns = [np.concatenate(column) for column in zip(empty, *self._parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        topics, rows, weights, shares = (column[order] for column in columns)
        strengths = weights * shares
        ends = np.cumsum(np.bincount(topics, minlength=self._n_topics))
        keep = np.ones(len(topics), dtype=bool)
        for topic, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
            if end - start < self._n:
                continue
            part = strengths[start:end]
            least = np.partition(part, len(part) - self._n)[len(part) - self._n]
            keep[start:end] = part > least
            equal = start + np.flatnonzero(part == least)
            keep[equal[: self._n - int(np.count_nonzero(part > least))]] = True
            self._least[topic] = least
        self._parts = [(topics[keep], rows[keep], weights[keep], shares[keep])]
        self._size = int(np.count_nonzero(keep))


class _Products:
    """Sums of products of the shares of topics, from which correlations are computed."""

    def __init__(self, n_documents: int, n_topics: int) -> None:
        wanted = max(LEAST, OPERATIONS // max(1, n_topics) ** 2)
        self._step = -(-n_documents // wanted) or 1  # every how many documents are used
        self._n = 0
        self._sums = np.zeros(n_topics)
        self._products = np.zeros((n_topics, n_topics))

    def add(self, start: int, block: sp.csr_matrix, totals: np.ndarray) -> None:
        """Add the documents of a block whose first document has the row `start`."""
        if self._step > 1:
            used = slice(-start % self._step, None, self._step)
            block, totals = block[used], totals[used]
        # The shares are rounded to float32, like the weights.
        divisors = np.where(totals > 0, totals, 1).astype(np.float32)
        shares = (block.data / np.repeat(divisors, np.diff(block.indptr))).astype(np.float64)
        part = sp.csr_matrix((shares, block.indices, block.indptr), block.shape)
        self._n += part.shape[0]
        self._sums += part.sum(axis=0).A1
        if part.nnz <= DENSE * part.shape[0] * part.shape[1]:
            self._products += (part.T @ part).toarray()
            return
        table = part.toarray()
        self._products += table.T @ table

    def correlations(self) -> np.ndarray:
        """Return the correlations, rounded so that numerical noise is left out."""
        if self._n < 2:
            return np.zeros_like(self._products)
        mean = self._sums / self._n
        deviation = np.sqrt(np.maximum(np.diag(self._products) / self._n - mean**2, 0))
        covariance = self._products / self._n - np.outer(mean, mean)
        scale = np.outer(deviation, deviation)
        return np.round(covariance / np.where(scale > 1e-12, scale, np.inf), DIGITS)
