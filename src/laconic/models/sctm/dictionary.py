"""Update the topics of SCTM for fixed codes, with topics on the simplex.

With C = Σθθ' and D = Σxθ', the objective is quadratic in the topics, and its Hessian with respect
to a single topic is C_jj times the identity. So the exact minimum over one topic is a gradient step
of length 1 / C_jj, projected on the simplex. No line search is needed, and the objective never
rises.

With the weights of `laconic.models.sctm.noise`, topics are directions in the unit ball instead of
distributions. The projected gradient step is then also the exact minimum.
"""

from __future__ import annotations

import numpy as np

from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.kernels.ball import descend_in_ball
from laconic.kernels.simplex import descend_topics, project_rows
from laconic.models.sctm.noise import unit_length
from laconic.models.seed_priors import Pull

EXCLUDED = -1e6  # slope of a word that is excluded from a topic; weights are at most 1
BLOCK = 8  # number of topics whose gradients are computed in one matrix product
SWEEPS = 2


def improve_topics(
    topics: np.ndarray,
    moments: np.ndarray,
    products: np.ndarray,
    sweeps: int = SWEEPS,
    weights: np.ndarray | None = None,
    run: RunTasks = run_here,
    pull: Pull | None = None,
) -> np.ndarray:
    """Return updated topics with a lower objective, leaving topics unused by documents unchanged.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        Topics on the simplex, or of unit length if there are `weights`.
    moments : ndarray of shape (n_topics, n_topics)
        The matrix C = Σθθ'.
    products : ndarray of shape (n_topics, n_words)
        The matrix D' = Σθx'.
    sweeps : int, default=2
        Number of updates of each topic.
    weights : ndarray of shape (n_words,), optional
        Weights of the words in the squared error; D' is computed without these weights.
    run : callable, optional
        Function that runs the tasks, usually `Engine.run_tasks`.
    pull : Pull, optional
        Prior of the topics of seeds.
    """
    if pull is not None:
        moments = pull.curved(moments)
    curvature = np.diag(moments)
    used = curvature > np.finfo(topics.dtype).tiny
    scale = np.divide(1.0, curvature, where=used, out=np.zeros(len(curvature)))
    coupling = (moments * scale[:, None]).astype(topics.dtype)
    factors = scale[:, None].astype(topics.dtype)
    word_weights = None if weights is None else weights.astype(topics.dtype)
    pulls, topics = np.empty_like(topics), topics.copy()

    def divide(words: slice) -> None:
        np.multiply(products[:, words], factors, out=pulls[:, words])
        if word_weights is not None:
            pulls[:, words] *= word_weights[words]

    run(divide, row_blocks(*topics.T.shape))
    if pull is not None:
        pull.add_forces(pulls, scale)
        pull.exclude(topics)
    for _ in range(sweeps):
        for start in range(0, len(topics), BLOCK):
            block = slice(start, start + BLOCK)
            slopes = slopes_of(topics, pulls[block], coupling[block], run)
            if pull is not None:  # A projection then sets these weights to zero.
                pull.exclude(slopes, start, EXCLUDED)
            given = topics[block], slopes, np.ascontiguousarray(coupling[block, block])
            if weights is None:
                descend_topics(*given)
            else:
                descend_in_ball(*given, True, True)
    finish = normalized if weights is None else unit_length
    run(lambda rows: finish(topics[rows]), row_blocks(*topics.shape))
    return topics


def slopes_of(
    topics: np.ndarray, pulls: np.ndarray, coupling: np.ndarray, run: RunTasks = run_here
) -> np.ndarray:
    """Return the negative gradients of some topics, divided by their curvature.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        All topics.
    pulls : ndarray of shape (n_some, n_words)
        The rows of D' that belong to these topics, divided by their curvature.
    coupling : ndarray of shape (n_some, n_topics)
        The rows of C that belong to these topics, divided by their curvature.
    run : callable, optional
        Function that runs the tasks, usually `Engine.run_tasks`.
    """
    slopes = np.empty_like(pulls)

    def compute(words: slice) -> None:
        np.subtract(pulls[:, words], coupling @ topics[:, words], out=slopes[:, words])

    run(compute, row_blocks(topics.shape[1], 2 * BLOCK))
    return slopes


def extrapolated(
    topics: np.ndarray,
    before: np.ndarray,
    momentum: float,
    weights: np.ndarray | None = None,
    run: RunTasks = run_here,
) -> np.ndarray:
    """Extrapolate topics in the direction of their last step, and project on the simplex.

    With `weights`, topics are not projected on the simplex. Instead, negative values are set to
    zero, and topics are scaled to unit length.
    """
    factor = topics.dtype.type(momentum)

    def extrapolate(rows: slice) -> np.ndarray:
        beyond = topics[rows] + factor * (topics[rows] - before[rows])
        if weights is not None:
            return unit_length(np.maximum(beyond, 0, out=beyond))
        project_rows(beyond, 1.0)
        return normalized(beyond)

    return np.concatenate(run(extrapolate, row_blocks(*topics.shape)))


def normalized(topics: np.ndarray) -> np.ndarray:
    """Divide each topic by its sum, in place, so that rounding errors do not accumulate."""
    topics /= topics.sum(axis=1, dtype=np.float64).astype(topics.dtype)[:, None]
    return topics
