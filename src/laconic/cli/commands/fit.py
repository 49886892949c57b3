"""``laconic fit``: fit a topic model to documents and save it."""

from __future__ import annotations

import shlex
import time
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.labels import check_label_option, labelled
from laconic.cli.main import INTERRUPTED
from laconic.cli.model_options import MODEL_OPTIONS, make_model
from laconic.cli.model_summary import format_model, model_facts
from laconic.cli.options import (
    COUNTING_OPTIONS,
    INPUT_OPTIONS,
    NOUN_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    inputs_argument,
    json_option,
    options,
    quiet_option,
    set_options,
)
from laconic.cli.output_paths import check_new_folder, default_output
from laconic.cli.param_types import MODEL_NAME, RegistryChoice
from laconic.cli.reading import input_name, read_documents
from laconic.cli.streaming_fit import STREAM_OPTIONS, check_stream, fit_stream
from laconic.cli.tables import show_facts, show_json
from laconic.wording import Nouns, size, some

MAX_INDEXED = 10_000_000  # maximum number of documents that are indexed without --index


EVERYDAY = (
    "n_components", "name", "output", "text", "label", "title", "words_per_topic",
    "topics_per_document", "stop_words", "min_df", "force",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY)
@inputs_argument("input")
@click.option(
    "-m",
    "--model",
    "name",
    type=MODEL_NAME,
    default="sc",
    show_default=True,
    help="Model: sc, slsa, plsa, sctm, stc, medstc (classifier) or pcp. The topics of sc are "
    "shared by many documents; slsa is the fastest; the topics of plsa are probabilities, and "
    "those of sctm sparse probabilities, with an optional graph of topics; stc also finds topics "
    "of each word; medstc learns the classes of --label; pcp separates a background from the "
    "keywords of each document.",
)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Folder in which to save the model.  [default: the name of INPUT, ending in .model]",
)
@options(MODEL_OPTIONS)
@click.option(
    "--weighting",
    type=RegistryChoice("laconic.weighting:SCHEMES", "name"),
    help="Weighting of the counts: counts, log-counts, frequencies, tfidf, tfidf-balanced or "
    "tfidf-distinct; or, for measurements such as gene expression, z-scores or log-z-scores."
    "  [default: depends on the model]",
)
@options(INPUT_OPTIONS)
@options(COUNTING_OPTIONS)
@options(NOUN_OPTIONS)
@click.option(
    "--documents/--no-documents",
    "keep",
    default=True,
    help="Whether to save the codes, ids and titles of the documents with the model. 'laconic "
    "similar' and 'laconic topics --documents' need them.  [default: documents]",
)
@click.option(
    "--index/--no-index",
    "index",
    default=None,
    help="Whether to save a search index and the texts of the documents with the model. 'laconic "
    "search' needs them.  [default: index, if there are texts]",
)
@click.option(
    "--drop-unlabelled",
    is_flag=True,
    help="Leave out documents without a label, which a classifier (medstc) cannot use.",
)
@options(STREAM_OPTIONS)
@force_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Print one line per pass over the documents.")
@json_option
@debug_option
def fit(
    input: str | tuple[str, ...],
    name: str,
    output: str | None,
    weighting: str | None,
    keep: bool,
    index: bool | None,
    drop_unlabelled: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Fit a topic model to documents and save it.

    INPUT is a file or folder in any format that laconic reads (texts, tables, bags of words, a
    corpus store), several files, a pattern such as 'logs/*.jsonl', '-' for standard input, or
    'pydocs' for the built-in corpus. The default values of options depend on the model. Ctrl-C
    stops the fit and saves the model in its current state.

    \b
    laconic fit posts.jsonl --text body -k 50
    laconic fit posts.jsonl --text body --label group -m medstc -o groups.model
    laconic fit cells.h5ad -m slsa --signed --weighting z-scores --groups sets.gmt
    zcat posts.jsonl.gz | laconic fit - --stream --text body -k 50 -o posts.model
    """
    if index and not keep:
        raise click.UsageError(
            "--index requires that the documents are saved; leave out --no-documents."
        )
    check_stream(values)
    started = time.monotonic()
    level = messages.set_verbosity(quiet, verbose)
    model = make_model(name, weighting, set_options(values, MODEL_OPTIONS), level)
    output = output or default_output(input, ".model")
    check_new_folder(output, force)
    _check_groups(values.get("groups"))
    if values["stream"]:
        return fit_stream(model, name, input, output, force, values, quiet, as_json)
    is_classifier = hasattr(model, "predict")
    if is_classifier:
        check_label_option(name, input, values)
    from laconic import describe, with_nouns
    from laconic.fitted.nouns import nouns_of

    corpus = read_documents(input, values, keep_texts=keep and index is not False)
    if is_classifier:
        corpus = labelled(name, input_name(input), corpus, drop_unlabelled)
    estimator = model[-1]
    estimator._keeps_checkpoint = True  # until the model has been saved
    model.fit(corpus).set_params(model__verbose=0)  # A loaded model shows no progress bar.
    model = with_nouns(model, values["terms"], values["items"])
    index = keep and _wants_index(corpus, index)
    _save(model, output, force, corpus if keep else None, index)
    if estimator._kept_checkpoint is not None:
        estimator._kept_checkpoint.finish()
    saved = describe(output)
    facts: dict[str, Any] = {
        "model": name,
        "documents": len(corpus),
        "empty_documents": corpus.n_empty,
        **model_facts(estimator),
        "weak_topics": _weak_topics(model),
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
        show_facts(_format(facts, nouns_of(model)))
    messages.wrote(output)
    if not as_json:
        messages.hint(*_next_commands(output, facts))
    if facts["interrupted"]:
        click.get_current_context().exit(INTERRUPTED)


def _check_groups(path: str | None) -> None:
    """Raise if the file of groups cannot be read, before the documents are read."""
    if path is not None:
        from laconic.io import read_gmt

        read_gmt(path)


def _wants_index(corpus: Any, requested: bool | None) -> bool:
    """Return `requested` or, if it is None, whether the corpus has texts and is not too large."""
    if requested is None and len(corpus) > MAX_INDEXED:
        messages.say(
            f"no search index is built, because there are more than {MAX_INDEXED:,} documents; set "
            "--index to build it"
        )
        return False
    return corpus.has("texts") if requested is None else requested


def _save(model: Any, output: str, force: bool, corpus: Any, index: bool) -> None:
    """Save the model and its documents; after Ctrl-C, save the model without the documents."""
    from laconic import save

    try:
        search_index = _build_index(model, corpus) if index else None
        save(model, output, force=force, corpus=corpus, index=search_index)
    except KeyboardInterrupt:
        if corpus is None:
            raise
        messages.say("interrupted; the model is saved without its documents")
        save(model, output, force=force)


def _build_index(model: Any, corpus: Any) -> Any:
    """Return a search index, or None if the documents cannot be indexed."""
    from laconic import LaconicError, search

    try:
        with messages.working("Building the search index"):
            return search(model, corpus)
    except LaconicError as error:
        messages.say(f"no search index is built: {error}")
        return None


def _next_commands(output: str, facts: dict[str, Any]) -> list[str]:
    program, path = messages.program(), shlex.quote(output)
    commands = [f"topics {path}", f"explore {path}"]
    if "groups" in facts:
        commands.append(f"topics {path} --groups")
    if "edges" in facts:
        commands.append(f"topics {path} --graph")
    if facts["document_bytes"]:
        commands.append(f"similar {path} ID")
    if facts["index_bytes"]:
        commands.append(f"search {path} WORDS")
    if "classes" in facts:
        commands.append(f"classify {path} NEW_FILE")
    prefixes = ["Next: ", *["      "] * (len(commands) - 1)]
    return [
        f"{prefix}{program} {command}" for prefix, command in zip(prefixes, commands, strict=True)
    ]


def _weak_topics(model: Any) -> list[int]:
    """Return the topics that few documents share."""
    from laconic import topics

    return sorted(topic.number for topic in topics(model, 1) if topic.weak)


def _format_weak(facts: dict[str, Any], nouns: Nouns) -> dict[str, str]:
    """Return a line about the topics that few documents share, if there are any."""
    weak = facts["weak_topics"]
    if not weak:
        return {}
    share = f"{len(weak):,} of {facts['topics']:,}"
    return {f"few {nouns.items}": f"{share} topics, often signatures: {some(map(str, weak))}"}


def _format(facts: dict[str, Any], nouns: Nouns) -> dict[str, str]:
    empty = f", {facts['empty_documents']:,} of them empty" if facts["empty_documents"] else ""
    parts = f", {size(facts['document_bytes'])} of it for {nouns.items}"
    if facts["index_bytes"]:
        parts += f" and {size(facts['index_bytes'])} for search"
    return {
        nouns.items: f"{facts['documents']:,}{empty}",
        **format_model(facts, nouns),
        **_format_weak(facts, nouns),
        "time": f"{facts['seconds']:.1f} seconds",
        "size": f"{size(facts['bytes'])}{parts if facts['document_bytes'] else ''}",
    }
