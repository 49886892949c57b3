"""``laconic name``: name the topics of a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT_OPTIONS, debug_option, json_option, options, quiet_option
from laconic.cli.reading import read_documents, reject_unused_options
from laconic.cli.tables import printable, show_json, show_table


@click.command()
@click.argument("model")
@click.argument("corpus", metavar="[INPUT]", required=False)
@options(INPUT_OPTIONS, only=["format", "text", "encoding"])
@quiet_option
@json_option
@debug_option
def name(model: str, corpus: str | None, quiet: bool, as_json: bool, **values: Any) -> None:
    """Name the topics of a saved model, without a network.

    The name of a topic is the phrase of one to three words that most of its documents share and the
    documents of other topics do not. Names are unique, and saved in MODEL. Names that users gave in
    the explorer are kept, and shown instead. INPUT is any input that 'laconic fit' accepts; by
    default, the documents saved with MODEL are used. If the output is piped, each line has the
    number, the name and the words of a topic, separated by tabs.

    \b
    laconic name posts.model
    laconic name posts.model posts.jsonl --text body
    """
    messages.set_verbosity(quiet, verbose=False)
    reject_unused_options(corpus, values)
    from laconic.fitted.topics import topics as find_topics
    from laconic.keyphrases.topic_names import name_topics
    from laconic.saving.automatic import save_facts
    from laconic.saving.models import load

    fitted = load(model)
    documents = None
    if corpus is not None:
        documents = read_documents(
            corpus, {**values, "vocabulary": fitted}, keep_texts=True, defaults=False
        )
    with messages.working(f"Naming the topics of {model}"):
        names = name_topics(fitted, documents)
    save_facts(fitted, Path(model))
    rows: list[dict[str, Any]] = [
        {"topic": topic.number, "name": names[topic.number], "words": topic.words}
        for topic in find_topics(fitted)
    ]
    if as_json:
        show_json({"model": model, "topics": rows})
    elif not quiet:
        cells = [
            [str(row["topic"]), printable(row["name"]), printable(", ".join(row["words"]))]
            for row in rows
        ]
        show_table({"topic": "right", "name": "left", "words": "left"}, cells, cells)
