"""How the commands read documents: `laconic.read`, with defaults where the source is text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.messages import working
from laconic.cli.options import COUNTING, INPUT, given

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus

BUILT_IN = "pydocs"
DEFAULTS = {"stop_words": "auto", "min_df": 2, "max_df": 0.5}


def read_documents(
    source: str, values: Mapping[str, Any], *, keep_texts: bool, defaults: bool = True
) -> Corpus:
    """Read a source as the options say; `defaults` are for texts without a given vocabulary."""
    from laconic.io import read

    settings = given(values, COUNTING)
    if source == BUILT_IN and not Path(source).exists():
        return _built_in(settings)
    if "stop_words" in settings:
        settings["stop_words"] = _stop_words(settings["stop_words"])
    if defaults and values.get("vocabulary") is None and _is_text(source, values):
        settings = {**DEFAULTS, **settings}
    with working(f"Reading {source}"):
        return read(
            source,
            keep_texts=keep_texts,
            n_jobs=values.get("n_jobs"),
            **given(values, INPUT),
            **settings,
        )


def _built_in(settings: Mapping[str, Any]) -> Corpus:
    """The docstrings of what is installed, by the name pydocs where no file has it."""
    from laconic.datasets import load_pydocs

    for name in settings:
        option = f"--{name.replace('_range', 's').replace('_', '-')}"
        raise click.UsageError(f"The words of {BUILT_IN} are counted already; leave out {option}.")
    return load_pydocs()


def refuse_idle_options(
    source: str | None, values: Mapping[str, Any], but: Sequence[str] = ()
) -> None:
    """Options that say how to read a corpus, without one; `but` says which may stand alone."""
    idle = next((name for name, value in values.items() if value and name not in but), None)
    if source is None and idle is not None:
        raise click.UsageError(f"--{idle} says how to read a corpus; name one with --corpus.")


def format_of(source: str, values: Mapping[str, Any]) -> str | None:
    """Name of the format; None for a stream, which can be looked at only once."""
    from laconic import io

    given_format = values.get("format")
    return str(given_format) if given_format else io.format_of(source, _encoding(values))


def _is_text(source: str, values: Mapping[str, Any]) -> bool:
    from laconic import io

    if values.get("format"):
        return values["format"] not in io.BAGS
    return io.holds_text(source, _encoding(values))


def _encoding(values: Mapping[str, Any]) -> str:
    return values.get("encoding") or "utf-8"


def _stop_words(value: str) -> str | list[str] | None:
    """What ``--stop-words`` names: a language, ``auto``, ``none``, or a file of words."""
    from laconic.errors import LaconicError
    from laconic.io import read_word_list
    from laconic.text.stop_words import language_name

    if value in ("auto", "none"):
        return None if value == "none" else value
    looks_like_file = Path(value).exists() or Path(value).name != Path(value).stem
    try:
        return language_name(value)
    except LaconicError:
        if not looks_like_file:
            raise
    return read_word_list(value)
