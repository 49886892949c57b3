"""Update the topics of SCTM for fixed codes, with topics on the simplex.

With C = Σθθ' and D = Σxθ', the objective is quadratic in the topics, and its Hessian with respect
to a single topic is C_jj times the identity. Therefore, a gradient step of length 1 / C_jj that is
projected on the simplex gives the exact minimum over one topic. No line search is needed, and the
objective never rises.
"""

from __future__ import annotations

import numpy as np

from laconic.kernels.simplex import descend_topics, project_rows

BLOCK = 8  # number of topics whose gradients are computed in one matrix product
SWEEPS = 2


def improve_topics(
    topics: np.ndarray, moments: np.ndarray, products: np.ndarray, sweeps: int = SWEEPS
) -> np.ndarray:
    """Return updated topics with a lower objective, leaving topics unused by documents unchanged.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        Topics on the simplex.
    moments : ndarray of shape (n_topics, n_topics)
        The matrix C = Σθθ'.
    products : ndarray of shape (n_topics, n_words)
        The matrix D' = Σθx'.
    sweeps : int, default=2
        Number of times that each topic is updated.
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
    """Move topics further in the direction of the last update, and project them on the simplex."""
    beyond = topics + topics.dtype.type(momentum) * (topics - before)
    project_rows(beyond, 1.0)
    return normalized(beyond)


def normalized(topics: np.ndarray) -> np.ndarray:
    """Divide each topic by its sum, in place, so that rounding errors do not accumulate."""
    topics /= topics.sum(axis=1, dtype=np.float64).astype(topics.dtype)[:, None]
    return topics
