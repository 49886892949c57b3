"""Options shared by several commands.

Each option is named after the library parameter that it sets. Options that are not set are not
passed to the library, so that defaults are defined only there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from laconic.cli import messages
from laconic.cli.model_options import HEADINGS
from laconic.cli.param_types import POSITIVE_INT, DocumentLimit, NgramRange, RegistryChoice

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class Sectioned(click.Command):
    """Command whose help groups the shared options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                headings = (heading for heading, table in SECTIONS.items() if param.name in table)
                sections.setdefault(next(headings, "Options"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


INPUT_OPTIONS = {
    "format": click.option(
        "--format",
        type=RegistryChoice("laconic.io:READERS", "name"),
        help="Format of INPUT.  [default: detected from name and content]",
    ),
    "text": click.option(
        "--text",
        metavar="COLUMN",
        multiple=True,
        help="Column with the text; repeat the option to join several columns. Default: the only "
        "column of strings, or the column called text, body, content or abstract.",
    ),
    "label": click.option("--label", metavar="COLUMN", help="Column with the class."),
    "title": click.option("--title", metavar="COLUMN", help="Column with the title."),
    "id": click.option("--id", metavar="COLUMN", help="Column with the id."),
    "encoding": click.option(
        "--encoding", metavar="NAME", help="Encoding of text files.  [default: utf-8]"
    ),
    "vocabulary": click.option(
        "--vocabulary",
        metavar="FILE",
        help="For a bag of words: file with the word of each column. For text: count only the "
        "words in this file.",
    ),
}

COUNTING_OPTIONS = {
    "stop_words": click.option(
        "--stop-words",
        metavar="LANGUAGE|FILE",
        help="Stop words to remove: those of a language (english, de, …) or of a file with one "
        "word per line; auto to detect the language, none to keep all words.  [default: auto]",
    ),
    "min_df": click.option(
        "--min-df",
        type=DocumentLimit(),
        help="Drop words that occur in fewer documents than this.  [default: 2]",
    ),
    "max_df": click.option(
        "--max-df",
        type=DocumentLimit(),
        help="Drop words that occur in more documents than this.  [default: 0.5, half of the "
        "documents]",
    ),
    "max_features": click.option(
        "--max-features", type=POSITIVE_INT, help="Keep only the N most frequent words."
    ),
    "ngram_range": click.option(
        "--ngrams",
        "ngram_range",
        type=NgramRange(),
        help="Lengths of n-grams to count: 1-2 for words and pairs.  [default: 1]",
    ),
    "token_pattern": click.option(
        "--token-pattern",
        metavar="REGEX",
        help="Regular expression that matches a word.  [default: two or more letters, digits or "
        "underscores]",
    ),
    "lowercase": click.option(
        "--lowercase/--no-lowercase",
        default=None,
        help="Whether to lower-case texts.  [default: lowercase]",
    ),
    "strip_accents": click.option(
        "--strip-accents",
        type=click.Choice(["ascii", "unicode"]),
        metavar="KIND",
        help="Remove accents from letters: ascii (fast, Latin only) or unicode.",
    ),
}

SECTIONS = {**HEADINGS, "Input": INPUT_OPTIONS, "Counting words": COUNTING_OPTIONS}

force_option = click.option("--force", is_flag=True, help="Overwrite existing output.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print only warnings, errors and --json output."
)
quiet_option_without_json = click.option(
    "-q", "--quiet", is_flag=True, help="Print only warnings and errors."
)


def _set_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[messages.DEBUG] = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_set_debug,
    help="Show the traceback of an error.",
)


def options(table: Mapping[str, Decorator[Any]], only: Sequence[str] | None = None) -> Any:
    """Decorate a command with the options of a table, in order; `only` selects some by name."""

    def decorate(function: F) -> F:
        for name in reversed([name for name in table if only is None or name in only]):
            function = table[name](function)
        return function

    return decorate


def set_options(values: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a table that are set, as keyword arguments."""
    return {
        name: value for name in table if (value := values.get(name)) is not None and value != ()
    }
