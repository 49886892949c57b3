"""``laconic convert``: write a corpus in another format."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.model_options import COMMON_OPTIONS
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
from laconic.cli.output_paths import default_output
from laconic.cli.reading import read_documents
from laconic.cli.tables import show_facts, show_json

# Copied from io.write, because importing io.write is slow; a test compares the two tuples.
FORMATS = ("store", "matrixmarket", "svmlight", "ldac", "uci")


# Where several files are read; a cluster reads them at the same time.
WORKER_OPTIONS = {name: COMMON_OPTIONS[name] for name in ("engine", "n_jobs")}

EVERYDAY = (
    "output", "to", "text", "label", "title", "id", "stop_words", "min_df", "max_df", "force",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY)
@inputs_argument("input")
@click.option(
    "-o",
    "--output",
    metavar="OUTPUT",
    help="Folder or file to write.  [default: the name of INPUT, ending in .corpus]",
)
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    help="Format of OUTPUT.  [default: detected from the name of OUTPUT]",
)
@click.option(
    "--keep-texts/--no-texts",
    default=True,
    help="Whether to save the texts of the documents in a corpus store.  [default: keep-texts]",
)
@options(INPUT_OPTIONS)
@options(COUNTING_OPTIONS)
@options(WORKER_OPTIONS)
@force_option
@quiet_option
@json_option
@debug_option
def convert(
    input: str | tuple[str, ...],
    output: str | None,
    to: str | None,
    keep_texts: bool,
    engine: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Write a corpus in another format.

    If INPUT contains texts, their words are counted. The name of OUTPUT determines the format. A
    name without an extension, or with the extension .corpus, creates a corpus store: a folder that
    opens instantly and is read from disk in chunks, so that the corpus may be larger than memory.
    The other formats are Matrix Market (extension .mtx), svmlight (.svm), LDA-C (.ldac) and UCI (a
    name that contains 'docword'). Except in a corpus store, the words are written to a second file
    next to the counts, where laconic finds them. If the name of OUTPUT ends in .gz, the counts are
    compressed.

    Several files with texts can be read at the same time by the workers of a Dask cluster:
    --engine dask starts one worker per core on this machine.

    \b
    laconic convert posts.jsonl --text body
    laconic convert posts.corpus -o posts.mtx
    laconic convert 'archive/*.jsonl' --text body -o archive.corpus --engine dask
    """
    from laconic.io.write import (
        ENDINGS,
        STORE,
        check_output,
        format_by_name,
        left_out,
        write,
    )

    messages.set_verbosity(quiet, verbose=False)
    if output is None and isinstance(input, tuple) and not Path(input[-1]).exists():
        raise click.UsageError(f"Set the output with -o, as in -o {input[-1]}.")
    output = output or default_output(input, ".corpus")
    format = to or format_by_name(output)
    if format is None:
        extensions = ", ".join(ending for ending in ENDINGS if ending)
        raise click.BadParameter(
            f"the extension of {output!r} is unknown; use one of {extensions}, or set --to.",
            param_hint="'-o' / '--output'",
        )
    messages.name_options({"format": "--to"})
    check_output(output, format, force)
    messages.name_options({})
    if format == STORE:
        corpus = read_documents(
            input, values, keep_texts=keep_texts, output=output, force=force, engine=engine
        )
        files = [output]
    else:
        corpus = read_documents(input, values, keep_texts=False)
        messages.name_options({"format": "--to"})
        files = write(corpus, output, format=format, force=force)
    facts = {
        "format": format,
        "documents": len(corpus),
        "empty_documents": corpus.n_empty,
        "words": corpus.shape[1],
        "nonzeros": corpus.n_nonzeros,
        "files": files,
        "left_out": left_out(corpus, format),
    }
    if as_json:
        show_json(facts)
    elif not quiet:
        show_facts(
            {
                "format": format,
                "documents": f"{len(corpus):,}",
                "words": f"{corpus.shape[1]:,}",
                "non-zeros": f"{corpus.n_nonzeros:,}",
            }
        )
    for file in files:
        messages.wrote(file)
    if not as_json:
        messages.hint(f"Next: {messages.program()} fit {shlex.quote(output)}")
