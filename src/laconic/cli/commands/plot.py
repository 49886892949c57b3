"""``laconic plot``: a saved model in, a picture out."""

from __future__ import annotations

from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import INPUT, Sectioned, debug_option, force_option, options, quiet_option
from laconic.cli.param_types import SEED, AtLeast, Known
from laconic.cli.reading import read_documents, refuse_idle_options
from laconic.cli.tables import show_facts
from laconic.files.atomic_file import check_file

GIVEN_BY = {  # argument of a chart -> option
    "topics": "--topic",
    "word": "--word",
    "corpus": "--corpus",
    "random_state": "--seed",
}


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument(
    "chart", metavar="[CHART]", required=False, type=Known("laconic.plots:CHARTS", "chart")
)
@click.option(
    "-o", "--output", metavar="FILE", help="Where to draw it: FILE.svg, FILE.png or FILE.html."
)
@click.option(
    "--topic",
    "topics",
    type=AtLeast(int, 0),
    multiple=True,
    help="Number of a topic to draw or, on the map and the graph, to point out; may be repeated.",
)
@click.option("--word", metavar="WORD", help="The word whose topics senses draws.")
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Documents for groups, path and singular-values: anything that laconic fit takes."
    "  [default for groups: the documents kept with MODEL]",
)
@click.option("--seed", "random_state", type=SEED, help="Seed of map and path.  [default: 0]")
@click.option("--dark", is_flag=True, help="Draw light on dark ground.")
@options(INPUT, only=["format", "text", "label", "title", "id", "encoding"])
@force_option
@quiet_option
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
    force: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Draw a saved model as a picture.

    Without CHART it lists the charts that MODEL has. The chart speed takes, instead of a model, a
    file with what laconic compare --json printed. A page (FILE.html) shows more where the pointer
    is, and needs no network.

    \b
    laconic plot posts.model
    laconic plot posts.model map -o map.svg
    laconic plot posts.model words --topic 3 --topic 7 -o words.png
    laconic plot posts.model path --corpus posts.jsonl --text body -o path.html
    """
    messages.set_verbosity(quiet, False)
    if chart is None:
        _list(model)
        return
    given: dict[str, Any] = {
        "topics": list(topics) or None,
        "word": word,
        "corpus": corpus,
        "random_state": random_state,
    }
    _check(chart, given)
    refuse_idle_options(corpus, values)
    _check_output(output, force)
    assert output is not None
    from laconic.plots import CHARTS, write_chart

    subject = _subject(model, chart)
    if corpus is not None:
        reading = {**values, "vocabulary": subject}
        given["corpus"] = read_documents(corpus, reading, keep_texts=False, defaults=False)
    named = {name: value for name, value in given.items() if value is not None}
    with messages.working(f"Drawing {chart}"):
        drawn = CHARTS[chart].draw(subject, **named)
        write_chart(drawn, output, title=f"{model}: {chart}", dark=dark, force=force)
    messages.hint(f"The chart is {output}.")


def _list(model: str) -> None:
    """The charts that a model has, and those that it has with something more."""
    from laconic import load
    from laconic.plots import CHARTS, applicable

    facts = {}
    for name in applicable(load(model), having=tuple(GIVEN_BY)):
        needed = [GIVEN_BY[part] for part in CHARTS[name].needs]
        more = f" Needs {' and '.join(needed)}." if needed else ""
        facts[name] = CHARTS[name].about + more
    show_facts(facts)


def _check(chart: str, given: dict[str, Any]) -> None:
    """Refuse what a chart lacks, and what it has no use for."""
    from laconic.plots import CHARTS

    kind = CHARTS[chart]
    for name, option in GIVEN_BY.items():
        if name in kind.needs and given[name] is None:
            raise click.UsageError(f"The chart {chart} needs {option}.")
        if name not in (*kind.needs, *kind.takes) and given[name] is not None:
            raise click.UsageError(f"The chart {chart} has no use for {option}; leave it out.")


def _check_output(output: str | None, force: bool) -> None:
    """Complain before the work begins."""
    if output is None:
        raise click.UsageError("Say where to draw it with -o FILE.svg, FILE.png or FILE.html.")
    from laconic.extras import require
    from laconic.plots.files import ending_of

    ending_of(output)
    check_file(output, force)
    require("altair")
    require("vl_convert")


def _subject(path: str, chart: str) -> Any:
    """What is drawn: a model, or a comparison of several."""
    if chart == "speed":
        from laconic.plots.comparison import read_comparison

        return read_comparison(path)
    from laconic import load

    return load(path)
