"""Reader for corpus stores, which ``Corpus.save`` writes; their arrays are memory-mapped."""

from __future__ import annotations

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import MARKER, is_store
from laconic.io.column_names import align_to, requested_columns
from laconic.io.options import Options
from laconic.io.source import Source


def read_store(source: Source, options: Options) -> Corpus:
    """Open a saved corpus; if ``vocabulary=`` is set, align the columns to its words."""
    options.reject_columns(source.name, "a saved corpus has no columns to choose from; omit it")
    options.reject_settings(source.name, "the words of a saved corpus are already counted")
    if source.path is None or not is_store(source.path):
        raise source.error(None, f"is not a saved corpus, because it contains no file {MARKER}")
    return align_to(Corpus.open(source.path, verify=options.verify), requested_columns(options))
