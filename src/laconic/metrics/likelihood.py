"""Perplexity of held-out words, and reconstruction error of documents.

Every quantity here is a sum over documents, so the statistics of chunks can be merged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.corpus.chunks import row_bounds
from laconic.corpus.matrices import dense, share_rows
from laconic.engines.stats import Stats
from laconic.errors import LaconicError

BLOCK_ENTRIES = 1 << 22
"""Approximate maximum number of values in a temporary array (32 MB of float64 values)."""


# --- held-out words ------------------------------------------------------------------------------


@dataclass
class Likelihood(Stats):
    """Sum of log probabilities, and number of words; `merge` adds the sums of two chunks.

    Examples
    --------
    >>> Likelihood(2 * math.log(0.5), 2).merge(Likelihood(math.log(0.25), 2)).perplexity
    2.0
    """

    log_likelihood: float
    n_tokens: float
    # sums over documents of L², L n and n², for the log-likelihood L and the number of words n
    squares: float = 0.0
    products: float = 0.0
    token_squares: float = 0.0

    @property
    def error(self) -> float:
        """Standard error of the perplexity, if the documents are a random sample."""
        if self.log_likelihood == -math.inf:
            return 0.0
        mean = self.log_likelihood / self.n_tokens
        # Σ(L - mean n)²; the perplexity is exp(-ΣL / Σn), a function of a ratio of two sums
        deviation = self.squares - 2 * mean * self.products + mean**2 * self.token_squares
        return self.perplexity * math.sqrt(max(deviation, 0.0)) / self.n_tokens

    @property
    def perplexity(self) -> float:
        """exp(-mean log probability), which is infinite if a word has probability zero."""
        if not self.n_tokens:
            raise LaconicError("Perplexity needs held-out words, but no word is held out.")
        if self.log_likelihood == -math.inf:
            return math.inf
        return math.exp(-self.log_likelihood / self.n_tokens)


def completion_perplexity(topics: Any, mixtures: Any, held: Any) -> float:
    """Perplexity: exp(-mean log probability of the held-out words under the topic mixtures).

    A perplexity of n means that the model is on average as uncertain as if it had to choose among n
    equally likely words. The perplexity is the size of the vocabulary for uniform topics, and 1 if
    every word is predicted with certainty.

    Parameters
    ----------
    topics : sparse matrix or array of shape (n_topics, n_words)
        Rows are distributions over words.
    mixtures : sparse matrix or array of shape (n_documents, n_topics)
        Rows are topic shares, inferred from the observed words; see `as_mixtures`.
    held : sparse matrix or array of shape (n_documents, n_words)
        Counts of the held-out words.

    Returns
    -------
    float
        The perplexity; infinite if a held-out word has probability zero, so smooth the topics of a
        sparse model first.

    Examples
    --------
    >>> topics = [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]
    >>> held = [[1, 0, 0, 0], [0, 1, 0, 0]]  # probabilities 1/2 and 1/4
    >>> round(completion_perplexity(topics, [[1, 0], [0.5, 0.5]], held) ** 2, 6)
    8.0
    """
    return completion_likelihood(topics, mixtures, held).perplexity


def completion_likelihood(topics: Any, mixtures: Any, held: Any) -> Likelihood:
    """Return the sums for `completion_perplexity`; the sums of chunks can be merged."""
    words = np.ascontiguousarray(dense(topics).T, dtype=np.float64)
    held, mixtures = sp.csr_matrix(held), _rows(mixtures)
    _check_shapes("held-out counts", held, mixtures, words.shape[::-1])
    _check_distributions(words.T, "topics")
    total = Likelihood(0.0, 0.0)
    for start, stop in _blocks(held, words.shape[1]):
        shares = dense(mixtures[start:stop]).astype(np.float64)
        _check_distributions(shares, "mixtures")
        total = total.merge(_block_likelihood(words, shares, share_rows(held, start, stop)))
    return total


def _block_likelihood(words: np.ndarray, shares: np.ndarray, held: sp.csr_matrix) -> Likelihood:
    rows = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
    counted = held.data > 0
    rows, columns, counts = rows[counted], held.indices[counted], held.data[counted]
    probability = np.einsum("ij,ij->i", words[columns], shares[rows])
    if (probability <= 0).any():
        return Likelihood(-math.inf, float(counts.sum()))
    logs = np.log(probability)
    likelihoods = np.bincount(rows, counts * logs)
    lengths = np.bincount(rows, counts)
    return Likelihood(
        float(counts @ logs),
        float(counts.sum(dtype=np.float64)),
        float(likelihoods @ likelihoods),
        float(likelihoods @ lengths),
        float(lengths @ lengths),
    )


def as_mixtures(codes: Any, otherwise: Any = None) -> np.ndarray:
    """Scale codes so that each row sums to one.

    Parameters
    ----------
    codes : sparse matrix or array of shape (n_documents, n_topics)
        All values must be at least 0.
    otherwise : array of shape (n_topics,), optional
        Topic shares for documents whose codes are all zero, for example the topic shares of the
        corpus; equal shares by default.

    Examples
    --------
    >>> as_mixtures([[3, 1], [0, 0]]).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    rows = np.array(dense(codes), dtype=np.float64)
    if rows.size and not rows.min() >= 0:
        raise LaconicError("Codes must not be negative, because they are scaled to topic shares.")
    totals = rows.sum(axis=1)
    rows[totals > 0] /= totals[totals > 0, None]
    shares = np.ones(rows.shape[1]) if otherwise is None else np.asarray(otherwise, np.float64)
    rows[totals == 0] = shares / shares.sum() if shares.size else shares
    return rows


def _check_distributions(rows: np.ndarray, what: str) -> None:
    sums = rows.sum(axis=1) if rows.size else np.ones(1)
    # A row of zeros is valid, because it stands for an empty topic or document.
    is_valid = (np.abs(sums - 1) <= 1e-3) | (sums == 0)
    if rows.size and not (rows.min() >= 0 and is_valid.all()):
        raise LaconicError(
            f"The rows of {what} must be distributions (non-negative, with sum one); scale them, "
            "for example with as_mixtures."
        )


# --- reconstruction ------------------------------------------------------------------------------


@dataclass
class Squares(Stats):
    """Sums of the squared norms of documents and residuals; `merge` adds the sums of two chunks."""

    total: float
    residual: float

    @property
    def share(self) -> float:
        """residual / total; if total is zero: 0 if residual is zero too, otherwise infinity."""
        if self.total == 0:
            return 0.0 if self.residual <= 0 else math.inf
        return max(self.residual / self.total, 0.0)


def reconstruction_error(X: Any, codes: Any, components: Any) -> float:
    """Squared error of `codes` times `components`, divided by the squared norm of the documents.

    The error is ‖X - codes · components‖² / ‖X‖² in the Frobenius norm. It is 0 for a perfect
    reconstruction, and 1 if all codes are zero. No dense array of documents x words is built.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_documents, n_words)
        The documents, weighted in the same way as when the model was fitted.
    codes : sparse matrix or array of shape (n_documents, n_topics)
    components : sparse matrix or array of shape (n_topics, n_words)

    Returns
    -------
    float

    Examples
    --------
    >>> reconstruction_error([[3, 0], [0, 4]], [[3], [0]], [[1, 0]])  # residual 16 of 25
    0.64
    """
    return reconstruction_squares(X, codes, components).share


def reconstruction_squares(X: Any, codes: Any, components: Any) -> Squares:
    """Return the sums for `reconstruction_error`; the sums of chunks can be merged."""
    X, codes, topics = sp.csr_matrix(X), _rows(codes), dense(components).astype(np.float64)
    _check_shapes("documents", X, codes, topics.shape)
    gram = topics @ topics.T
    total = Squares(0.0, 0.0)
    for start, stop in _blocks(X, len(topics)):
        rows = share_rows(X, start, stop).astype(np.float64)
        U = dense(codes[start:stop]).astype(np.float64)
        # ‖x - uA‖² = ‖x‖² - 2 u·(xAᵀ) + u(AAᵀ)uᵀ, row by row
        length = float(rows.data @ rows.data)
        residual = length + float(np.sum(U * (U @ gram - 2 * (rows @ topics.T))))
        total = total.merge(Squares(length, residual))
    return total


@dataclass
class Products(Stats):
    """CᵀC, CᵀX and ‖X‖² for codes C of documents X; `merge` adds the sums of two chunks."""

    gram: np.ndarray  # CᵀC, of shape (n_topics, n_topics)
    cross: np.ndarray  # CᵀX, of shape (n_topics, n_words)
    total: float

    @property
    def unexplained(self) -> float:
        """Share of ‖X‖² that no linear map of the codes explains."""
        if self.total == 0:
            return 0.0
        lengths = np.sqrt(np.maximum(np.diag(self.gram), 0))
        lengths[lengths == 0] = 1
        # Scale the columns to unit length, which does not change the result.
        values, vectors = scipy.linalg.eigh(self.gram / lengths / lengths[:, None])
        positive = values > len(values) * np.finfo(np.float64).eps * max(values.max(initial=0), 0)
        along = vectors[:, positive].T @ (self.cross / lengths[:, None])
        explained = float(np.sum(along * along / values[positive, None]))
        return float(np.clip(1 - explained / self.total, 0, 1))


def unexplained(X: Any, codes: Any) -> float:
    """Share of the squared norm of documents that the codes cannot explain, whatever the topics.

    This share is the minimum of ‖X - codes · W‖² / ‖X‖² over all matrices W. It is 0 if the
    documents are a linear function of their codes, and 1 if the codes explain nothing.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_documents, n_words)
    codes : sparse matrix or array of shape (n_documents, n_topics)

    Returns
    -------
    float
        The unexplained share; 0 if X is zero.

    Examples
    --------
    >>> unexplained([[3, 0], [0, 4]], [[7], [0]])  # the second document has no code
    0.64
    """
    return code_products(X, codes).unexplained


def code_products(X: Any, codes: Any, total: Products | None = None) -> Products:
    """Return the sums for `unexplained`; the sums of chunks can be merged.

    If `total` is passed, the sums are added to it in place, in blocks of more documents. This is
    faster for many documents, because each block computes an array of topics x words.
    """
    X, codes = sp.csr_matrix(X), _rows(codes)
    n_topics = codes.shape[1]
    _check_shapes("documents", X, codes, (n_topics, X.shape[1]))
    blocks = _blocks(X, n_topics)
    if total is None:
        total = no_products(n_topics, X.shape[1])
    else:
        blocks = pairwise(row_bounds(X.indptr, X.nnz, 4 * BLOCK_ENTRIES // max(n_topics, 1)))
    for start, stop in blocks:
        rows = share_rows(X, start, stop).astype(np.float64)
        C = dense(codes[start:stop]).astype(np.float64)
        cross = np.ascontiguousarray((rows.T @ C).T)
        total = total.merge(Products(C.T @ C, cross, float(rows.data @ rows.data)))
    return total


def no_products(n_topics: int, n_words: int) -> Products:
    """Return the sums over no documents."""
    return Products(np.zeros((n_topics, n_topics)), np.zeros((n_topics, n_words)), 0.0)


# --- helpers -------------------------------------------------------------------------------------


def _blocks(X: sp.csr_matrix, width: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of rows with about BLOCK_ENTRIES / `width` entries."""
    size = max(BLOCK_ENTRIES // max(width, 1), 1)
    return pairwise(row_bounds(X.indptr, size, size))


def _rows(matrix: Any) -> Any:
    """Convert to a CSR matrix or an array, so that the rows can be sliced."""
    return matrix.tocsr() if sp.issparse(matrix) else np.asarray(matrix)


def _check_shapes(what: str, X: Any, codes: Any, topics: tuple[int, ...]) -> None:
    if X.shape != (codes.shape[0], topics[1]) or codes.shape[1] != topics[0]:
        shapes = (f"{shape[0]:,} x {shape[1]:,}" for shape in (X.shape, codes.shape, topics))
        raise LaconicError(
            "Shapes do not match: the {} are {}, the codes {} and the topics {}.".format(
                what, *shapes
            )
        )
