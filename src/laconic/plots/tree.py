"""Dendrogram: the tree of topics, in which similar topics are joined first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.extras import require
from laconic.fitted.tree import TopicTree
from laconic.fitted.tree import topic_tree as make_tree
from laconic.plots.style import styled
from laconic.plots.topic_view import chart_view, rounded, shorten
from laconic.wording import plural

MAX_LEAVES = 80  # if there are more topics, each leaf is a group of topics
STEP = 15  # height of a leaf in points
WIDTH, LABEL_WIDTH = 420, 260


def topic_dendrogram(model: Any, levels: Sequence[int] | None = None) -> Any:
    """Draw the tree of the topics, in which similar topics are joined first.

    Colours show the groups of the coarsest level. If a model has more than 80 topics, the leaves
    are 80 groups of topics.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model with at least two topics.
    levels : sequence of int, optional
        Numbers of groups, from fine to coarse; see `laconic.topic_tree`.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> chart = topic_dendrogram(laconic.PLSA(4, random_state=0).fit(corpus), [2])
    >>> chart.to_dict()["title"]["text"]
    'Tree of topics'
    """
    view = chart_view(model)
    tree = make_tree(view.model, levels)
    n_leaves = min(tree.n_topics, MAX_LEAVES)
    cut = tree.cut(n_leaves)
    labels = [_label(view, topics) for topics in cut.members]
    place, lines = _lines(tree, cut.groups, n_leaves)
    coarsest = tree.cut(tree.levels[-1])
    names = {root.number: root.label for root in tree.roots if root.level is not None}
    group_names = [
        shorten(names.get(number, view.label(topics[0])), number)
        for number, topics in enumerate(coarsest.members)
    ]
    for line in lines:
        group = line.pop("group")
        line["group"] = "" if group is None else group_names[coarsest.groups[group]]
    leaves = [
        {"y": place[leaf], "x": 0.0, "label": labels[leaf], "topics": ", ".join(map(str, topics))}
        for leaf, topics in enumerate(cut.members)
    ]
    return styled(_chart(lines, leaves, group_names, tree))


def _label(view: Any, topics: list[int]) -> str:
    """Return the label of a leaf: of its only topic, or of its largest topic."""
    label = shorten(view.label(topics[0]), topics[0])
    return label if len(topics) == 1 else f"{label} and {plural(len(topics) - 1, 'other')}"


def _lines(
    tree: TopicTree, leaf_of: np.ndarray, n_leaves: int
) -> tuple[dict[int, float], list[dict[str, Any]]]:
    """Return the place of each leaf, and the lines of the tree.

    The group of a line is a topic of its group at the coarsest level, or None above this level.
    """
    n_topics = tree.n_topics
    pairs, heights = tree.linkage.pairs, tree.linkage.heights
    first = n_topics - n_leaves  # merges below the leaves are not drawn
    topics_of: dict[int, list[int]] = {topic: [topic] for topic in range(n_topics)}
    rank = {int(topic): i for i, topic in enumerate(tree.linkage.order)}
    for merge, (a, b) in enumerate(pairs.tolist()):
        parts = sorted((topics_of[a], topics_of[b]), key=lambda part: min(rank[t] for t in part))
        topics_of[n_topics + merge] = parts[0] + parts[1]
    # Leaves are in the order of the root, so that lines do not cross.
    ordered = dict.fromkeys(int(leaf_of[topic]) for topic in topics_of[n_topics + len(pairs) - 1])
    place = {leaf: float(i) for i, leaf in enumerate(ordered)}
    at: dict[int, tuple[float, float]] = {}
    lines: list[dict[str, Any]] = []
    n_grouped = n_topics - tree.levels[-1]  # merges within groups of the coarsest level

    def position(node: int) -> tuple[float, float]:
        return at.get(node) or (0.0, place[int(leaf_of[topics_of[node][0]])])

    for merge in range(first, len(pairs)):
        (x0, y0), (x1, y1) = (position(int(node)) for node in pairs[merge])
        height = rounded(float(heights[merge]))
        group = topics_of[n_topics + merge][0] if merge < n_grouped else None
        ends = [int(node) for node in pairs[merge]]
        for (x, y), node in zip(((x0, y0), (x1, y1)), ends, strict=True):
            below = node < n_topics or node - n_topics < n_grouped
            own = topics_of[node][0] if below else None
            lines.append({"x": x, "x2": height, "y": y, "y2": y, "group": own})
        lines.append({"x": height, "x2": height, "y": y0, "y2": y1, "group": group})
        at[n_topics + merge] = (height, (y0 + y1) / 2)
    return place, lines


def _chart(
    lines: list[dict[str, Any]], leaves: list[dict[str, Any]], names: list[str], tree: TopicTree
) -> Any:
    alt = require("altair")
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[len(leaves) - 0.5, -0.5], nice=False))
    top = 1.02 * max(line["x2"] for line in lines) or 1.0
    # The axis starts at the right, where the labels are, so that the tree grows to the left.
    x = alt.X("x:Q", title="distance", scale=alt.Scale(domain=[0, top], reverse=True, nice=False))
    branches = (
        alt.Chart(alt.Data(values=lines))
        .mark_rule(strokeWidth=1.5, strokeCap="round")
        .encode(
            x=x,
            x2="x2:Q",
            y=y,
            y2="y2:Q",
            color=alt.Color("group:N", legend=None, scale=alt.Scale(domain=names)),
        )
        .transform_filter("datum.group != ''")
    )
    above = (
        alt.Chart(alt.Data(values=[line for line in lines if not line["group"]]))
        .mark_rule(strokeWidth=1, opacity=0.6)
        .encode(x=x, x2="x2:Q", y=y, y2="y2:Q")
    )
    texts = (
        alt.Chart(alt.Data(values=leaves))
        .mark_text(align="left", dx=6, limit=LABEL_WIDTH)
        .encode(
            x=x,
            y=y,
            text="label:N",
            tooltip=[alt.Tooltip("label:N", title="topic"), alt.Tooltip("topics:N")],
        )
    )
    levels = " and ".join(plural(level, "group") for level in tree.levels)
    subtitle = f"Topics that are joined near the right are similar; levels of {levels}"
    return alt.layer(above, branches, texts).properties(
        width=WIDTH,
        height=STEP * len(leaves),
        title=alt.Title("Tree of topics", subtitle=subtitle),
        description="Tree of topics, in which similar topics are joined first",
    )
