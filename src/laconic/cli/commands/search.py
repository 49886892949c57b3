"""``laconic search``: search the documents of a saved model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT_OPTIONS, Sectioned, debug_option, json_option, options
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.reading import read_documents, reject_unused_options
from laconic.cli.tables import printable, show_json
from laconic.wording import some

if TYPE_CHECKING:
    from rich.text import Text

    from laconic import Hit

BAR_WIDTH = 20  # length in characters of the bar for the best score
WORD_COLOUR, TOPIC_COLOUR = "cyan", "magenta"
STYLES = {"": "", "word": f"bold {WORD_COLOUR}", "related": TOPIC_COLOUR}


@click.command(cls=Sectioned, renamed={"-k": "-n"})
@click.argument("model")
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@click.option(
    "-n",
    "n",
    type=POSITIVE_INT,
    default=10,
    show_default=True,
    help="Maximum number of documents to show.",
)
@click.option(
    "--like",
    "like",
    metavar="DOC",
    help="Search for documents similar to the document with this id or title.",
)
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Documents to search: any input that 'laconic fit' accepts.  [default: the documents "
    "saved with MODEL]",
)
@options(INPUT_OPTIONS, only=["format", "text", "title", "id", "encoding"])
@json_option
@debug_option
def search(
    model: str,
    words: tuple[str, ...],
    n: int,
    like: str | None,
    corpus: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Search the documents of a saved model.

    QUERY is a few words, a question or a text, or '-' to read the query from standard input. A
    document matches if it contains words of the query, in any inflected form, or if it has the same
    topics as the query, even if it shares no word with the query. The score of a document is the
    sum of a word part and a topic part. Words of the query are highlighted, and words that are
    frequent in the topics of the query are highlighted in another colour. If the output is piped,
    each document is one line of seven tab-separated columns: score, word part, topic part, title,
    id, keywords and a passage.

    \b
    laconic search posts.model how to sort a sparse array
    laconic search posts.model --like d17
    laconic search posts.model "oil leak" --corpus other.jsonl --text body
    """
    if bool(words) == (like is not None):
        raise click.UsageError("Pass either a query or --like DOC, but not both.")
    reject_unused_options(corpus, values)
    text = sys.stdin.read() if words == ("-",) else " ".join(words)
    from laconic import search as search_index
    from laconic.saving.models import load, load_to_search

    documents = None
    fitted = load_to_search(model) if corpus is None else load(model)
    if corpus is not None:
        read_options = {**values, "vocabulary": fitted}
        documents = read_documents(corpus, read_options, keep_texts=True, defaults=False)
    index = search_index(fitted, documents)
    hits = index.query(text, k=n) if like is None else index.like(like, k=n)
    unknown = index.unknown(text) if like is None else {}
    if as_json:
        facts = {"model": model, "query": text if like is None else None, "like": like}
        show_json({**facts, "unknown": unknown, "hits": [_facts(hit) for hit in hits]})
        return
    _show(hits)
    for word, similar in unknown.items():
        suggestion = f"; did you mean {some(similar)}?" if similar else ""
        messages.say(f"no document contains {word!r}{suggestion}")
    if not hits:
        messages.say("no matching documents")


def _facts(hit: Hit) -> dict[str, Any]:
    """Return a hit as a JSON object."""
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
    """Print several lines per hit on a terminal, or one line per hit if the output is piped."""
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
    """Format the score as a two-coloured bar, followed by its two parts as numbers."""
    from rich.text import Text

    def bar(part: float) -> str:
        return "━" * round(BAR_WIDTH * max(part, 0) / best)

    return Text.assemble(
        f"{hit.score:.1f} ",
        (bar(hit.lexical), WORD_COLOUR),
        (bar(hit.background), TOPIC_COLOUR),
        "  ",
        (f"words {hit.lexical:.1f}", WORD_COLOUR),
        (" + ", "dim"),
        (f"topics {hit.background:.1f}", TOPIC_COLOUR),
    )


def _passage(hit: Hit) -> Text:
    from rich.text import Text

    return Text.assemble(*((printable(text), STYLES[kind]) for text, kind in hit.snippet.pieces()))


def _keywords(hit: Hit) -> Text:
    from rich.text import Text

    return Text(printable(", ".join(hit.keywords)), style="italic dim")
