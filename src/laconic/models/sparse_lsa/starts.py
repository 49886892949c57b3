"""Initialisation methods of Sparse LSA.

Each method computes X'U (words x topics) for an initial U with orthonormal columns, in two parts:
the first call, before the chunks have been prepared, begins to draw random numbers; it returns a
function of the chunks, which computes X'U.

==========  ===================================================================================
pivot       U is found by a few subspace iterations (fit steps without a threshold), and rotated
            by the polar factor of pivot documents so that each topic has its own document; for
            the l1 penalty, U is then rotated further so that topics are sparse; this method gives
            the lowest objectives and needs the fewest passes
identity    U = [I; 0], so that the topics are the first documents, as in the paper
random      the topics are documents drawn at random
==========  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.sampling import sample_documents, take_rows
from laconic.engines import Engine
from laconic.engines.blocks import RunTasks, multiply, row_blocks, run_here
from laconic.kernels.projection import add_outer
from laconic.models.penalties import L1, Blocks
from laconic.models.projection import project
from laconic.models.sparse_lsa.procrustes import inverse_root, sum_with_root

FromChunks = Callable[[Sequence[Chunk]], np.ndarray]

SUBSPACE_PASSES = 3
PIVOT_CANDIDATES = 4  # number of candidate documents per topic, from which pivots are chosen
# The rotation is found from the words that U explains best: a quarter of the words, but at least
# ten per topic. With fewer words, more passes would be needed afterwards.
ROTATION_SHARE = 0.25
ROTATION_WORDS = 10
ESTIMATE_COLUMNS = 64
ROTATIONS = 10
ROTATION_MOMENTUM = 0.9


def pivot(
    engine: Engine,
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
    alpha: float | None = None,
) -> FromChunks:
    directions = engine.begin(partial(_directions, (shape[1], n_topics), dtype, seed))

    def start(chunks: Sequence[Chunk]) -> np.ndarray:
        return _pivot(engine, chunks, directions(), seed, alpha)

    return start


def _directions(shape: tuple[int, int], dtype: Any, seed: int) -> np.ndarray:
    random = np.random.default_rng([seed, 0])
    # Numbers are always drawn in float32, so that float32 and float64 data get the same values.
    return random.standard_normal(shape, dtype=np.float32).astype(dtype, copy=False)


def _pivot(
    engine: Engine, chunks: Sequence[Chunk], W: np.ndarray, seed: int, alpha: float | None
) -> np.ndarray:
    run, n_topics, dtype = engine.run_tasks, W.shape[1], W.dtype
    for last in (False,) * (SUBSPACE_PASSES - 1) + (True,):
        stats, (root, _, _) = sum_with_root(engine, chunks, W, dtype)
        if not last:
            W = multiply(stats.products, root.astype(dtype), run)
    candidates = sample_documents(engine, chunks, max(PIVOT_CANDIDATES * n_topics, 1000), seed)
    U = project(candidates, W) @ root
    _, pivots = scipy.linalg.qr(U.T, mode="r", pivoting=True)
    left, _, right = scipy.linalg.svd(U[pivots[:n_topics]], full_matrices=False)
    turned = (root @ (left @ right).T).astype(dtype)
    if alpha is not None:
        strongest = stats.products[_strongest(stats.products, root, run)]
        turned = turned @ sparse_rotation(multiply(strongest, turned, run), alpha, run)
    return multiply(stats.products, turned, run)


def _strongest(products: np.ndarray, root: np.ndarray, run: RunTasks) -> np.ndarray:
    """Return the numbers of the words with the longest rows in B' = (X'V) G^(-1/2).

    The lengths are estimated from a few columns, because all columns have about the same share.
    """
    n_words, n_topics = products.shape
    n_kept = min(max(int(ROTATION_SHARE * n_words), ROTATION_WORDS * n_topics), n_words)
    B = multiply(products, root[:, :ESTIMATE_COLUMNS].astype(products.dtype), run)
    return np.sort(np.argsort(-np.einsum("jk,jk->j", B, B), kind="stable")[:n_kept])


def sparse_rotation(B: np.ndarray, alpha: float, run: RunTasks = run_here) -> np.ndarray:
    """Return a rotation Q (topics x topics) for which the topics A = prox(Q'U'X) are sparse.

    The fit is restricted to the subspace of U: for given Q, the best A is prox(Q'U'X), and for
    given A, the best Q is the polar factor of U'X A'. These steps need no pass over the documents.

    Parameters
    ----------
    B : ndarray of shape (n_words, n_topics)
        The matrix X'U, which may be restricted to some of the words.
    alpha : float
        The l1 penalty λ.
    run : callable, optional
        Function that runs the tasks, usually `Engine.run_tasks`.
    """
    penalty = L1(np.full(B.shape[1], alpha))
    momentum = B.dtype.type(ROTATION_MOMENTUM)
    best = rotation = np.eye(B.shape[1], dtype=B.dtype)
    highest, previous = -np.inf, None
    words = row_blocks(*B.shape)
    for _ in range(ROTATIONS):
        W, energy = penalty.shrink(Blocks(words, partial(_turned, B, rotation), run))
        if energy > highest:
            highest, best = energy, rotation
        sums = _sums_of_topics(W, B, run)
        ahead = sums if previous is None else (1 + momentum) * sums - momentum * previous
        previous = sums
        target = ahead.T.astype(np.float64)
        root, null, _ = inverse_root(target.T @ target)
        if null.shape[1]:  # A topic is empty, so the polar factor is not unique.
            break
        rotation = (target @ root).astype(B.dtype)
    return best


def _turned(B: np.ndarray, rotation: np.ndarray, rows: slice) -> np.ndarray:
    return B[rows] @ rotation


def _sums_of_topics(W: sp.csr_matrix, B: np.ndarray, run: RunTasks) -> np.ndarray:
    """Return W'B (topics x topics), where W is sparse."""

    def sum_block(rows: slice) -> np.ndarray:
        sums = np.zeros((W.shape[1], B.shape[1]), B.dtype)
        add_outer(W.data, W.indices, W.indptr[rows.start : rows.stop + 1], B[rows], sums)
        return sums

    return reduce(add, run(sum_block, row_blocks(*B.shape)))


def identity(
    engine: Engine,
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
    alpha: float | None = None,
) -> FromChunks:
    rows = np.arange(n_topics)
    return lambda chunks: take_rows(engine, chunks, rows).toarray().T.astype(dtype)


def random(
    engine: Engine,
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
    alpha: float | None = None,
) -> FromChunks:
    def start(chunks: Sequence[Chunk]) -> np.ndarray:
        return sample_documents(engine, chunks, n_topics, seed).toarray().T.astype(dtype)

    return start


Start = Callable[..., FromChunks]
STARTS: dict[str, Start] = {"pivot": pivot, "identity": identity, "random": random}
