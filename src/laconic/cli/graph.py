"""The graph of topics that go together: a table, or a picture by Graphviz."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.tables import called, draw_table, printable

if TYPE_CHECKING:
    import polars as pl


def show_graph(edges: pl.DataFrame) -> None:
    """A table on a terminal; in a pipe one line for each edge of five columns."""
    if sys.stdout.isatty():
        _draw(edges)
        return
    for edge in edges.iter_rows(named=True):
        words, others = called(edge), called(edge, "other_")
        click.echo(f"{edge['topic']}\t{edge['other']}\t{edge['weight']:+.6f}\t{words}\t{others}")


def _draw(edges: pl.DataFrame) -> None:
    from rich.text import Text  # no strings: words may look like markup

    draw_table(
        {"topic": "left", "weight": "right", "other topic": "left"},
        [
            [
                Text(f"{edge['topic']}: {called(edge)}"),
                Text(f"{edge['weight']:+.3f}"),
                Text(f"{edge['other']}: {called(edge, 'other_')}"),
            ]
            for edge in edges.iter_rows(named=True)
        ],
    )


def to_dot(edges: pl.DataFrame) -> str:
    """The graph in Graphviz's language: strong edges are thick, negative ones dashed.

    Examples
    --------
    >>> import polars as pl
    >>> edge = {"topic": 0, "other": 2, "weight": -0.25, "words": ["cat"], "other_words": ["dog"]}
    >>> print(to_dot(pl.DataFrame([edge])), end="")
    graph topics {
      node [shape=box];
      0 [label="cat"];
      2 [label="dog"];
      0 -- 2 [label="-0.250", penwidth=4.00, style=dashed];
    }
    """
    nodes: dict[int, list[str]] = {}
    lines = []
    strongest = max((abs(weight) for weight in edges["weight"]), default=1.0) or 1.0
    for edge in edges.iter_rows(named=True):
        nodes[edge["topic"]] = _lines(edge)
        nodes[edge["other"]] = _lines(edge, "other_")
        width = 0.5 + 3.5 * abs(edge["weight"]) / strongest
        style = ", style=dashed" if edge["weight"] < 0 else ""
        lines.append(
            f'  {edge["topic"]} -- {edge["other"]} [label="{edge["weight"]:+.3f}", '
            f"penwidth={width:.2f}{style}];"
        )
    labels = [f"  {topic} [label={_quoted(nodes[topic])}];" for topic in sorted(nodes)]
    return "\n".join(["graph topics {", "  node [shape=box];", *labels, *lines, "}", ""])


def _lines(edge: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The name of a topic, if it has one, and its words."""
    name = edge.get(f"{prefix}name")
    return [*([name] if name else []), *edge[f"{prefix}words"]]


def _quoted(words: list[str]) -> str:
    """Words on lines of their own, as Graphviz reads them."""
    lines = [printable(word).replace("\\", "\\\\").replace('"', '\\"') for word in words]
    return '"' + "\\n".join(lines) + '"'
