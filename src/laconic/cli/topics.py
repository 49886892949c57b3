"""``laconic topics``: the words of each topic."""

from __future__ import annotations

import click

from laconic.cli.kinds import POSITIVE
from laconic.cli.options import debug_option, json_option
from laconic.cli.show import show_json, show_topics


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
@json_option
@debug_option
def topics(model: str, n_words: int, as_json: bool) -> None:
    """Show the topics of a saved model.

    For each topic its number, its share (of the weights of all topics in all documents of the fit)
    and its strongest words; a word that counts against a topic has a minus sign. In a pipe each
    topic is one line of three columns, separated by tabs.

    \b
    laconic topics posts.model -n 20
    """
    from laconic.models.topics import topics as table_of
    from laconic.persistence import load

    table = table_of(load(model), n_words)
    if as_json:
        show_json({"model": model, "topics": table.to_dicts()})
    else:
        show_topics(table)
