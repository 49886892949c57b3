"""Options that several commands share.

Each option is named after the parameter of the library that it sets; one that is not given is not
passed on, so defaults are in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from laconic.cli import messages
from laconic.cli.model_options import HEADINGS
from laconic.cli.param_types import POSITIVE, Known, Limit, Ngrams

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class Sectioned(click.Command):
    """A command whose help groups the shared options under headings."""

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


INPUT = {
    "format": click.option(
        "--format",
        type=Known("laconic.io:READERS", "name"),
        help="Format of INPUT, where its name and content do not tell.",
    ),
    "text": click.option(
        "--text",
        metavar="COLUMN",
        multiple=True,
        help="Column with the text; several are joined. Default: the only column of strings, or "
        "one called text, body, content or abstract.",
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
        help="For a bag of words: a file with the word of each column. For text: count only the "
        "words in this file.",
    ),
}

COUNTING = {
    "stop_words": click.option(
        "--stop-words",
        metavar="LANGUAGE|FILE",
        help="Words to leave out: those of a language (english, de, …), or of a file with one word "
        "on each line; auto for the language of the texts, none for no words.  [default: auto]",
    ),
    "min_df": click.option(
        "--min-df",
        type=Limit(),
        help="Leave out words in fewer documents than this.  [default: 2]",
    ),
    "max_df": click.option(
        "--max-df",
        type=Limit(),
        help="Leave out words in more documents than this.  [default: 0.5, half of them]",
    ),
    "max_features": click.option(
        "--max-features", type=POSITIVE, help="Keep only the N most frequent words."
    ),
    "ngram_range": click.option(
        "--ngrams",
        "ngram_range",
        type=Ngrams(),
        help="Lengths of runs of words to count: 1-2 for words and pairs.  [default: 1]",
    ),
    "token_pattern": click.option(
        "--token-pattern",
        metavar="REGEX",
        help="What a word is.  [default: two or more letters, digits or underscores]",
    ),
    "lowercase": click.option(
        "--lowercase/--no-lowercase", default=None, help="[default: lowercase]"
    ),
    "strip_accents": click.option(
        "--strip-accents",
        type=click.Choice(["ascii", "unicode"]),
        metavar="KIND",
        help="Take accents off letters: ascii (fast, Latin only) or unicode.",
    ),
}

SECTIONS = {**HEADINGS, "Input": INPUT, "Counting the words of texts": COUNTING}

force_option = click.option("--force", is_flag=True, help="Replace an output that exists.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print nothing but warnings, errors and --json."
)


def _note_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[messages.DEBUG] = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_note_debug,
    help="Show where an error happened.",
)


def options(table: Mapping[str, Decorator[Any]], only: Sequence[str] | None = None) -> Any:
    """Decorate a command with options of a table, in its order."""

    def decorate(function: F) -> F:
        for name in reversed([name for name in table if only is None or name in only]):
            function = table[name](function)
        return function

    return decorate


def given(values: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Those options of a table that were given, as keyword arguments."""
    return {
        name: value for name in table if (value := values.get(name)) is not None and value != ()
    }
