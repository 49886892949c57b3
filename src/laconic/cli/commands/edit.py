"""``laconic edit``: merge, split, drop or keep topics of a saved model, or drop words."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import (
    INPUT_OPTIONS,
    Sectioned,
    debug_option,
    force_option,
    json_option,
    options,
)
from laconic.cli.output_paths import check_new_folder
from laconic.cli.param_types import NumberAtLeast
from laconic.cli.reading import read_documents
from laconic.cli.tables import printable, show_json
from laconic.wording import plural

OPERATIONS = ("merge", "split", "drop", "drop-words", "keep", "cut", "undo")


@click.command(cls=Sectioned)
@click.argument("model")
@click.argument("operation", type=click.Choice(OPERATIONS), metavar="OPERATION")
@click.argument("arguments", nargs=-1, metavar="[TOPIC|WORD]...")
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Folder of the edited model. To edit MODEL itself, give its path and --force.",
)
@click.option(
    "-n",
    "--dry-run",
    is_flag=True,
    help="Show what would change, and write nothing.",
)
@click.option(
    "--into",
    type=NumberAtLeast(int, 2),
    default=2,
    show_default=True,
    help="Number of topics into which 'split' divides a topic.",
)
@click.option(
    "--corpus",
    metavar="INPUT",
    help="Documents for 'split', if no texts are saved with MODEL. For a MedSTC model: labelled "
    "documents on which its classifier is trained again.",
)
@options(INPUT_OPTIONS)
@force_option
@json_option
@debug_option
def edit(
    model: str,
    operation: str,
    arguments: tuple[str, ...],
    output: str | None,
    dry_run: bool,
    into: int,
    corpus: str | None,
    force: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Edit the topics of a saved model: merge, split, drop, keep.

    A TOPIC is a number or a name. The OPERATION 'merge' makes one topic of several, 'split' divides
    a topic, 'drop' removes topics, 'keep' removes all others, 'drop-words' removes words from a
    topic, 'cut' merges similar topics, as in 'laconic topics --tree', and 'undo' takes the last
    edit back. All other topics, and their weights in documents, stay exactly as they are.

    \b
    laconic edit posts.model merge 3 7 -o better.model
    laconic edit posts.model drop-words 3 edu com -o posts.model --force
    laconic edit posts.model split 5 --into 3 -o finer.model
    laconic edit posts.model cut 5 -o coarse.model
    laconic edit better.model undo -o posts.model --force
    """
    if output is None and not dry_run:
        raise click.UsageError(
            "Set the output with -o, or --dry-run to see what would change; to edit the model "
            f"itself, set: -o {model} --force"
        )
    _check_arguments(operation, arguments)
    from laconic.editing.preview import preview
    from laconic.saving.models import load, load_to_show, save

    if output is not None and not dry_run:
        check_new_folder(output, force)
    # Edits that neither code nor train need no estimator, whose import takes most of the time.
    is_light = operation != "split" and corpus is None
    fitted = load_to_show(model) if is_light else load(model)
    documents = None
    if corpus is not None:
        documents = read_documents(corpus, values, keep_texts=True, defaults=False)
    edited = _edit(fitted, operation, arguments, into, documents)
    changes = _cut_preview(edited) if operation == "cut" else preview(fitted, edited)
    if output is not None and not dry_run:
        save(edited, output, force=force)
    if as_json:
        show_json({"model": model, "output": None if dry_run else output, **asdict(changes)})
        return
    _show(changes)
    if dry_run:
        messages.say("nothing was written, because of --dry-run")
    else:
        messages.say(f"saved {Path(str(output))}")


def _check_arguments(operation: str, arguments: tuple[str, ...]) -> None:
    needed = {
        "merge": (2, "at least two topics, such as: merge 3 7"),
        "split": (1, "one topic, such as: split 3"),
        "drop": (1, "at least one topic, such as: drop 9"),
        "keep": (1, "at least one topic, such as: keep 0 2"),
        "drop-words": (2, "a topic and at least one word, such as: drop-words 3 edu"),
        "cut": (1, "the number of topics that are left, such as: cut 5"),
        "undo": (0, "no topic"),
    }
    least, example = needed[operation]
    too_many = operation in ("undo", "split", "cut") and len(arguments) > least
    if len(arguments) < least or too_many or (operation == "cut" and not arguments[0].isdecimal()):
        raise click.UsageError(f"{operation} needs {example}.")


def _edit(model: Any, operation: str, arguments: tuple[str, ...], into: int, corpus: Any) -> Any:
    import laconic

    topics = [int(name) if name.isdecimal() else name for name in arguments]
    if operation == "undo":
        return laconic.undo(model)
    if operation == "cut":
        number = int(arguments[0])
        return laconic.merge(model, laconic.topic_tree(model).cut(number).members, corpus)
    if operation == "split":
        return laconic.split(model, topics[0], corpus, into=into)
    if operation == "drop-words":
        return laconic.drop_words(model, topics[0], arguments[1:])
    functions = {"merge": laconic.merge, "drop": laconic.drop, "keep": laconic.keep}
    return functions[operation](model, topics, corpus)


def _cut_preview(edited: Any) -> Any:
    """Return the topics that are left by a cut, which consists of several edits."""
    from laconic.editing.preview import Preview
    from laconic.fitted.topics import topics as find_topics

    left = list(find_topics(edited))
    text = f"merged similar topics until {plural(len(left), 'topic')} were left"
    return Preview(text, [], left, len(left), None, 0)


def _show(changes: Any) -> None:
    """Print the topics before and after an edit."""
    click.echo(printable(changes.text))
    for sign, topics in (("-", changes.before), ("+", changes.after)):
        for topic in topics:
            name = f"{topic.name}: " if topic.name else ""
            click.echo(printable(f"{sign} {topic.number}  {name}{', '.join(topic.words)}"))
    if changes.unlisted:
        click.echo(f"… and {plural(changes.unlisted, 'more topic')}")
    facts = [plural(changes.n_topics, "topic")]
    if changes.documents is not None:
        facts.append(f"{plural(changes.documents, 'document')} affected")
    if changes.renumbered:
        facts.append(f"{plural(changes.renumbered, 'other topic')} renumbered")
    click.echo(", ".join(facts))
