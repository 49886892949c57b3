"""LDA-C: a line ``n id:count id:count …`` for each document, columns counted from zero."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from laconic.corpus.corpus import Corpus
from laconic.io.bag_of_words import Entries, batches, parse_pairs, refuse_options
from laconic.io.column_names import named_corpus
from laconic.io.options import Options
from laconic.io.source import Source

BATCH = 5_000


def read_ldac(source: Source, options: Options) -> Corpus:
    """An LDA-C file; the line ``0`` is an empty document, blank lines at the end are none."""
    refuse_options(source, options)
    entries, n_documents = Entries.none(), 0
    for batch in batches(_documents(source), BATCH):
        pairs = parse_pairs(batch, source)
        _require_lengths(pairs.heads, pairs.lengths, pairs.lines, source)
        entries.add(pairs.rows + n_documents, pairs.columns, pairs.values)
        n_documents += len(batch)
    if n_documents == 0:
        raise source.error(None, "is empty")
    return named_corpus(entries.matrix(n_documents), source, options, fixed_width=False)


def _documents(source: Source) -> Iterator[tuple[int, str]]:
    """Numbered lines; a blank one with documents after it could be one, so it is not skipped."""
    blank = None
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            blank = blank or number
        elif blank:
            problem = "expected n id:count …, found a blank line; write 0 for an empty document"
            raise source.error(blank, problem)
        else:
            yield number, line


def _require_lengths(
    heads: pl.Series, lengths: np.ndarray, lines: np.ndarray, source: Source
) -> None:
    said = heads.cast(pl.Int64, strict=False)
    wrong = (said.is_null() | (said != pl.Series(lengths)).fill_null(True)).to_numpy()
    if not wrong.any():
        return
    first = int(np.argmax(wrong))
    if said[first] is None:
        problem = f"expected the number of words in the document, found {heads[first]!r}"
    else:
        problem = f"the line says {said[first]} words, but {lengths[first]} id:count follow"
    raise source.error(int(lines[first]), problem)
