"""Classes that were predicted beside those that are known."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.tables import Side, draw_table, printable
from laconic.wording import percent, some

if TYPE_CHECKING:
    import numpy as np

MEASURES = ("precision", "recall", "f1")


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


def show_comparison(comparison: dict[str, Any], *, err: bool) -> None:
    """A line with the accuracy, and a table of the classes; on standard error with `err`."""
    if comparison["accuracy"] is None:
        messages.say("no document has a class to compare with")
        return
    n_documents = comparison["documents"]
    click.echo(f"accuracy   {percent(comparison['accuracy'])} of {n_documents:,}", err=err)
    headings = ("class", "documents", *MEASURES)
    rows = [
        [
            printable(row["class"]),
            f"{row['documents']}",
            *(f"{row[measure]:.3f}" for measure in MEASURES),
        ]
        for row in comparison["classes"]
    ]
    if (sys.stderr if err else sys.stdout).isatty():
        from rich.text import Text

        sides: dict[str, Side] = dict.fromkeys(headings, "right")
        sides["class"] = "left"
        draw_table(sides, [[Text(cell) for cell in row] for row in rows], err=err)
    else:
        for row in [list(headings), *rows]:
            click.echo("\t".join(row), err=err)
