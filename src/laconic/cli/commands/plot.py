"""``laconic plot``: draw a chart of a saved model."""

from __future__ import annotations

from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    NOUN_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    options,
    quiet_option_without_json,
)
from laconic.cli.output_paths import check_new_file
from laconic.cli.param_types import NON_NEGATIVE_INT, SEED, RegistryChoice
from laconic.cli.reading import read_documents, reject_unused_options
from laconic.cli.tables import show_facts

OPTION_OF_ARGUMENT = {  # maps arguments of chart functions to options
    "topics": "--topic",
    "word": "--word",
    "corpus": "--corpus",
    "random_state": "--seed",
}


EVERYDAY = (
    "output", "topics", "word", "corpus", "dark", "text", "label", "terms", "items", "force",
)  # fmt: skip


@click.command(cls=Sectioned, everyday=EVERYDAY)
@click.argument("model")
@click.argument(
    "chart", metavar="[CHART]", required=False, type=RegistryChoice("laconic.plots:CHARTS", "chart")
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Output file; its name must end in .html, .svg, .png or .pdf.",
)
@click.option(
    "--topic",
    "topics",
    type=NON_NEGATIVE_INT,
    multiple=True,
    help="Number of a topic to draw or, in the charts 'map' and 'graph', to highlight. This option "
    "may be repeated.",
)
@click.option("--word", metavar="WORD", help="Word whose senses the chart 'senses' shows.")
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Documents for the charts 'groups', 'path' and 'singular-values': any input that 'laconic "
    "fit' accepts.  [default for 'groups': the documents saved with MODEL]",
)
@click.option(
    "--seed",
    "random_state",
    type=SEED,
    metavar="N",
    help="Random seed for the charts 'map' and 'path'.  [default: 0]",
)
@click.option("--dark", is_flag=True, help="Use a dark background.")
@options(INPUT_OPTIONS, only=["format", "text", "label", "title", "id", "encoding"])
@options(NOUN_OPTIONS)
@force_option
@quiet_option_without_json
@debug_option
def plot(
    model: str,
    chart: str | None,
    output: str | None,
    topics: tuple[int, ...],
    word: str | None,
    corpus: str | None,
    random_state: int | None,
    dark: bool,
    terms: str | None,
    items: str | None,
    force: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Draw a chart of a saved model.

    Without CHART, the command lists the charts available for MODEL. For the chart 'speed', MODEL is
    a file with the output of 'laconic compare --json'. Charts in .html files have tooltips and need
    no internet connection.

    \b
    laconic plot posts.model
    laconic plot posts.model map -o map.svg
    laconic plot posts.model words --topic 3 --topic 7 -o words.png
    laconic plot posts.model path --corpus posts.jsonl --text body -o path.html
    """
    messages.set_verbosity(quiet, False)
    if chart is None:
        _list_charts(model)
        return
    arguments: dict[str, Any] = {
        "topics": list(topics) or None,
        "word": word,
        "corpus": corpus,
        "random_state": random_state,
    }
    _check_arguments(chart, arguments)
    reject_unused_options(corpus, values)
    _check_output(output, force)
    assert output is not None
    from laconic.plots import CHARTS, write_chart

    subject = _subject(model, chart, terms, items)
    if corpus is not None:
        read_options = {**values, "vocabulary": subject}
        documents = read_documents(corpus, read_options, keep_texts=False, defaults=False)
        arguments["corpus"] = documents
    set_arguments = {name: value for name, value in arguments.items() if value is not None}
    with messages.working(f"Drawing {chart}"):
        drawing = CHARTS[chart].draw(subject, **set_arguments)
        write_chart(drawing, output, title=f"{model}: {chart}", dark=dark, force=force)
    messages.wrote(output)


def _list_charts(model: str) -> None:
    """Print the charts that can be drawn for a model, with the options that each chart needs."""
    from laconic import load
    from laconic.plots import CHARTS, applicable

    facts = {}
    for name in applicable(load(model), having=tuple(OPTION_OF_ARGUMENT)):
        required = [OPTION_OF_ARGUMENT[part] for part in CHARTS[name].needs]
        more = f" Needs {' and '.join(required)}." if required else ""
        facts[name] = CHARTS[name].about + more
    show_facts(facts)


def _check_arguments(chart: str, arguments: dict[str, Any]) -> None:
    """Raise if the chart needs an argument that is missing, or does not use one that is set."""
    from laconic.plots import CHARTS

    kind = CHARTS[chart]
    for name, option in OPTION_OF_ARGUMENT.items():
        if name in kind.needs and arguments[name] is None:
            raise click.UsageError(f"The chart {chart!r} needs {option}.")
        if name not in (*kind.needs, *kind.takes) and arguments[name] is not None:
            raise click.UsageError(f"The chart {chart!r} does not use {option}; omit {option}.")


def _check_output(output: str | None, force: bool) -> None:
    """Raise if the output cannot be written; called before any other work."""
    if output is None:
        raise click.UsageError(
            "Set the output file with -o; its name must end in .html, .svg, .png or .pdf."
        )
    from laconic.extras import require
    from laconic.plots.files import ending_of

    ending_of(output)
    check_new_file(output, force)
    require("altair")
    require("vl_convert")


def _subject(path: str, chart: str, terms: str | None, items: str | None) -> Any:
    """Load the saved model or, for the chart 'speed', the saved comparison."""
    if chart == "speed":
        from laconic.plots.comparison import read_comparison

        return read_comparison(path)
    from laconic import load, with_nouns

    return with_nouns(load(path), terms, items)
