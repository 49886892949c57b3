"""``laconic convert``: a corpus from one format to another."""

from __future__ import annotations

import shlex
from typing import Any

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
    quiet_option,
)
from laconic.cli.reading import read_documents
from laconic.cli.tables import show_facts, show_json

FORMATS = ("store", "matrixmarket", "svmlight", "ldac", "uci")  # io.write would import numbers


@click.command(cls=Sectioned)
@click.argument("input")
@click.argument("output")
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    help="Format of OUTPUT, where its name does not tell.",
)
@click.option("--keep-texts/--no-texts", default=True, help="[default: keep-texts]")
@options(INPUT)
@options(COUNTING)
@force_option
@quiet_option
@json_option
@debug_option
def convert(
    input: str,
    output: str,
    to: str | None,
    keep_texts: bool,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Write a corpus in another format.

    The words of texts are counted on the way. A name without an ending, or with .corpus, becomes a
    corpus store: a folder that opens at once and is read from disk piece by piece, so that a
    corpus may be larger than the memory. The ending .mtx gives Matrix Market, .svm svmlight and
    .ldac LDA-C, and docword in the name gives UCI; their words go to a second file beside, where
    laconic finds them again. With .gz at the end the counts are zipped.

    \b
    laconic convert posts.jsonl posts.corpus --text body
    laconic convert posts.corpus posts.mtx
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
    format = to or format_by_name(output)
    if format is None:
        known = ", ".join(ending for ending in ENDINGS if ending)
        raise click.BadParameter(
            f"the name {output!r} tells no format; let it end in one of {known}, or give --to.",
            param_hint="'OUTPUT'",
        )
    check_output(output, format, force)
    corpus = read_documents(input, values, keep_texts=keep_texts and format == STORE)
    files = write(corpus, output, format=format, force=force)
    facts = {
        "format": format,
        "documents": len(corpus),
        "empty_documents": corpus.n_empty,
        "words": corpus.shape[1],
        "nonzeros": int(corpus.counts.nnz),
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
                "non-zeros": f"{corpus.counts.nnz:,}",
                "written": ", ".join(files),
            }
        )
        messages.hint(f"Next: {messages.program()} fit {shlex.quote(output)} -o NAME.model")
