"""Sparse coding as in the program of Lee, Battle, Raina and Ng, which the Sparse LSA paper runs.

Lee et al.: Efficient sparse coding algorithms, NIPS 2006. For documents x_i, bases b_k and codes
u_i,

    min  1/2 Σ_i ‖x_i - Σ_k u_ik b_k‖² + λ Σ_i |u_i|_1    subject to    ‖b_k‖² ≤ 1

This is eq. (4.20) of the Sparse LSA paper with c = 1, the constant of the program. The paper prints
the constraint with an index that runs over the words; the program constrains the bases. A new
document is coded by the lasso of eq. (4.21) for fixed bases.

As in the program, bases are initially random (uniform numbers minus their mean, scaled to unit
length), and codes and bases take turns. A basis that no document uses becomes zero. The program has
no stopping rule; its demonstration takes 100 steps. The objective is not settled after them, and
results depend on their number. Three things differ:

- The program solves the lasso by feature-sign search, here it is solved by coordinate descent. In
  each step, descent starts from the codes of the last step and stops early.
- The program finds the best bases for given codes by Newton's method on the dual problem, here one
  basis is moved after another. Two sweeps lower the objective almost as much as the exact bases.
- The program can take the documents in batches and fits the bases to one batch at a time. The paper
  states no batch size; here, all documents are one batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

STEPS = 100
BASES_SWEEPS = 2
# Descent stops when no code changes the slope of another by more than this share of λ: while bases
# are learned, and for the final codes
ROUGH, EXACT = 0.05, 0.01
ROUGH_SWEEPS, EXACT_SWEEPS = 15, 1000


class Turned(NamedTuple):
    """Documents as coordinates in their own span, and the map from coordinates to words.

    Rotations preserve least squares and norms, and bases that were updated once are in the span of
    the documents. Therefore, sparse coding needs only as many coordinates as there are documents.
    """

    documents: np.ndarray  # array of shape (n_documents, n_coordinates)
    directions: np.ndarray  # array of shape (n_words, n_coordinates)


def turn(X: sp.csr_matrix) -> Turned:
    values, vectors = np.linalg.eigh((X @ X.T).toarray().astype(np.float64))
    kept = values > 1e-9 * values[-1]
    lengths, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return Turned(
        np.ascontiguousarray(vectors * lengths, dtype=np.float32),
        np.asarray(X.T @ (vectors / lengths), dtype=np.float32),
    )


class Bases(NamedTuple):
    """Bases in the coordinates of turned documents, and their Gram matrix."""

    rows: np.ndarray  # array of shape (n_topics, n_coordinates)
    gram: np.ndarray


def random_bases(turned: Turned, n_topics: int, seed: int) -> Bases:
    """Draw the first bases of the program; only their Gram matrix has their parts out of span."""
    drawn = np.random.default_rng(seed).random((n_topics, len(turned.directions)), np.float32)
    drawn -= drawn.mean(axis=1, keepdims=True)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return Bases(drawn @ turned.directions, drawn @ drawn.T)


def learn_bases(
    turned: Turned, n_topics: int, penalty: float, *, steps: int = STEPS, seed: int = 0
) -> Bases:
    """Learn the bases of eq. (4.20) in a fixed number of steps."""
    documents = turned.documents
    bases = random_bases(turned, n_topics, seed)
    codes = np.zeros((len(documents), n_topics), np.float32)
    for _ in range(steps):
        slopes = documents @ bases.rows.T - codes @ bases.gram
        descend(bases.gram, slopes, codes, np.float32(penalty), ROUGH_SWEEPS, ROUGH)
        moments, products = codes.T @ codes, codes.T @ documents
        for _ in range(BASES_SWEEPS):
            move_bases(bases.rows, moments, products)
        bases = Bases(bases.rows, bases.rows @ bases.rows.T)
    return bases


def move_bases(rows: np.ndarray, moments: np.ndarray, products: np.ndarray) -> None:
    """Move each basis to its minimum in the unit ball, given Σ u'u and Σ u'x of all documents."""
    for k, moment in enumerate(np.diag(moments)):
        if moment > 0:
            rows[k] += (products[k] - moments[k] @ rows) / moment
            rows[k] /= max(1, np.linalg.norm(rows[k]))
        else:
            rows[k] = 0


def sparse_codes(bases: Bases, documents: np.ndarray, penalty: float) -> np.ndarray:
    """Compute codes of turned documents, eq. (4.21)."""
    return lasso(bases.gram, documents @ bases.rows.T, penalty)


def lasso(gram: np.ndarray, products: np.ndarray, penalty: float) -> np.ndarray:
    """Compute codes from the inner products of documents and bases, which are overwritten."""
    codes = np.zeros_like(products)
    descend(gram, products, codes, np.float32(penalty), EXACT_SWEEPS, EXACT)
    return codes


@njit(cache=True)
def descend(gram, slopes, codes, penalty, max_sweeps, tol):
    """Update codes by coordinate descent; slopes are inner products of bases and residuals."""
    n_topics = len(gram)
    zero = penalty - penalty
    for d in range(len(codes)):
        code, slope = codes[d], slopes[d]
        for _ in range(max_sweeps):
            largest = zero
            for k in range(n_topics):
                row = gram[k]
                if row[k] <= 0:
                    code[k] = zero
                    continue
                pull = slope[k] + row[k] * code[k]
                change = -code[k]
                if pull > penalty:
                    change += (pull - penalty) / row[k]
                elif pull < -penalty:
                    change += (pull + penalty) / row[k]
                if change != 0:
                    # a code that becomes zero becomes exactly zero
                    code[k] = code[k] + change if abs(pull) > penalty else zero
                    for j in range(n_topics):
                        slope[j] -= change * row[j]
                    largest = max(largest, abs(change) * row[k])
            if largest <= tol * penalty:
                break
