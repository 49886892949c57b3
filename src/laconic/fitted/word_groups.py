"""The groups of words, such as pathways, that each topic of a model has selected."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.fitted.nouns import with_nouns
from laconic.wording import Nouns


class SelectedGroup(NamedTuple):
    """A group of words in a topic.

    Attributes
    ----------
    name : str
    strength : float
        Norm of the weights that the group contributes to the topic.
    columns : ndarray of int
        The words of the group with weight in the topic, strongest first.
    n_members : int
        Number of words of the group.
    found : int
        Number of words of the set that are in the data; other groups may have some of them. 0 for
        a word in no set.
    size : int
        Number of words of the set, whether they are in the data or not. 0 for a word in no set.
    """

    name: str
    strength: float
    columns: np.ndarray
    n_members: int
    found: int
    size: int

    def label(self, nouns: Nouns) -> str:
        """Return the name of the group, and how much of the set is in the data and in the topic.

        Examples
        --------
        >>> group = SelectedGroup("bcrPathway", 1.5, np.arange(2), 2, 2, 37)
        >>> group.label(Nouns("genes")), group._replace(found=20).label(Nouns("genes"))
        ('bcrPathway (2 of 37 genes measured)', 'bcrPathway (20 of 37 genes measured, 2 in group)')
        """
        if not self.size:
            return self.name
        facts = [nouns.found(self.found, self.size)]
        if self.n_members < self.found:
            facts.append(f"{self.n_members:,} in group")
        if len(self.columns) < self.n_members:
            facts.append(f"{len(self.columns):,} with weight")
        return f"{self.name} ({', '.join(facts)})"


def has_groups(model: Any) -> bool:
    """Return whether a fitted model has groups of words."""
    return hasattr(TopicView(model).estimator, "group_members_")


def selected_groups(view: TopicView, topic: int) -> list[SelectedGroup]:
    """Return the groups of words with weight in a topic, strongest first."""
    estimator = view.estimator
    members = sp.csr_matrix(estimator.group_members_)
    copies = getattr(estimator, "group_components_", None)
    if copies is None:  # no groups overlap
        weights = np.asarray(view.weights[[topic]].todense()).ravel()[members.indices]
    else:
        weights = np.asarray(sp.csr_matrix(copies)[[topic]].todense()).ravel()
    counts = np.diff(members.indptr)
    group_of = np.repeat(np.arange(len(counts)), counts)
    strengths = np.sqrt(np.bincount(group_of, weights**2, minlength=len(counts)))
    order = np.argsort(-strengths, kind="stable")
    groups = []
    for group in order[: np.count_nonzero(strengths)].tolist():
        part = slice(members.indptr[group], members.indptr[group + 1])
        sizes = np.abs(weights[part])
        strongest = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
        groups.append(
            SelectedGroup(
                str(estimator.group_names_[group]),
                float(strengths[group]),
                members.indices[part][strongest],
                int(counts[group]),
                int(estimator.group_found_[group]),
                int(estimator.group_sizes_[group]),
            )
        )
    return groups


def topic_groups(
    model: Any,
    n_groups: int | None = None,
    *,
    n_words: int = 10,
    terms: str | None = None,
) -> pl.DataFrame:
    """Return the groups of words that each topic has selected, such as the pathways of genes.

    Parameters
    ----------
    model : estimator or Pipeline
        A model that was fitted with ``groups``.
    n_groups : int, optional
        Maximum number of groups per topic, strongest first. By default, all groups.
    n_words : int, default=10
        Maximum number of words per group, strongest first.
    terms : str, optional
        Plural noun for the columns of the data, such as "genes"; see `laconic.with_nouns`.

    Returns
    -------
    polars.DataFrame
        Columns ``topic``, ``group``, ``label`` (the group, and how many words of the set are in the
        data), ``strength`` (norm of the weights that the group contributes to the topic),
        ``share`` (its square, as a share of all groups of the topic), ``n_words`` (number of words
        with weight), ``found`` (number of words of the set that are in the data), ``size`` (number
        of words of the set; null for a word in no set) and ``words``.

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> sets = {"felines": ["cat", "purr", "meow"], "canines": ["dog"]}
    >>> topic_groups(SparseLSA(2, alpha=0.1, groups=sets).fit(corpus))["label"].to_list()
    ['felines (2 of 3 words in the data)', 'canines (1 word in the data)']
    """
    if n_groups is not None:
        check_at_least("n_groups", n_groups)
    check_at_least("n_words", n_words)
    view = TopicView.of(with_nouns(model, terms))
    if not hasattr(view.estimator, "group_members_"):
        raise LaconicError(
            "The model was fitted without groups of words; fit laconic.SparseLSA(groups=...)."
        )
    rows = []
    for topic in view.order:
        groups = selected_groups(view, topic)
        total = sum(group.strength**2 for group in groups) or 1.0
        rows += [
            {
                "topic": topic,
                "group": group.name,
                "label": group.label(view.nouns),
                "strength": group.strength,
                "share": group.strength**2 / total,
                "n_words": len(group.columns),
                "found": group.found if group.size else None,
                "size": group.size or None,
                "words": [view.word(column) for column in group.columns[:n_words]],
            }
            for group in groups[:n_groups]
        ]
    return pl.DataFrame(rows, SCHEMA)


SCHEMA: dict[str, Any] = {
    "topic": pl.Int64,
    "group": pl.String,
    "label": pl.String,
    "strength": pl.Float64,
    "share": pl.Float64,
    "n_words": pl.Int64,
    "found": pl.Int64,
    "size": pl.Int64,
    "words": pl.List(pl.String),
}
