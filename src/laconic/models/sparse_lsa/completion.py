"""Find replacement topics for Sparse LSA when V = X W is rank deficient.

The replacement topics are the rows of P'X, where the columns of P complete U. P is built from the
documents that the current topics explain worst, and is orthogonal to the existing columns of U.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.models.projection import project

CANDIDATES = 4  # number of worst-explained documents that are considered per missing topic


def complete(
    engine: Engine,
    chunks: Sequence[Chunk],
    W: Any,
    root: np.ndarray,
    products: np.ndarray,
    missing: int,
) -> np.ndarray | None:
    """Return the rows of P'X, where the columns of P complete U.

    Let the columns of E be the unit vectors that select the worst-explained documents. Then
    P = (E - V G^+ V_E') T is orthogonal to V, and its columns are orthonormal for a suitable T.
    Therefore P'X can be computed from X'V and the rows of X and V that belong to these documents.
    Of all possible columns of P, those that explain most are chosen, because words shared by
    several documents survive the penalty, while words of a single document may not.

    Parameters
    ----------
    engine, chunks
        The engine, and the chunks of the documents X.
    W : ndarray or CSR of shape (n_words, n_topics)
    root : ndarray of shape (n_topics, n_topics)
        The matrix G^(-1/2), restricted to the range of G = V'V.
    products : ndarray of shape (n_words, n_topics)
        The matrix X'V.
    missing : int
        Number of rows to return. If there are not enough linearly independent documents, fewer rows
        are returned, or None.
    """
    squares = W.T @ W
    fit = CurrentFit(W, root, squares.toarray() if sp.issparse(squares) else squares)
    worst = engine.map_reduce(worst_documents, (fit, CANDIDATES * missing + 16), chunks)
    inverse = root @ root  # G^+
    V = worst.V.astype(np.float64)
    overlap = V @ inverse
    chosen, factor = _pivots(np.eye(len(V)) - overlap @ V.T)
    if not len(chosen):
        return None
    rows = worst.X[chosen].toarray() - overlap[chosen] @ products.T
    rows = scipy.linalg.solve_triangular(factor, rows, lower=True)
    return _leading(rows, missing)


class CurrentFit(NamedTuple):
    """Parameters from which the residuals of documents are computed."""

    W: Any
    root: np.ndarray
    squares: np.ndarray  # A A'


class Worst(NamedTuple):
    """The documents with the largest residuals, in order of decreasing residual."""

    residuals: np.ndarray
    X: sp.csr_matrix
    V: np.ndarray
    limit: int

    def merge(self, other: Worst) -> Worst:
        residuals = np.concatenate([self.residuals, other.residuals])
        order = np.argsort(-residuals, kind="stable")[: self.limit]
        X = sp.vstack([self.X, other.X], format="csr")
        return Worst(residuals[order], X[order], np.vstack([self.V, other.V])[order], self.limit)

    def copy(self) -> Worst:
        return self


def worst_documents(
    params: tuple[CurrentFit, int], chunk: Chunk, state: None
) -> tuple[Worst, None]:
    """Engine step: find the documents with the largest residuals |x - A'u|^2."""
    fit, limit = params
    X = chunk.load()
    V = project(X, fit.W)
    U = V @ fit.root
    norms = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    residuals = norms - 2 * np.sum(U * V, axis=1) + np.sum((U @ fit.squares) * U, axis=1)
    residuals = _rounded(residuals)
    order = np.argsort(-residuals, kind="stable")[:limit]
    return Worst(residuals[order], X[order], V[order], limit), None


def _rounded(values: np.ndarray) -> np.ndarray:
    """Round to six digits, so that equal documents get equal residuals despite rounding errors.

    Documents with equal residuals are sorted by document number.
    """
    unit = 10.0 ** np.floor(np.log10(np.maximum(np.abs(values), 1e-30)))
    return np.round(values / unit, 5) * unit


def _leading(rows: np.ndarray, n_rows: int) -> np.ndarray:
    """Return the first `n_rows` principal components of the rows, with a fixed sign for each."""
    _, vectors = np.linalg.eigh(rows @ rows.T)
    vectors = vectors[:, ::-1][:, :n_rows]
    strongest = np.argmax(np.abs(vectors) > 0.999 * np.abs(vectors).max(axis=0), axis=0)
    vectors = vectors * np.sign(vectors[strongest, np.arange(vectors.shape[1])])
    return vectors.T @ rows


def _pivots(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of linearly independent rows of a Gram matrix, and a Cholesky factor."""
    chosen: list[int] = []
    rows: list[np.ndarray] = []
    remaining = np.diag(gram).copy()
    while len(chosen) < len(gram):
        best = int(np.argmax(remaining > 0.999 * remaining.max()))
        if remaining[best] < 1e-6:
            break
        factor = np.array(rows)
        row = gram[best] - (factor[:, best] @ factor if rows else 0)
        row = row / np.sqrt(remaining[best])
        chosen.append(best)
        rows.append(row)
        remaining = remaining - row**2
        remaining[chosen] = 0
    order = np.array(chosen, dtype=np.intp)
    return order, np.array(rows)[:, order].T if chosen else np.zeros((0, 0))
