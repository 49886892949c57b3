"""Initialisation methods of Sparse LSA.

Each function returns X'U (words x topics) for an initial U with orthonormal columns.

==========  ===================================================================================
pivot       U is found by a few subspace iterations (fit steps without a threshold), and rotated
            by the polar factor of pivot documents so that each topic has its own document; this
            method gives the lowest objectives and needs the fewest passes
identity    U = [I; 0], so that the topics are the first documents, as in the paper
random      the topics are documents drawn at random
==========  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.linalg

from laconic.corpus.chunks import Chunk
from laconic.corpus.sampling import sample_documents, take_rows
from laconic.engines import Engine
from laconic.models.projection import project
from laconic.models.sparse_lsa.procrustes import sum_with_root

SUBSPACE_PASSES = 3
PIVOT_CANDIDATES = 4  # number of candidate documents per topic, from which pivots are chosen


def pivot(
    engine: Engine,
    chunks: Sequence[Chunk],
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
) -> np.ndarray:
    random = np.random.default_rng([seed, 0])
    # Numbers are always drawn in float32, so that float32 and float64 data get the same values.
    W = random.standard_normal((shape[1], n_topics), dtype=np.float32).astype(dtype, copy=False)
    before, root = W, np.eye(n_topics)
    for _ in range(SUBSPACE_PASSES):
        stats, (root, _, _) = sum_with_root(engine, chunks, W, dtype)
        before, W = W, stats.products @ root.astype(dtype)
    candidates = sample_documents(engine, chunks, max(PIVOT_CANDIDATES * n_topics, 1000), seed)
    U = project(candidates, before) @ root
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
    return take_rows(engine, chunks, np.arange(n_topics)).toarray().T.astype(dtype)


def random(
    engine: Engine,
    chunks: Sequence[Chunk],
    shape: tuple[int, int],
    n_topics: int,
    dtype: Any,
    seed: int,
) -> np.ndarray:
    return sample_documents(engine, chunks, n_topics, seed).toarray().T.astype(dtype)


Start = Callable[[Engine, Sequence[Chunk], tuple[int, int], int, Any, int], np.ndarray]
STARTS: dict[str, Start] = {"pivot": pivot, "identity": identity, "random": random}
