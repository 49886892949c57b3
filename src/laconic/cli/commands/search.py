"""``laconic search``: the documents that fit a query."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT, Sectioned, debug_option, json_option, options
from laconic.cli.param_types import POSITIVE
from laconic.cli.reading import read_documents, refuse_idle_options
from laconic.cli.tables import printable, show_json
from laconic.wording import some

if TYPE_CHECKING:
    from rich.text import Text

    from laconic import Hit

BAR = 20  # characters of the best score
WORDS, TOPICS = "cyan", "magenta"
MARKS = {"": "", "word": f"bold {WORDS}", "related": TOPICS}


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
        show_json({**facts, "unknown": unknown, "hits": [_facts(hit) for hit in hits]})
        return
    _show(hits)
    for word, near in unknown.items():
        messages.say(f"no document has {word!r}" + (f"; near it: {some(near)}" if near else ""))
    if not hits:
        messages.say("no document fits")


def _facts(hit: Hit) -> dict[str, Any]:
    """A hit as JSON has it."""
    return {
        "id": hit.id,
        "score": hit.score,
        "lexical": hit.lexical,
        "background": hit.background,
        "title": hit.title,
        "keywords": list(hit.keywords),
        "snippet": str(hit.snippet),
        "words": hit.snippet.words,
        "related": hit.snippet.related,
    }


def _show(hits: Sequence[Hit]) -> None:
    """A block for each on a terminal; in a pipe one line."""
    if sys.stdout.isatty():
        _draw(hits)
        return
    for hit in hits:
        numbers = (hit.score, hit.lexical, hit.background)
        cells = [hit.title or "", str(hit.id), ", ".join(hit.keywords), str(hit.snippet)]
        click.echo("\t".join([*(f"{number:.6f}" for number in numbers), *map(printable, cells)]))


def _draw(hits: Sequence[Hit]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    margin = len(str(len(hits))) + 2
    for rank, hit in enumerate(hits, start=1):
        console.print(Text(f"{rank:>{margin - 2}}  ") + _heading(hit))
        lines = [_score(hit, hits[0].score), _passage(hit), _keywords(hit)]
        for line in lines:
            if line.plain:
                console.print(Padding(line, (0, 0, 0, margin)))
        console.print()


def _heading(hit: Hit) -> Text:
    from rich.text import Text

    id_ = printable(str(hit.id))
    if not hit.title:
        return Text(id_, style="bold")
    title = Text(printable(hit.title), style="bold")
    return title if hit.title == str(hit.id) else title + Text(f"  {id_}", style="not bold dim")


def _score(hit: Hit, best: float) -> Text:
    """The score as a bar of two colours, and its parts in numbers of the same colours."""
    from rich.text import Text

    def bar(part: float) -> str:
        return "━" * round(BAR * max(part, 0) / best)

    return Text.assemble(
        f"{hit.score:.1f} ",
        (bar(hit.lexical), WORDS),
        (bar(hit.background), TOPICS),
        "  ",
        (f"words {hit.lexical:.1f}", WORDS),
        (" + ", "dim"),
        (f"topics {hit.background:.1f}", TOPICS),
    )


def _passage(hit: Hit) -> Text:
    from rich.text import Text

    return Text.assemble(*((printable(text), MARKS[kind]) for text, kind in hit.snippet.pieces()))


def _keywords(hit: Hit) -> Text:
    from rich.text import Text

    return Text(printable(", ".join(hit.keywords)), style="italic dim")
