"""``laconic demo``: fit the built-in corpus and show its topics."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import debug_option, force_option, json_option, quiet_option
from laconic.cli.param_types import POSITIVE_INT
from laconic.cli.tables import show_json, show_topics, topic_rows
from laconic.files.atomic_folder import check_folder

WORDS_SHOWN = 8
EXAMPLE = "scipy.stats._stats_py.zscore"  # document in the hints, if the corpus contains it


@click.command()
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="pydocs.model",
    show_default=True,
    help="Folder in which to save the model. The model of an earlier demo is overwritten.",
)
@click.option(
    "-k",
    "--topics",
    "n_components",
    type=POSITIVE_INT,
    default=40,
    show_default=True,
    help="Number of topics.",
)
@force_option
@quiet_option
@json_option
@debug_option
def demo(output: str, n_components: int, force: bool, quiet: bool, as_json: bool) -> None:
    """Fit the built-in corpus and show its topics.

    The corpus consists of the docstrings of the installed Python, numpy, scipy and scikit-learn,
    about 13,000 documents. The first run takes about ten seconds longer, because the docstrings
    must be collected first.
    """
    level = messages.set_verbosity(quiet, verbose=False)
    force = force or _is_demo_model(output)
    check_folder(output, force)
    from laconic import datasets
    from laconic.fitted.topics import topics
    from laconic.models.pipeline import pipeline
    from laconic.retrieval.search import search
    from laconic.saving.models import save

    corpus = datasets.load_pydocs(verbose=False if quiet else None)
    started = time.monotonic()
    model = pipeline("sc", n_components=n_components, verbose=level).fit(corpus)
    seconds = time.monotonic() - started
    model.set_params(model__verbose=0)
    save(model, output, force=force, index=search(model, corpus))
    rows = topic_rows(topics(model, WORDS_SHOWN))
    if as_json:
        show_json(
            {
                "documents": len(corpus),
                "words": corpus.shape[1],
                "seconds": round(seconds, 2),
                "output": output,
                "topics": rows,
            }
        )
    elif not quiet:
        show_topics(rows)
        messages.hint(
            f"{len(corpus):,} docstrings, {corpus.shape[1]:,} different words: {len(rows)} topics "
            f"in {seconds:.1f} seconds"
        )
    messages.wrote(output)
    if not as_json and not quiet:
        has_example = corpus.titles is not None and EXAMPLE in corpus.titles
        example = EXAMPLE if has_example else _top_document(output, rows[0]["topic"])
        messages.hint(*_next_commands(output, example))


def _top_document(path: str, topic: int) -> str:
    from laconic.fitted.similar_documents import top_documents
    from laconic.saving.models import load

    return str(top_documents(load(path), topic, n=1)["id"][0])


def _is_demo_model(path: str) -> bool:
    """Return whether `path` is a model of this demo, whose words were counted with `SETTINGS`."""
    from laconic import describe
    from laconic.datasets import SETTINGS
    from laconic.errors import LaconicError

    if not (Path(path) / "model.json").is_file():
        return False
    try:
        settings: dict[str, Any] = describe(path).get("steps", {}).get("text", {})
    except LaconicError:
        return False
    return all(settings.get(name) == value for name, value in SETTINGS.items())


def _next_commands(output: str, example: str) -> tuple[str, ...]:
    path, program = shlex.quote(output), messages.program()
    commands = {
        f"{program} explore {path}": "explore the model in your browser",
        f"{program} topics {path} -n 20": "show more words of each topic",
        f"{program} similar {path} {shlex.quote(example)}": "find similar documents",
        f"{program} search {path} sort a sparse array": "search the documents",
        f"{program} info {path}": "describe the model",
        f"echo 'sort a sparse array' | {program} transform {path} -": "show the topic weights of "
        "a text",
        f"{program} fit YOUR_FILE": "fit a model to your documents",
    }
    width = max(map(len, commands))
    return (
        "",
        "Next:",
        *(f"  {command:<{width}}  {purpose}" for command, purpose in commands.items()),
    )
