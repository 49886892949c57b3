"""``laconic topics``: show the words and documents of each topic, or the topic graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import NOUN_OPTIONS, debug_option, json_option, options
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.tables import (
    printable,
    show_json,
    show_table,
    show_topics,
    topic_label,
    topic_rows,
)

if TYPE_CHECKING:
    import polars as pl

    from laconic.wording import Nouns

N_WORDS, N_GRAPH_WORDS = 10, 3
N_GROUPS = 10  # maximum number of groups that are shown per topic


@click.command()
@click.argument("model")
@click.option(
    "-n",
    "--words",
    "n_words",
    type=POSITIVE_INT,
    help=f"Maximum number of words per topic.  [default: {N_WORDS}, or {N_GRAPH_WORDS} in a graph]",
)
@click.option(
    "--documents",
    "n_documents",
    type=POSITIVE_INT,
    help="Also show the N documents with the largest share of each topic.",
)
@click.option(
    "--weak/--no-weak",
    default=True,
    help="Whether to show topics that few documents share.  [default: weak]",
)
@click.option(
    "--groups",
    is_flag=True,
    help=f"Show the {N_GROUPS} strongest groups of words of each topic, such as pathways, instead "
    "of single words. MODEL must be fitted with --groups.",
)
@click.option(
    "--graph",
    is_flag=True,
    help="Show the graph of correlated topics. MODEL must be fitted with --correlated.",
)
@click.option(
    "--dot", is_flag=True, help="Print the graph of correlated topics in Graphviz's DOT language."
)
@click.option(
    "--tree", is_flag=True, help="Show groups of similar topics, and groups of groups, as a tree."
)
@click.option(
    "--levels",
    metavar="N,…",
    help="Numbers of groups in the tree, from fine to coarse, such as 20,5. Implies --tree.",
)
@options(NOUN_OPTIONS)
@json_option
@debug_option
def topics(
    model: str,
    n_words: int | None,
    n_documents: int | None,
    weak: bool,
    groups: bool,
    graph: bool,
    dot: bool,
    tree: bool,
    levels: str | None,
    terms: str | None,
    items: str | None,
    as_json: bool,
) -> None:
    """Show the topics of a saved model.

    For each topic, the output has its number, its share (of all topic weights in the documents of
    the fit) and its strongest words. Words with a negative weight have a minus sign. On a terminal,
    an asterisk marks topics that few documents share, such as the signature of an author. If the
    output is piped, each topic is one line of three tab-separated columns; the stability of the
    topics is a fourth ('laconic evaluate --per-topic --save'). With --documents, the title or id of
    each document is one more column.

    With --groups, each line describes a group of words in a topic: the topic, the share of the
    group in it, the name of the group with the number of its words in the data, and its strongest
    words. With --graph, each line describes a pair of topics, strongest first: their numbers, their
    partial correlation (negative if they avoid each other), and their words. With --tree, topics
    that occur in the same documents and have words in common are grouped. If the tree is piped,
    each line describes a topic: its number and words, and its group at each level.

    \b
    laconic topics posts.model -n 20
    laconic topics posts.model --documents 3
    laconic topics cells.model --groups --terms genes
    laconic topics posts.model --tree --levels 20,5
    laconic topics posts.model --dot | dot -Tsvg > graph.svg
    """
    if n_documents is not None and (graph or dot):
        raise click.UsageError("--graph and --dot show no documents; leave out --documents.")
    if dot and as_json:
        raise click.UsageError("Set either --dot or --json, not both.")
    if groups and (graph or dot or n_documents is not None):
        raise click.UsageError(
            "--groups cannot be combined with --graph, --dot or --documents; leave out one of them."
        )
    if (tree or levels is not None) and (groups or graph or dot or n_documents is not None):
        raise click.UsageError(
            "--tree cannot be combined with --groups, --graph, --dot or --documents; leave out one "
            "of them."
        )
    from laconic.fitted.nouns import nouns_of, with_nouns
    from laconic.saving.models import load_to_show

    fitted = with_nouns(load_to_show(model), terms, items)
    nouns = nouns_of(fitted)
    if groups:
        _show_groups(model, fitted, n_words or N_WORDS, nouns, as_json)
        return
    if tree or levels is not None:
        from laconic.cli.topic_trees import show_tree

        show_tree(model, fitted, levels, n_words or N_WORDS, as_json)
        return
    if graph or dot:
        _show_edges(model, _edges(model, fitted, n_words or N_GRAPH_WORDS), dot, as_json)
        return
    from laconic.fitted.topics import topics as find_topics

    rows = topic_rows(find_topics(fitted, n_words or N_WORDS, weak=weak))
    if n_documents is not None:
        rows = _with_documents(model, fitted, rows, n_documents)
    if as_json:
        show_json({"model": model, "topics": rows})
    elif n_documents is None:
        show_topics(rows, terms=nouns.terms)
    else:
        names = [list(map(_document_name, topic["documents"])) for topic in rows]
        show_topics(rows, heading=nouns.items, more=names, terms=nouns.terms)


def _with_documents(
    path: str, fitted: Any, rows: list[dict[str, Any]], n: int
) -> list[dict[str, Any]]:
    from laconic.errors import LaconicError
    from laconic.fitted.similar_documents import top_documents
    from laconic.saving.describe import describe

    if not describe(path)["documents"]:
        raise LaconicError(
            f"{path}: no documents are saved with this model; fit it again without --no-documents"
        )
    return [
        {**topic, "documents": top_documents(fitted, topic["topic"], n=n).to_dicts()}
        for topic in rows
    ]


def _document_name(document: Mapping[str, Any]) -> str:
    return printable(document["title"] or document["id"])


# ---- groups of words ----


def _show_groups(path: str, fitted: Any, n_words: int, nouns: Nouns, as_json: bool) -> None:
    """Print the groups of words of each topic."""
    from laconic.errors import LaconicError
    from laconic.fitted.word_groups import topic_groups

    estimator = fitted[-1] if hasattr(fitted, "steps") else fitted
    if not hasattr(estimator, "group_members_"):
        raise LaconicError(
            f"{path}: this model has no groups of words; fit a model with 'laconic fit -m slsa "
            "--groups FILE'"
        )
    rows = topic_groups(fitted, N_GROUPS, n_words=n_words).to_dicts()
    if as_json:
        show_json({"model": path, "groups": rows})
        return
    words = [printable(", ".join(row["words"])) for row in rows]
    first = [i == 0 or rows[i - 1]["topic"] != row["topic"] for i, row in enumerate(rows)]
    show_table(
        {"topic": "right", "share": "right", "group": "left", nouns.terms: "left"},
        (
            [str(row["topic"]) if new else "", f"{row['share']:.1%}", printable(row["label"]), text]
            for row, text, new in zip(rows, words, first, strict=True)
        ),
        (
            [str(row["topic"]), f"{row['share']:.6f}", printable(row["label"]), text]
            for row, text in zip(rows, words, strict=True)
        ),
    )


# ---- topic graph ----


def _edges(path: str, fitted: Any, n_words: int) -> pl.DataFrame:
    from laconic.errors import LaconicError
    from laconic.fitted.graph import topic_graph

    estimator = fitted[-1] if hasattr(fitted, "steps") else fitted
    if not hasattr(estimator, "topic_precision_"):
        raise LaconicError(
            f"{path}: this model has no topic graph; fit a model with 'laconic fit -m sctm "
            "--correlated'"
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
            messages.say("the graph has no edges, because no two topics are correlated")


def _show_graph(edges: pl.DataFrame) -> None:
    """Print a table of edges or, if the output is piped, one line of five columns per edge."""
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
    """Return the graph in the DOT language; strong edges are thick, negative edges are dashed.

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
    """Return the lines of a label: the name of the topic, if it has a name, and its words."""
    name = edge.get(f"{prefix}name")
    return [*([name] if name else []), *edge[f"{prefix}words"]]


def _quoted(words: list[str]) -> str:
    """Return a quoted label for Graphviz that shows one word per line."""
    lines = [printable(word).replace("\\", "\\\\").replace('"', '\\"') for word in words]
    return '"' + "\\n".join(lines) + '"'
