"""``laconic search``: the documents that fit a query."""

from __future__ import annotations

import sys
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.kinds import POSITIVE
from laconic.cli.options import INPUT, Sectioned, debug_option, json_option, options
from laconic.cli.reading import read_documents, refuse_idle_options
from laconic.cli.show_hits import hit_facts, show_hits
from laconic.cli.tables import show_json
from laconic.wording import some


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@click.option(
    "-k", "k", type=POSITIVE, default=10, show_default=True, help="Most documents to show."
)
@click.option(
    "--like", "like", metavar="DOC", help="Show what is like this document, an id or a title."
)
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Look among these documents: anything that laconic fit takes.  [default: the documents "
    "kept with MODEL]",
)
@options(INPUT, only=["format", "text", "title", "id", "encoding"])
@json_option
@debug_option
def search(
    model: str,
    words: tuple[str, ...],
    k: int,
    like: str | None,
    corpus: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the documents that fit a query.

    QUERY is a few words, a question or a text, or - to read it from standard input. A document is
    found by its words, in any of their forms, and by its topics, even if it says the same in other
    words; its score is the sum of both parts. Words of the query are marked, and in another colour
    words that its topics have much of. In a pipe each document is one line of seven columns,
    separated by tabs: score, its part of words, its part of topics, title, id, keywords and a
    passage.

    \b
    laconic search posts.model how to sort a sparse array
    laconic search posts.model --like d17
    laconic search posts.model "oil leak" --corpus other.jsonl --text body
    """
    if bool(words) == (like is not None):
        raise click.UsageError("Give a query or --like, one of them.")
    refuse_idle_options(corpus, values)
    text = sys.stdin.read() if words == ("-",) else " ".join(words)
    from laconic import load
    from laconic import search as search_in

    fitted = load(model)
    documents = None
    if corpus is not None:
        given = {**values, "vocabulary": fitted}
        documents = read_documents(corpus, given, keep_texts=True, defaults=False)
    index = search_in(fitted, documents)
    hits = index.query(text, k=k) if like is None else index.like(like, k=k)
    unknown = index.unknown(text) if like is None else {}
    if as_json:
        facts = {"model": model, "query": text if like is None else None, "like": like}
        show_json({**facts, "unknown": unknown, "hits": [hit_facts(hit) for hit in hits]})
        return
    show_hits(hits)
    for word, near in unknown.items():
        messages.say(f"no document has {word!r}" + (f"; near it: {some(near)}" if near else ""))
    if not hits:
        messages.say("no document fits")
