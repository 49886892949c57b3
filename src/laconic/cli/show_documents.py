"""Documents on standard output: those like another, and those of each topic."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.tables import Side, called, draw_table, printable

if TYPE_CHECKING:
    import polars as pl


def show_similar(table: pl.DataFrame) -> None:
    """A table on a terminal; in a pipe one line for each document: distance, title, id."""
    if sys.stdout.isatty():
        _draw_similar(table)
        return
    for row in table.iter_rows(named=True):
        cells = [f"{row['distance']:.6f}", row["title"] or "", row["id"]]
        click.echo("\t".join(printable(cell) for cell in cells))


def _draw_similar(table: pl.DataFrame) -> None:
    from rich.text import Text  # no strings: titles may look like markup

    columns: dict[str, Side] = {"distance": "right", "title": "left", "id": "left"}
    if table["title"].is_null().all():
        del columns["title"]
    draw_table(
        columns,
        [
            [
                Text(f"{row[name]:.3f}" if name == "distance" else printable(row[name] or ""))
                for name in columns
            ]
            for row in table.iter_rows(named=True)
        ],
    )


def show_topics_with_documents(topics: Sequence[Mapping[str, Any]]) -> None:
    """As `show_topics`, with documents: in a pipe a column for each of them."""
    names = [[_name(document) for document in topic["documents"]] for topic in topics]
    words = [called(topic) for topic in topics]
    if not sys.stdout.isatty():
        for topic, line, documents in zip(topics, words, names, strict=True):
            cells = [str(topic["topic"]), f"{topic['share']:.6f}", line, *documents]
            click.echo("\t".join(cells))
        return
    from rich.text import Text

    draw_table(
        {"topic": "right", "share": "right", "words": "left", "documents": "left"},
        [
            [
                Text(str(topic["topic"])),
                Text(f"{topic['share']:.1%}"),
                Text(line),
                Text("\n".join(documents)),
            ]
            for topic, line, documents in zip(topics, words, names, strict=True)
        ],
    )


def _name(document: Mapping[str, Any]) -> str:
    return printable(document["title"] or document["id"])
