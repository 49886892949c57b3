"""View of the tree of topics."""

from __future__ import annotations

from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.tree import TopicGroup, grow_tree
from laconic.web.page_data import PageData
from laconic.web.views.common import rounded, topic_stub

N_WORDS = 10  # number of words of a group


def tree(page_data: PageData, levels: str | None = None) -> dict[str, Any]:
    """Return the tree of topics as nested lists.

    Parameters
    ----------
    page_data : PageData
    levels : str, optional
        Numbers of groups from fine to coarse, separated by commas, such as "20,5".

    Returns
    -------
    dict
        ``levels``, and ``groups``, the nodes of the coarsest level. A group has ``level``,
        ``group`` (its number), ``label``, ``words``, ``share``, ``topics`` and ``children``; a
        topic has the fields of `topic_stub` and ``share``.
    """
    documents = page_data.documents
    known = documents is not None and len(documents) > 0
    found = grow_tree(
        page_data, page_data.sums.correlations if known else None, parse_levels(levels), N_WORDS
    )
    return {"levels": found.levels, "groups": [_node(page_data, root) for root in found.roots]}


def parse_levels(text: str | None) -> list[int] | None:
    """Return numbers that are separated by commas.

    Examples
    --------
    >>> parse_levels("20,5"), parse_levels(None)
    ([20, 5], None)
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise LaconicError(
            f"levels must be numbers separated by commas, such as 20,5; got {text!r:.50}."
        )
    return [int(part) for part in parts]


def _node(page_data: PageData, node: TopicGroup) -> dict[str, Any]:
    share = rounded(node.share)
    if node.level is None:
        return {**topic_stub(page_data, node.number), "share": share}
    return {
        "level": node.level,
        "group": node.number,
        "label": node.label,
        "words": node.words,
        "share": share,
        "topics": node.topics,
        "children": [_node(page_data, child) for child in node.children],
    }
