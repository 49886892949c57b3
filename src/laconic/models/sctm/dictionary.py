"""The dictionary step of sparse coding with topics on the simplex.

With C = Σθθ' and D = Σxθ', the objective is quadratic in the topics, and its Hessian with respect
to a single topic is C_jj times the identity. So the exact minimum over one topic is a gradient step
of length 1 / C_jj, projected on the simplex. No line search is needed, and the objective never
rises.
"""

from __future__ import annotations

import numpy as np

from laconic.kernels.simplex import descend_topics, project_rows

BLOCK = 8  # number of topics whose gradients are computed by one matrix product
SWEEPS = 2


def improve_topics(
    topics: np.ndarray, moments: np.ndarray, products: np.ndarray, sweeps: int = SWEEPS
) -> np.ndarray:
    """Return topics with a lower objective; topics that no document uses do not change.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        Topics on the simplex.
    moments : ndarray of shape (n_topics, n_topics)
        C.
    products : ndarray of shape (n_topics, n_words)
        D'.
    sweeps : int, default=2
        Number of updates of each topic.
    """
    topics = topics.copy()
    curvature = np.diag(moments)
    used = curvature > np.finfo(topics.dtype).tiny
    scale = np.divide(1.0, curvature, where=used, out=np.zeros(len(curvature)))
    coupling = (moments * scale[:, None]).astype(topics.dtype)
    pulls = products * scale[:, None].astype(topics.dtype)
    for _ in range(sweeps):
        for start in range(0, len(topics), BLOCK):
            block = slice(start, start + BLOCK)
            slopes = pulls[block] - coupling[block] @ topics
            descend_topics(topics[block], slopes, np.ascontiguousarray(coupling[block, block]))
    return normalized(topics)


def extrapolated(topics: np.ndarray, before: np.ndarray, momentum: float) -> np.ndarray:
    """Extrapolate topics in the direction of their last step, and project on the simplex."""
    beyond = topics + topics.dtype.type(momentum) * (topics - before)
    project_rows(beyond, 1.0)
    return normalized(beyond)


def normalized(topics: np.ndarray) -> np.ndarray:
    """Divide rows by their sums, in place, so that rounding errors do not accumulate."""
    topics /= topics.sum(axis=1, dtype=np.float64).astype(topics.dtype)[:, None]
    return topics
