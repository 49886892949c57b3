"""``laconic senses``: show the topics of a word, with examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    json_option,
    options,
)
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.reading import read_documents, reject_unused_options
from laconic.cli.tables import printable, show_json, show_topics

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus


@click.command(cls=Sectioned, renamed={"--top": "--senses"})
@click.argument("model")
@click.argument("word")
@click.option(
    "--corpus",
    "source",
    metavar="INPUT",
    help="Documents from which examples are taken: any input that 'laconic fit' accepts.",
)
@click.option(
    "-n",
    "--senses",
    "n",
    type=POSITIVE_INT,
    default=5,
    show_default=True,
    help="Maximum number of senses (topics) to show.",
)
@click.option(
    "--examples",
    "n_examples",
    type=POSITIVE_INT,
    default=3,
    show_default=True,
    help="Maximum number of examples per topic.",
)
@options(INPUT_OPTIONS, only=["format", "text", "title", "id", "encoding"])
@json_option
@debug_option
def senses(
    model: str,
    word: str,
    source: str | None,
    n: int,
    n_examples: int,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the senses of a word: its topics, with examples.

    For each topic of the word, the output has the number of the topic, the share of the topic in
    the word, and the strongest words of the topic. In models with word codes (stc, medstc), the
    share is that of the topic in the codes of the word, summed over all documents of the fit. In
    models whose topics are probabilities (plsa, sctm), it is the probability of the topic given the
    word. In other models, it is the share of the topic in all weights of the word. With --corpus,
    the output also has examples: the documents in which the word belongs most strongly to the
    topic. An example consists of the title, id or position of the document, and the text around the
    word. If the output is piped, each topic is one tab-separated line with the columns number,
    share and words, and one column per example.

    \b
    laconic senses posts.model bank
    laconic senses posts.model bank --corpus posts.jsonl --text body
    """
    reject_unused_options(source, values)
    from laconic.fitted.senses import senses as table_of
    from laconic.saving.models import load

    fitted = load(model)
    rows = (
        table_of(fitted, word).head(n).to_dicts()
    )  # Called before the corpus is read, so that an unknown word is reported at once.
    if source is not None:
        read_options = {**values, "vocabulary": fitted}
        corpus = read_documents(source, read_options, keep_texts=True, defaults=False)
        rows = table_of(fitted, word, corpus, n_examples=n_examples).head(n).to_dicts()
        for row in rows:
            row["examples"] = _examples(row.pop("documents"), row["examples"], corpus, word)
    if as_json:
        show_json({"model": model, "word": word, "senses": rows})
        return
    examples = [list(map(_format_example, row.get("examples", []))) for row in rows]
    show_topics(rows, "weight", "examples" if any(examples) else None, examples)
    if not rows:
        messages.say(
            f"the word {word!r} has no topic in the documents to which the model was fitted"
        )
    elif source is not None and not any(row["examples"] for row in rows):
        messages.say(f"no examples, because the word {word!r} has none of these topics in {source}")


def _examples(
    rows: list[int], names: list[str], corpus: Corpus, word: str
) -> list[dict[str, str | None]]:
    """Return the name of each document and, if there are texts, the text around the word."""
    from laconic.text.passages import cut_example

    texts = corpus.texts
    return [
        {"document": name, "text": None if texts is None else cut_example(str(texts[row]), word)}
        for row, name in zip(rows, names, strict=True)
    ]


def _format_example(example: Mapping[str, str | None]) -> str:
    name, text = example["document"], example["text"]
    return printable(f"{name}: {text}" if text else f"{name}")
