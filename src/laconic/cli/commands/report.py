"""``laconic report``: write an HTML report on a saved model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    NOUN_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.output_paths import check_new_file, default_output
from laconic.cli.param_types import NON_NEGATIVE_INT
from laconic.cli.reading import read_documents, reject_unused_options
from laconic.cli.tables import show_json

EVERYDAY = (
    "path", "n_documents", "heading", "corpus", "text", "label", "title", "terms", "items", "force",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY)
@click.argument("model")
@click.option(
    "-o",
    "--output",
    "path",
    metavar="FILE",
    help="Output file; its name must end in .html.  [default: the name of MODEL, ending in .html]",
)
@click.option(
    "-n",
    "--documents",
    "n_documents",
    type=NON_NEGATIVE_INT,
    default=5,
    show_default=True,
    help="Maximum number of documents to show per topic, 0 to 100.",
)
@click.option(
    "--heading", metavar="TEXT", help="Title of the report.  [default: the name of MODEL]"
)
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Documents to show: any input that 'laconic fit' accepts.  [default: the documents saved "
    "with MODEL]",
)
@options(INPUT_OPTIONS, only=["format", "text", "label", "title", "id", "encoding"])
@options(NOUN_OPTIONS)
@force_option
@quiet_option
@json_option
@debug_option
def report(
    model: str,
    path: str | None,
    n_documents: int,
    heading: str | None,
    corpus: str | None,
    terms: str | None,
    items: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Write an HTML report on a saved model, to send or print.

    The report has a map and a table of the topics, and charts. For each topic, the report shows the
    words, the top documents with the words of the topic highlighted, and related topics. At the
    end, there are an index of words and the settings of the fit. The report is a single file that
    opens without an internet connection. Topic names and notes from the explorer are shown, and
    topics hidden in the explorer are left out.

    \b
    laconic report posts.model
    laconic report posts.model -o customers.html -n 2 --heading "What our customers write"
    laconic report posts.model --corpus posts.jsonl --text body --label group
    laconic report cells.model --terms genes --items samples
    """
    messages.set_verbosity(quiet, False)
    reject_unused_options(corpus, values)
    path = path or default_output(model, ".html")
    check_new_file(path, force)
    from laconic import load
    from laconic.web.report.write import check_settings, page_data_of, write_report

    check_settings(path, n_documents, force)
    documents = None
    if corpus is not None:
        read_options = {**values, "vocabulary": load(model)}
        documents = read_documents(corpus, read_options, keep_texts=True, defaults=False)
    with messages.working("Writing the report") as status:
        progress = None if status is None else partial(_show_progress, status)
        page_data = page_data_of(model, documents, terms=terms, items=items)
        written = write_report(page_data, path, n_documents, heading, force, progress)
    if as_json:
        n_bytes = Path(written).stat().st_size
        show_json({"model": model, "report": str(written), "bytes": n_bytes})
    messages.wrote(written)


def _show_progress(status: Any, done: int, total: int) -> None:
    """Update the status line with the number of topics written so far."""
    status.update(f"Writing the report: {done:,} of {total:,} topics …")
