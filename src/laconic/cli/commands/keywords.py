"""``laconic keywords``: the words and phrases that set each document apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    COUNTING,
    INPUT,
    Sectioned,
    debug_option,
    force_option,
    json_option,
    options,
)
from laconic.cli.param_types import POSITIVE, Known
from laconic.cli.reading import read_documents
from laconic.cli.tables import Side, printable, show_json, show_table
from laconic.files.atomic_file import check_file

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.keyphrases.keywords import Keyword

    Names = Sequence[tuple[str, str]]  # id and title of each document
    Found = Sequence[Sequence[Keyword]]

EVIDENCE = ("score", "count", "expected", "position", "residual", "documents", "burst")


@click.command(cls=Sectioned)
@click.argument("corpus", metavar="INPUT")
@click.option(
    "-n", "n", type=POSITIVE, default=5, show_default=True, help="Most keywords of a document."
)
@click.option(
    "--method",
    type=Known("laconic.keyphrases.methods:METHODS", "name"),
    default="best",
    show_default=True,
    help="What to rank words by: best, counts (as best, without the texts), tfidf, position, llr "
    "or pcp.",
)
@click.option(
    "--model",
    metavar="MODEL",
    help="A saved model that says how often words are expected; with a PCP, what it leaves over.",
)
@click.option(
    "--background",
    metavar="INPUT",
    help="Compare with these documents, read in the same way.  [default: the other documents]",
)
@click.option("--phrases/--no-phrases", default=True, help="[default: phrases]")
@click.option("--why", is_flag=True, help="Show the evidence: one line for each keyword.")
@click.option(
    "--html", metavar="FILE", help="Write a page that marks the keywords in the texts instead."
)
@force_option
@options(INPUT, only=["format", "text", "title", "id", "encoding"])
@options(COUNTING, only=["stop_words", "token_pattern", "lowercase", "strip_accents"])
@json_option
@debug_option
def keywords(
    corpus: str,
    n: int,
    method: str,
    model: str | None,
    background: str | None,
    phrases: bool,
    why: bool,
    html: str | None,
    force: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Show the words that set each document apart.

    A word speaks for a document if it is frequent there, rare in the other documents, repeated
    where it occurs, and early in the text; words beside numbers and words that only link others
    count less. In a pipe each document is one line of three columns, separated by tabs: id, title,
    keywords. With --why each keyword is a line: id, keyword, score, count, expected count, position
    in the text (0 for its first word), what a PCP leaves over of the count, number of other
    documents that have it, and how often it occurs there.

    \b
    laconic keywords posts.jsonl --text body
    laconic keywords posts.jsonl --text body --why -n 3
    laconic keywords posts.jsonl --text body --html keywords.html
    """
    if html is not None and as_json:
        raise click.UsageError("Give --html or --json, not both.")
    if html is not None:
        check_file(html, force)
    from laconic.keyphrases.html import names, write_page
    from laconic.keyphrases.keywords import keywords as find
    from laconic.saving.models import load

    fitted = None if model is None else load(model)
    documents = _read(corpus, values)
    others = None if background is None else _read(background, values)
    with messages.working("Looking for keywords"):
        found = find(documents, n, method, model=fitted, background=others, phrases=phrases)
    if html is not None:
        write_page(html, force, documents, found)
    elif as_json:
        rows = _as_rows(names(documents), found)
        show_json({"corpus": corpus, "method": method, "documents": rows})
    elif why:
        _show_evidence(names(documents), found)
    else:
        _show(names(documents), found)


def _read(source: str, values: Mapping[str, Any]) -> Corpus:
    """Documents with their texts; every word counts, for a rare one may say most."""
    from laconic import io

    is_text = io.holds_text(source, values["encoding"] or "utf-8")
    if values["format"]:
        is_text = values["format"] not in io.BAGS
    if is_text:
        values = {**values, "stop_words": values["stop_words"] or "auto"}
    return read_documents(source, values, keep_texts=True, defaults=False)


def _as_rows(names: Names, found: Found) -> list[dict[str, Any]]:
    return [
        {"id": id_, "title": title or None, "keywords": [word._asdict() for word in words]}
        for (id_, title), words in zip(names, found, strict=True)
    ]


def _show(names: Names, found: Found) -> None:
    """In a pipe one line for each document: id, title, keywords."""
    rows = [
        (printable(id_), printable(title), printable(", ".join(word.word for word in words)))
        for (id_, title), words in zip(names, found, strict=True)
    ]
    columns: dict[str, Side] = {"document": "left", "keywords": "left"}
    show_table(columns, ([title or id_, words] for id_, title, words in rows), rows)


def _show_evidence(names: Names, found: Found) -> None:
    """The same with a line for each keyword, and what speaks for it."""
    rows = [
        (printable(id_), printable(title), printable(word.word), word)
        for (id_, title), words in zip(names, found, strict=True)
        for word in words
    ]
    shown = [name for name in EVIDENCE if any(getattr(row[3], name) is not None for row in rows)]
    columns: dict[str, Side] = {"document": "left", "keyword": "left"}
    columns |= dict.fromkeys(shown, "right")
    table, last = [], ""
    for id_, title, spelt, word in rows:
        cells = dict(zip(EVIDENCE, _cells(word, 2), strict=True))
        table.append(["" if id_ == last else title or id_, spelt, *(cells[k] for k in shown)])
        last = id_
    lines = ([id_, spelt, *_cells(word, 6)] for id_, _, spelt, word in rows)
    show_table(columns, table, lines)


def _cells(word: Keyword, digits: int) -> list[str]:
    """The evidence as text, empty where there is none."""
    values = [getattr(word, name) for name in EVIDENCE]
    return [
        "" if value is None else str(value) if isinstance(value, int) else f"{value:.{digits}f}"
        for value in values
    ]
