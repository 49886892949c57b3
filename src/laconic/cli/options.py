"""Options shared by several commands.

Each option is named after the library parameter that it sets. An option that is not set
is not passed to the library, so that default values are defined only in the library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from laconic.cli import messages
from laconic.cli.model_options import HEADINGS
from laconic.cli.param_types import POSITIVE_INT, DocumentLimit, NgramRange, RegistryChoice

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class Sectioned(click.Command):
    """Command whose help has headings, and which still accepts the options of earlier versions.

    Parameters
    ----------
    everyday : sequence of str, optional
        Names of the parameters that ``--help`` shows; ``--help-all`` shows all parameters. By
        default, ``--help`` shows all parameters.
    renamed : mapping of str to str, optional
        Maps each option of an earlier version to the option that replaced it.
    """

    def __init__(
        self,
        *arguments: Any,
        everyday: Sequence[str] | None = None,
        renamed: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.everyday = everyday
        self.renamed = renamed or {}
        if everyday is not None:
            self.params.append(_help_all_option())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*map(self._new_name, args[:end]), *args[end:]])

    def _new_name(self, argument: str) -> str:
        """Replace an option of an earlier version, such as ``--out`` or ``--out=FILE``."""
        name, equals, value = argument.partition("=")
        return self.renamed.get(name, name) + equals + value if name in self.renamed else argument

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = self._sections(ctx)
        if self.everyday is None or ctx.meta.get(HELP_ALL):
            for heading, records in sections.items():
                with formatter.section(heading):
                    formatter.write_dl(records)
            return
        with formatter.section(EVERYDAY):
            formatter.write_dl(
                [(names, _first_sentence(text)) for names, text in sections[EVERYDAY]]
            )
        formatter.write_paragraph()
        formatter.write_text(f"More options: {ctx.command_path} --help-all")

    def _sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and help texts of the options under each heading."""
        everyday = self.everyday or ()
        records: dict[str, dict[str, tuple[str, str]]] = {EVERYDAY: {}, "Options": {}}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                name = str(param.name)
                headings = (heading for heading, table in SECTIONS.items() if name in table)
                heading = EVERYDAY if name in everyday else next(headings, "Options")
                records.setdefault(heading, {})[name] = record
        first, rest = records.pop(EVERYDAY), records.pop("Options")
        ordered = {EVERYDAY: {name: first[name] for name in everyday if name in first}}
        records = (
            ordered | records | {"Other options": rest} if first else {"Options": rest} | records
        )
        return {heading: list(table.values()) for heading, table in records.items() if table}


EVERYDAY = "Everyday options"
HELP_ALL = "laconic.help_all"  # key in the meta dictionary of a click context


def _help_all_option() -> click.Option:
    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            ctx.meta[HELP_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all options.",
    )


def _first_sentence(text: str) -> str:
    """Return the first sentence of a help text and, if there is one, the default value.

    Examples
    --------
    >>> _first_sentence("Number of topics. More is slower.  [default: 20]")
    'Number of topics.  [default: 20]'
    """
    text, bracket, default = text.partition("  [default")
    return re.split(r"(?<=\.)\s+(?=[A-Z])", text, maxsplit=1)[0] + bracket + default


INPUT_OPTIONS = {
    "format": click.option(
        "--format",
        type=RegistryChoice("laconic.io:READERS", "name"),
        help="Format of INPUT.  [default: detected from the name and the content]",
    ),
    "text": click.option(
        "--text",
        metavar="COLUMN",
        multiple=True,
        help="Column with the text; to join several columns, repeat the option or separate the "
        "names by commas.  [default: the only column of strings, or a column called text, body, "
        "content or abstract]",
    ),
    "label": click.option(
        "--label", metavar="COLUMN", help="Column with the class of each document."
    ),
    "title": click.option(
        "--title", metavar="COLUMN", help="Column with the title of each document."
    ),
    "id": click.option("--id", metavar="COLUMN", help="Column with the id of each document."),
    "encoding": click.option(
        "--encoding",
        metavar="NAME",
        help="Encoding of text files.  [default: utf-8, or as the byte order mark says]",
    ),
    "delimiter": click.option(
        "--delimiter",
        metavar="CHARACTER",
        help="Character between the fields of a CSV file, or 'tab'.  [default: detected]",
    ),
    "sheet": click.option(
        "--sheet",
        metavar="NAME",
        help="Sheet of an Excel file, by name or number.  [default: the first]",
    ),
    "layer": click.option(
        "--layer", metavar="NAME", help="Layer of an .h5ad file with the counts.  [default: X]"
    ),
    "transpose": click.option(
        "--transpose",
        is_flag=True,
        default=None,
        help="Read a matrix whose rows are words and whose columns are documents.",
    ),
    "vocabulary": click.option(
        "--vocabulary",
        metavar="FILE",
        help="File with one word per line: the words of the columns of a bag of words, or the only "
        "words to count in text.",
    ),
}

COUNTING_OPTIONS = {
    "stop_words": click.option(
        "--stop-words",
        metavar="LANGUAGE|FILE",
        help="Stop words to remove: a language (english, de, …) or a file with one word per line. "
        "Use 'auto' to detect the language, or 'none' to keep all words.  [default: auto]",
    ),
    "min_df": click.option(
        "--min-df",
        type=DocumentLimit(),
        help="Drop words that occur in fewer documents than this number or share.  [default: 1 to "
        "5, depending on the number of documents]",
    ),
    "max_df": click.option(
        "--max-df",
        type=DocumentLimit(),
        help="Drop words that occur in more documents than this number or share.  [default: 0.5, "
        "which means half of the documents; 1.0 for fewer than 100 documents]",
    ),
    "lemmatizer": click.option(
        "--lemmas",
        "lemmatizer",
        flag_value="auto",
        help="Merge the forms of a word, such as model and models.",
    ),
    "phrases": click.option(
        "--phrases",
        is_flag=True,
        default=None,
        help="Find phrases, such as new york, and count each phrase as one word.",
    ),
    "tokenizer": click.option(
        "--tokenizer",
        type=RegistryChoice("laconic.text.segmentation:TOKENIZERS", "name"),
        help="How to split texts into words: icu knows languages without spaces.  [default: icu "
        "for these languages, if icu4py is installed]",
    ),
    "max_features": click.option(
        "--max-features", type=POSITIVE_INT, help="Keep only the N most frequent words."
    ),
    "ngram_range": click.option(
        "--ngrams",
        "ngram_range",
        type=NgramRange(),
        help="Lengths of the n-grams to count, such as 1-2 for words and pairs of words.  "
        "[default: 1]",
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
        help="Method that removes accents from letters: ascii (fast, but only for Latin letters) "
        "or unicode.",
    ),
}

# Options for the details of files, which belong to every command with the option --format
FILE_DETAILS = ("delimiter", "sheet", "layer", "transpose")

NOUN_OPTIONS = {
    "terms": click.option(
        "--terms",
        metavar="NOUN",
        help="Plural noun to print instead of 'words', such as genes.  [default: the noun saved "
        "with the model]",
    ),
    "items": click.option(
        "--items",
        metavar="NOUN",
        help="Plural noun to print instead of 'documents', such as samples.  [default: the noun "
        "saved with the model]",
    ),
}

SECTIONS = {
    **HEADINGS,
    "Input": INPUT_OPTIONS,
    "Counting words": COUNTING_OPTIONS,
    "Nouns": NOUN_OPTIONS,
}


def inputs_argument(name: str) -> Any:
    """Return a decorator that adds an argument for one or more files."""
    return click.argument(
        name, metavar="INPUT...", nargs=-1, required=True, callback=_single_or_several
    )


def _single_or_several(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> str | tuple[str, ...]:
    return value[0] if len(value) == 1 else value


force_option = click.option("--force", is_flag=True, help="Overwrite existing output.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print only warnings, errors and the output of --json."
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
    help="Show the traceback if an error occurs.",
)


def options(table: Mapping[str, Decorator[Any]], only: Sequence[str] | None = None) -> Any:
    """Return a decorator that adds the options of a table, or only the options named in `only`."""
    if only is not None and "format" in only:
        only = [*only, *FILE_DETAILS]

    def decorate(function: F) -> F:
        for name in reversed([name for name in table if only is None or name in only]):
            function = table[name](function)
        return function

    return decorate


def set_options(values: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the options in `table` that are set, as keyword arguments."""
    return {
        name: value for name in table if (value := values.get(name)) is not None and value != ()
    }
