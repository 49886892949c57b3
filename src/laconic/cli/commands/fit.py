"""``laconic fit``: documents in, a saved model out."""

from __future__ import annotations

import shlex
import time
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.main import INTERRUPTED
from laconic.cli.model_options import MODEL, make_model
from laconic.cli.model_summary import model_facts, model_in_words
from laconic.cli.options import (
    COUNTING,
    INPUT,
    Sectioned,
    debug_option,
    force_option,
    given,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.param_types import Known
from laconic.cli.reading import read_documents
from laconic.cli.tables import show_facts, show_json
from laconic.files.atomic_folder import check_folder
from laconic.wording import size

MOST_INDEXED = 1_000_000  # documents that have a search index without being asked for


@click.command(cls=Sectioned)
@click.argument("input")
@click.option(
    "-m",
    "--model",
    "name",
    type=Known("laconic.models:MODELS", "name"),
    default="slsa",
    show_default=True,
    help="Which model: slsa (topics of few words), plsa (probabilities), sctm (documents of few "
    "topics, and which topics go together), stc (a code for each word too), medstc (learns the "
    "classes that --label names) or pcp (background, and keywords of each document).",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Where to save the model, such as posts.model.",
)
@options(MODEL)
@click.option(
    "--weighting",
    type=Known("laconic.weighting:SCHEMES", "name"),
    help="What is fitted: counts, log-counts, frequencies, tfidf or tfidf-balanced. Default: what "
    "suits the model.",
)
@options(INPUT)
@options(COUNTING)
@click.option(
    "--documents/--no-documents",
    "keep",
    default=True,
    help="Whether topics, ids and titles of the documents are kept with the model, for laconic "
    "similar and laconic topics --documents.  [default: documents]",
)
@click.option(
    "--index/--no-index",
    "index",
    default=None,
    help="Whether a search index is kept too, with the texts of the documents, for laconic search."
    "  [default: index, where there are texts]",
)
@force_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each pass.")
@json_option
@debug_option
def fit(
    input: str,
    name: str,
    output: str,
    weighting: str | None,
    keep: bool,
    index: bool | None,
    force: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Fit a topic model to documents and save it.

    INPUT is a file or folder in any format that laconic reads (texts, tables, bags of words, a
    corpus store), - for standard input, or pydocs for the built-in corpus. Options that are not
    given have the values that the model has by default. Ctrl-C ends the fit and saves the model as
    far as it got.

    \b
    laconic fit posts.jsonl --text body -k 100 --words-per-topic 20 -o posts.model
    laconic fit posts.jsonl --text body --label group -m medstc -o groups.model
    """
    if index and not keep:
        raise click.UsageError("--index needs the documents; leave out --no-documents.")
    started = time.monotonic()
    level = messages.set_verbosity(quiet, verbose)
    model = make_model(name, weighting, given(values, MODEL), level)
    check_folder(output, force)
    from laconic import describe

    corpus = read_documents(input, values, keep_texts=keep and index is not False)
    if hasattr(model, "predict") and corpus.labels is None:
        raise _no_classes(name, input)
    model.fit(corpus).set_params(model__verbose=0)  # the bar was for now, not for the saved one
    index = keep and _wants_index(corpus, index)
    _save(model, output, force, corpus if keep else None, index)
    saved = describe(output)
    estimator = model[-1]
    facts: dict[str, Any] = {
        "model": name,
        "documents": len(corpus),
        "empty_documents": corpus.n_empty,
        **model_facts(estimator),
        "interrupted": not estimator.converged_ and estimator.n_iter_ < estimator.max_iter,
        "seconds": round(time.monotonic() - started, 2),
        "output": output,
        "bytes": saved["bytes"],
        "document_bytes": saved["document_bytes"],
        "index_bytes": saved["index_bytes"],
    }
    if as_json:
        show_json(facts)
    elif not quiet:
        show_facts(_in_words(facts))
        messages.hint(*_next(output, facts))
    if facts["interrupted"]:
        click.get_current_context().exit(INTERRUPTED)


def _wants_index(corpus: Any, asked: bool | None) -> bool:
    """Whether documents are made searchable: where they have texts and fit into memory."""
    if asked is None and len(corpus) > MOST_INDEXED:
        messages.say("so many documents are made searchable only if asked for, with --index")
        return False
    return corpus.texts is not None if asked is None else asked


def _save(model: Any, output: str, force: bool, corpus: Any, index: bool) -> None:
    """Ctrl-C while the documents are coded leaves them out; the fit is worth more."""
    from laconic import save, search

    try:
        found = None
        if index:
            with messages.working("Making a search index"):
                found = search(model, corpus)
        save(model, output, force=force, corpus=corpus, index=found)
    except KeyboardInterrupt:
        if corpus is None:
            raise
        messages.say("interrupted; the model is saved without its documents")
        save(model, output, force=force)


def _no_classes(name: str, input: str) -> Exception:
    from laconic.errors import LaconicError

    return LaconicError(
        f"{name} learns from the class of each document, and none is known for {input}; name the "
        "column with --label"
    )


def _next(output: str, facts: dict[str, Any]) -> list[str]:
    program, path = messages.program(), shlex.quote(output)
    commands = [f"topics {path}", f"explore {path}"]
    if "edges" in facts:
        commands.append(f"topics {path} --graph")
    if facts["document_bytes"]:
        commands.append(f"similar {path} ID")
    if facts["index_bytes"]:
        commands.append(f"search {path} WORDS")
    if "classes" in facts:
        commands.append(f"classify {path} NEW_FILE")
    heads = ["Next: ", *["      "] * (len(commands) - 1)]
    return [f"{head}{program} {command}" for head, command in zip(heads, commands, strict=True)]


def _in_words(facts: dict[str, Any]) -> dict[str, str]:
    empty = f", {facts['empty_documents']:,} of them empty" if facts["empty_documents"] else ""
    kept = f", {size(facts['document_bytes'])} of it for documents"
    if facts["index_bytes"]:
        kept += f" and {size(facts['index_bytes'])} for search"
    return {
        "documents": f"{facts['documents']:,}{empty}",
        **model_in_words(facts),
        "time": f"{facts['seconds']:.1f} seconds",
        "saved": f"{facts['output']} "
        f"({size(facts['bytes'])}{kept if facts['document_bytes'] else ''})",
    }
