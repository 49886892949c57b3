"""Read the documents of a command with `laconic.read`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.messages import option_names, working
from laconic.cli.options import COUNTING_OPTIONS, INPUT_OPTIONS, set_options

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus

BUILT_IN = "pydocs"


def read_documents(
    source: str | tuple[str, ...],
    values: Mapping[str, Any],
    *,
    keep_texts: bool,
    defaults: bool = True,
    output: str | None = None,
    force: bool = False,
    engine: str | None = None,
) -> Corpus:
    """Read documents from one or more files according to the options of the command line.

    If `defaults` is false, every word of texts is counted, because a model selects the words. The
    documents are converted to the corpus store `output` or, if it is None and the texts are large,
    to a temporary store. `engine` decides where several files are converted.
    """
    from laconic.io import convert, read_any_size
    from laconic.text.defaults import EVERY_WORD

    settings = set_options(values, COUNTING_OPTIONS)
    if is_built_in(source):
        corpus = _built_in(settings)
        if output is not None:
            corpus.save(output, force=force)
        return corpus
    if "stop_words" in settings:
        settings["stop_words"] = stop_word_list(settings["stop_words"])
    if not defaults and values.get("vocabulary") is None and is_text(source, values):
        settings = {**EVERY_WORD, **settings}
    files: Any = source if isinstance(source, str) else [Path(name) for name in source]
    task = f"Reading {input_name(source)}"
    with working(task) as line:
        arguments = {
            "keep_texts": keep_texts,
            "n_jobs": values.get("n_jobs"),
            "report": None if line is None else partial(_show, line, task),
            **set_options(values, INPUT_OPTIONS),
            **settings,
        }
        if output is None:
            return read_any_size(files, **arguments)
        return convert(files, output, force=force, engine=engine or "threads", **arguments)


def _show(line: Any, task: str, done: str) -> None:
    """Show how far a conversion is on a status line."""
    from rich.markup import escape

    line.update(f"{escape(task)} … {done}")


def input_name(source: str | tuple[str, ...]) -> str:
    """Return the name of the input for a message."""
    return source if isinstance(source, str) else f"{len(source)} files"


def is_built_in(source: str | tuple[str, ...]) -> bool:
    """Return whether the input is the built-in corpus, unless a file has its name."""
    return source == BUILT_IN and not Path(BUILT_IN).exists()


def _built_in(settings: Mapping[str, Any]) -> Corpus:
    """Load the corpus `BUILT_IN`, whose words are already counted."""
    from laconic.datasets import load_pydocs

    for name in settings:
        option = option_names(click.get_current_context().command)[name]
        raise click.UsageError(f"The words of {BUILT_IN} are already counted; leave out {option}.")
    return load_pydocs()


def reject_unused_options(
    source: str | None, values: Mapping[str, Any], allowed: Sequence[str] = ()
) -> None:
    """Raise if an option that needs a corpus is set without a corpus, unless it is `allowed`."""
    unused = next((name for name, value in values.items() if value and name not in allowed), None)
    if source is None and unused is not None:
        raise click.UsageError(f"--{unused} applies only to a corpus; set a corpus with --corpus.")


def format_of(source: str, values: Mapping[str, Any]) -> str | None:
    """Return the name of the format, or None for a stream, which can be read only once."""
    from laconic import io

    format = _stated_format(values)
    return str(format) if format else io.format_of(source, _encoding(values))


def is_text(source: str | tuple[str, ...], values: Mapping[str, Any]) -> bool:
    """Return whether the input contains texts, not counts; those of `BUILT_IN` are counted."""
    from laconic import io

    if is_built_in(source):
        return False
    if format := _stated_format(values):
        return format not in io.BAGS
    return io.holds_text(source if isinstance(source, str) else source[0], _encoding(values))


def _stated_format(values: Mapping[str, Any]) -> str | None:
    """Return the format that the options state; only CSV files have a delimiter."""
    return values.get("format") or ("csv" if values.get("delimiter") else None)


def _encoding(values: Mapping[str, Any]) -> str:
    return values.get("encoding") or "utf-8"


def stop_word_list(value: str) -> str | list[str] | None:
    """Convert the value of ``--stop-words``: a language, ``auto``, ``none``, or a file of words."""
    from laconic.errors import LaconicError
    from laconic.io import read_word_list
    from laconic.text.stop_words import language_name

    if value.lower() in ("auto", "none"):
        return None if value.lower() == "none" else "auto"
    looks_like_file = Path(value).exists() or Path(value).name != Path(value).stem
    try:
        return language_name(value)
    except LaconicError:
        if not looks_like_file:
            raise
    return read_word_list(value)
