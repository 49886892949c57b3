"""Convert the word groups that the user passes to group numbers and weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.wording import plural


def number_groups(
    groups: Any, weights: Any, words: np.ndarray | None, n_words: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the group number of each word, and the weight of each group.

    Parameters
    ----------
    groups : array of shape (n_words,) or mapping of word to group
        Group of each word. A word missing from a mapping forms its own group.
    weights : array of shape (n_groups,), mapping of group to weight, or None
        Weight of each group. An array must be in the order of ``numpy.unique(groups)``. None means
        that the weight is the square root of the group size.
    words : ndarray of str or None
        The vocabulary, which is needed if `groups` is a mapping.

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
            f"'groups' of SparseLSA has {plural(len(labels), 'entry', 'entries')}, but there "
            f"{'is' if n_words == 1 else 'are'} {plural(n_words, 'word')}; pass one entry per word."
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
            "'groups' of SparseLSA contains no word of the vocabulary; the keys of the mapping "
            "must be words."
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
        # A word without a group forms a group of size one; the default weight of this group is one.
        missing = [
            group
            for group, size in zip(group_names, sizes, strict=True)
            if group not in weights and size > 1
        ]
        if missing:
            raise LaconicError(
                f"'group_weights' of SparseLSA has no weight for the group {missing[0]!r}; add a "
                "weight."
            )
        weights = [weights.get(group, 1.0) for group in group_names]
    values = np.asarray(weights, dtype=float)
    if values.shape != (len(group_names),) or not (values >= 0).all():
        raise LaconicError(
            f"'group_weights' of SparseLSA must contain {len(group_names)} non-negative numbers, "
            "one for each group."
        )
    return values
