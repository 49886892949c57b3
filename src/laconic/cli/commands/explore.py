"""``laconic explore``: explore a saved model in the browser."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    options,
    quiet_option_without_json,
)
from laconic.cli.reading import read_documents, reject_unused_options

READ_OPTIONS = ["format", "text", "label", "title", "id", "encoding"]


EVERYDAY = (
    "corpus", "other", "write", "port", "browser", "text", "label", "title",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY)
@click.argument("model")
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Documents to show: any input that 'laconic fit' accepts.  [default: the documents saved "
    "with MODEL]",
)
@click.option(
    "--compare",
    "other",
    metavar="MODEL",
    help="Another saved model, shown side by side with MODEL.",
)
@click.option(
    "--write", is_flag=True, help="Allow users of the explorer to name, hide and annotate topics."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="Port to listen on, or 0 for any free port.  [default: 8484, or the next free port]",
)
@click.option(
    "--browser/--no-browser",
    default=True,
    help="Whether to open a browser.  [default: browser, if there is a display]",
)
@options(INPUT_OPTIONS, only=READ_OPTIONS)
@quiet_option_without_json
@debug_option
def explore(
    model: str,
    corpus: str | None,
    other: str | None,
    write: bool,
    port: int | None,
    browser: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Explore a saved model in the browser: topics, documents, words.

    The explorer shows an overview of the documents, the words and documents of each topic, the
    topics of each word in a document, and the senses of a word. The explorer can also search the
    documents, and show a second model side by side with MODEL. The server listens on this machine
    only, needs no internet connection, and runs until Ctrl-C is pressed. With --write, the names
    and notes that users give to topics, and the choice of hidden topics, are saved in MODEL.

    \b
    laconic explore posts.model
    laconic explore posts.model --write --port 9000 --no-browser
    laconic explore posts.model --compare other.model
    laconic explore posts.model --corpus newer.jsonl --text body --label group
    """
    messages.set_verbosity(quiet, False)
    if messages.debugging(click.get_current_context()):
        logging.getLogger("laconic.web").addHandler(logging.StreamHandler())  # prints tracebacks
    reject_unused_options(corpus, values)
    from laconic.extras import require_web
    from laconic.web.server.ports import listen

    require_web()
    with listen(port) as listener:  # Report a port in use before anything is read.
        _start_compression()
        from laconic.web.server.serving import serve

        page_data = _page_data(model, corpus, other, write, values)
        serve(page_data, browser=browser, listener=listener, announce=_announce)
    _exit()


def _start_compression() -> None:
    """Compress the chart library in another process while the model is read."""
    from laconic.web.server.static_files import PROGRAM

    PROGRAM.start()


def _page_data(
    model: str, corpus: str | None, other: str | None, write: bool, values: dict[str, Any]
) -> Any:
    """Load everything that the explorer shows."""
    from laconic import load
    from laconic.saving.notes import SharedNotes
    from laconic.web.page_data import PageData

    notes = SharedNotes(Path(model))
    with messages.working(f"Loading {model}"):
        fitted = load(model)
        other_model = None if other is None else load(other)
    documents = None
    if corpus is not None:
        read_options = {**values, "vocabulary": fitted}
        documents = read_documents(corpus, read_options, keep_texts=True, defaults=False)
    return PageData.of(
        fitted,
        documents,
        title=_title(model),
        other=other_model,
        other_title=None if other is None else _title(other),
        place=notes,
        write=write,
    )


def _exit() -> None:
    """Exit at once, even if a worker is still computing a response."""
    from laconic.web.server.workers import at_work

    if at_work():
        sys.stderr.flush()
        os._exit(0)


def _title(path: str) -> str:
    """Return the name of a folder, even if its path is "." or ends with a slash."""
    return os.path.basename(os.path.abspath(path))


def _announce(url: str) -> None:
    messages.say(f"the explorer is running at {url} (stop it with Ctrl-C)")
