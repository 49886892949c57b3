"""Weighted least squares for noisy word counts (``noise="counts"`` of SCTM).

The variance of a word's frequency in a document grows with the frequency and falls with the length
of the document. Plain least squares ignores this, so the shortest documents and the most frequent
words determine the topics. With word weights d, the objective is

    Σ_i u_i { 1/2 |y_i - T φ_i|² + ω Σ_j φ_ij },   y_i = D x_i / |D x_i|,   t_j = D b_j / |D b_j|

=====  =========================================================================================
d      p^(-1/3), where p is the share of the word in all documents
u      n / (n + 100), where n is the number of words of the document
φ      code on the scale of y; `transform` returns θ, the code on the scale of the frequencies x:
       θ_ij = φ_ij |D x_i| / |D b_j|, so that B θ approximates x
=====  =========================================================================================

T has non-negative columns of unit length instead of columns on the simplex, because the penalty
would otherwise favour topics with few words. To compute the topics b_j, the columns of T are
divided by the word weights and then normalised to sum to one.

The exponent and the constant were chosen on Reuters stories, on Python docstrings, and on newsgroup
posts that are not used for any reported result. If counts had a Poisson distribution, the best
weights would be p^(-1/2) for words and n for documents. Within documents, words are repeated more
often than in a Poisson distribution, so the weights are damped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

EXPONENT = 1 / 3
DOUBTED = 100.0  # number of words of a document whose weight is half of the largest weight
UNSEEN = 0.1  # pseudo-count of each word, so that words that do not occur have a finite weight


class Noise(NamedTuple):
    """Weights for coding documents."""

    squares: np.ndarray  # d² of each word
    scales: np.ndarray  # 1 / |D b_j| of each topic


def word_weights(counts: np.ndarray) -> np.ndarray:
    """Return the weight of each word, given its number of occurrences in all documents."""
    smoothed = np.asarray(counts, np.float64) + UNSEEN
    return (smoothed / (smoothed.sum() or 1.0)) ** -EXPONENT


def document_weights(lengths: np.ndarray) -> np.ndarray:
    """Return the weight of each document, given its number of words."""
    return lengths / (lengths + DOUBTED)


def to_unit(topics: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the directions t of distributions b (topics x words); without weights, b itself."""
    if weights is None:
        return topics
    return unit_length(topics * weights.astype(topics.dtype))


def to_simplex(topics: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the distributions b of directions t (topics x words), the inverse of `to_unit`."""
    if weights is None:
        return topics
    topics = topics / weights.astype(topics.dtype)
    topics /= topics.sum(axis=1, dtype=np.float64).astype(topics.dtype)[:, None]
    return topics


def unit_length(topics: np.ndarray) -> np.ndarray:
    """Divide rows by their lengths, in place."""
    squares = np.einsum("ij,ij->i", topics, topics, dtype=np.float64)
    lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
    topics /= lengths.astype(topics.dtype)[:, None]
    return topics
