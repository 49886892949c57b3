"""``laconic tune``: choose the number of topics and the sparsity of a model."""

from __future__ import annotations

import shlex
import time
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.labels import check_label_option
from laconic.cli.main import INTERRUPTED
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
    set_options,
)
from laconic.cli.output_paths import check_new_file, check_new_folder
from laconic.cli.param_types import (
    MODEL_NAME,
    POSITIVE_INT,
    SEED,
    WORKERS,
    NumberAtLeast,
    RegistryChoice,
)
from laconic.cli.reading import read_documents
from laconic.cli.tables import printable, show_json

SETTINGS = ("n_components", "weighting", "folds", "sample", "random_state", "n_jobs")


OTHER_PICTURES = (".htm", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".eps", ".ps")
EVERYDAY = (
    "n_components", "name", "outputs", "sparsity", "text", "label", "stop_words", "min_df",
    "max_df", "sample", "force", "as_json",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY, renamed={"--plot": "--output"})
@inputs_argument("corpus")
@click.option(
    "-m",
    "--model",
    "name",
    type=MODEL_NAME,
    default="sc",
    show_default=True,
    help="Model: sc, slsa, plsa, sctm, stc, medstc (needs --label) or pcp.",
)
@click.option(
    "-k",
    "--topics",
    "n_components",
    metavar="N,…|N:N",
    help="Numbers of topics to try, such as 5,10,20, or a range to search, such as 5:100."
    "  [default: 2:200, but at most one topic per five documents]",
)
@click.option(
    "--sparsity/--no-sparsity",
    default=True,
    help="Whether to choose the sparsity as well as the number of topics.  [default: sparsity]",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    metavar="FILE|FOLDER",
    multiple=True,
    help="Write a chart of the results, if the name ends in .html, .svg, .png or .pdf; else, fit "
    "the chosen model to all documents and save it in this folder. The option may be repeated.",
)
@click.option(
    "--weighting",
    type=RegistryChoice("laconic.weighting:SCHEMES", "name"),
    help="Weighting of the counts: counts, log-counts, frequencies, tfidf or tfidf-balanced."
    "  [default: depends on the model]",
)
@click.option(
    "--folds",
    type=NumberAtLeast(int, 2),
    help="Number of cross-validation folds.  [default: 5, or 3 if there are more than 1500 "
    "documents]",
)
@click.option(
    "--sample",
    type=POSITIVE_INT,
    help="Maximum number of documents used for the search.  [default: 3000]",
)
@click.option(
    "--seed",
    "random_state",
    type=SEED,
    metavar="N",
    help="Random seed for the sample, the folds and the fits.  [default: 0]",
)
@click.option(
    "--jobs",
    "n_jobs",
    type=WORKERS,
    help="Number of workers; a negative number counts back from all cores.  [default: all cores]",
)
@options(INPUT_OPTIONS)
@options(COUNTING_OPTIONS)
@force_option
@quiet_option
@json_option
@debug_option
def tune(
    corpus: str | tuple[str, ...],
    name: str,
    sparsity: bool,
    outputs: tuple[str, ...],
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Choose the number of topics and the sparsity of a model.

    INPUT is any input that 'laconic fit' accepts, '-' for standard input, or 'pydocs' for the
    built-in corpus. Each number of topics is evaluated by cross-validation, which measures two
    things: the share of the variance of held-out words that the topics explain, and the similarity
    between the topics of the different fits. The command chooses the number of topics for which the
    product of these two measures is highest (for medstc, the smallest number that classifies about
    as well as the best number). Then the command makes the model sparser, as long as the result
    stays within one standard error of the best result. Ctrl-C stops the search, and the command
    chooses among the numbers tried so far.

    \b
    laconic tune posts.jsonl --text body -m plsa -o curve.html
    laconic tune posts.jsonl --text body -k 5:100 -o posts.model -o curve.html
    """
    started = time.monotonic()
    level = messages.set_verbosity(quiet, False)
    plot, output = _split_outputs(outputs)
    _check_outputs(plot, output, force)
    from laconic import save
    from laconic import tune as search_settings
    from laconic.models import MODELS

    if hasattr(MODELS[name], "predict"):
        check_label_option(name, corpus, values)

    documents = read_documents(corpus, values, keep_texts=output is not None)
    settings = {key: values[key] for key in SETTINGS if values.get(key) is not None}
    tuning = search_settings(
        documents, name, sparsity=sparsity, refit=output is not None, verbose=level, **settings
    )
    saved = output if tuning.model is not None else None
    if as_json:
        facts = {"seconds": round(time.monotonic() - started, 2), "plot": plot, "output": saved}
        show_json({**tuning.to_dict(), **facts})
    elif not quiet:  # printed before the files are written, in case writing fails
        for line in str(tuning).splitlines():
            click.echo(printable(line))
    if plot is not None:
        tuning.plot(plot, force=force)
        messages.wrote(plot)
    if saved is not None:
        save(tuning.model, saved, force=force, corpus=documents)
        messages.wrote(saved)
    if not as_json and not quiet:
        messages.hint(*_next_command(corpus, tuning, saved, values))
    if tuning.interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _split_outputs(outputs: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the file of the chart and the folder of the model; either may be None."""
    from laconic.plots.files import ENDINGS

    charts = [path for path in outputs if path.lower().endswith(ENDINGS)]
    folders = [path for path in outputs if path not in charts]
    for path in folders:
        if path.lower().endswith(OTHER_PICTURES):
            raise click.BadParameter(
                f"the name of a chart must end in .html, .svg, .png or .pdf; got {path!r}.",
                param_hint="'-o' / '--output'",
            )
    for kind, paths in (("chart", charts), ("model", folders)):
        if len(paths) > 1:
            raise click.UsageError(f"Set -o only once for the {kind}; got {' and '.join(paths)}.")
    return next(iter(charts), None), next(iter(folders), None)


def _check_outputs(plot: str | None, output: str | None, force: bool) -> None:
    """Raise if an output cannot be written; called before any other work."""
    if plot is not None:
        from laconic.extras import require

        check_new_file(plot, force)
        require("altair")
        require("vl_convert")
    if output is not None:
        check_new_folder(output, force)


def _next_command(
    source: str | tuple[str, ...], tuning: Any, output: str | None, values: dict[str, Any]
) -> list[str]:
    """Return a hint that suggests which command to run next."""
    if tuning.interrupted:
        return []
    if output is not None:
        return [f"Next: {messages.program()} topics {shlex.quote(output)}"]
    chosen = {key.removeprefix("model__"): value for key, value in tuning.best_params.items()}
    files = [source] if isinstance(source, str) else source
    words = ["fit", *map(shlex.quote, files), *_fit_options(values), "-m", tuning.name]
    words += ["-k", str(chosen.pop("n_components"))]
    for name, value in chosen.items():
        words += [f"--{name.replace('_', '-')}", f"{value:g}"]
    return [f"Next: {messages.program()} {' '.join(words)}{' -o NAME.model' * (source == '-')}"]


def _fit_options(values: dict[str, Any]) -> list[str]:
    """Return the command-line words of the options that the user set and that affect a fit."""
    names = messages.option_names(click.get_current_context().command)
    words = []
    for name, value in set_options(
        values, {**INPUT_OPTIONS, **COUNTING_OPTIONS, "weighting": 0, "random_state": 0}
    ).items():
        if name == "lowercase":
            words.append("--lowercase" if value else "--no-lowercase")
        elif value is True or name == "lemmatizer":
            words.append(names[name])
        elif name == "ngram_range":
            words += [names[name], f"{value[0]}-{value[1]}"]
        else:
            for item in value if isinstance(value, tuple) else [value]:
                words += [names[name], shlex.quote(str(item))]
    return words
