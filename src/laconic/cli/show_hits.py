"""Documents that were found, on standard output."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.tables import printable

if TYPE_CHECKING:
    from rich.text import Text

    from laconic import Hit

BAR = 20  # characters of the best score
WORDS, TOPICS = "cyan", "magenta"
MARKS = {"": "", "word": f"bold {WORDS}", "related": TOPICS}


def hit_facts(hit: Hit) -> dict[str, Any]:
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


def show_hits(hits: Sequence[Hit]) -> None:
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
