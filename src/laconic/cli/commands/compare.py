"""``laconic compare``: fit and evaluate several models on the same documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.commands.evaluate import finite
from laconic.cli.main import FAILED, INTERRUPTED
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
from laconic.cli.output_paths import check_new_file
from laconic.cli.param_types import POSITIVE_INT, SEED, WORKERS, PositiveIntegers
from laconic.cli.source_column import read_with_source
from laconic.cli.tables import Side, printable, show_json, show_table

if TYPE_CHECKING:
    from rich.text import Text

    from laconic.evaluation.compare import Comparison


EVERYDAY = (
    "models", "n_components", "output", "text", "label", "stop_words", "min_df", "max_df",
    "repeats", "n_words", "force", "as_json",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY, renamed={"--out": "--output"})
@inputs_argument("corpus")
@click.option(
    "--models",
    metavar="NAME,…",
    default="sc,slsa,plsa,sctm,stc,pcp,lda,nmf,lsa",
    show_default=True,
    help="Models of laconic (sc, slsa, plsa, sctm, stc, medstc, pcp), scikit-learn (lda, nmf, lsa) "
    "and, if installed, gensim (lda-gensim) and tomotopy (lda-tomotopy).",
)
@click.option(
    "-k",
    "--topics",
    "n_components",
    type=PositiveIntegers(),
    default="20",
    show_default=True,
    help="Number of topics, or several numbers separated by commas.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write an HTML page with the verdict, the topics, charts and the table; the name must "
    "end in .html.",
)
@click.option(
    "-n",
    "--words",
    "n_words",
    type=POSITIVE_INT,
    default=10,
    show_default=True,
    help="Number of top words per topic that the metrics use.",
)
@click.option(
    "--repeats",
    type=POSITIVE_INT,
    metavar="N",
    default=1,
    show_default=True,
    help="How often to fit each model, each time to other training documents and with another "
    "seed, to show which differences would persist.",
)
@click.option(
    "--source",
    metavar="COLUMN",
    help="Column with the source of each document, such as its author, to find lone topics: topics "
    "with half or more of their leading documents from one source.",
)
@click.option(
    "--jobs",
    "n_jobs",
    type=WORKERS,
    help="Number of threads per fit; a negative number counts back from all cores.  [default: all "
    "cores]",
)
@click.option(
    "--seed",
    "random_state",
    type=SEED,
    metavar="N",
    default=0,
    show_default=True,
    help="Random seed.",
)
@options(INPUT_OPTIONS)
@options(COUNTING_OPTIONS)
@force_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Print one line per fit.")
@json_option
@debug_option
def compare(
    corpus: str | tuple[str, ...],
    models: str,
    n_components: list[int],
    output: str | None,
    n_words: int,
    repeats: int,
    source: str | None,
    n_jobs: int | None,
    random_state: int,
    force: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Fit several models to the same documents and compare them.

    INPUT is any input that 'laconic fit' accepts, '-' for standard input, or 'pydocs' for the
    built-in corpus. The models are fitted to four fifths of the documents. Accuracy (if --label
    names the column with the classes), perplexity (if the topics of a model are distributions),
    topics per document and speed are measured on the remaining fifth. If the output is piped, it
    has one tab-separated line per model. Ctrl-C stops the comparison and shows the models fitted so
    far.

    \b
    laconic compare posts.jsonl --text body --label group -k 20,50 -o compare.html
    laconic compare pydocs --models slsa,stc,lda,lda-tomotopy
    """
    level = messages.set_verbosity(quiet, verbose)
    names = [name.strip() for name in models.split(",") if name.strip()]
    if output is not None:
        _check_output(output, force)
    from laconic.evaluation.compare import check_models
    from laconic.evaluation.compare import compare as compare_models

    names = check_models(names)
    read_options = {**values, "n_jobs": n_jobs}
    documents, sources = read_with_source(corpus, read_options, source, defaults=True)
    comparison = compare_models(
        documents,
        names,
        n_components,
        repeats=repeats,
        n_words=n_words,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=level,
        source=sources,
    )
    if as_json:
        show_json(_as_json(comparison, output))
    elif not quiet:
        _show(comparison)
    if output is not None:  # The table is already printed, so it is not lost if writing fails.
        comparison.save(output, force=force)
        messages.wrote(output)
    _exit(comparison)


def _check_output(path: str, force: bool) -> None:
    """Raise, before any model is fitted, if the page or its charts cannot be written."""
    if not path.lower().endswith((".html", ".htm")):
        raise click.BadParameter(
            f"the file name {path!r} must end in .html.", param_hint="'-o' / '--output'"
        )
    check_new_file(path, force)
    from laconic.extras import require

    require("altair")
    require("vl_convert")


def _as_json(comparison: Comparison, output: str | None) -> dict[str, Any]:
    rows = [
        {name: finite(value) if name == "perplexity" else value for name, value in row.items()}
        for row in comparison.to_dict()["rows"]
    ]
    return {
        "about": comparison.about,
        "rows": rows,
        "verdict": comparison.verdict(),
        "output": output,
    }


def _show(comparison: Comparison) -> None:
    from laconic.evaluation.columns import COLUMNS, shown

    names = shown(comparison.rows)
    columns: dict[str, Side] = {"model": "left", "topics": "right"}
    columns |= {COLUMNS[name].heading: "right" for name in names}
    lines = [["model", "topics", *names], *(_line(row, names) for row in comparison.rows)]
    show_table(columns, _cells(comparison, names), lines)
    for row in comparison.rows:
        if row.error is not None:
            messages.say(f"{row.model}, {row.n_components} topics: {printable(row.error)}")
    messages.hint(*comparison.verdict())


def _line(row: Any, names: list[str]) -> list[str]:
    """Format a row as the cells of a tab-separated line, used when the output is piped."""
    values = [getattr(row, name) for name in names]
    cells = ["" if value is None else f"{value:.6g}" for value in values]
    return [row.model, str(row.n_components), *cells]


def _cells(comparison: Comparison, names: list[str]) -> Iterator[list[str | Text]]:
    """Format the rows for a terminal, with the best value of each column in green."""
    from rich.text import Text

    from laconic.evaluation.columns import best, cell

    best_values = {name: best(comparison.rows, name) for name in names}
    for row in comparison.rows:
        cells: list[str | Text] = [row.model, str(row.n_components)]
        for name in names:
            is_best = getattr(row, name) == best_values[name].get(row.n_components, object())
            cells.append(Text(cell(row, name), style="bold green" if is_best else ""))
        yield cells


def _exit(comparison: Comparison) -> None:
    """Exit with an error status if the comparison was interrupted or no model was fitted."""
    context = click.get_current_context()
    if comparison.about["interrupted"]:
        messages.say("interrupted; showing the models fitted so far")
        context.exit(INTERRUPTED)
    if all(row.error is not None for row in comparison.rows):
        context.exit(FAILED)
