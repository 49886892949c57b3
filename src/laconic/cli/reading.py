"""How the commands read documents: `laconic.read`, with defaults where the source is text."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.cli.messages import working
from laconic.cli.options import COUNTING, INPUT, given

if TYPE_CHECKING:
    from laconic.corpus import Corpus

BAGS = ("uci", "ldac", "svmlight", "matrixmarket", "store")  # formats that are counted already
DEFAULTS = {"stop_words": "auto", "min_df": 2, "max_df": 0.5}


def read_documents(
    source: str, values: Mapping[str, Any], *, keep_texts: bool, defaults: bool = True
) -> Corpus:
    """Read a source as the options say; `defaults` are for texts without a given vocabulary."""
    from laconic.io import read

    settings = given(values, COUNTING)
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


def format_of(source: str, values: Mapping[str, Any]) -> str | None:
    """Name of the format; None for a stream, which can be looked at only once."""
    from laconic.io.formats import detect
    from laconic.io.source import Source

    if values.get("format") is not None:
        return str(values["format"])
    with closing(Source(source, values.get("encoding") or "utf-8")) as file:
        file.require()
        return None if file.is_stream else detect(file)


def _is_text(source: str, values: Mapping[str, Any]) -> bool:
    from laconic.io.matrixmarket import BANNER

    found = format_of(source, values)
    peek = getattr(sys.stdin.buffer, "peek", None) if source == "-" else None
    if found is None and peek is not None:
        return not peek().lower().startswith(BANNER.lower())
    return found not in BAGS


def _stop_words(value: str) -> str | list[str] | None:
    """What ``--stop-words`` names: a language, ``auto``, ``none``, or a file of words."""
    from laconic.errors import LaconicError
    from laconic.io.source import Source
    from laconic.io.vocabulary import read_words
    from laconic.stopwords import language_name

    if value in ("auto", "none"):
        return None if value == "none" else value
    looks_like_file = Path(value).exists() or Path(value).name != Path(value).stem
    try:
        return language_name(value)
    except LaconicError:
        if not looks_like_file:
            raise
    file = Source(value)
    file.require()
    return list(read_words(file))
