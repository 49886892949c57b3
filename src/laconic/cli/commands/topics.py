"""``laconic topics``: the words of each topic, its documents, and which topics go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import debug_option, json_option
from laconic.cli.param_types import POSITIVE
from laconic.cli.tables import printable, show_json, show_table, show_topics, topic_label

if TYPE_CHECKING:
    import polars as pl

WORDS, WORDS_OF_A_GRAPH = 10, 3


@click.command()
@click.argument("model")
@click.option(
    "-n",
    "--words",
    "n_words",
    type=POSITIVE,
    help=f"Most words to show for a topic.  [default: {WORDS}; in a graph {WORDS_OF_A_GRAPH}]",
)
@click.option(
    "--documents",
    "n_documents",
    type=POSITIVE,
    help="Show so many documents of each topic too, those with the largest share of it.",
)
@click.option(
    "--graph", is_flag=True, help="Show which topics go together; fitted with --correlated."
)
@click.option("--dot", is_flag=True, help="Print that graph for Graphviz.")
@json_option
@debug_option
def topics(
    model: str,
    n_words: int | None,
    n_documents: int | None,
    graph: bool,
    dot: bool,
    as_json: bool,
) -> None:
    """Show the topics of a saved model.

    For each topic its number, its share (of the weights of all topics in all documents of the fit)
    and its strongest words; a word that counts against a topic has a minus sign. In a pipe each
    topic is one line of three columns, separated by tabs; with --documents the titles (or ids) of
    documents follow, each in a column of its own.

    With --graph each line is a pair of topics: both numbers, their partial correlation (positive
    where they go together, negative where they avoid each other, the strongest first) and the
    words of both.

    \b
    laconic topics posts.model -n 20
    laconic topics posts.model --documents 3
    laconic topics posts.model --dot | dot -Tsvg > graph.svg
    """
    if n_documents is not None and (graph or dot):
        raise click.UsageError("A graph has no documents; give --documents without it.")
    if dot and as_json:
        raise click.UsageError("Give --dot or --json, not both.")
    from laconic.saving.models import load

    fitted = load(model)
    if graph or dot:
        _show_edges(model, _edges(model, fitted, n_words or WORDS_OF_A_GRAPH), dot, as_json)
        return
    from laconic.fitted.topics import topics as table_of

    rows = table_of(fitted, n_words or WORDS).to_dicts()
    if n_documents is not None:
        rows = _with_documents(model, fitted, rows, n_documents)
    if as_json:
        show_json({"model": model, "topics": rows})
    elif n_documents is None:
        show_topics(rows)
    else:
        names = [list(map(_document_name, topic["documents"])) for topic in rows]
        show_topics(rows, heading="documents", more=names)


def _with_documents(
    path: str, fitted: Any, rows: list[dict[str, Any]], n: int
) -> list[dict[str, Any]]:
    from laconic.errors import LaconicError
    from laconic.fitted.similar_documents import top_documents
    from laconic.saving.describe import describe

    if not describe(path)["documents"]:
        raise LaconicError(
            f"{path}: no documents are kept with this model; fit it again without --no-documents"
        )
    return [
        {**topic, "documents": top_documents(fitted, topic["topic"], n=n).to_dicts()}
        for topic in rows
    ]


def _document_name(document: Mapping[str, Any]) -> str:
    return printable(document["title"] or document["id"])


# ---- the graph of topics ----


def _edges(path: str, fitted: Any, n_words: int) -> pl.DataFrame:
    from laconic.errors import LaconicError
    from laconic.fitted.graph import topic_graph

    estimator = fitted[-1] if hasattr(fitted, "steps") else fitted
    if not hasattr(estimator, "topic_precision_"):
        raise LaconicError(
            f"{path}: this model does not know which topics go together; fit one that does: "
            "laconic fit -m sctm --correlated"
        )
    return topic_graph(fitted, n_words)


def _show_edges(path: str, edges: pl.DataFrame, dot: bool, as_json: bool) -> None:
    if as_json:
        show_json({"model": path, "edges": edges.to_dicts()})
    elif dot:
        click.echo(to_dot(edges), nl=False)
    else:
        _show_graph(edges)
        if not len(edges):
            messages.say("the graph has no edges: no two topics depend on each other")


def _show_graph(edges: pl.DataFrame) -> None:
    """In a pipe one line for each edge of five columns."""
    rows = [
        (edge, topic_label(edge), topic_label(edge, "other_"))
        for edge in edges.iter_rows(named=True)
    ]
    show_table(
        {"topic": "left", "weight": "right", "other topic": "left"},
        (
            [f"{edge['topic']}: {words}", f"{edge['weight']:+.3f}", f"{edge['other']}: {others}"]
            for edge, words, others in rows
        ),
        (
            [str(edge["topic"]), str(edge["other"]), f"{edge['weight']:+.6f}", words, others]
            for edge, words, others in rows
        ),
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
