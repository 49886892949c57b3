"""Groups of words: which words belong to each group, and the weight of each group.

Users describe groups in one of three ways: the group of each column, a mapping of word to group, or
sets of words, such as the gene sets of a GMT file. Only sets may overlap. With
``overlap="copies"``, a word has a copy in each of its sets, see
`laconic.models.penalties.OverlappingGroup`. With ``overlap="smallest"``, a word belongs only to the
smallest of its sets.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.errors import LaconicError
from laconic.models.penalties import Group, OverlappingGroup
from laconic.wording import plural

logger = logging.getLogger(__name__)

OVERLAPS = ("copies", "smallest")


@dataclass(frozen=True)
class WordGroups:
    """Groups of words that may overlap.

    Attributes
    ----------
    names : ndarray of str of shape (n_groups,)
        Names of the groups. A word in no group forms its own group, which has the name of the word.
    members : csr_matrix of shape (n_groups, n_words)
        The words of each group.
    found : ndarray of int of shape (n_groups,)
        Number of words of each set that are in the data. With ``overlap="smallest"``, some of these
        words may belong to other groups. 0 for a word in no set.
    sizes : ndarray of int of shape (n_groups,)
        Number of words of each set, whether they are in the data or not. 0 for a word in no set.
    weights : ndarray of float of shape (n_groups,)
    """

    names: np.ndarray
    members: sp.csr_matrix
    found: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray

    @property
    def overlap(self) -> bool:
        return self.members.nnz > self.members.shape[1]

    def penalty(self, alpha: np.ndarray, positive: bool) -> Group | OverlappingGroup:
        """Return the penalty on topics for these groups."""
        if self.overlap:
            return OverlappingGroup(alpha, self.members, self.weights, positive)
        return Group(alpha, self.numbers(), self.weights, positive)

    def numbers(self) -> np.ndarray:
        """Return the group number of each word, if no groups overlap."""
        number = np.empty(self.members.shape[1], np.int64)
        number[self.members.indices] = _rows(self.members)
        return number

    def limits(self, squares: np.ndarray) -> np.ndarray:
        """Return, for each word, the square of the alpha from which on all its groups are empty.

        `squares` are the squared norms of the columns.
        """
        sums = self.members @ squares
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.where(sums > 0, sums / self.weights**2, 0.0)
        largest = np.zeros(len(squares))
        np.maximum.at(largest, self.members.indices, limits[_rows(self.members)])
        return largest

    def on(self, words: np.ndarray) -> WordGroups:
        """Return the groups with only the columns `words`; other words must be in no topic."""
        return replace(self, members=self.members[:, words])

    def all_copies(self, copies: sp.csr_matrix, words: np.ndarray) -> sp.csr_matrix:
        """Add empty columns to copies that were computed with only the columns `words`."""
        kept = np.flatnonzero(np.isin(self.members.indices, words))
        shape = copies.shape[0], self.members.nnz
        return sp.csr_matrix((copies.data, kept[copies.indices], copies.indptr), shape)


def word_groups(
    groups: Any, weights: Any, words: np.ndarray | None, n_words: int, overlap: str = "copies"
) -> WordGroups:
    """Convert the parameters `groups`, `group_weights` and `overlap` of SparseLSA.

    Parameters
    ----------
    groups : array of shape (n_words,), mapping or path
        Group of each column, mapping of word to group, mapping of set to words, or path of a GMT
        file. A word missing from a mapping forms its own group.
    weights : array of shape (n_groups,), mapping of group to weight, or None
        Weight of each group. An array must be in the order of ``numpy.unique(groups)``. None means
        that the weight is the square root of the number of words of the group.
    words : ndarray of str or None
        The vocabulary, which is needed unless `groups` is an array.

    Examples
    --------
    >>> words = np.array(["cat", "dog", "emu"])
    >>> groups = word_groups({"pet": ["cat", "dog", "fish"], "bird": ["emu"]}, None, words, 3)
    >>> groups.names.tolist(), groups.found.tolist(), groups.sizes.tolist()
    (['pet', 'bird'], [2, 1], [3, 1])
    """
    if isinstance(groups, (str, os.PathLike)):
        from laconic.io.gene_sets import read_gmt  # needed only for files

        groups = read_gmt(os.fspath(groups))
    if not isinstance(groups, Mapping):
        return _from_labels(np.asarray(groups), weights, n_words)
    if words is None:
        raise LaconicError(
            "'groups' of SparseLSA is a mapping of words, but X has no word names; fit a Corpus or "
            "a data frame, or pass an array with the group of each column."
        )
    if groups and all(map(_is_set, groups.values())):
        return _from_sets(groups, weights, words, overlap)
    return _from_words(groups, weights, words)


def _is_set(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, tuple))


def _from_labels(labels: np.ndarray, weights: Any, n_words: int) -> WordGroups:
    if len(labels) != n_words:
        raise LaconicError(
            f"'groups' of SparseLSA has {plural(len(labels), 'entry', 'entries')}, but there "
            f"{'is' if n_words == 1 else 'are'} {plural(n_words, 'word')}; pass one entry per word."
        )
    unique, numbers = np.unique(labels, return_inverse=True)
    members = _members(numbers, np.arange(n_words), (len(unique), n_words))
    sizes = np.diff(members.indptr)
    names = unique.tolist()
    return WordGroups(
        as_strings(map(str, names)), members, sizes, sizes, _weights(weights, names, members)
    )


def _from_words(groups: Mapping[str, Any], weights: Any, words: np.ndarray) -> WordGroups:
    """Build groups from a mapping of word to group."""
    if not any(word in groups for word in words):
        raise LaconicError(
            "'groups' of SparseLSA contains no word of the vocabulary; the keys of the mapping "
            "must be words."
        )
    keys: dict[tuple[bool, Any], int] = {}
    numbers = [
        keys.setdefault((word in groups, groups.get(word, word)), len(keys)) for word in words
    ]
    names = [name for _, name in keys]
    members = _members(np.array(numbers), np.arange(len(words)), (len(keys), len(words)))
    sizes = np.where([grouped for grouped, _ in keys], np.diff(members.indptr), 0)
    return WordGroups(
        as_strings(map(str, names)), members, sizes, sizes, _weights(weights, names, members)
    )


def _from_sets(
    sets: Mapping[str, Iterable[str]], weights: Any, words: np.ndarray, overlap: str
) -> WordGroups:
    """Build groups from sets of words, which may overlap."""
    from laconic.io.gene_sets import no_common_word, smallest_sets

    column_of = Vocabulary(words)
    all_members = {str(name): list(dict.fromkeys(members)) for name, members in sets.items()}
    columns = {
        name: np.unique(columns[columns >= 0])
        for name, members in all_members.items()
        if (columns := column_of.columns(members)).max(initial=-1) >= 0
    }
    if not columns:
        raise no_common_word("the sets in 'groups' of SparseLSA", all_members, words)
    found = {name: len(part) for name, part in columns.items()}
    if overlap == "smallest":
        smallest = smallest_sets(all_members)
        owner = np.array([smallest.get(word) for word in words], dtype=object)
        columns = {name: part[owner[part] == name] for name, part in columns.items()}
        columns = {name: part for name, part in columns.items() if len(part)}
    else:
        columns = _without_duplicates(columns, all_members)
    covered = np.unique(np.concatenate(list(columns.values())))
    alone = np.setdiff1d(np.arange(len(words)), covered)
    logger.info(
        "%s of %s words are in at least one of %s sets",
        *(f"{number:,}" for number in (len(covered), len(words), len(columns))),
    )
    parts = [*columns.values(), alone]
    rows = np.repeat(
        np.arange(len(columns) + len(alone)), [*map(len, columns.values()), *[1] * len(alone)]
    )
    members = _members(rows, np.concatenate(parts), (len(columns) + len(alone), len(words)))
    single = [f"{word} (alone)" if word in columns else str(word) for word in words[alone]]
    names = [*columns, *single]
    zeros = [0] * len(alone)
    return WordGroups(
        as_strings(names),
        members,
        np.array([*(found[name] for name in columns), *zeros]),
        np.array([*(len(all_members[name]) for name in columns), *zeros]),
        _weights(weights, names, members, by_name=True),
    )


def _without_duplicates(
    columns: dict[str, np.ndarray], sets: Mapping[str, list[str]]
) -> dict[str, np.ndarray]:
    """Of several sets with the same words in the data, keep the set that is smallest overall.

    The data cannot tell such sets apart.
    """
    best: dict[bytes, str] = {}
    for name, part in columns.items():
        other = best.setdefault(part.tobytes(), name)
        if len(sets[name]) < len(sets[other]):
            best[part.tobytes()] = name
    if dropped := len(columns) - len(best):
        logger.info(
            "%s left out, because the data contains the same words of another set",
            plural(dropped, "set was", "sets were"),
        )
    kept = set(best.values())
    return {name: part for name, part in columns.items() if name in kept}


def _members(groups: np.ndarray, words: np.ndarray, shape: tuple[int, int]) -> sp.csr_matrix:
    members = sp.csr_matrix((np.ones(len(words), np.float32), (groups, words)), shape)
    members.sort_indices()
    return members


def _rows(members: sp.csr_matrix) -> np.ndarray:
    """Return the group number of each entry."""
    return np.repeat(np.arange(members.shape[0]), np.diff(members.indptr))


def _weights(
    weights: Any, names: list[Any], members: sp.csr_matrix, by_name: bool = False
) -> np.ndarray:
    sizes = np.diff(members.indptr)
    if weights is None:
        return np.sqrt(sizes.astype(np.float64))
    if by_name and not isinstance(weights, Mapping):
        raise LaconicError(
            "'group_weights' of SparseLSA must be a mapping of set name to weight, because "
            "'groups' contains sets."
        )
    if isinstance(weights, Mapping):
        # A word without a group forms a group of size one; the default weight of this group is one.
        missing = [
            group
            for group, size in zip(names, sizes, strict=True)
            if group not in weights and size > 1
        ]
        if missing:
            raise LaconicError(
                f"'group_weights' of SparseLSA has no weight for the group {missing[0]!r}; add a "
                "weight."
            )
        weights = [weights.get(group, 1.0) for group in names]
    values = np.asarray(weights, dtype=float)
    if values.shape != (len(names),) or not (values >= 0).all():
        raise LaconicError(
            f"'group_weights' of SparseLSA must contain {len(names)} non-negative numbers, "
            "one for each group."
        )
    return values
