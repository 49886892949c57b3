"""What is printed on standard output: facts, topics, JSON."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import polars as pl

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


def show_topics(topics: pl.DataFrame) -> None:
    """A table on a terminal; in a pipe one line for each topic: number, share, words."""
    if sys.stdout.isatty():
        _draw_topics(topics)
        return
    for topic in topics.iter_rows(named=True):
        words = printable(", ".join(topic["words"]))
        click.echo(f"{topic['topic']}\t{topic['share']:.6f}\t{words}")


def _draw_topics(topics: pl.DataFrame) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("topic", justify="right")
    table.add_column("share", justify="right")
    table.add_column("words", overflow="fold")
    for topic in topics.iter_rows(named=True):
        words = Text(printable(", ".join(topic["words"])))  # no string: it may look like markup
        table.add_row(str(topic["topic"]), f"{topic['share']:.1%}", words)
    Console().print(table)


def printable(text: str) -> str:
    """Text without the characters that move the cursor or end a line."""
    return CONTROL.sub(" ", text)


def size(n_bytes: int) -> str:
    """Bytes as people say it.

    Examples
    --------
    >>> size(831), size(12_345_678)
    ('831 bytes', '12.3 MB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    value, unit = float(n_bytes), 0
    while value >= 999.95:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {('', 'kB', 'MB', 'GB', 'TB', 'PB')[unit]}"


def percent(share: float) -> str:
    """A share with as many digits as tell it from none and from all.

    Examples
    --------
    >>> percent(0.5), percent(0.99968), percent(1.0)
    ('50 %', '99.97 %', '100 %')
    """
    shown = f"{100 * share:.2f}".rstrip("0").rstrip(".")
    return f"{shown} %"
