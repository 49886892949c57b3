"""What is printed on standard output: facts, topics, tables, JSON."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from rich.text import Text

Side = Literal["left", "right"]

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def show_json(value: Mapping[str, Any]) -> None:
    """One object, on lines that a person can read too."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def show_facts(facts: Mapping[str, str]) -> None:
    """Names and values in two columns; on a terminal long values go on below themselves."""
    width = max(map(len, facts)) + 2
    room = max(20, shutil.get_terminal_size().columns - width) if sys.stdout.isatty() else 0
    for name, value in facts.items():
        text = printable(value)
        lines = textwrap.wrap(text, room, break_on_hyphens=False) if room else [text]
        click.echo(f"{name:<{width}}" + f"\n{'':{width}}".join(lines))


def show_topics(
    topics: Sequence[Mapping[str, Any]],
    value: str = "share",
    heading: str | None = None,
    more: Sequence[Sequence[str]] | None = None,
) -> None:
    """Number, share or weight, and words of each topic, and `more` of it under a heading.

    On a terminal what is more goes into one column, in a pipe into a column each.
    """
    columns: dict[str, Side] = {"topic": "right", value: "right", "words": "left"}
    if heading is not None:
        columns[heading] = "left"
    pairs = list(zip(topics, more or [()] * len(topics), strict=True))
    show_table(
        columns,
        (
            [str(topic["topic"]), f"{topic[value]:.1%}", topic_label(topic), "\n".join(others)]
            for topic, others in pairs
        ),
        (
            [str(topic["topic"]), f"{topic[value]:.6f}", topic_label(topic), *others]
            for topic, others in pairs
        ),
    )


def topic_label(topic: Mapping[str, Any], prefix: str = "") -> str:
    """The words of a topic, after the name that someone gave it."""
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
    """Draw `rows` as a table on a terminal; in a pipe print `lines` with tabs between cells.

    Parameters
    ----------
    columns : mapping of str to "left" or "right"
        Headings of the table, and the side on which cells are aligned.
    rows : iterable of sequences of str or Text
        Cells of the table; those beyond the last column are left out.
    lines : iterable of sequences of str
        Cells of the lines in a pipe.
    err : bool, default=False
        Print on standard error.
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
    for row in rows:  # no strings: they may look like markup
        table.add_row(*(Text(c) if isinstance(c, str) else c for c in row[: len(columns)]))
    Console(stderr=err).print(table)


def printable(text: str) -> str:
    """Text without the characters that move the cursor or end a line."""
    return CONTROL.sub(" ", text)
