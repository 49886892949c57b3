"""Reader for UCI bags of words: a header, then lines of the form ``document word count``.

The header has three lines: the number of documents, the number of words and the number of entries.
Documents and words are numbered from one. The words are in a separate file with one word per line.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from laconic.corpus.corpus import Corpus
from laconic.io.bag_of_words import Entries, batches, check_size, reject_options, require_counts
from laconic.io.column_names import corpus_with_words
from laconic.io.options import Options
from laconic.io.source import Source

BATCH = 500_000  # number of lines parsed at once
HEADER = ("documents", "words", "entries")
MOST_DIGITS = 18  # in a number of the header


def read_uci(source: Source, options: Options) -> Corpus:
    """Read a UCI file of counts; a document without entries is an empty document."""
    reject_options(source, options)
    lines = source.lines()
    n_documents, n_words, n_entries = _header(lines, source)
    entries, n_read, line = Entries.empty(), 0, len(HEADER) + 1
    for batch in batches(lines, BATCH):
        rows, columns, values = _parse(batch, line, (n_documents, n_words), source)
        entries.add(rows, columns, values)
        n_read += len(rows)
        line += len(batch)
    if n_read != n_entries:
        problem = (
            f"the header states {n_entries} entries, but {n_read} follow; check that the file is "
            "complete"
        )
        raise source.error(len(HEADER), problem)
    counts = entries.matrix(n_documents, n_words)
    return corpus_with_words(counts, source, options, fixed_width=True)


def _header(lines: Iterator[str], source: Source) -> list[int]:
    sizes = []
    for number, name in enumerate(HEADER, 1):
        line = next(lines, None)
        if line is None:
            problem = "is empty" if number == 1 else f"ends before the number of {name}"
            raise source.error(
                None,
                f"{problem}; a UCI file starts with three lines: the numbers of documents, words "
                "and entries",
            )
        # int() raises an error for very long numbers.
        if not line.strip().isdecimal() or len(line.strip()) > MOST_DIGITS:
            raise source.error(number, f"expected the number of {name}, found {line[:40]!r}")
        sizes.append(int(line))
    for number, name in enumerate(HEADER[:2], 1):
        check_size(name, sizes[number - 1], sizes[2], source, number)
    return sizes


def _parse(
    batch: list[str], line: int, sizes: tuple[int, int], source: Source
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows, columns and counts of a batch of entries that starts at line `line`."""
    entries = pl.DataFrame({"entry": batch}).with_row_index("line", offset=line)
    parts = _split(entries)
    if parts["count"].null_count() or parts["word"].null_count() or parts["document"].null_count():
        entries = entries.with_columns(
            pl.col("entry").str.replace_all(r"\s+", " ").str.strip_chars(" ")
        ).filter(pl.col("entry") != "")
        parts = _split(entries)
    bad = parts.filter(pl.any_horizontal(pl.all().is_null()))
    if len(bad):
        text = batch[bad["line"][0] - line][:40]
        raise source.error(
            bad["line"][0], f"expected three numbers (document, word, count), found {text!r}"
        )
    for name, size in zip(("document", "word"), sizes, strict=True):
        outside = parts.filter(~pl.col(name).is_between(1, size))
        if len(outside):
            raise source.error(
                outside["line"][0],
                f"{name} {outside[name][0]} is out of range; the header states {size} {name}s, "
                "which are numbered from 1",
            )
    values = parts["count"].to_numpy()
    require_counts(values, parts["line"].to_numpy(), source)
    rows, columns = (parts[name].to_numpy().astype(np.int32) - 1 for name in ("document", "word"))
    return rows, columns, values


def _split(entries: pl.DataFrame) -> pl.DataFrame:
    """Parse the three numbers of each line; a missing or invalid number becomes null."""
    fields = pl.col("entry").str.splitn(" ", 3)
    return entries.select(
        "line",
        fields.struct.field("field_0").cast(pl.Int64, strict=False).alias("document"),
        fields.struct.field("field_1").cast(pl.Int64, strict=False).alias("word"),
        fields.struct.field("field_2").cast(pl.Float64, strict=False).alias("count"),
    )
