"""Conversion of user-defined word groups to group numbers and weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from laconic.errors import LaconicError


def number_groups(
    groups: Any, weights: Any, words: np.ndarray | None, n_words: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the group number of each word, and the weight of each group.

    Parameters
    ----------
    groups : array of shape (n_words,) or mapping of word to group
        A word missing from a mapping forms its own group.
    weights : array of shape (n_groups,), mapping of group to weight, or None
        An array is in the order of ``numpy.unique(groups)``; None means the square root of the
        group size.
    words : ndarray of str or None
        The vocabulary, needed if `groups` is a mapping.

    Examples
    --------
    >>> number_groups(["b", "a", "b"], None, None, 3)[0].tolist()
    [1, 0, 1]
    """
    if isinstance(groups, Mapping):
        labels, names = _by_word(groups, words)
    else:
        labels, names = np.asarray(groups), None
    if len(labels) != n_words:
        raise LaconicError(
            f"'groups' of SparseLSA has {len(labels)} entries, but there are {n_words} words; "
            "pass one entry per word."
        )
    unique, number, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    group_names = unique.tolist()
    if names is not None:
        group_names = [names[label] for label in group_names]
    return number, _weights(weights, group_names, sizes)


def _by_word(
    groups: Mapping[str, Any], words: np.ndarray | None
) -> tuple[np.ndarray, dict[int, Any]]:
    """Return the group number of each word, and the name of each numbered group."""
    if words is None:
        raise LaconicError(
            "'groups' of SparseLSA is a mapping of words, but X has no word names; fit a Corpus, "
            "or pass an array with the group of each column."
        )
    if not any(word in groups for word in words):
        raise LaconicError(
            "'groups' of SparseLSA contains none of the corpus's words; its keys must be words."
        )
    numbers: dict[tuple[bool, Any], int] = {}
    labels = [
        numbers.setdefault((word in groups, groups.get(word, word)), len(numbers)) for word in words
    ]
    return np.array(labels), {number: group for (_, group), number in numbers.items()}


def _weights(weights: Any, group_names: list[Any], sizes: np.ndarray) -> np.ndarray:
    if weights is None:
        return np.sqrt(sizes.astype(np.float64))
    if isinstance(weights, Mapping):
        # A word in no group forms a group of size one, whose default weight is one.
        missing = [
            group
            for group, size in zip(group_names, sizes, strict=True)
            if group not in weights and size > 1
        ]
        if missing:
            raise LaconicError(
                f"'group_weights' of SparseLSA has no weight for the group {missing[0]!r}; add one."
            )
        weights = [weights.get(group, 1.0) for group in group_names]
    values = np.asarray(weights, dtype=float)
    if values.shape != (len(group_names),) or not (values >= 0).all():
        raise LaconicError(
            f"'group_weights' of SparseLSA must be {len(group_names)} non-negative numbers, one "
            "per group."
        )
    return values
