"""``laconic explore``: a page on a saved model, in the browser."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT, Sectioned, debug_option, options, quiet_option
from laconic.cli.reading import read_documents, refuse_idle_options

READ = ["format", "text", "label", "title", "id", "encoding"]


@click.command(cls=Sectioned)
@click.argument("model")
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Show these documents: anything that laconic fit takes.  [default: the documents kept "
    "with MODEL]",
)
@click.option("--compare", "other", metavar="OTHER", help="A second model to hold beside MODEL.")
@click.option("--write", is_flag=True, help="Let the page name, hide and annotate topics.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="Port to listen on, 0 for any.  [default: 8484, or the next one that is free]",
)
@click.option(
    "--browser/--no-browser",
    default=True,
    help="Whether to open a browser.  [default: browser, where there is a screen]",
)
@options(INPUT, only=READ)
@quiet_option
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
    """Open a page on a saved model: topics, documents, words.

    The page shows what the collection is about, what a topic means, what a document is about and
    why, and what a word means where; it finds documents and compares models. It is served on this
    machine only, needs no internet, and is there until Ctrl-C. Names, notes and hidden topics are
    kept in MODEL, if --write allows it.

    \b
    laconic explore posts.model
    laconic explore posts.model --write --port 9000 --no-browser
    laconic explore posts.model --compare other.model
    laconic explore posts.model --corpus newer.jsonl --text body --label group
    """
    messages.set_verbosity(quiet, False)
    if messages.debugging(click.get_current_context()):
        logging.getLogger("laconic.web").addHandler(logging.StreamHandler())  # with tracebacks
    refuse_idle_options(corpus, values)
    from laconic.extras import require_web
    from laconic.web.server.ports import listen

    require_web()
    with listen(port) as listener:  # a port that is taken shows before anything is read
        _begin_packing()
        from laconic.web.server.serving import serve

        material = _material(model, corpus, other, write, values)
        serve(material, browser=browser, listener=listener, announce=_announce)
    _end()


def _begin_packing() -> None:
    """Let another process pack the drawing program while this one reads the model."""
    from laconic.web.server.static_files import PROGRAM

    PROGRAM.start()


def _material(
    model: str, corpus: str | None, other: str | None, write: bool, values: dict[str, Any]
) -> Any:
    """All that the page looks at."""
    from laconic import load
    from laconic.saving.notes import SharedNotes
    from laconic.web.page_data import PageData

    place = SharedNotes(Path(model))
    with messages.working(f"Loading {model}"):
        fitted = load(model)
        beside = None if other is None else load(other)
    documents = None
    if corpus is not None:
        given = {**values, "vocabulary": fitted}
        documents = read_documents(corpus, given, keep_texts=True, defaults=False)
    return PageData.of(
        fitted,
        documents,
        title=_title(model),
        other=beside,
        other_title=None if other is None else _title(other),
        place=place,
        write=write,
    )


def _end() -> None:
    """End at once, also in the midst of an answer that nobody waits for any more."""
    from laconic.web.server.workers import at_work

    if at_work():
        sys.stderr.flush()
        os._exit(0)


def _title(path: str) -> str:
    """The name of a folder, however it was given."""
    return os.path.basename(os.path.abspath(path))


def _announce(url: str) -> None:
    messages.say(f"the explorer is at {url} (Ctrl-C ends it)")
