"""``laconic topics``: the words of each topic, its documents, and which topics go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.graph import show_graph, to_dot
from laconic.cli.kinds import POSITIVE
from laconic.cli.options import debug_option, json_option
from laconic.cli.show_documents import show_topics_with_documents
from laconic.cli.tables import show_json, show_topics

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

    table = table_of(fitted, n_words or WORDS)
    rows = None if n_documents is None else _with_documents(model, fitted, table, n_documents)
    if as_json:
        show_json({"model": model, "topics": table.to_dicts() if rows is None else rows})
    elif rows is None:
        show_topics(table)
    else:
        show_topics_with_documents(rows)


def _with_documents(path: str, fitted: Any, table: pl.DataFrame, n: int) -> list[dict[str, Any]]:
    from laconic.errors import LaconicError
    from laconic.fitted.similar import top_documents
    from laconic.saving.models import describe

    if not describe(path)["documents"]:
        raise LaconicError(
            f"{path}: no documents are kept with this model; fit it again without --no-documents"
        )
    return [
        {**topic, "documents": top_documents(fitted, topic["topic"], n=n).to_dicts()}
        for topic in table.to_dicts()
    ]


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
        show_graph(edges)
        if not len(edges):
            messages.say("the graph has no edges: no two topics depend on each other")
