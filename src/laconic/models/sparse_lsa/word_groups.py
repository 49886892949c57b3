"""Groups of words, as users give them, by number and weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from laconic.errors import LaconicError


def number_groups(
    groups: Any, weights: Any, words: np.ndarray | None, n_words: int
) -> tuple[np.ndarray, np.ndarray]:
    """Number of each word's group, and the weight of each group.

    Parameters
    ----------
    groups : array of shape (n_words,) or mapping of word to group
        A word that a mapping lacks is a group of its own.
    weights : array of shape (n_groups,), mapping of group to weight, or None
        An array is in the order of ``numpy.unique(groups)``; None is the root of the size.
    words : ndarray of str or None
        What the mapping is looked up by.

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
            f"'groups' of SparseLSA has {len(labels)} entries for {n_words} words; "
            "give one for each word."
        )
    unique, number, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    known = [names[label] for label in unique.tolist()] if names is not None else unique.tolist()
    return number, _weights(weights, known, sizes)


def _by_word(
    groups: Mapping[str, Any], words: np.ndarray | None
) -> tuple[np.ndarray, dict[int, Any]]:
    """A number for each word's group, and the group each number stands for."""
    if words is None:
        raise LaconicError(
            "'groups' of SparseLSA is a mapping of words, but X has no words; fit a Corpus, "
            "or give an array with the group of each column."
        )
    if not any(word in groups for word in words):
        raise LaconicError("'groups' of SparseLSA names none of the words of the corpus.")
    numbers: dict[tuple[bool, Any], int] = {}
    labels = [
        numbers.setdefault((word in groups, groups.get(word, word)), len(numbers)) for word in words
    ]
    return np.array(labels), {number: group for (_, group), number in numbers.items()}


def _weights(weights: Any, known: list[Any], sizes: np.ndarray) -> np.ndarray:
    if weights is None:
        return np.sqrt(sizes.astype(np.float64))
    if isinstance(weights, Mapping):
        # A word outside every group is one of size one, whose usual weight is one.
        missing = [g for g, size in zip(known, sizes, strict=True) if g not in weights and size > 1]
        if missing:
            raise LaconicError(f"'group_weights' of SparseLSA has no weight for {missing[0]!r}.")
        weights = [weights.get(group, 1.0) for group in known]
    values = np.asarray(weights, dtype=float)
    if values.shape != (len(known),) or not (values >= 0).all():
        raise LaconicError(
            f"'group_weights' of SparseLSA must be {len(known)} numbers, none negative."
        )
    return values
