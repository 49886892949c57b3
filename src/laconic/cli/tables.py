"""Print facts, topics, tables and JSON on standard output."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from laconic.tables import printable as printable  # also for the commands
from laconic.wording import WEAK_LEGEND

if TYPE_CHECKING:
    from rich.text import Text

    from laconic import Topics

Side = Literal["left", "right"]


def show_json(value: Mapping[str, Any]) -> None:
    """Print an object as indented JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def show_facts(facts: Mapping[str, str]) -> None:
    """Print names and values in two columns; on a terminal, long values are wrapped."""
    width = max(map(len, facts)) + 2
    columns = max(20, shutil.get_terminal_size().columns - width) if sys.stdout.isatty() else 0
    for name, value in facts.items():
        text = printable(value)
        lines = textwrap.wrap(text, columns, break_on_hyphens=False) if columns else [text]
        click.echo(f"{name:<{width}}" + f"\n{'':{width}}".join(lines))


def topic_rows(topics: Topics) -> list[dict[str, Any]]:
    """Return one dict per topic; ``support`` is the effective number of documents."""
    return [
        {
            "topic": topic.number,
            "name": topic.name,
            "share": topic.share,
            "support": topic.documents,
            "n_words": topic.n_words,
            "words": topic.words,
            "weak": topic.weak,
            "hidden": topic.hidden,
            "note": topic.note,
            **({} if topic.stability is None else {"stability": topic.stability}),
        }
        for topic in topics
    ]


def show_topics(
    topics: Sequence[Mapping[str, Any]],
    value: str = "share",
    heading: str | None = None,
    more: Sequence[Sequence[str]] | None = None,
    terms: str = "words",
) -> None:
    """Print the number, share or weight, and words of each topic, and optionally more strings.

    On a terminal, an asterisk marks topics that few documents share, and a line below the table
    explains the asterisk.

    If the stability of topics was measured, it is shown, too; in a pipe, it follows the words.

    `terms` is the heading of the words. `more` contains a list of strings per topic, printed under
    `heading`. On a terminal, the strings of a topic share one column; if the output is piped, each
    string has its own column.
    """
    columns: dict[str, Side] = {"topic": "right", value: "right", terms: "left"}
    if heading is not None:
        columns[heading] = "left"
    measured = any(topic.get("stability") is not None for topic in topics)
    if measured:
        columns["stability"] = "right"
    pairs = list(zip(topics, more or [()] * len(topics), strict=True))
    show_table(
        columns,
        (
            [
                f"{topic['topic']}{'*' if topic.get('weak') else ''}",
                f"{topic[value]:.1%}",
                topic_label(topic),
                *(["\n".join(others)] if heading is not None else []),
                *([_stability(topic, 2)] if measured else []),
            ]
            for topic, others in pairs
        ),
        (
            [
                str(topic["topic"]),
                f"{topic[value]:.6f}",
                topic_label(topic),
                *([_stability(topic, 6)] if measured else []),
                *others,
            ]
            for topic, others in pairs
        ),
    )
    if sys.stdout.isatty() and any(topic.get("weak") for topic in topics):
        click.echo(WEAK_LEGEND)


def _stability(topic: Mapping[str, Any], digits: int) -> str:
    value = topic.get("stability")
    return "" if value is None else f"{value:.{digits}f}"


def topic_label(topic: Mapping[str, Any], prefix: str = "") -> str:
    """Return the words of a topic, preceded by the name of the topic if it has a name."""
    name = topic.get(f"{prefix}name")
    words = ", ".join(topic[f"{prefix}words"])
    return printable(f"{name}: {words}" if name else words)


def show_table(
    columns: Mapping[str, Side],
    rows: Iterable[Sequence[str | Text]],
    lines: Iterable[Sequence[str]],
    *,
    err: bool = False,
) -> None:
    """Draw `rows` as a table on a terminal; if the output is piped, print `lines` instead.

    Parameters
    ----------
    columns : mapping of str to "left" or "right"
        Maps the heading of each column to its alignment.
    rows : iterable of sequences of str or Text
        Cells of each row of the table; extra cells are ignored.
    lines : iterable of sequences of str
        Cells of the lines that are printed if the output is piped; tabs separate the cells.
    err : bool, default=False
        Whether to print on standard error.
    """
    if (sys.stderr if err else sys.stdout).isatty():
        _draw_table(columns, rows, err)
    else:
        for line in lines:
            click.echo("\t".join(line), err=err)


def _draw_table(
    columns: Mapping[str, Side], rows: Iterable[Sequence[str | Text]], err: bool
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, side in columns.items():
        table.add_column(heading, justify=side, overflow="fold")
    for row in rows:  # Rich would interpret markup in a str.
        table.add_row(*(Text(c) if isinstance(c, str) else c for c in row[: len(columns)]))
    Console(stderr=err).print(table)
