"""``laconic tune``: documents in, the size and sparsity of a model out, and why."""

from __future__ import annotations

import shlex
import time
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.main import INTERRUPTED
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
from laconic.cli.param_types import POSITIVE, SEED, AtLeast, Known
from laconic.cli.reading import read_documents
from laconic.cli.tables import printable, show_json
from laconic.files.atomic_file import check_file
from laconic.files.atomic_folder import check_folder

SETTINGS = ("n_components", "weighting", "folds", "sample", "random_state", "n_jobs")


@click.command(cls=Sectioned)
@click.argument("corpus")
@click.option(
    "-m",
    "--model",
    "name",
    type=Known("laconic.models:MODELS", "name"),
    default="slsa",
    show_default=True,
    help="Which model: slsa, plsa, sctm, stc, medstc (needs --label) or pcp.",
)
@click.option(
    "-k",
    "--topics",
    "n_components",
    metavar="N,…|N:N",
    help="Numbers of topics to try, such as 5,10,20, or a range to search, such as 5:100."
    "  [default: 2:200, at most one for five documents]",
)
@click.option(
    "--sparsity/--no-sparsity",
    default=True,
    help="Whether to look for sparsity too.  [default: sparsity]",
)
@click.option(
    "--plot", metavar="FILE", help="Draw the curve and the path: FILE.html, .svg or .png."
)
@click.option(
    "-o", "--output", metavar="FOLDER", help="Fit all documents with the choice and save the model."
)
@click.option(
    "--weighting",
    type=Known("laconic.weighting:SCHEMES", "name"),
    help="What is fitted: counts, log-counts, frequencies, tfidf or tfidf-balanced. Default: what "
    "suits the model.",
)
@click.option(
    "--folds",
    type=AtLeast(int, 2),
    help="Parts in which documents are left out in turn.  [default: 5, 3 for more than 1500]",
)
@click.option(
    "--sample", type=POSITIVE, help="Most documents that the search looks at.  [default: 3000]"
)
@click.option(
    "--seed",
    "random_state",
    type=SEED,
    help="Seed of the sample, the parts and the fits.  [default: 0]",
)
@click.option("--jobs", "n_jobs", type=POSITIVE, help="Workers.  [default: all cores]")
@options(INPUT)
@options(COUNTING)
@force_option
@quiet_option
@json_option
@debug_option
def tune(
    corpus: str,
    name: str,
    sparsity: bool,
    plot: str | None,
    output: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Choose the number of topics and the sparsity of a model.

    CORPUS is anything that laconic fit takes, - for standard input, or pydocs for the built-in
    corpus. Each number of topics is fitted several times, with a part of the documents left out,
    and two things are measured: what share of the words of unseen documents the topics foretell,
    and how far they come again from fit to fit. The number with the highest product is chosen
    (medstc: the smallest that classifies as well as any). Then the model is made sparser as long
    as that costs no more than one standard error. Ctrl-C ends the search with what it has.

    \b
    laconic tune posts.jsonl --text body -m plsa --plot curve.html
    laconic tune posts.jsonl --text body -k 5:100 -o posts.model
    """
    started = time.monotonic()
    level = messages.set_verbosity(quiet, False)
    _check_outputs(plot, output, force)
    from laconic import save
    from laconic import tune as search

    documents = read_documents(corpus, values, keep_texts=output is not None)
    settings = {key: values[key] for key in SETTINGS if values.get(key) is not None}
    found = search(
        documents, name, sparsity=sparsity, refit=output is not None, verbose=level, **settings
    )
    saved = output if found.model is not None else None
    if as_json:
        facts = {"seconds": round(time.monotonic() - started, 2), "plot": plot, "output": saved}
        show_json({**found.to_dict(), **facts})
    elif not quiet:  # before anything is written: what was found is not lost if that fails
        for line in str(found).splitlines():
            click.echo(printable(line))
    if plot is not None:
        found.plot(plot, force=force)
    if saved is not None:
        save(found.model, saved, force=force, corpus=documents)
    if not as_json and not quiet:
        messages.hint(*_next(corpus, found, saved, values))
    if found.interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _check_outputs(plot: str | None, output: str | None, force: bool) -> None:
    """Complain before the work begins."""
    if plot is not None:
        from laconic.extras import require
        from laconic.plots.files import ending_of

        ending_of(plot)
        check_file(plot, force)
        require("altair")
        require("vl_convert")
    if output is not None:
        check_folder(output, force)


def _next(source: str, found: Any, output: str | None, values: dict[str, Any]) -> list[str]:
    """The command that comes after this one."""
    if found.interrupted:
        return []
    if output is not None:
        return [f"Next: {messages.program()} topics {shlex.quote(output)}"]
    chosen = {key.removeprefix("model__"): value for key, value in found.best_params.items()}
    words = ["fit", shlex.quote(source), *_repeated(values), "-m", found.name]
    words += ["-k", str(chosen.pop("n_components"))]
    for name, value in chosen.items():
        words += [f"--{name.replace('_', '-')}", f"{value:g}"]
    return [f"Next: {messages.program()} {' '.join(words)} -o NAME.model"]


def _repeated(values: dict[str, Any]) -> list[str]:
    """The options that decide what is fitted, as they were given."""
    names = messages.option_names(click.get_current_context().command)
    words = []
    for name, value in given(
        values, {**INPUT, **COUNTING, "weighting": 0, "random_state": 0}
    ).items():
        if name == "lowercase":
            words.append("--lowercase" if value else "--no-lowercase")
        elif name == "ngram_range":
            words += [names[name], f"{value[0]}-{value[1]}"]
        else:
            for one in value if isinstance(value, tuple) else [value]:
                words += [names[name], shlex.quote(str(one))]
    return words
