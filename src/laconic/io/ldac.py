"""Reader for LDA-C: one line ``n id:count id:count …`` per document; word ids start at 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from laconic.corpus.corpus import Corpus
from laconic.io.bag_of_words import Entries, batches, parse_pairs, reject_options
from laconic.io.column_names import corpus_with_words
from laconic.io.options import Options
from laconic.io.source import Source

BATCH = 5_000  # number of lines parsed at once


def read_ldac(source: Source, options: Options) -> Corpus:
    """Read an LDA-C file; the line ``0`` is an empty document; ignore trailing blank lines."""
    reject_options(source, options)
    entries, n_documents = Entries.empty(), 0
    for batch in batches(_documents(source), BATCH):
        pairs = parse_pairs(batch, source)
        _require_lengths(pairs.heads, pairs.lengths, pairs.lines, source)
        entries.add(pairs.rows + n_documents, pairs.columns, pairs.values)
        n_documents += len(batch)
    if n_documents == 0:
        raise source.error(None, "is empty")
    return corpus_with_words(entries.matrix(n_documents), source, options, fixed_width=False)


def _documents(source: Source) -> Iterator[tuple[int, str]]:
    """Yield numbered lines; raise for a blank line between documents, which is ambiguous."""
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
    stated = heads.cast(pl.Int64, strict=False)
    wrong = (stated.is_null() | (stated != pl.Series(lengths)).fill_null(True)).to_numpy()
    if not wrong.any():
        return
    first = int(np.argmax(wrong))
    if stated[first] is None:
        problem = f"expected the number of id:count pairs in the line, found {heads[first]!r}"
    else:
        problem = (
            f"the first number states that {stated[first]} id:count pairs follow, but the line has "
            f"{lengths[first]}"
        )
    raise source.error(int(lines[first]), problem)
