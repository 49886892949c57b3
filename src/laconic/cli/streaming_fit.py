"""``laconic fit --stream``: fit a model in one pass, batch by batch."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.model_summary import format_model, model_facts
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.tables import show_facts, show_json
from laconic.wording import Nouns, plural, size

BATCH = 20_000  # default number of documents per batch
INTERRUPTED = 130

STREAM_OPTIONS = {
    "stream": click.option(
        "--stream",
        is_flag=True,
        help="Read the documents once, in batches, and update the topics after each batch; memory "
        "does not grow with the documents. The first batch determines the words of texts and the "
        "weights of words. Batches of a corpus store are spread over the store; texts are read "
        "from start to end. The documents are not saved with the model.",
    ),
    "batch_documents": click.option(
        "--batch-documents",
        type=POSITIVE_INT,
        help=f"Number of documents per batch of --stream.  [default: {BATCH:,}]",
    ),
}


def check_stream(values: Mapping[str, Any]) -> None:
    """Raise a usage error if options contradict ``--stream``."""
    if not values["stream"]:
        if values["batch_documents"] is not None:
            raise click.UsageError("--batch-documents needs --stream; set both.")
        return
    context = click.get_current_context()
    given = click.core.ParameterSource.COMMANDLINE
    for name, option in {"keep": "--documents", "index": "--index"}.items():
        if context.params.get(name) and context.get_parameter_source(name) is given:
            raise click.UsageError(
                f"{option} cannot be used with --stream, which does not keep the documents; leave "
                f"out {option}, or code the documents with 'laconic transform'."
            )
    if values.get("checkpoint") is not None:
        raise click.UsageError("--checkpoint cannot be used with --stream; leave one of them out.")


def fit_stream(
    model: Any,
    name: str,
    source: str | tuple[str, ...],
    output: str,
    force: bool,
    values: Mapping[str, Any],
    quiet: bool,
    as_json: bool,
) -> None:
    """Fit a pipeline to batches of documents, save it, and print what was learned."""
    from laconic import LaconicError, describe, save, with_nouns
    from laconic.fitted.nouns import nouns_of
    from laconic.models import MODELS

    if not hasattr(model[-1], "partial_fit"):
        others = ", ".join(key for key, kind in MODELS.items() if hasattr(kind, "partial_fit"))
        raise LaconicError(
            f"{name} cannot be fitted with --stream, because it needs all documents at once; leave "
            f"out --stream, or choose another model: {others}."
        )
    started = time.monotonic()
    facts: dict[str, Any] = {"model": name, "documents": 0, "empty_documents": 0, "batches": 0}
    interrupted = _learn(model, _batches(source, values), facts)
    model = with_nouns(model.set_params(model__verbose=0), values["terms"], values["items"])
    save(model, output, force=force)
    saved = describe(output)
    facts |= {
        **model_facts(model[-1]),
        "passes": 1,
        "interrupted": interrupted,
        "seconds": round(time.monotonic() - started, 2),
        "output": output,
        "bytes": saved["bytes"],
    }
    if as_json:
        show_json(facts)
    elif not quiet:
        show_facts(_format(facts, nouns_of(model)))
    messages.wrote(output)
    if not as_json:
        program, path = messages.program(), shlex.quote(output)
        messages.hint(f"Next: {program} topics {path}", f"      {program} transform {path} INPUT")
    if interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _learn(model: Any, batches: Iterator[Any], facts: dict[str, Any]) -> bool:
    """Update the model with each batch; return whether Ctrl-C ended this early."""
    try:
        for batch in batches:
            model.partial_fit(batch)
            facts["documents"] += len(batch)
            facts["empty_documents"] += batch.n_empty
            facts["batches"] += 1
            if model[-1].verbose > 1:
                messages.say(
                    f"batch {facts['batches']:,}: {plural(facts['documents'], 'document')} so far"
                )
    except KeyboardInterrupt:
        if not facts["batches"]:
            raise
        messages.say(
            f"interrupted after {plural(facts['documents'], 'document')}; the model is saved in "
            "its current state"
        )
        return True
    return False


def _batches(source: str | tuple[str, ...], values: Mapping[str, Any]) -> Iterator[Any]:
    """Read the documents in batches according to the options of the command line."""
    from laconic.cli.options import COUNTING_OPTIONS, INPUT_OPTIONS, set_options
    from laconic.cli.reading import is_built_in, read_documents, stop_word_list
    from laconic.io import read_batches

    seed, n_documents = values.get("random_state") or 0, values["batch_documents"] or BATCH
    if is_built_in(source):
        corpus = read_documents(source, values, keep_texts=False)
        return read_batches(corpus, n_documents, random_state=seed)
    settings = set_options(values, COUNTING_OPTIONS)
    if "stop_words" in settings:
        settings["stop_words"] = stop_word_list(settings["stop_words"])
    return read_batches(
        source if isinstance(source, str) else [Path(name) for name in source],
        n_documents,
        random_state=seed,
        keep_texts=False,
        n_jobs=values.get("n_jobs"),
        **set_options(values, INPUT_OPTIONS),
        **settings,
    )


def _format(facts: dict[str, Any], nouns: Nouns) -> dict[str, str]:
    empty = f", {facts['empty_documents']:,} of them empty" if facts["empty_documents"] else ""
    in_batches = f"1, in {plural(facts['batches'], 'batch', 'batches')}"
    return {
        nouns.items: f"{facts['documents']:,}{empty}",
        **format_model(facts, nouns),
        "passes": f"{in_batches}, interrupted" if facts["interrupted"] else in_batches,
        "time": f"{facts['seconds']:.1f} seconds",
        "size": size(facts["bytes"]),
    }
