"""Tree of topics: groups of similar topics, and groups of groups, at the levels one asks for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.document_sums import code_correlations
from laconic.fitted.documents import documents_of, kept_documents
from laconic.fitted.linkage import Linkage, link_topics
from laconic.fitted.model import NAMING_WORDS, TopicView
from laconic.fitted.pipeline_steps import encoding_step
from laconic.tables import printable

PER_GROUP = 4  # by default, number of topics per group, and of groups per group of groups
FEWEST = 3  # by default, minimum number of groups at a level


@dataclass(frozen=True)
class TopicCut:
    """Assignment of the topics of a model to groups; returned by `TopicTree.cut`.

    Attributes
    ----------
    groups : ndarray of length n_topics
        Group of each topic. Groups are numbered by decreasing share.
    members : list of list of int
        Topics of each group, largest share first; topics are rows of ``components_``.

    Examples
    --------
    >>> cut = TopicCut(np.array([0, 1, 0]), [[0, 2], [1]])
    >>> cut.codes(np.array([[0.5, 0.2, 0.3], [0, 1, 0]])).toarray().tolist()
    [[0.8, 0.2], [0.0, 1.0]]
    """

    groups: np.ndarray
    members: list[list[int]]

    @property
    def matrix(self) -> sp.csr_matrix:
        """Matrix of topics x groups that is 1 where the topic belongs to the group.

        Examples
        --------
        >>> TopicCut(np.array([0, 1, 0]), [[0, 2], [1]]).matrix.toarray().tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
        """
        n_topics = len(self.groups)
        shape = (n_topics, len(self.members))
        return sp.csr_matrix((np.ones(n_topics), (np.arange(n_topics), self.groups)), shape)

    def codes(self, codes: Any) -> sp.csr_matrix:
        """Return the codes of groups, given the codes of topics, such as ``model.transform(X)``.

        The weight of a group in a document is the sum of the weights of its topics.

        Parameters
        ----------
        codes : sparse matrix or array of shape (n_documents, n_topics)

        Returns
        -------
        csr_matrix of shape (n_documents, n_groups)
        """
        codes = sp.csr_matrix(codes)
        if codes.shape[1] != len(self.groups):
            raise LaconicError(
                f"The codes have {codes.shape[1]:,} columns, but the tree has "
                f"{len(self.groups):,} topics; pass codes of the same model."
            )
        return sp.csr_matrix(codes @ self.matrix)


@dataclass(frozen=True)
class TopicGroup:
    """A node of a `TopicTree`: a group of topics, or a single topic.

    Attributes
    ----------
    level : int or None
        Number of groups at the level of this group; None for a topic.
    number : int
        Number of the group at its level, as in `TopicCut`, or row of the topic.
    label : str
        Name of the topic if it has one, otherwise its leading words.
    words : list of str
        Leading words. Those of a group are the words that its merged topics would have.
    share : float
        Share in the documents of the fit.
    topics : list of int
        Topics of the group, largest share first.
    children : list of TopicGroup
        At least two, or none for a topic.
    """

    level: int | None
    number: int
    label: str
    words: list[str]
    share: float
    topics: list[int]
    children: list[TopicGroup]

    def to_dict(self) -> dict[str, Any]:
        """Return the node and all nodes below it as JSON-serialisable data."""
        children = [child.to_dict() for child in self.children]
        return {**self.__dict__, "children": children}

    def walk(self, depth: int = 0) -> Iterator[tuple[int, TopicGroup]]:
        """Yield this node and all nodes below it, with their depths."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


class TopicTree:
    """Tree of the topics of a model; returned by `laconic.topic_tree` and printed as a nested list.

    Attributes
    ----------
    levels : list of int
        Number of groups at each level, from fine to coarse.
    roots : list of TopicGroup
        The groups of the coarsest level, largest share first. A group of a single topic is shown
        as this topic, and a group with a single subgroup as that subgroup's topics, so each branch
        has at least two children.
    linkage : Linkage
        All merges of the clustering: ``pairs``, ``heights`` and ``order``.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 90, 6, words_per_topic=10)
    >>> tree = laconic.topic_tree(laconic.PLSA(6, random_state=0).fit(corpus), [4, 2])
    >>> len(tree.roots), tree.levels, len(tree.cut(4).members)
    (2, [4, 2], 4)
    """

    def __init__(self, view: TopicView, linkage: Linkage, levels: list[int], n_words: int) -> None:
        self._view = view
        self.linkage = linkage
        self.levels = levels
        self._labels: dict[int, list[str]] = {}  # labels of the groups of each level
        self.roots = self._grow(n_words)

    @property
    def n_topics(self) -> int:
        return len(self.linkage.order)

    def cut(self, n_groups: int) -> TopicCut:
        """Cut the tree into a number of groups, which need not be one of `levels`.

        Parameters
        ----------
        n_groups : int
            From 1 to the number of topics.

        Returns
        -------
        TopicCut
            Cuts are nested: each group of a fine cut is within one group of a coarser cut.

        Examples
        --------
        >>> import laconic
        >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
        >>> model = laconic.PLSA(4, random_state=0).fit(corpus)
        >>> cut = laconic.topic_tree(model, [2]).cut(3)
        >>> len(cut.members), cut.codes(model.transform(corpus)).shape
        (3, (200, 3))
        """
        self._check_groups(n_groups)
        group_of = self._nodes(n_groups)
        shares = self._view.shares
        rank = {int(topic): place for place, topic in enumerate(self.linkage.order)}
        members = {
            node: sorted(np.flatnonzero(group_of == node).tolist(), key=rank.__getitem__)
            for node in np.unique(group_of).tolist()
        }

        def by_share(node: int) -> tuple[float, int]:
            # a sum in this order is the same, whatever the numbers of the topics are
            return -sum(float(shares[topic]) for topic in members[node]), rank[members[node][0]]

        ordered = sorted(members, key=by_share)
        number = {node: i for i, node in enumerate(ordered)}
        groups = np.array([number[node] for node in group_of.tolist()], dtype=np.int64)
        return TopicCut(groups, [members[node] for node in ordered])

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as JSON-serialisable data: ``levels``, ``groups`` and ``merges``."""
        return {
            "levels": self.levels,
            "groups": [root.to_dict() for root in self.roots],
            "merges": [
                [*pair, height]
                for pair, height in zip(
                    self.linkage.pairs.tolist(), self.linkage.heights.tolist(), strict=True
                )
            ],
        }

    def labels(self, level: int) -> list[str]:
        """Return the label of each group of one of the `levels`."""
        if level not in self._labels:
            raise LaconicError(
                f"The tree has no level of {level} groups; its levels are {self.levels}."
            )
        return list(self._labels[level])

    def walk(self) -> Iterator[tuple[int, TopicGroup]]:
        """Yield all nodes from top to bottom, with their depths."""
        for root in self.roots:
            yield from root.walk()

    def __str__(self) -> str:
        lines = []
        for depth, node in self.walk():
            share = f" ({node.share:.1%})" if self._view.has_shares else ""
            head = f"topic {node.number}: " if node.level is None else ""
            lines.append(printable(f"{'  ' * depth}- {head}{node.label}{share}"))
        return "\n".join(lines)

    def __repr__(self) -> str:
        levels = ", ".join(map(str, self.levels))
        return f"TopicTree of {self.n_topics} topics with levels [{levels}]"

    def _check_groups(self, n_groups: Any) -> None:
        if isinstance(n_groups, bool) or not isinstance(n_groups, (int, np.integer)):
            raise LaconicError(f"A number of groups must be an integer; got {n_groups!r:.50}.")
        if not 1 <= n_groups <= self.n_topics:
            raise LaconicError(
                f"{self.n_topics} topics cannot be divided into {n_groups} groups; choose a number "
                f"from 1 to {self.n_topics}."
            )

    def _nodes(self, n_groups: int) -> np.ndarray:
        """Return for each topic the node of its group after all but n_groups - 1 merges."""
        n_topics = self.n_topics
        n_merges = n_topics - n_groups
        group = np.arange(n_topics + n_merges)
        for merge in reversed(range(n_merges)):  # from the last merge down, parents come first
            group[self.linkage.pairs[merge]] = group[n_topics + merge]
        return group[:n_topics]

    # --- nodes -----------------------------------------------------------------------------------

    def _grow(self, n_words: int) -> list[TopicGroup]:
        view = self._view
        nodes: dict[tuple[int, ...], TopicGroup] = {
            (topic,): TopicGroup(
                level=None,
                number=topic,
                label=view.label(topic),
                words=view.signed_words(topic, n_words),
                share=float(view.shares[topic]),
                topics=[topic],
                children=[],
            )
            for topic in range(self.n_topics)
        }
        below = [[topic] for topic in range(self.n_topics)]
        for level in self.levels:
            cut = self.cut(level)
            merged = _merged_view(view, cut)
            labels = _unique_labels(merged)
            for number, topics in enumerate(cut.members):
                if len(topics) == 1:
                    labels[number] = view.label(topics[0])
            self._labels[level] = labels
            for number, topics in enumerate(cut.members):
                parts = [nodes[tuple(part)] for part in below if part[0] in topics]
                if len(parts) > 1:
                    parts.sort(key=lambda part: topics.index(part.topics[0]))
                    parts.sort(key=lambda part: -part.share)
                children = parts if len(parts) > 1 else parts[0].children
                if children:
                    nodes[tuple(topics)] = TopicGroup(
                        level=level,
                        number=number,
                        label=labels[number],
                        words=merged.signed_words(number, n_words),
                        share=float(sum(view.shares[topic] for topic in topics)),
                        topics=topics,
                        children=children,
                    )
            below = cut.members
        return [nodes[tuple(part)] for part in below]


class _MergedTopics:
    """Estimator whose topics are the groups of a cut."""

    def __init__(self, components: Any, shares: np.ndarray, are_distributions: bool) -> None:
        self.components_ = components
        self.topic_shares_ = shares
        self.TOPICS_ARE_DISTRIBUTIONS = are_distributions


def _merged_view(view: TopicView, cut: TopicCut) -> TopicView:
    """Return a view of the topics that result if the topics of each group are merged."""
    shares = view.shares if view.shares.any() else np.full(view.n_topics, 1 / view.n_topics)
    total = np.maximum(cut.matrix.T @ shares, np.finfo(np.float64).tiny)
    mixture = sp.diags(1 / total) @ cut.matrix.T @ sp.diags(shares)
    merged = _MergedTopics(sp.csr_matrix(mixture @ view.weights), total, view.are_distributions)
    return TopicView(merged, view.relevance, vocabulary=view.names)


def _unique_labels(merged: TopicView) -> list[str]:
    """Return the leading words of each group; groups with the same words get more words."""
    labels: list[str] = []
    for group in range(merged.n_topics):
        words = merged.naming_words(group, 2 * NAMING_WORDS)
        lengths = range(min(NAMING_WORDS, len(words)), len(words) + 1)
        longer = (", ".join(words[:n]) for n in lengths)
        label = next((text for text in longer if text and text not in labels), "")
        labels.append(label or f"group {group}")
    return labels


# --- levels --------------------------------------------------------------------------------------


def topic_tree(
    model: Any, levels: Sequence[int] | None = None, *, corpus: Any = None, n_words: int = 10
) -> TopicTree:
    """Group the topics of a model, and group the groups, into a tree.

    Topics are clustered by average linkage. Their similarity combines the correlation of their
    shares over the documents, which counts twice, and the similarity of their words; each is
    measured in standard deviations over all pairs of topics. The result does not depend on the
    order of the topics.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    levels : sequence of int, optional
        Number of groups at each level, from fine to coarse, such as ``[20, 5]``. By default, there
        are about four topics per group and four groups per group of the next level, and at least
        three groups.
    corpus : Corpus, list of str or matrix, optional
        Documents for the correlations. Default: the documents saved with the model. Without
        documents, only the words of the topics are compared.
    n_words : int, default=10
        Number of leading words of each group and topic.

    Returns
    -------
    TopicTree
        Prints as a nested list; ``.roots`` are its nodes, ``.to_dict()`` is JSON, and ``.cut(5)``
        assigns each topic to one of five groups.

    Examples
    --------
    >>> import laconic
    >>> pair = np.kron(np.eye(2), [[3, 1]]) + np.ones((2, 4))
    >>> counts = np.kron(np.eye(2), pair).repeat(9, axis=0)
    >>> words = ["goal", "team", "race", "bike", "bank", "loan", "oil", "barrel"]
    >>> model = laconic.PLSA(4, random_state=0).fit(laconic.Corpus(counts, words))
    >>> len(topic_tree(model, [2]).roots)
    2
    """
    check_at_least("n_words", n_words)
    view = TopicView.of(model)
    if corpus is None:
        documents = kept_documents(model)
    else:
        encoding_step(model)
        documents = documents_of(model, corpus)
    correlations = None if documents is None else code_correlations(documents)
    return grow_tree(view, correlations, levels, n_words)


def grow_tree(
    view: TopicView,
    correlations: np.ndarray | None,
    levels: Sequence[int] | None = None,
    n_words: int = 10,
) -> TopicTree:
    """Return the tree of the topics, given the correlations of their shares over documents."""
    chosen = (
        default_levels(view.n_topics) if levels is None else check_levels(levels, view.n_topics)
    )
    return TopicTree(view, link_topics(view, correlations), chosen, n_words)


def default_levels(n_topics: int) -> list[int]:
    """Return the levels of a tree, such that about four nodes are in each group.

    Examples
    --------
    >>> default_levels(100), default_levels(50), default_levels(20), default_levels(5)
    ([25, 6], [12, 3], [5], [3])
    """
    levels = [min(max(n_topics // PER_GROUP, FEWEST), n_topics)]
    while levels[-1] // PER_GROUP >= FEWEST:
        levels.append(levels[-1] // PER_GROUP)
    return levels


def check_levels(levels: Any, n_topics: int) -> list[int]:
    """Return the levels as a list; raise if they are not possible."""
    values = [levels] if isinstance(levels, (int, np.integer)) else list(levels)
    for level in values:
        if isinstance(level, bool) or not isinstance(level, (int, np.integer)):
            raise LaconicError(f"levels must be numbers of groups (integers); got {level!r:.50}.")
    numbers = [int(level) for level in values]
    if not numbers:
        raise LaconicError("levels is empty; pass at least one number of groups, such as [20, 5].")
    for level in numbers:
        if not 1 <= level <= n_topics:
            raise LaconicError(
                f"{n_topics} topics cannot be divided into {level} groups; choose levels from 1 to "
                f"{n_topics}."
            )
    if any(coarse >= fine for fine, coarse in itertools.pairwise(numbers)):
        raise LaconicError(f"levels must go from fine to coarse, such as [20, 5]; got {numbers}.")
    return numbers
