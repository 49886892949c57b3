"""``laconic similar``: show the documents most similar to one document."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT_OPTIONS, Sectioned, debug_option, json_option, options
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.reading import read_documents, reject_unused_options
from laconic.cli.tables import Side, printable, show_json, show_table

if TYPE_CHECKING:
    import polars as pl


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("document", metavar="[DOC]", required=False)
@click.option(
    "-n",
    "n",
    type=POSITIVE_INT,
    default=10,
    show_default=True,
    help="Maximum number of documents to show.",
)
@click.option(
    "--file",
    "file",
    metavar="FILE",
    help="File with a text to use instead of DOC, or '-' for standard input.",
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
def similar(
    model: str,
    document: str | None,
    n: int,
    file: str | None,
    corpus: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the documents most similar to one document.

    DOC is the id or the title of a document in MODEL or, if --corpus is set, in that corpus.
    Documents without an id are numbered from 0, and 'row:17' is always the document at position 17.
    Documents are similar if they have the same topics in similar proportions. The distance (the
    Hellinger distance or, for models fitted with --signed, the angular distance) is 0 if the
    proportions are equal. Documents that have no topic in common with DOC are not shown. If the
    output is piped, each document is one line of three tab-separated columns: distance, title, id.

    \b
    laconic similar posts.model d17
    laconic similar posts.model --file new.txt
    laconic similar posts.model d17 --corpus other.jsonl --text body
    """
    if (document is None) == (file is None):
        raise click.UsageError("Pass either a document (DOC) or --file FILE, but not both.")
    reject_unused_options(corpus, values, allowed=["encoding"] if file is not None else [])
    from laconic.fitted.similar_documents import similar as similar_documents
    from laconic.saving.models import load

    fitted = load(model)
    text = None if file is None else _read_text(file, values["encoding"] or "utf-8")
    others = None
    if corpus is not None:
        read_options = {**values, "vocabulary": fitted}
        others = read_documents(corpus, read_options, keep_texts=False, defaults=False)
    table = similar_documents(fitted, document if text is None else [text], others, n=n)
    if as_json:
        facts = {"model": model, "document": document, "file": file, "similar": table.to_dicts()}
        show_json(facts)
        return
    _show(table)
    if not len(table):
        messages.say("no other document has a topic in common with this document")


def _read_text(file: str, encoding: str) -> str:
    """Return the content of a file as one text."""
    from laconic.errors import LaconicError

    name = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode(encoding)
    except OSError as error:
        raise LaconicError(f"{file}: {error.strerror}") from error
    except LookupError as error:
        raise LaconicError(
            f"encoding={encoding!r} is not a known encoding; use, for example, utf-8"
        ) from error
    except UnicodeDecodeError as error:
        raise LaconicError(
            f"{name}: is not valid {encoding}; set the encoding of the file with encoding="
        ) from error
    if "\0" in text:
        raise LaconicError(f"{name}: contains binary data, not text")
    return text


def _show(table: pl.DataFrame) -> None:
    """Print a table or, if the output is piped, one line per document: distance, title, id."""
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
