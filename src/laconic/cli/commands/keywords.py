"""``laconic keywords``: extract the keywords of each document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    COUNTING_OPTIONS,
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    inputs_argument,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.outputs import PART_WRITERS, choose_writer, open_output, write_all
from laconic.cli.param_types import POSITIVE_INT, RegistryChoice
from laconic.cli.reading import is_text, read_documents
from laconic.cli.tables import Side, printable, show_table

if TYPE_CHECKING:
    import polars as pl

    from laconic.corpus.corpus import Corpus
    from laconic.keyphrases.keyword import Keyword
    from laconic.keyphrases.keywords import KeywordPart

    Names = Sequence[tuple[str, str]]  # id and title of each document
    KeywordLists = Sequence[Sequence[Keyword]]
    Parts = Iterable[KeywordPart]
    Writer = Callable[[Parts, int, IO[bytes]], None]  # writes parts of a number of documents

WHOLE = ("position", "documents")  # evidence that consists of whole numbers
EVIDENCE = ("score", "count", "expected", "position", "residual", "documents", "burst")


EVERYDAY = (
    "n", "output", "text", "title", "method", "model", "why", "stop_words", "force", "as_json",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY, renamed={"--html": "--output"})
@inputs_argument("corpus")
@click.option(
    "-n",
    "n",
    type=POSITIVE_INT,
    default=5,
    show_default=True,
    help="Maximum number of keywords per document.",
)
@click.option(
    "--method",
    type=RegistryChoice("laconic.keyphrases.methods:METHODS", "name"),
    default="best",
    show_default=True,
    help="Method that ranks the words: best, counts (like best, but does not use the texts), "
    "tfidf, position, llr or pcp.",
)
@click.option(
    "--model",
    metavar="MODEL",
    help="A saved model that predicts the expected count of each word. A PCP model also provides "
    "residuals.",
)
@click.option(
    "--background",
    metavar="INPUT",
    help="Documents with which each document is compared, read with the same options as INPUT.  "
    "[default: the other documents of INPUT]",
)
@click.option(
    "--phrases/--no-phrases",
    default=True,
    help="Whether to extract phrases as well as words.  [default: phrases]",
)
@click.option(
    "--why", is_flag=True, help="Show the evidence for each keyword, with one line per keyword."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write a file instead of printing: an .html page with highlighted keywords, a table "
    "(.csv, .csv.gz or .parquet) with one row per keyword, or one line per document (.jsonl). A "
    "page shows the first 30,000 documents at most.",
)
@force_option
@options(INPUT_OPTIONS, only=["format", "text", "title", "id", "encoding"])
@options(COUNTING_OPTIONS, only=["stop_words", "token_pattern", "lowercase", "strip_accents"])
@quiet_option
@json_option
@debug_option
def keywords(
    corpus: str | tuple[str, ...],
    n: int,
    method: str,
    model: str | None,
    background: str | None,
    phrases: bool,
    why: bool,
    output: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the keywords that set each document apart.

    A word scores high in a document if it is frequent there, is rare in other documents, usually
    occurs more than once in the documents that contain it, and appears early in the text. Linking
    words and words next to numbers score lower. If the output is piped, each document is one line
    of three tab-separated columns: id, title, keywords. With --why, each keyword is one line with
    these columns: id, keyword, score, count, expected count, position in the text (0 for the first
    word), residual of a PCP model, number of other documents that contain the word, and average
    count of the word in those documents.

    \b
    laconic keywords posts.jsonl --text body
    laconic keywords posts.jsonl --text body --why -n 3
    laconic keywords posts.jsonl --text body -o keywords.html
    """
    messages.set_verbosity(quiet, verbose=False)
    if output is not None and (as_json or why):
        option = "--json" if as_json else "--why"
        raise click.UsageError(f"Set either -o or {option}, not both.")
    write = None if output is None else choose_writer(output, WRITERS, force, as_json)
    from laconic.saving.models import load

    fitted = None if model is None else load(model)
    documents = _read(corpus, values)
    others = None if background is None else _read(background, values)
    parts = _extract(documents, n, method, model=fitted, background=others, phrases=phrases)
    if output is not None and write is not None:
        with open_output(output, force) as file:
            write(parts, len(documents), file)
        messages.wrote(output)
    elif as_json:
        _show_json({"corpus": corpus, "method": method}, parts)
    else:
        for part in parts:
            (_show_evidence if why else _show)(_names(part), part.keywords)


def _extract(documents: Corpus, n: int, method: str, **options: Any) -> Iterator[KeywordPart]:
    """Yield the keywords in parts; a message is shown until the first part is ready."""
    from laconic.keyphrases.keywords import keyword_parts

    parts = keyword_parts(documents, n, method, **options)
    with messages.working("Extracting keywords"):
        first = next(parts)
    return chain([first], parts)


def _read(source: str | tuple[str, ...], values: Mapping[str, Any]) -> Corpus:
    """Read documents and their texts; keep rare words, which are often the best keywords."""
    if is_text(source, values):
        values = {**values, "stop_words": values["stop_words"] or "auto"}
    return read_documents(source, values, keep_texts=True, defaults=False)


def _names(part: KeywordPart) -> Names:
    from laconic.keyphrases.html import names

    return names(part.documents)


def _write_lines(parts: Parts, n_documents: int, file: IO[bytes]) -> None:
    """Write one line of JSON per document."""
    for part in parts:
        for row in _as_rows(part):
            write_all(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n", file)


def _write_page(parts: Parts, n_documents: int, file: IO[bytes]) -> None:
    """Write an HTML page."""
    from laconic.keyphrases.html import MOST, page

    for piece in page(parts, n_documents):
        write_all(piece.encode("utf-8", "replace"), file)
    if n_documents > MOST:
        messages.say(
            f"the page shows the first {MOST:,} of {n_documents:,} documents; for all documents, "
            "use -o with a .parquet, .csv or .jsonl file"
        )


def _table_writer(write: Callable[[Iterable[pl.DataFrame], IO[bytes]], None]) -> Writer:
    def write_table(parts: Parts, n_documents: int, file: IO[bytes]) -> None:
        write((_as_table(_as_rows(part)) for part in parts), file)

    return write_table


WRITERS: dict[str, Writer] = {
    **{ending: _table_writer(write) for ending, write in PART_WRITERS.items()},
    ".jsonl": _write_lines,
    ".html": _write_page,
}


def _show_json(about: Mapping[str, Any], parts: Parts) -> None:
    """Print what `show_json` prints for an object with all documents, part by part."""
    head = json.dumps({**about, "documents": []}, indent=2, ensure_ascii=False, default=str)
    click.echo(head.removesuffix("]\n}"), nl=False)
    separator = "\n    "
    for part in parts:
        for row in _as_rows(part):
            text = json.dumps(row, indent=2, ensure_ascii=False, default=str)
            click.echo(separator + text.replace("\n", "\n    "), nl=False)
            separator = ",\n    "
    click.echo("\n  ]\n}")


def _as_table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return a table with one row per keyword."""
    import polars as pl

    numbers = {name: pl.Int64 if name in WHOLE else pl.Float64 for name in EVIDENCE}
    schema = {"id": pl.String, "title": pl.String, "keyword": pl.String, **numbers}
    records = [
        (row["id"], row["title"], word["word"], *(word[name] for name in EVIDENCE))
        for row in rows
        for word in row["keywords"]
    ]
    return pl.DataFrame(records, schema, orient="row", strict=False)


def _as_rows(part: KeywordPart) -> list[dict[str, Any]]:
    return [
        {"id": id_, "title": title or None, "keywords": [word._asdict() for word in words]}
        for (id_, title), words in zip(_names(part), part.keywords, strict=True)
    ]


def _show(names: Names, keyword_lists: KeywordLists) -> None:
    """Print a table or, if the output is piped, lines of id, title and keywords."""
    rows = [
        (printable(id_), printable(title), printable(", ".join(word.word for word in words)))
        for (id_, title), words in zip(names, keyword_lists, strict=True)
    ]
    columns: dict[str, Side] = {"document": "left", "keywords": "left"}
    show_table(columns, ([title or id_, words] for id_, title, words in rows), rows)


def _show_evidence(names: Names, keyword_lists: KeywordLists) -> None:
    """Print one line per keyword, with the evidence for the keyword."""
    rows = [
        (printable(id_), printable(title), printable(word.word), word)
        for (id_, title), words in zip(names, keyword_lists, strict=True)
        for word in words
    ]
    fields = [name for name in EVIDENCE if any(getattr(row[3], name) is not None for row in rows)]
    columns: dict[str, Side] = {"document": "left", "keyword": "left"}
    columns |= dict.fromkeys(fields, "right")
    table, last_id = [], ""
    for id_, title, text, word in rows:
        cells = dict(zip(EVIDENCE, _cells(word, 2), strict=True))
        table.append(
            ["" if id_ == last_id else title or id_, text, *(cells[name] for name in fields)]
        )
        last_id = id_
    lines = ([id_, text, *_cells(word, 6)] for id_, _, text, word in rows)
    show_table(columns, table, lines)


def _cells(word: Keyword, digits: int) -> list[str]:
    """Format the evidence for a keyword; a missing value becomes an empty string."""
    values = [getattr(word, name) for name in EVIDENCE]
    return [
        "" if value is None else str(value) if isinstance(value, int) else f"{value:.{digits}f}"
        for value in values
    ]
