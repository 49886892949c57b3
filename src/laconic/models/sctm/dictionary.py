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
    pull : Pull, optional
        Prior of the topics of seeds.
    """
    topics = topics.copy()
    if weights is not None:
        products = products * weights.astype(topics.dtype)
    if pull is not None:
        moments, products = pull.add(moments, products)
        pull.exclude(topics)
    curvature = np.diag(moments)
    used = curvature > np.finfo(topics.dtype).tiny
    scale = np.divide(1.0, curvature, where=used, out=np.zeros(len(curvature)))
    coupling = (moments * scale[:, None]).astype(topics.dtype)
    pulls = products * scale[:, None].astype(topics.dtype)
    descend = descend_topics if weights is None else descend_in_ball
    for _ in range(sweeps):
        for start in range(0, len(topics), BLOCK):
            block = slice(start, start + BLOCK)
            slopes = pulls[block] - coupling[block] @ topics
            if pull is not None:  # A projection then sets these weights to zero.
                pull.exclude(slopes, start, EXCLUDED)
            descend(topics[block], slopes, np.ascontiguousarray(coupling[block, block]))
    return normalized(topics) if weights is None else unit_length(topics)


def extrapolated(
    topics: np.ndarray, before: np.ndarray, momentum: float, weights: np.ndarray | None = None
) -> np.ndarray:
    """Extrapolate topics in the direction of their last step, and project on the simplex.

    With `weights`, topics are not projected on the simplex. Instead, negative values are set to
    zero, and topics are scaled to unit length.
    """
    beyond = topics + topics.dtype.type(momentum) * (topics - before)
    if weights is not None:
        return unit_length(np.maximum(beyond, 0, out=beyond))
    project_rows(beyond, 1.0)
    return normalized(beyond)


def normalized(topics: np.ndarray) -> np.ndarray:
    """Divide each topic by its sum, in place, so that rounding errors do not accumulate."""
    topics /= topics.sum(axis=1, dtype=np.float64).astype(topics.dtype)[:, None]
    return topics
