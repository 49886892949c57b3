"""``laconic similar``: the documents that are most like one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT, Sectioned, debug_option, json_option, options
from laconic.cli.param_types import POSITIVE
from laconic.cli.reading import read_documents, refuse_idle_options
from laconic.cli.tables import Side, printable, show_json, show_table

if TYPE_CHECKING:
    import polars as pl


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("document", metavar="[DOC]", required=False)
@click.option(
    "-n", "n", type=POSITIVE, default=10, show_default=True, help="Most documents to show."
)
@click.option(
    "--file",
    "file",
    metavar="FILE",
    help="Compare with the text in this file, or on standard input (-), instead of DOC.",
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
def similar(
    model: str,
    document: str | None,
    n: int,
    file: str | None,
    corpus: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the documents that are most like one.

    DOC is the id or the title of one of the documents (of INPUT if there is one); those without an
    id go by their position, counted from 0; row:17 is the one at position 17, too. Documents are
    alike that have the same topics in the same proportions: the distance (Hellinger's; for
    topics fitted with --signed one of angles) is 0 if they are equal, and documents without a
    common topic are not shown. In a pipe each document is one line of three columns, separated by
    tabs: distance, title, id.

    \b
    laconic similar posts.model d17
    laconic similar posts.model --file new.txt
    laconic similar posts.model d17 --corpus other.jsonl --text body
    """
    if (document is None) == (file is None):
        raise click.UsageError("Give a document or --file, one of them.")
    refuse_idle_options(corpus, values, but=["encoding"] if file is not None else [])
    from laconic.fitted.similar_documents import similar as table_of
    from laconic.saving.models import load

    fitted = load(model)
    text = None if file is None else _read_text(file, values["encoding"] or "utf-8")
    others = None
    if corpus is not None:
        given = {**values, "vocabulary": fitted}
        others = read_documents(corpus, given, keep_texts=False, defaults=False)
    table = table_of(fitted, document if text is None else [text], others, n=n)
    if as_json:
        facts = {"model": model, "document": document, "file": file, "similar": table.to_dicts()}
        show_json(facts)
        return
    _show(table)
    if not len(table):
        messages.say("no other document has a topic in common with it")


def _read_text(file: str, encoding: str) -> str:
    """The whole file as one text."""
    from laconic.errors import LaconicError

    name = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode(encoding)
    except OSError as error:
        raise LaconicError(f"{file}: {error.strerror}") from error
    except LookupError as error:
        raise LaconicError(f"encoding={encoding!r} is not known; give one such as utf-8") from error
    except UnicodeDecodeError as error:
        raise LaconicError(
            f"{name}: is not {encoding}; give the encoding of the file with encoding="
        ) from error
    if "\0" in text:
        raise LaconicError(f"{name}: this is binary data, not text")
    return text


def _show(table: pl.DataFrame) -> None:
    """In a pipe one line for each document: distance, title, id."""
    columns: dict[str, Side] = {"distance": "right", "title": "left", "id": "left"}
    if table["title"].is_null().all():
        del columns["title"]
    rows = list(table.iter_rows(named=True))
    show_table(
        columns,
        ([_cells(row, 3)[name] for name in columns] for row in rows),
        (list(_cells(row, 6).values()) for row in rows),
    )


def _cells(row: Mapping[str, Any], digits: int) -> dict[str, str]:
    return {
        "distance": f"{row['distance']:.{digits}f}",
        "title": printable(row["title"] or ""),
        "id": printable(row["id"]),
    }
