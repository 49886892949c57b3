"""Report section with the tree of topics as a nested list."""

from __future__ import annotations

from typing import Any

from laconic.web import views
from laconic.web.report.html import Html, h, percent
from laconic.web.report.overview import link_to, name_of
from laconic.wording import plural

FEWEST = 3  # minimum number of shown topics for which a tree is useful
WORDS = 6  # number of words shown of a group
ABOUT = (
    "Topics that occur in the same documents and share words are grouped. The words of a group are "
    "those that its merged topics would have."
)


def topic_tree(page_data: Any, visible: set[int]) -> list[Html]:
    """Return the tree of topics as nested lists, with links only to the topics in `visible`."""
    if len(visible) < FEWEST:
        return []
    groups = views.tree(page_data)["groups"]
    items = [_node(node, visible) for node in groups]
    about = page_data.nouns.fill(ABOUT.replace("documents", "{items}").replace("words", "{terms}"))
    return [h("p", about, class_="quiet"), h("ul", items, class_="tree")]


def _node(node: dict[str, Any], visible: set[int]) -> Html | None:
    share = h("span", percent(node["share"]), class_="quiet")
    if "children" not in node:
        return (
            h("li", link_to(node, name_of(node)), " ", share) if node["topic"] in visible else None
        )
    children = [child for child in (_node(each, visible) for each in node["children"]) if child]
    if not children:
        return None
    size = f"{plural(len(visible.intersection(node['topics'])), 'topic')}, "
    return h(
        "li",
        h("b", ", ".join(node["words"][:WORDS])),
        " ",
        h("span", size, percent(node["share"]), class_="quiet"),
        h("ul", children),
    )
