"""``laconic evaluate``: compute metrics of a saved model on documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    json_option,
    options,
    quiet_option,
)
from laconic.cli.param_types import NON_NEGATIVE_INT, POSITIVE_INT, SEED, RegistryChoices
from laconic.cli.source_column import read_with_source
from laconic.cli.tables import show_json, show_table, topic_label, topic_rows

if TYPE_CHECKING:
    from laconic.evaluation.evaluate import Evaluation


EVERYDAY = ("metrics", "n_words", "text", "label", "source", "against", "as_json")


@click.command(cls=Sectioned, everyday=EVERYDAY)
@click.argument("model")
@click.argument("corpus", metavar="[INPUT]", required=False)
@click.option(
    "--metrics",
    type=RegistryChoices("laconic.metrics:METRICS"),
    metavar="NAME,…",
    help="Metrics to compute: npmi, c_v, diversity, redundancy, support, weak_topics, topic_zeros, "
    "effective_dimension, document_zeros, topics_per_document, word_zeros, perplexity, "
    "reconstruction, accuracy, neighbours, lone_topics (needs --source), npmi_sources (needs "
    "--source), stability (refits the model four times with other seeds), bootstrap (refits the "
    "model four times to resampled documents) or subspace (needs --against).  "
    "[default: all metrics that can be computed, except effective_dimension, "
    "stability and bootstrap]",
)
@click.option(
    "-n",
    "--words",
    "n_words",
    type=POSITIVE_INT,
    default=10,
    show_default=True,
    help="Number of top words per topic that the metrics use.",
)
@click.option(
    "--against",
    metavar="MODEL",
    help="Another saved model, which the metric 'subspace' compares with MODEL.",
)
@click.option(
    "--source",
    metavar="COLUMN",
    help="Column with the source of each document, such as its author, for the metrics "
    "'lone_topics' and 'npmi_sources'.",
)
@click.option(
    "--max-documents",
    type=NON_NEGATIVE_INT,
    metavar="N",
    default=20_000,
    show_default=True,
    help="Maximum number of documents for perplexity, accuracy, neighbours and bootstrap. If there "
    "are more, these metrics are estimated from a random sample, with a standard error. 0 means "
    "all documents.",
)
@click.option(
    "--seed",
    "random_state",
    type=SEED,
    metavar="N",
    default=0,
    show_default=True,
    help="Random seed for held-out words, cross-validation folds and refits.",
)
@click.option(
    "--per-topic",
    is_flag=True,
    help="Show how stable each topic is, instead of metrics: how well four refits to resampled "
    "documents find it again, from 0 to 1.",
)
@click.option(
    "--save", is_flag=True, help="Save the result of --per-topic in MODEL, to be shown with topics."
)
@options(INPUT_OPTIONS, only=["format", "text", "label", "title", "id", "encoding"])
@quiet_option
@json_option
@debug_option
def evaluate(
    model: str,
    corpus: str | None,
    metrics: list[str] | None,
    n_words: int,
    against: str | None,
    source: str | None,
    max_documents: int,
    random_state: int,
    per_topic: bool,
    save: bool,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Evaluate a saved model on documents.

    INPUT is any input that 'laconic fit' accepts; by default, the documents saved with MODEL are
    used. Prediction and classification should be measured on documents to which MODEL was not
    fitted. Coherence is measured on the documents saved with MODEL, if there are any, because top
    words may be missing in a small INPUT. The metrics 'accuracy' and 'neighbours' need the class of
    each document (--label). If the output is piped, each line has the name of a metric, its value,
    whether higher or lower is better, and the documents that it used, separated by tabs. For a
    metric that was estimated from a sample of the documents, its standard error follows.

    \b
    laconic evaluate posts.model
    laconic evaluate posts.model test.jsonl --text body --label group
    laconic evaluate posts.model test.jsonl --text body --source author
    laconic evaluate posts.model posts.jsonl --text body --per-topic
    laconic evaluate posts.model test.jsonl --metrics npmi,diversity,stability --json
    """
    messages.set_verbosity(quiet, verbose=False)
    messages.name_options({"corpus": "INPUT"})
    if corpus is None:
        for name, value in {**values, "source": source}.items():
            if value:
                raise click.UsageError(f"--{name} applies only to INPUT; pass INPUT too.")
    if save and not per_topic:
        raise click.UsageError("--save applies only to --per-topic; set --per-topic too.")
    if per_topic and (metrics or against or source):
        raise click.UsageError(
            "--per-topic cannot be combined with --metrics, --against or --source; leave out one "
            "of them."
        )
    from laconic.evaluation.evaluate import evaluate as compute_metrics
    from laconic.saving.models import load

    fitted = load(model)
    reference = None if against is None else load(against)
    read_options = {**values, "vocabulary": fitted}
    documents, sources = None, None
    if corpus is not None:
        documents, sources = read_with_source(corpus, read_options, source)
    if per_topic:
        from laconic.evaluation.topic_stability import topic_stability

        topic_stability(
            fitted,
            documents,
            n_words=n_words,
            random_state=random_state,
            max_documents=max_documents or None,
        )
        _show_stability(model, fitted, n_words, save, quiet, as_json)
        return
    with messages.working(f"Evaluating {model}"):
        evaluation = compute_metrics(
            fitted,
            documents,
            metrics,
            n_words=n_words,
            reference=reference,
            random_state=random_state,
            source=sources,
            max_documents=max_documents or None,
        )
    if as_json:
        show_json(
            {
                "model": model,
                "corpus": corpus,
                "documents": None if documents is None else len(documents),
                "measures": {name: finite(value) for name, value in evaluation.items()},
                "errors": {name: finite(error) for name, error in evaluation.errors.items()},
                "sampled": evaluation.sampled,
                "used": evaluation.documents,
                "unseen_words": len(evaluation.unseen_words),
                "left_out": evaluation.left_out,
            }
        )
    elif not quiet:
        _show(evaluation)


def _show_stability(
    path: str, fitted: Any, n_words: int, save: bool, quiet: bool, as_json: bool
) -> None:
    """Print the stability of each topic, and save it if asked."""
    from laconic.fitted.topics import topics
    from laconic.saving.automatic import save_facts

    if save:
        save_facts(fitted, Path(path))
    rows = topic_rows(topics(fitted, n_words))
    if as_json:
        show_json({"model": path, "topics": rows})
    elif not quiet:
        cells = [[str(row["topic"]), f"{row['stability']:.3f}", topic_label(row)] for row in rows]
        show_table({"topic": "right", "stability": "right", "words": "left"}, cells, cells)


def finite(value: float | None) -> float | str | None:
    """Return the string ``inf`` for infinity, which JSON cannot represent."""
    return "inf" if value == float("inf") else value


def _show(evaluation: Evaluation) -> None:
    from laconic.evaluation.evaluate import format_error

    rows = evaluation.table()
    used = evaluation.documents
    errors = {name: f"± {format_error(error)}" for name, error in evaluation.errors.items()}
    show_table(
        {
            "metric": "left",
            "value": "right",
            **({"error": "left"} if errors else {}),
            "better": "left",
            "documents": "left",
            "description": "left",
        },
        (
            [name, value, *([errors.get(name, "")] if errors else []), better, used[name], about]
            for name, value, better, about in rows
        ),
        (
            [
                *(name, f"{evaluation[name]:.6g}", better, used[name]),
                *([f"{evaluation.errors[name]:.6g}"] if name in errors else []),
            ]
            for name, _, better, _ in rows
        ),
    )
    messages.hint(*evaluation.notes)
    if sys.stdout.isatty():
        for name, reason in evaluation.left_out.items():
            messages.hint(f"{name}: {reason}")
