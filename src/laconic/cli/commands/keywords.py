"""``laconic keywords``: extract the keywords of each document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
)
from laconic.cli.param_types import POSITIVE_INT, RegistryChoice
from laconic.cli.reading import is_text, read_documents
from laconic.cli.tables import Side, printable, show_json, show_table
from laconic.files.atomic_file import check_file

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.keyphrases.keyword import Keyword

    Names = Sequence[tuple[str, str]]  # id and title of each document
    KeywordLists = Sequence[Sequence[Keyword]]

EVIDENCE = ("score", "count", "expected", "position", "residual", "documents", "burst")


@click.command(cls=Sectioned)
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
    "--html",
    metavar="FILE",
    help="Write an HTML page with highlighted keywords instead of printing the keywords.",
)
@force_option
@options(INPUT_OPTIONS, only=["format", "text", "title", "id", "encoding"])
@options(COUNTING_OPTIONS, only=["stop_words", "token_pattern", "lowercase", "strip_accents"])
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
    html: str | None,
    force: bool,
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
    laconic keywords posts.jsonl --text body --html keywords.html
    """
    if html is not None and as_json:
        raise click.UsageError("Set either --html or --json, not both.")
    if html is not None:
        check_file(html, force)
    from laconic.keyphrases.html import names, write_page
    from laconic.keyphrases.keywords import keywords as extract_keywords
    from laconic.saving.models import load

    fitted = None if model is None else load(model)
    documents = _read(corpus, values)
    others = None if background is None else _read(background, values)
    with messages.working("Extracting keywords"):
        extracted = extract_keywords(
            documents, n, method, model=fitted, background=others, phrases=phrases
        )
    if html is not None:
        write_page(html, force, documents, extracted)
        messages.wrote(html)
    elif as_json:
        rows = _as_rows(names(documents), extracted)
        show_json({"corpus": corpus, "method": method, "documents": rows})
    elif why:
        _show_evidence(names(documents), extracted)
    else:
        _show(names(documents), extracted)


def _read(source: str | tuple[str, ...], values: Mapping[str, Any]) -> Corpus:
    """Read documents and their texts; keep rare words, which are often the best keywords."""
    if is_text(source, values):
        values = {**values, "stop_words": values["stop_words"] or "auto"}
    return read_documents(source, values, keep_texts=True, defaults=False)


def _as_rows(names: Names, keyword_lists: KeywordLists) -> list[dict[str, Any]]:
    return [
        {"id": id_, "title": title or None, "keywords": [word._asdict() for word in words]}
        for (id_, title), words in zip(names, keyword_lists, strict=True)
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
