"""Print the tree of the topics of a model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.tables import printable, show_json

if TYPE_CHECKING:
    from laconic.fitted.tree import TopicTree


def show_tree(path: str, fitted: Any, levels: str | None, n_words: int, as_json: bool) -> None:
    """Print a nested list on a terminal, one line per topic if the output is piped, or JSON."""
    from laconic.fitted.tree import topic_tree

    tree = topic_tree(fitted, _numbers(levels), n_words=n_words)
    if as_json:
        show_json({"model": path, **tree.to_dict()})
    elif sys.stdout.isatty():
        click.echo(str(tree))
    else:
        for line in _lines(tree):
            click.echo("\t".join(line))


def _numbers(levels: str | None) -> list[int] | None:
    if levels is None:
        return None
    try:
        return [int(part) for part in levels.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{levels!r:.50} is not a list of numbers that are separated by commas, such as 20,5.",
            param_hint="'--levels'",
        ) from None


def _lines(tree: TopicTree) -> list[list[str]]:
    """Return a line per topic: its number and label, and the number and label of each group."""
    groups = [(tree.cut(level).groups, tree.labels(level)) for level in tree.levels]
    lines = []
    for _, node in tree.walk():
        if node.level is not None:
            continue
        cells = [str(node.number), node.label]
        for group_of, labels in groups:
            group = int(group_of[node.number])
            cells += [str(group), labels[group]]
        lines.append([printable(cell) for cell in cells])
    return lines
