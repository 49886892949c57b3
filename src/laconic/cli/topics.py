"""``laconic topics``: the words of each topic, and its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from laconic.cli.kinds import POSITIVE
from laconic.cli.options import debug_option, json_option
from laconic.cli.show import show_json, show_topics
from laconic.cli.show_documents import show_topics_with_documents

if TYPE_CHECKING:
    import polars as pl


@click.command()
@click.argument("model")
@click.option(
    "-n",
    "--words",
    "n_words",
    type=POSITIVE,
    default=10,
    show_default=True,
    help="Most words to show for a topic.",
)
@click.option(
    "--documents",
    "n_documents",
    type=POSITIVE,
    help="Show so many documents of each topic too, those with the largest share of it.",
)
@json_option
@debug_option
def topics(model: str, n_words: int, n_documents: int | None, as_json: bool) -> None:
    """Show the topics of a saved model.

    For each topic its number, its share (of the weights of all topics in all documents of the fit)
    and its strongest words; a word that counts against a topic has a minus sign. In a pipe each
    topic is one line of three columns, separated by tabs; with --documents the titles (or ids) of
    documents follow, each in a column of its own.

    \b
    laconic topics posts.model -n 20
    laconic topics posts.model --documents 3
    """
    from laconic.models.topics import topics as table_of
    from laconic.persistence import load

    fitted = load(model)
    table = table_of(fitted, n_words)
    rows = None if n_documents is None else _with_documents(model, fitted, table, n_documents)
    if as_json:
        show_json({"model": model, "topics": table.to_dicts() if rows is None else rows})
    elif rows is None:
        show_topics(table)
    else:
        show_topics_with_documents(rows)


def _with_documents(path: str, fitted: Any, table: pl.DataFrame, n: int) -> list[dict[str, Any]]:
    from laconic.errors import LaconicError
    from laconic.models.similar import top_documents
    from laconic.persistence import describe

    if not describe(path)["documents"]:
        raise LaconicError(
            f"{path}: no documents are kept with this model; fit it again without --no-documents"
        )
    return [
        {**topic, "documents": top_documents(fitted, topic["topic"], n=n).to_dicts()}
        for topic in table.to_dicts()
    ]
