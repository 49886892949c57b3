"""``laconic classify``: predict the classes of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    inputs_argument,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.outputs import PART_WRITERS, choose_writer, name_column, open_output
from laconic.cli.reading import read_documents
from laconic.cli.tables import Side, printable, show_facts, show_json, show_table
from laconic.wording import percent, some

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from laconic.corpus.corpus import Corpus

# Number of documents of each pair of true class (None without a label) and predicted class.
Tally = Counter[tuple[str | None, str]]
METRICS = ("precision", "recall", "f1")


@click.command(cls=Sectioned)
@click.argument("model")
@inputs_argument("input")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="Output file; its name must end in .csv, .csv.gz or .parquet. Use '-' to write CSV to "
    "standard output.  [default: -]",
)
@options(INPUT_OPTIONS, only=["format", "text", "label", "id", "encoding"])
@force_option
@quiet_option
@json_option
@debug_option
def classify(
    model: str,
    input: str | tuple[str, ...],
    output: str,
    force: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Write the predicted class of each document.

    MODEL is a classifier saved by 'laconic fit -m medstc'. INPUT is any input that 'laconic fit'
    accepts, or '-' for standard input. The words of INPUT are counted with the same settings as the
    documents to which MODEL was fitted. The result has the columns 'id', 'label' and 'margin' (the
    decision value of the predicted class). Documents without an id are numbered from 0. If --label
    names the column with the true classes, the predictions are compared with the true classes.

    \b
    laconic classify groups.model new.jsonl --text body -o classes.csv
    laconic classify groups.model test.jsonl --text body --label group > classes.csv
    """
    messages.set_verbosity(quiet, verbose=False)
    write = choose_writer(output, PART_WRITERS, force, as_json)
    from laconic.saving.models import load

    fitted = load(model)
    if not hasattr(fitted, "predict"):
        raise _not_a_classifier(model, fitted)
    read_options = {**values, "vocabulary": fitted}
    corpus = read_documents(input, read_options, keep_texts=False, defaults=False)
    tally: Tally = Counter()
    with open_output(output, force) as file:
        write(_tables(fitted, corpus.replace(texts=None, titles=None), tally), file)
    comparison = None
    if corpus.has("labels") or values["label"]:
        comparison = compare(tally, fitted.classes_)
    facts = {"documents": len(corpus), "predicted": _sizes(tally), "output": output}
    if as_json:
        show_json({**facts, "comparison": comparison})
    elif not quiet:
        if output != "-":
            show_facts(_format(facts))
        if comparison is not None:
            _show_comparison(comparison, err=output == "-")
    if output != "-":
        messages.wrote(output)


def decide(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the class number and the margin of each document, given its decision values.

    Examples
    --------
    >>> import numpy as np
    >>> [part.tolist() for part in decide(np.array([[-1.0, 2.0, -3.0], [0.5, -2.0, 0.0]]))]
    [[1, 0], [2.0, 0.5]]
    >>> [part.tolist() for part in decide(np.array([-1.5, 2.0]))]  # two classes
    [[0, 1], [1.5, 2.0]]
    """
    if values.ndim == 1:
        return (values > 0).astype(int), abs(values)
    return values.argmax(axis=1), values.max(axis=1)


def _not_a_classifier(path: str, fitted: Any) -> Exception:
    from laconic.errors import LaconicError

    name = type(fitted[-1] if hasattr(fitted, "steps") else fitted).__name__
    return LaconicError(
        f"{path}: {name} is not a classifier; fit a classifier with 'laconic fit -m medstc --label "
        "COLUMN'"
    )


def _tables(fitted: Any, corpus: Corpus, tally: Tally) -> Iterator[pl.DataFrame]:
    """Yield the table of predictions in parts, and count the pairs of true and predicted class."""
    import polars as pl

    start, has_ids = 0, corpus.has("ids")
    for part in corpus.parts():
        class_numbers, margins = decide(fitted.decision_function(part))
        labels = fitted.classes_[class_numbers].tolist()
        tally.update(
            count_pairs([None] * len(part) if part.labels is None else part.labels, labels)
        )
        names = name_column(part.ids if has_ids else None, len(part), start)
        yield pl.DataFrame([names, pl.Series("label", labels), pl.Series("margin", margins)])
        start += len(part)


def count_pairs(truth: Iterable[Any], predicted: Iterable[Any]) -> Tally:
    """Count the documents of each pair of true and predicted class."""
    return Counter(zip(map(_class_name, truth), map(str, predicted), strict=True))


def _class_name(label: Any) -> str | None:
    """Return the true class of a document, or None if the document has no label."""
    return None if label is None or label == "" or label != label else str(label)


def _sizes(tally: Tally) -> dict[str, int]:
    """Count the documents of each predicted class; the largest class comes first."""
    sizes: Counter[str] = Counter()
    for (_, predicted), size in tally.items():
        sizes[predicted] += size
    return dict(sorted(sizes.items(), key=lambda item: (-item[1], item[0])))


def _format(facts: dict[str, Any]) -> dict[str, str]:
    return {
        "documents": f"{facts['documents']:,}",
        "predicted": some(f"{name} {size:,}" for name, size in facts["predicted"].items()),
    }


# ---- predicted and true classes ----


def compare(tally: Tally, classes: np.ndarray) -> dict[str, Any]:
    """Return the accuracy on the labelled documents, and the metrics of each class."""
    import numpy as np

    pairs = [(truth, predicted) for truth, predicted in tally if truth is not None]
    sizes = np.array([tally[pair] for pair in pairs], dtype=np.int64)
    truth = np.array([pair[0] for pair in pairs], dtype=str)
    predicted = np.array([pair[1] for pair in pairs], dtype=str)
    model_classes = classes.astype(str)
    if len(pairs) and not np.isin(truth, model_classes).any():
        messages.say(
            "warning: none of the labels of these documents is a class of the model (labels: "
            f"{some(np.unique(truth))}; classes: {some(model_classes)})"
        )
    n_documents = int(sizes.sum())
    n_correct = int(sizes[truth == predicted].sum())
    return {
        "documents": n_documents,
        "accuracy": n_correct / n_documents if n_documents else None,
        "classes": _by_class(truth, predicted, sizes) if n_documents else [],
    }


def _by_class(truth: np.ndarray, predicted: np.ndarray, sizes: np.ndarray) -> list[dict[str, Any]]:
    import numpy as np
    from sklearn.metrics import precision_recall_fscore_support

    names = np.unique(truth)
    scores = precision_recall_fscore_support(
        truth, predicted, labels=names, zero_division=0.0, sample_weight=sizes
    )
    return [
        {"class": str(name), "documents": int(sizes[truth == name].sum())}
        | {metric: float(values[i]) for metric, values in zip(METRICS, scores[:3], strict=True)}
        for i, name in enumerate(names)
    ]


def _show_comparison(comparison: dict[str, Any], *, err: bool) -> None:
    """Print the accuracy and a table of the classes, on standard error if `err` is true."""
    if comparison["accuracy"] is None:
        messages.say("no document has a label, so the accuracy is unknown")
        return
    n_documents = comparison["documents"]
    click.echo(f"accuracy   {percent(comparison['accuracy'])} of {n_documents:,}", err=err)
    headings: dict[str, Side] = {"class": "left", "documents": "right"}
    headings |= dict.fromkeys(METRICS, "right")
    rows = [
        [
            printable(row["class"]),
            f"{row['documents']}",
            *(f"{row[metric]:.3f}" for metric in METRICS),
        ]
        for row in comparison["classes"]
    ]
    show_table(headings, rows, [list(headings), *rows], err=err)
