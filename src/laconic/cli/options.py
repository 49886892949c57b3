"""Options that several commands share, and the types of their values.

Each option is named after the parameter of the library that it sets; one that is not given is not
passed on, so defaults are in one place.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from laconic.cli import messages

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class Known(click.ParamType):
    """A name in one of the library's registries, which is imported when a name is given."""

    def __init__(self, registry: str, noun: str) -> None:
        self.registry = registry
        self.name = noun

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        module, _, attribute = self.registry.partition(":")
        known = list(getattr(importlib.import_module(module), attribute))
        if value not in known:
            self.fail(f"{value!r} is not known; give one of {', '.join(known)}.", param, ctx)
        return str(value)


class Limit(click.ParamType):
    """Documents a word may occur in: a number of them, or with a point a share."""

    name = "n|share"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            limit = float(value) if "." in str(value) else int(value)
        except ValueError:
            limit = -1
        if limit < 0 or (isinstance(limit, float) and limit > 1):
            self.fail(f"{value!r} is neither a whole number nor a share such as 0.5.", param, ctx)
        return limit


class AtLeast(click.ParamType):
    """A number from a limit on."""

    name = "n"

    def __init__(self, kind: type[int] | type[float], least: int) -> None:
        self.kind = kind
        self.least = least

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            number = self.kind(value)
        except ValueError:
            number = self.least - 1
        if not self.least <= number < float("inf"):
            noun = "whole number" if self.kind is int else "number"
            self.fail(f"{value!r} is not a {noun} of {self.least} or more.", param, ctx)
        return number


class Ngrams(click.ParamType):
    """``1-2`` for words and pairs, ``2`` for pairs alone."""

    name = "n[-m]"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        found = re.fullmatch(r"([1-9]\d*)(?:-([1-9]\d*))?", str(value))
        if not found:
            self.fail(f"{value!r} is not a range such as 1-2.", param, ctx)
        low, high = int(found[1]), int(found[2] or found[1])
        if low > high:
            self.fail(f"{value!r} is not a range; the smaller number comes first.", param, ctx)
        return low, high


def _engine(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """An engine by name, or the address of a Dask scheduler."""
    if value is None or "://" in value:
        return value
    return Known("laconic.engines:ENGINES", "name").convert(value, param, ctx)


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


POSITIVE = AtLeast(int, 1)
NOT_NEGATIVE = AtLeast(float, 0)

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

MODEL = {
    "n_components": click.option(
        "-k", "--topics", "n_components", type=POSITIVE, help="Number of topics."
    ),
    "words_per_topic": click.option(
        "--words-per-topic",
        type=POSITIVE,
        help="Words each topic should keep, about.",
    ),
    "alpha": click.option(
        "--alpha", type=NOT_NEGATIVE, help="Strength of the penalty, instead of a number of words."
    ),
    "positive": click.option(
        "--positive/--signed",
        default=None,
        help="Whether words may count against a topic.  [default: positive]",
    ),
    "init": click.option(
        "--init", type=Known("laconic.models.starts:STARTS", "name"), help="Where the fit starts."
    ),
    "max_iter": click.option("--max-iter", type=POSITIVE, help="Most passes over the documents."),
    "tol": click.option(
        "--tol",
        type=NOT_NEGATIVE,
        help="Stop when a pass improves the fit by less than this share.",
    ),
    "random_state": click.option(
        "--seed", "random_state", type=AtLeast(int, 0), help="Seed of the start."
    ),
    "engine": click.option(
        "--engine",
        callback=_engine,
        metavar="NAME|ADDRESS",
        help="Where to run: serial, threads, dask, or the address of a Dask scheduler. The result "
        "is the same.",
    ),
    "n_jobs": click.option(
        "--jobs", "n_jobs", type=POSITIVE, help="Workers.  [default: all cores]"
    ),
}

SECTIONS = {"Model": MODEL, "Input": INPUT, "Counting the words of texts": COUNTING}

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
