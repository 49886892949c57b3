"""``laconic compare``: documents in, several models out, a row for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.commands.evaluate import finite
from laconic.cli.main import FAILED, INTERRUPTED
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
from laconic.cli.param_types import POSITIVE, SEED, Numbers
from laconic.cli.reading import read_documents
from laconic.cli.tables import Side, printable, show_json, show_table
from laconic.files.atomic_file import check_file

if TYPE_CHECKING:
    from rich.text import Text

    from laconic.evaluation.compare import Comparison


@click.command(cls=Sectioned)
@click.argument("corpus")
@click.option(
    "--models",
    metavar="NAME,…",
    default="slsa,stc,sctm,pcp,lda,nmf,lsa",
    show_default=True,
    help="Models of laconic (slsa, plsa, sctm, stc, medstc, pcp), of scikit-learn (lda, nmf, lsa) "
    "and, where installed, of gensim (lda-gensim) and tomotopy (lda-tomotopy).",
)
@click.option(
    "-k",
    "--topics",
    "n_components",
    type=Numbers(),
    default="20",
    show_default=True,
    help="Number of topics; several separated by commas.",
)
@click.option(
    "--out", metavar="FILE", help="Write a page with the table, charts and topics, such as c.html."
)
@click.option(
    "-n",
    "--words",
    "n_words",
    type=POSITIVE,
    default=10,
    show_default=True,
    help="How many of its strongest words stand for a topic.",
)
@click.option("--jobs", "n_jobs", type=POSITIVE, help="Threads for each fit.  [default: all cores]")
@click.option("--seed", "random_state", type=SEED, default=0, show_default=True, help="Seed.")
@options(INPUT)
@options(COUNTING)
@force_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each fit.")
@json_option
@debug_option
def compare(
    corpus: str,
    models: str,
    n_components: list[int],
    out: str | None,
    n_words: int,
    n_jobs: int | None,
    random_state: int,
    force: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Fit several models to documents and measure them all.

    CORPUS is anything that laconic fit takes, - for standard input, or pydocs for the built-in
    corpus. Four fifths of the documents are fitted; accuracy (where --label names the classes),
    perplexity (where topics are distributions) and speed are measured on the others. In a pipe each
    line is a model, its figures separated by tabs. Ctrl-C ends it with the models so far.

    \b
    laconic compare posts.jsonl --text body --label group -k 20,50 --out compare.html
    laconic compare pydocs --models slsa,stc,lda,lda-tomotopy
    """
    level = messages.set_verbosity(quiet, verbose)
    names = [name.strip() for name in models.split(",") if name.strip()]
    if out is not None:
        _check_page(out, force)
    from laconic.evaluation.compare import check_models
    from laconic.evaluation.compare import compare as side_by_side

    names = check_models(names)
    given = {**values, "n_jobs": n_jobs}
    documents = read_documents(corpus, given, keep_texts=True)
    found = side_by_side(
        documents,
        names,
        n_components,
        n_words=n_words,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=level,
    )
    if as_json:
        show_json(_in_json(found, out))
    elif not quiet:
        _show(found)
    if out is not None:  # the table first: a page that cannot be written loses nothing
        found.save(out, force=force)
        messages.hint(f"The page is {out}; open it in a browser.")
    _end(found)


def _check_page(path: str, force: bool) -> None:
    """Complain before the work begins: a wrong ending, a file that is there, no charts."""
    if not path.lower().endswith((".html", ".htm")):
        raise click.BadParameter(f"{path!r} does not end in .html.", param_hint="'--out'")
    check_file(path, force)
    from laconic.extras import require

    require("altair")
    require("vl_convert")


def _in_json(found: Comparison, out: str | None) -> dict[str, Any]:
    rows = [
        {name: finite(value) if name == "perplexity" else value for name, value in row.items()}
        for row in found.to_dict()["rows"]
    ]
    return {"about": found.about, "rows": rows, "output": out}


def _show(found: Comparison) -> None:
    from laconic.evaluation.columns import COLUMNS, shown

    names = shown(found.rows)
    columns: dict[str, Side] = {"model": "left", "topics": "right"}
    columns |= {COLUMNS[name].heading: "right" for name in names}
    lines = [["model", "topics", *names], *(_line(row, names) for row in found.rows)]
    show_table(columns, _cells(found, names), lines)
    for row in found.rows:
        if row.error is not None:
            messages.say(f"{row.model}, {row.n_components} topics: {printable(row.error)}")


def _line(row: Any, names: list[str]) -> list[str]:
    """A row as it is in a pipe."""
    values = [getattr(row, name) for name in names]
    written = ["" if value is None else f"{value:.6g}" for value in values]
    return [row.model, str(row.n_components), *written]


def _cells(found: Comparison, names: list[str]) -> Iterator[list[str | Text]]:
    """The rows as they are on a terminal, the best of each column in green."""
    from rich.text import Text

    from laconic.evaluation.columns import best, cell

    leaders = {name: best(found.rows, name) for name in names}
    for row in found.rows:
        cells: list[str | Text] = [row.model, str(row.n_components)]
        for name in names:
            leads = getattr(row, name) == leaders[name].get(row.n_components, object())
            cells.append(Text(cell(row, name), style="bold green" if leads else ""))
        yield cells


def _end(found: Comparison) -> None:
    context = click.get_current_context()
    if found.about["interrupted"]:
        messages.say("interrupted; these are the models so far")
        context.exit(INTERRUPTED)
    if all(row.error is not None for row in found.rows):
        context.exit(FAILED)
