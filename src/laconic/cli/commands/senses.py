"""``laconic senses``: the topics of a word, and where it has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT, Sectioned, debug_option, json_option, options
from laconic.cli.param_types import POSITIVE
from laconic.cli.reading import read_documents, refuse_idle_options
from laconic.cli.tables import printable, show_json, show_topics

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("word")
@click.option(
    "--corpus",
    "source",
    metavar="INPUT",
    help="Where to look for examples: anything that laconic fit takes.",
)
@click.option("--top", type=POSITIVE, default=5, show_default=True, help="Most topics to show.")
@click.option(
    "-n",
    "--examples",
    "n_examples",
    type=POSITIVE,
    default=3,
    show_default=True,
    help="Most examples to show for a topic.",
)
@options(INPUT, only=["format", "text", "title", "id", "encoding"])
@json_option
@debug_option
def senses(
    model: str,
    word: str,
    source: str | None,
    top: int,
    n_examples: int,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the topics that a word has.

    MODEL is one that has codes for words: stc or medstc. For each topic its number, its share of
    the word over all documents of the fit, its strongest words and, with --corpus, the documents
    in which the word is closest to it: their title, id or position, and the text around the word.
    In a pipe each topic is one line, separated by tabs: three columns, then one for each example.

    \b
    laconic senses posts.model bank
    laconic senses posts.model bank --corpus posts.jsonl --text body
    """
    refuse_idle_options(source, values)
    from laconic.fitted.senses import senses as table_of
    from laconic.saving.models import load

    fitted = load(model)
    rows = table_of(fitted, word).head(top).to_dicts()  # an unknown word shows before much is read
    if source is not None:
        given = {**values, "vocabulary": fitted}
        corpus = read_documents(source, given, keep_texts=True, defaults=False)
        rows = table_of(fitted, word, corpus, n_examples=n_examples).head(top).to_dicts()
        for row in rows:
            row["examples"] = _examples(row.pop("documents"), row["examples"], corpus, word)
    if as_json:
        show_json({"model": model, "word": word, "senses": rows})
        return
    examples = [list(map(_in_short, row.get("examples", []))) for row in rows]
    show_topics(rows, "weight", "examples" if any(examples) else None, examples)
    if not rows:
        messages.say(f"no document of the fit gave {word!r} a topic")
    elif source is not None and not any(row["examples"] for row in rows):
        messages.say(f"{word!r} has none of these topics in {source}")


def _examples(
    rows: list[int], names: list[str], corpus: Corpus, word: str
) -> list[dict[str, str | None]]:
    """What the documents are called, and the word as it stands there if the texts are known."""
    from laconic.text.passages import cut_example

    texts = corpus.texts
    return [
        {"document": name, "text": None if texts is None else cut_example(str(texts[row]), word)}
        for row, name in zip(rows, names, strict=True)
    ]


def _in_short(example: Mapping[str, str | None]) -> str:
    name, text = example["document"], example["text"]
    return printable(f"{name}: {text}" if text else f"{name}")
