"""What an edit does to the values of the topics that it replaces.

An edit removes some topics and adds others. The methods receive the values of the removed topics,
one row each, and return the values of the new topics.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Operation(Protocol):
    """Effect of an edit on the values of topics; see `laconic.models.edits.attributes`."""

    def amounts(self, values: np.ndarray) -> np.ndarray: ...
    def averages(self, values: np.ndarray) -> np.ndarray: ...
    def words(self, values: np.ndarray) -> np.ndarray: ...
    def word_amounts(self, values: np.ndarray) -> np.ndarray: ...
    def copies(self, values: np.ndarray, words: np.ndarray) -> np.ndarray: ...
    def pairs(self, rows: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


class Merge:
    """Replace topics by one topic; `weights` are their weights in averages."""

    def __init__(self, weights: np.ndarray) -> None:
        total = weights.sum()
        self.weights = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

    def amounts(self, values: np.ndarray) -> np.ndarray:
        return values.sum(axis=0, keepdims=True)

    word_amounts = amounts

    def averages(self, values: np.ndarray) -> np.ndarray:
        weights = self.weights.reshape(-1, *[1] * (values.ndim - 1))
        return (weights * values).sum(axis=0, keepdims=True)

    words = averages

    def copies(self, values: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self.averages(values)

    def pairs(self, rows: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Add up rows and columns. The result is positive definite if the matrix is."""
        total = rows.sum(axis=0, keepdims=True)
        return total, total[:, removed].sum(axis=1, keepdims=True)


class Drop:
    """Remove topics."""

    def amounts(self, values: np.ndarray) -> np.ndarray:
        return values[:0]

    averages = words = word_amounts = amounts

    def copies(self, values: np.ndarray, words: np.ndarray) -> np.ndarray:
        return values[:0]

    def pairs(self, rows: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows[:0], np.zeros((0, 0))


class DropWords:
    """Set the weights of words, given by their columns, in one topic to zero."""

    def __init__(self, columns: np.ndarray, *, normalize: bool) -> None:
        self.columns = columns
        self.normalize = normalize

    def amounts(self, values: np.ndarray) -> np.ndarray:
        return values

    averages = amounts

    def words(self, values: np.ndarray) -> np.ndarray:
        left = self.word_amounts(values)
        return left / left.sum(axis=1, keepdims=True) if self.normalize else left

    def word_amounts(self, values: np.ndarray) -> np.ndarray:
        left = values.copy()
        left[:, self.columns] = 0
        return left

    def copies(self, values: np.ndarray, words: np.ndarray) -> np.ndarray:
        return np.where(np.isin(words, self.columns), 0, values)

    def pairs(self, rows: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows, rows[:, removed]


class Split:
    """Replace a topic by several.

    Parameters
    ----------
    word_topics : ndarray of shape (n_words, n_new)
        P(word | new topic); zero for words that do not occur in documents of the topic.
    shares : ndarray of shape (n_new,)
        Share of each new topic in the topic.
    normalize : bool
        Whether the weights of a topic sum to one.
    """

    def __init__(self, word_topics: np.ndarray, shares: np.ndarray, *, normalize: bool) -> None:
        self.shares = shares
        self.normalize = normalize
        joint = word_topics.T.astype(np.float64) * shares[:, None]
        totals = joint.sum(axis=0)
        # Words that do not occur in documents of the topic are divided like the topic.
        self.parts = np.where(totals > 0, joint / np.where(totals > 0, totals, 1), shares[:, None])

    def amounts(self, values: np.ndarray) -> np.ndarray:
        return self.shares.reshape(-1, *[1] * (values.ndim - 1)) * values

    def averages(self, values: np.ndarray) -> np.ndarray:
        return np.repeat(values, len(self.shares), axis=0)

    def words(self, values: np.ndarray) -> np.ndarray:
        parts = self.parts * values
        return parts / parts.sum(axis=1, keepdims=True) if self.normalize else parts

    def word_amounts(self, values: np.ndarray) -> np.ndarray:
        return self.parts * values

    def copies(self, values: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self.parts[:, words] * values

    def pairs(self, rows: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Divide the row like the topic. The result is positive definite if the matrix is."""
        return self.amounts(rows), np.diag(self.shares * rows[0, removed[0]])


def new_values(operation: Any, kind: str, values: np.ndarray, words: Any = None) -> np.ndarray:
    """Return the values of the new topics, in float64, given the values of the removed topics."""
    exact = values.astype(np.float64)
    if not exact.size:  # sums that the model does not need
        n_new = len(operation.amounts(np.zeros(len(values))))
        return np.zeros((n_new, *values.shape[1:]))
    if kind == "copies":
        return operation.copies(exact, words)
    return getattr(operation, kind.replace(" ", "_"))(exact)
