"""``laconic classify``: documents in, their classes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from laconic.cli.outputs import TABLE_WRITERS, choose_writer, name_column, open_output
from laconic.cli.reading import read_documents
from laconic.cli.tables import Side, printable, show_facts, show_json, show_table
from laconic.wording import percent, some

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

MEASURES = ("precision", "recall", "f1")


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("input")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="Where to write: a name that ends in .csv, .csv.gz or .parquet, or - for CSV on standard "
    "output.  [default: -]",
)
@options(INPUT, only=["format", "text", "label", "id", "encoding"])
@force_option
@quiet_option
@json_option
@debug_option
def classify(
    model: str, input: str, output: str, force: bool, quiet: bool, as_json: bool, **values: Any
) -> None:
    """Write the class of each document.

    MODEL is one that learned classes: laconic fit -m medstc. INPUT is anything that laconic fit
    takes, or - for standard input; its words are counted as they were for the fit. The result has
    the columns id, label and margin, which says how far the document lies on the side of its class;
    a document without an id goes by its position, counted from 0. Where INPUT has classes of its
    own, as with --label, both are compared.

    \b
    laconic classify groups.model new.jsonl --text body -o classes.csv
    laconic classify groups.model test.jsonl --text body --label group > classes.csv
    """
    messages.set_verbosity(quiet, verbose=False)
    write = choose_writer(output, TABLE_WRITERS, force, as_json)
    from laconic.saving.models import load

    fitted = load(model)
    if not hasattr(fitted, "predict"):
        raise _no_classifier(model, fitted)
    given = {**values, "vocabulary": fitted}
    corpus = read_documents(input, given, keep_texts=False, defaults=False)
    numbers, margins = decide(fitted.decision_function(corpus))
    labels = fitted.classes_[numbers]
    with open_output(output, force) as file:
        write(_table(name_column(corpus.ids, len(corpus)), labels, margins), file)
    comparison = None
    if corpus.labels is not None or values["label"]:
        comparison = compare(corpus.labels, labels, fitted.classes_)
    facts = {"documents": len(corpus), "predicted": _sizes(labels), "output": output}
    if as_json:
        show_json({**facts, "comparison": comparison})
    elif not quiet:
        if output != "-":
            show_facts(_in_words(facts))
        if comparison is not None:
            _show_comparison(comparison, err=output == "-")


def decide(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of the class of each document, and its value, from what `decision_function` gives.

    Examples
    --------
    >>> import numpy as np
    >>> [part.tolist() for part in decide(np.array([[-1.0, 2.0, -3.0], [0.5, -2.0, 0.0]]))]
    [[1, 0], [2.0, 0.5]]
    >>> [part.tolist() for part in decide(np.array([-1.5, 2.0]))]  # of two classes
    [[0, 1], [1.5, 2.0]]
    """
    if values.ndim == 1:
        return (values > 0).astype(int), abs(values)
    return values.argmax(axis=1), values.max(axis=1)


def _no_classifier(path: str, fitted: Any) -> Exception:
    from laconic.errors import LaconicError

    name = type(fitted[-1] if hasattr(fitted, "steps") else fitted).__name__
    return LaconicError(
        f"{path}: {name} has no classes; fit a model that learns them: laconic fit -m medstc "
        "--label COLUMN"
    )


def _table(names: pl.Series, labels: np.ndarray, margins: np.ndarray) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([names, pl.Series("label", labels.tolist()), pl.Series("margin", margins)])


def _sizes(labels: np.ndarray) -> dict[str, int]:
    """How many documents got each class, the largest first."""
    import numpy as np

    classes, sizes = np.unique(labels, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    return {str(classes[i]): int(sizes[i]) for i in order}


def _in_words(facts: dict[str, Any]) -> dict[str, str]:
    return {
        "documents": f"{facts['documents']:,}",
        "predicted": some(f"{name} {size:,}" for name, size in facts["predicted"].items()),
        "saved": facts["output"],
    }


# ---- classes that were predicted beside those that are known ----


def compare(truth: np.ndarray | None, predicted: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    """Accuracy over the documents whose class is known, and the measures of each class."""
    import numpy as np

    if truth is None:
        truth = np.full(len(predicted), None)
    known = np.array([not (label is None or label == "" or label != label) for label in truth])
    right, guessed = truth[known].astype(str), predicted[known].astype(str)
    learned = classes.astype(str)
    if len(right) and not np.isin(right, learned).any():
        messages.say(
            f"warning: the model has no class of these documents ({some(np.unique(right))}); it "
            f"has {some(learned)}"
        )
    return {
        "documents": len(right),
        "accuracy": float(np.mean(right == guessed)) if len(right) else None,
        "classes": _by_class(right, guessed) if len(right) else [],
    }


def _by_class(right: np.ndarray, guessed: np.ndarray) -> list[dict[str, Any]]:
    import numpy as np
    from sklearn.metrics import precision_recall_fscore_support

    names, sizes = np.unique(right, return_counts=True)
    measures = precision_recall_fscore_support(right, guessed, labels=names, zero_division=0.0)
    return [
        {"class": str(name), "documents": int(size)}
        | {
            measure: float(values[i])
            for measure, values in zip(MEASURES, measures[:3], strict=True)
        }
        for i, (name, size) in enumerate(zip(names, sizes, strict=True))
    ]


def _show_comparison(comparison: dict[str, Any], *, err: bool) -> None:
    """A line with the accuracy, and a table of the classes; on standard error with `err`."""
    if comparison["accuracy"] is None:
        messages.say("no document has a class to compare with")
        return
    n_documents = comparison["documents"]
    click.echo(f"accuracy   {percent(comparison['accuracy'])} of {n_documents:,}", err=err)
    headings: dict[str, Side] = {"class": "left", "documents": "right"}
    headings |= dict.fromkeys(MEASURES, "right")
    rows = [
        [
            printable(row["class"]),
            f"{row['documents']}",
            *(f"{row[measure]:.3f}" for measure in MEASURES),
        ]
        for row in comparison["classes"]
    ]
    show_table(headings, rows, [list(headings), *rows], err=err)
