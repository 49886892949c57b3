"""Sparse codes of PCP: describe each document by a few directions of the background.

The codes of the background use nearly all directions, because frequent words, which determine the
directions, occur in all documents. Dropping the smallest of these codes loses what distinguishes a
document. On 20 Newsgroups, with 50 directions and 5.5 directions per document, the accuracy of a
linear SVM falls from 0.56 to 0.40. Rotating the directions (varimax of the codes: 0.47) or learning
non-negative combinations of directions (0.46) does not help much.

Sparse codes therefore weigh the words. With p the share of a word in all documents, W the diagonal
matrix of word weights (p + 1e-5)^(-1/2), which give each word about the same variance, and t_k the
direction W b_k scaled to unit length,

    minimise over θ >= 0:  1/2 |W x - Σ_k θ_k t_k|² + 1/2 |θ|²

Then the topics whose share in the code of a document is below a threshold are dropped, see
`laconic.models.few_topics`. With 5.5 directions per document, the accuracy is 0.60 to 0.64.
"""

from __future__ import annotations

import numpy as np

from laconic.models.sparse_codes import RIDGE, CodingParams

SMOOTHING = 1e-5  # added to the share of each word, so that rare words do not dominate


def word_weights(counts: np.ndarray) -> np.ndarray:
    """Return the weight of each word, given its number of occurrences in all documents."""
    return (np.asarray(counts) / (np.sum(counts) or 1.0) + SMOOTHING) ** -0.5


def weighted_lengths(components: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return |W b_k| of each direction, or 1 if the direction is zero."""
    squares = np.asarray(components, np.float64) ** 2 @ weights**2
    return np.sqrt(np.where(squares > 0, squares, 1.0))


def coding_params(
    components: np.ndarray, counts: np.ndarray, threshold: float = 0.0
) -> CodingParams:
    """Return the parameters of sparse codes for the directions of a background."""
    weights = word_weights(counts)
    lengths = weighted_lengths(components, weights)
    units = np.asarray(components, np.float64) * weights / lengths[:, None]
    gram = units @ units.T + RIDGE * np.eye(len(units))
    word_topics = np.ascontiguousarray((units * weights).T, dtype=components.dtype)
    return CodingParams(word_topics, gram, 0.0, True, threshold)
