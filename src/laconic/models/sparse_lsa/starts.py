"""Where Sparse LSA starts: the product X'U (words x topics) for a first orthonormal U.

==========  ===================================================================================
pivot       a few subspace iterations (the fit's own step without a threshold), turned by the
            polar factor of pivot documents so that each topic has a document of its own; lowest
            objectives, fewest passes
identity    U = [I; 0], the first documents, as in the paper
random      documents drawn at random
==========  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.models.sparse_lsa.procrustes import inverse_root, project, sum_products

SUBSPACE_PASSES = 3
PIVOT_CANDIDATES = 4  # documents for each topic among which pivots are chosen


def pivot(
    engine: Engine,
    chunks: Sequence[Chunk],
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
) -> np.ndarray:
    n_documents, n_words = shape
    random = np.random.default_rng([seed, 0])
    # Drawn in float32 whatever the data are, so that both precisions start alike.
    W = random.standard_normal((n_words, n_topics), dtype=np.float32).astype(dtype, copy=False)
    before, root = W, np.eye(n_topics)
    for _ in range(SUBSPACE_PASSES):
        stats = engine.map_reduce(sum_products, W, chunks)
        root, _null = inverse_root(stats.gram)
        before, W = W, stats.products @ root.astype(dtype)
    candidates = draw_documents(seed, n_documents, max(PIVOT_CANDIDATES * n_topics, 1000))
    U = pick_rows(engine, chunks, candidates, before) @ root
    _, pivots = scipy.linalg.qr(U.T, mode="r", pivoting=True)
    left, _, right = scipy.linalg.svd(U[pivots[:n_topics]], full_matrices=False)
    return W @ (left @ right).T.astype(dtype)


def identity(
    engine: Engine,
    chunks: Sequence[Chunk],
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
) -> np.ndarray:
    return pick_rows(engine, chunks, np.arange(n_topics)).T.astype(dtype)


def random(
    engine: Engine,
    chunks: Sequence[Chunk],
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
) -> np.ndarray:
    return pick_rows(engine, chunks, draw_documents(seed, shape[0], n_topics)).T.astype(dtype)


Start = Callable[[Engine, Sequence[Chunk], tuple[int, int], int, Any, int], np.ndarray]
STARTS: dict[str, Start] = {"pivot": pivot, "identity": identity, "random": random}


def draw_documents(seed: int, n_documents: int, wanted: int) -> np.ndarray:
    """Numbers of documents, drawn from all of them whatever the chunks are."""
    if wanted >= n_documents:
        return np.arange(n_documents)
    chosen = np.random.default_rng([seed, 1]).choice(n_documents, wanted, replace=False)
    return np.sort(chosen)


def pick_rows(
    engine: Engine, chunks: Sequence[Chunk], rows: np.ndarray, W: np.ndarray | None = None
) -> np.ndarray:
    """Some rows of X, or of X W, in the order of the documents."""
    touched = [c for c in chunks if np.any((rows >= c.start) & (rows < c.stop))]
    return np.vstack(list(engine.map(_picked, (rows, W), touched)))


def _picked(
    params: tuple[np.ndarray, np.ndarray | None], chunk: Chunk, state: None
) -> tuple[np.ndarray, None]:
    rows, W = params
    X: sp.csr_matrix = chunk.load()[rows[(rows >= chunk.start) & (rows < chunk.stop)] - chunk.start]
    return (X.toarray() if W is None else project(X, W)), None
