"""``laconic report``: a saved model as one page to send or print."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT,
    Sectioned,
    debug_option,
    force_option,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.param_types import AtLeast
from laconic.cli.reading import read_documents, refuse_idle_options
from laconic.cli.tables import show_json
from laconic.files.atomic_file import check_file


@click.command(cls=Sectioned)
@click.argument("model")
@click.option(
    "-o",
    "--output",
    "path",
    metavar="FILE",
    default="report.html",
    show_default=True,
    help="The page to write.",
)
@click.option(
    "--documents",
    "n_documents",
    type=AtLeast(int, 0),
    default=5,
    show_default=True,
    help="Most documents to show for a topic, up to 100; 0 for none.",
)
@click.option("--heading", metavar="TEXT", help="Title of the page.  [default: the name of MODEL]")
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Show these documents: anything that laconic fit takes.  [default: the documents kept "
    "with MODEL]",
)
@options(INPUT, only=["format", "text", "label", "title", "id", "encoding"])
@force_option
@quiet_option
@json_option
@debug_option
def report(
    model: str,
    path: str,
    n_documents: int,
    heading: str | None,
    corpus: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Write a saved model as one page to send or print.

    The page holds a map of the topics, a table of them, pictures, and for each topic its words,
    its best documents with its words marked, and its relatives; at the end an index of words and
    how the model was fitted. It is one file that opens from disk, without a network. Topics that
    are hidden in the explorer are left out, names and notes are shown.

    \b
    laconic report posts.model -o posts.html
    laconic report posts.model --documents 2 --heading "What our customers write"
    laconic report posts.model --corpus posts.jsonl --text body --label group
    """
    messages.set_verbosity(quiet, False)
    refuse_idle_options(corpus, values)
    check_file(path, force)
    from laconic import load
    from laconic.web.report.write import check_settings, material_of, write_report

    check_settings(path, n_documents, force)
    documents = None
    if corpus is not None:
        given = {**values, "vocabulary": load(model)}
        documents = read_documents(corpus, given, keep_texts=True, defaults=False)
    with messages.working("Drawing the report") as status:
        progress = None if status is None else partial(_show, status)
        material = material_of(model, documents)
        written = write_report(material, path, n_documents, heading, force, progress)
    size = Path(written).stat().st_size
    if as_json:
        show_json({"model": model, "report": str(written), "bytes": size})
    else:
        messages.hint(f"Wrote {shlex.quote(str(written))}, {_size(size)}.")


def _show(status: Any, done: int, total: int) -> None:
    """How far it is, on a terminal."""
    status.update(f"Drawing the report: {done:,} of {total:,} topics …")


def _size(n_bytes: int) -> str:
    """A size for people.

    Examples
    --------
    >>> _size(412_345), _size(2_345_678)
    ('412 kB', '2.3 MB')
    """
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{max(1, round(n_bytes / 1e3))} kB"
