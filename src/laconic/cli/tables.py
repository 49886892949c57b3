"""What is printed on standard output: facts, topics, JSON."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    import polars as pl
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


def show_topics(topics: pl.DataFrame) -> None:
    """A table on a terminal; in a pipe one line for each topic: number, share, words."""
    if sys.stdout.isatty():
        _draw_topics(topics)
        return
    for topic in topics.iter_rows(named=True):
        click.echo(f"{topic['topic']}\t{topic['share']:.6f}\t{called(topic)}")


def called(topic: Mapping[str, Any], prefix: str = "") -> str:
    """The words of a topic, after the name that someone gave it."""
    name = topic.get(f"{prefix}name")
    words = ", ".join(topic[f"{prefix}words"])
    return printable(f"{name}: {words}" if name else words)


def _draw_topics(topics: pl.DataFrame) -> None:
    from rich.text import Text  # no strings: words may look like markup

    draw_table(
        {"topic": "right", "share": "right", "words": "left"},
        [
            [
                Text(str(topic["topic"])),
                Text(f"{topic['share']:.1%}"),
                Text(called(topic)),
            ]
            for topic in topics.iter_rows(named=True)
        ],
    )


def show_senses(senses: Sequence[Mapping[str, Any]]) -> None:
    """A table on a terminal; in a pipe one line for each topic: number, weight, words, examples."""
    examples = [[_in_short(example) for example in row.get("examples", [])] for row in senses]
    if sys.stdout.isatty():
        _draw_senses(senses, examples)
        return
    for row, shown in zip(senses, examples, strict=True):
        click.echo("\t".join([str(row["topic"]), f"{row['weight']:.6f}", called(row), *shown]))


def _in_short(example: Mapping[str, str | None]) -> str:
    name, text = example["document"], example["text"]
    return printable(f"{name}: {text}" if text else f"{name}")


def _draw_senses(senses: Sequence[Mapping[str, Any]], examples: list[list[str]]) -> None:
    from rich.text import Text

    columns: dict[str, Side] = {"topic": "right", "weight": "right", "words": "left"}
    if any(examples):
        columns["examples"] = "left"
    rows = []
    for row, shown in zip(senses, examples, strict=True):
        rows.append([Text(str(row["topic"])), Text(f"{row['weight']:.1%}"), Text(called(row))])
        if any(examples):
            rows[-1].append(Text("\n".join(shown)))
    draw_table(columns, rows)


def draw_table(
    columns: Mapping[str, Side], rows: Sequence[Sequence[Text]], *, err: bool = False
) -> None:
    """Draw on a terminal, long cells in several lines; `columns` are headings and sides."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, side in columns.items():
        table.add_column(heading, justify=side, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(stderr=err).print(table)


def printable(text: str) -> str:
    """Text without the characters that move the cursor or end a line."""
    return CONTROL.sub(" ", text)
