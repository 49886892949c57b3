"""``laconic evaluate``: a saved model and documents in, its measures out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT,
    Sectioned,
    debug_option,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.param_types import POSITIVE, SEED, Names
from laconic.cli.reading import read_documents
from laconic.cli.tables import show_json, show_table

if TYPE_CHECKING:
    from laconic.evaluation.evaluate import Evaluation


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("corpus")
@click.option(
    "--metrics",
    type=Names("laconic.metrics:METRICS"),
    metavar="NAME,…",
    help="Which measures: npmi, c_v, diversity, redundancy, topic_zeros, document_zeros, "
    "word_zeros, perplexity, reconstruction, accuracy, neighbours; stability and bootstrap (fit "
    "the model four more times, with other seeds or documents), subspace (with --against).  "
    "[default: all that apply but stability and bootstrap]",
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
@click.option(
    "--against", metavar="MODEL", help="Another saved model, to measure the distance of topics."
)
@click.option(
    "--seed",
    "random_state",
    type=SEED,
    default=0,
    show_default=True,
    help="For the words held out, the folds and the refits.",
)
@options(INPUT, only=["format", "text", "label", "title", "id", "encoding"])
@quiet_option
@json_option
@debug_option
def evaluate(
    model: str,
    corpus: str,
    metrics: list[str] | None,
    n_words: int,
    against: str | None,
    random_state: int,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Measure how good a saved model is on documents.

    MODEL is what laconic fit saved. CORPUS is anything that laconic fit takes, - for standard
    input, or pydocs for the built-in corpus; its words are counted as they were for the fit. How
    well a model predicts and classifies is best measured on documents that it was not fitted to.
    Accuracy and neighbours need the class of each document (--label). In a pipe each line has the
    name of a measure, its value and which end is better, separated by tabs.

    \b
    laconic evaluate posts.model test.jsonl --text body --label group
    laconic evaluate posts.model test.jsonl --metrics npmi,diversity,stability --json
    """
    messages.set_verbosity(quiet, verbose=False)
    from laconic.evaluation.evaluate import evaluate as measures_of
    from laconic.saving.models import load

    fitted = load(model)
    reference = None if against is None else load(against)
    given = {**values, "vocabulary": fitted}
    documents = read_documents(corpus, given, keep_texts=True, defaults=False)
    with messages.working(f"Measuring {model}"):
        found = measures_of(
            fitted,
            documents,
            metrics,
            n_words=n_words,
            reference=reference,
            random_state=random_state,
        )
    if as_json:
        show_json(
            {
                "model": model,
                "corpus": corpus,
                "documents": len(documents),
                "measures": {name: finite(value) for name, value in found.items()},
                "left_out": found.left_out,
            }
        )
    elif not quiet:
        _show(found)


def finite(value: float | None) -> float | str | None:
    """A number that JSON can hold: an infinite one is a word."""
    return "inf" if value == float("inf") else value


def _show(found: Evaluation) -> None:
    rows = found.table()
    show_table(
        {"measure": "left", "value": "right", "better": "left", "what it says": "left"},
        rows,
        ([name, f"{found[name]:.6g}", better] for name, _, better, _ in rows),
    )
    if sys.stdout.isatty():
        for name, reason in found.left_out.items():
            messages.hint(f"{name}: {reason}")
