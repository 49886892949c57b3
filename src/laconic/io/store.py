"""Reader for corpus stores saved with ``Corpus.save``, which are memory-mapped."""

from __future__ import annotations

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import MARKER, is_store
from laconic.io.column_names import align_to, requested_columns
from laconic.io.options import Options
from laconic.io.source import Source


def read_store(source: Source, options: Options) -> Corpus:
    """Open a saved corpus; with ``vocabulary=``, its columns are aligned to those words."""
    options.reject_columns(source.name, "a saved corpus has no columns to choose from; omit it")
    options.reject_settings(source.name, "the words of a saved corpus are already counted")
    if source.path is None or not is_store(source.path):
        raise source.error(None, f"is not a saved corpus: the folder contains no {MARKER}")
    return align_to(Corpus.open(source.path), requested_columns(options))
