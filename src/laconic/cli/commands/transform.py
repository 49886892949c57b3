"""``laconic transform``: write the topic weights of documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.code_files import CODE_WRITERS, CodesPart, codes_of
from laconic.cli.options import (
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    inputs_argument,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.outputs import choose_writer, open_output
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.reading import read_documents
from laconic.cli.tables import show_facts, show_json


@click.command(cls=Sectioned)
@click.argument("model")
@inputs_argument("input")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="Output file; its name must end in .csv, .csv.gz, .parquet or .npz. Use '-' to write CSV "
    "to standard output.  [default: -]",
)
@click.option(
    "-n",
    "--top",
    "top",
    type=POSITIVE_INT,
    help="Maximum number of topics per document; the strongest topics are kept.",
)
@options(INPUT_OPTIONS, only=["format", "text", "id", "encoding"])
@force_option
@quiet_option
@json_option
@debug_option
def transform(
    model: str,
    input: str | tuple[str, ...],
    output: str,
    top: int | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Write the topic weights of each document.

    INPUT is any input that 'laconic fit' accepts, or '-' for standard input. The words of INPUT are
    counted with the same settings as the documents to which MODEL was fitted. CSV and Parquet files
    have the columns 'id', 'topic' and 'weight', with one row for each topic of a document; the
    strongest topic of a document comes first. Documents without an id are numbered from 0. An .npz
    file contains the ids and the sparse document-topic matrix, which scipy.sparse.load_npz reads.

    \b
    laconic transform posts.model new.jsonl --text body -o codes.parquet
    """
    messages.set_verbosity(quiet, verbose=False)
    write = choose_writer(output, CODE_WRITERS, force, as_json)
    from laconic.saving.models import load

    fitted = load(model)
    corpus = read_documents(
        input, {**values, "vocabulary": fitted}, keep_texts=False, defaults=False
    )
    facts = {
        "documents": 0, "topics": 0, "nonzeros": 0, "documents_without_topic": 0, "output": output
    }  # fmt: skip
    with open_output(output, force) as file:
        write(_counted(codes_of(fitted, corpus, top), facts), file)
    _show(facts, as_json, quiet)
    if output != "-":
        messages.wrote(output)


def _counted(parts: Iterator[CodesPart], facts: dict[str, Any]) -> Iterator[CodesPart]:
    """Yield the parts, and add up the documents and topics that have passed."""
    for part in parts:
        codes = part.codes
        facts["documents"] += codes.shape[0]
        facts["topics"] = codes.shape[1]
        facts["nonzeros"] += int(codes.nnz)
        facts["documents_without_topic"] += int((codes.getnnz(axis=1) == 0).sum())
        yield part


def _show(facts: dict[str, Any], as_json: bool, quiet: bool) -> None:
    without = facts["documents_without_topic"]
    if as_json:
        show_json(facts)
    elif facts["output"] == "-":
        if without and not quiet:
            messages.say(
                f"{without:,} of {facts['documents']:,} documents have no topic and so no row"
            )
    elif not quiet:
        suffix = f", {without:,} of them without a topic" if without else ""
        average = facts["nonzeros"] / facts["documents"]
        show_facts(
            {
                "documents": f"{facts['documents']:,}{suffix}",
                "topics": f"{average:.1f} of {facts['topics']:,} per document on average",
            }
        )
