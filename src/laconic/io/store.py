"""A corpus that ``Corpus.save`` wrote: opened memory-mapped, not read."""

from __future__ import annotations

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import MARKER, is_store
from laconic.io.column_names import aligned, columns_from
from laconic.io.options import Options
from laconic.io.source import Source


def read_store(source: Source, options: Options) -> Corpus:
    """A saved corpus; with `vocabulary` its columns are matched to those words."""
    options.refuse_columns(source.name, "a saved corpus has none")
    options.refuse_settings(source.name, "the words of a saved corpus are counted already")
    if source.path is None or not is_store(source.path):
        raise source.error(None, f"is not a saved corpus; there is no {MARKER} in it")
    return aligned(Corpus.open(source.path), columns_from(options))
