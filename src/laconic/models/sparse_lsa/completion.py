"""Topics for the null space of V: rows P'X that complete U'X where V = X W lacks rank.

P is made of the documents that are explained worst, orthogonal to what U has already.
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

CANDIDATES = 4  # worst documents for each topic that is to be filled


def complete(
    engine: Engine,
    chunks: Sequence[Chunk],
    W: Any,
    root: np.ndarray,
    products: np.ndarray,
    missing: int,
) -> np.ndarray | None:
    """Rows P'X for columns P that complete U, from the worst-explained documents.

    P = (E - V G^+ V_E') T for the unit vectors E of some documents: orthogonal to V, and
    orthonormal for the right T. So P'X needs only these rows of X and V. Of all such P the
    ones that explain most are taken: what several documents share passes the penalty where a
    single document may not.

    Parameters
    ----------
    engine, chunks
        The documents X.
    W : ndarray or CSR of shape (n_words, n_topics)
    root : ndarray of shape (n_topics, n_topics)
        G^(-1/2), on the range of G = V'V.
    products : ndarray of shape (n_words, n_topics)
        X'V.
    missing : int
        How many rows are wanted; there may be fewer, or none.
    """
    squares = W.T @ W
    about = Explained(W, root, squares.toarray() if sp.issparse(squares) else squares)
    worst = engine.map_reduce(worst_documents, (about, CANDIDATES * missing + 16), chunks)
    inverse = root @ root  # G^+
    V = worst.V.astype(np.float64)
    overlap = V @ inverse
    chosen, factor = _pivots(np.eye(len(V)) - overlap @ V.T)
    if not len(chosen):
        return None
    rows = worst.X[chosen].toarray() - overlap[chosen] @ products.T
    rows = scipy.linalg.solve_triangular(factor, rows, lower=True)
    return _leading(rows, missing)


class Explained(NamedTuple):
    """What is needed to tell how well a document is explained."""

    W: Any
    root: np.ndarray
    squares: np.ndarray  # A A'


class Worst(NamedTuple):
    """The documents with the largest residuals, worst first."""

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


def worst_documents(params: tuple[Explained, int], chunk: Chunk, state: None) -> tuple[Worst, None]:
    """Step: documents with the largest |x - A'u|^2."""
    about, limit = params
    X = chunk.load()
    V = project(X, about.W)
    U = V @ about.root
    norms = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    residuals = norms - 2 * np.sum(U * V, axis=1) + np.sum((U @ about.squares) * U, axis=1)
    residuals = _rounded(residuals)
    order = np.argsort(-residuals, kind="stable")[:limit]
    return Worst(residuals[order], X[order], V[order], limit), None


def _rounded(values: np.ndarray) -> np.ndarray:
    """Six digits, so that equal documents tie, and ties go by the number of the document."""
    unit = 10.0 ** np.floor(np.log10(np.maximum(np.abs(values), 1e-30)))
    return np.round(values / unit, 5) * unit


def _leading(rows: np.ndarray, wanted: int) -> np.ndarray:
    """The `wanted` turns of orthonormal directions that explain most, each with a fixed sign."""
    _, turns = np.linalg.eigh(rows @ rows.T)
    turns = turns[:, ::-1][:, :wanted]
    strongest = np.argmax(np.abs(turns) > 0.999 * np.abs(turns).max(axis=0), axis=0)
    turns = turns * np.sign(turns[strongest, np.arange(turns.shape[1])])
    return turns.T @ rows


def _pivots(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Independent rows of a Gram matrix, and their Cholesky factor."""
    chosen: list[int] = []
    rows: list[np.ndarray] = []
    left = np.diag(gram).copy()
    while len(chosen) < len(gram):
        best = int(np.argmax(left > 0.999 * left.max()))
        if left[best] < 1e-6:
            break
        made = np.array(rows)
        row = gram[best] - (made[:, best] @ made if rows else 0)
        row = row / np.sqrt(left[best])
        chosen.append(best)
        rows.append(row)
        left = left - row**2
        left[chosen] = 0
    order = np.array(chosen, dtype=np.intp)
    return order, np.array(rows)[:, order].T if chosen else np.zeros((0, 0))
