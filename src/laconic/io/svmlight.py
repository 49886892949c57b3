"""Reader for svmlight / libsvm: one line ``label column:value …`` per document.

Columns may be numbered from zero or from one. If a file uses column 0, its columns are numbered
from zero. In any other file, columns are assumed to be numbered from one, as the definition of the
format requires. The log reports the number of the first column.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import polars as pl

from laconic.corpus.corpus import Corpus
from laconic.io.bag_of_words import Entries, batches, parse_pairs, reject_options
from laconic.io.column_names import corpus_with_words
from laconic.io.options import Options
from laconic.io.source import Source

logger = logging.getLogger(__name__)

BATCH = 5_000  # number of lines parsed at once


def read_svmlight(source: Source, options: Options) -> Corpus:
    """Read an svmlight file; keep labels, but ignore comments, blank lines and ``qid:``."""
    reject_options(source, options)
    entries, heads, n_documents = Entries.empty(), list[pl.Series](), 0
    for batch in batches(_data_lines(source), BATCH):
        pairs = parse_pairs(batch, source)
        _require_labels(pairs.heads, pairs.lines, source)
        entries.add(pairs.rows + n_documents, pairs.columns, pairs.values)
        heads.append(pairs.heads)
        n_documents += len(batch)
    if not heads:
        raise source.error(None, "contains no documents")
    first = 0 if any((part == 0).any() for part in entries.columns) else 1
    logger.info("%s: columns are numbered from %d", source.name, first)
    counts = entries.matrix(n_documents, first_column=first)
    return corpus_with_words(
        counts, source, options, fixed_width=False, labels=_as_labels(pl.concat(heads))
    )


def _data_lines(source: Source) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(source.lines(), 1):
        data = line.partition("#")[0].strip()
        if not data:
            continue
        if " qid:" in data:
            data = " ".join(token for token in data.split() if not token.startswith("qid:"))
        yield number, data


def _require_labels(heads: pl.Series, lines: np.ndarray, source: Source) -> None:
    unlabelled = heads.str.contains(":", literal=True).to_numpy()
    if unlabelled.any():
        first = int(np.argmax(unlabelled))
        raise source.error(
            int(lines[first]),
            f"expected a label at the start of the line, found {heads[first]!r}; "
            "if there are no labels, write 0",
        )


def _as_labels(heads: pl.Series) -> np.ndarray:
    """Convert labels to integers or floats if all labels are numbers, otherwise to strings."""
    numbers = heads.cast(pl.Float64, strict=False)
    if numbers.null_count():
        return heads.to_numpy().astype(str)
    values = numbers.to_numpy()
    return values.astype(np.int64) if (values == np.rint(values)).all() else values
