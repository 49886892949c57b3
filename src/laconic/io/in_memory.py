"""Reader for data in memory: strings, a data frame, a matrix of counts or a Corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, ReadError
from laconic.io.column_names import align_to, requested_columns
from laconic.io.columns import SAMPLE, Record, choose_columns, is_null, rows_of, string_columns
from laconic.io.options import Options
from laconic.io.rows import Row, count_texts

NO_DOCUMENTS = "the input contains no documents; pass at least one document"


def read_memory(data: Any, options: Options) -> Corpus:
    """Build a Corpus from strings, a data frame, a matrix of counts or another Corpus."""
    if isinstance(data, Corpus):
        return _from_corpus(data, options)
    if sp.issparse(data) or (isinstance(data, np.ndarray) and data.ndim == 2):
        return _from_counts(data, options)
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if hasattr(data, "columns") and _package_name(data) in ("pandas", "polars"):
        return _from_frame(data, options)
    if isinstance(data, (bytes, Mapping)) or not isinstance(data, Iterable):
        raise LaconicError(
            "laconic.read accepts a path, a list of strings, a data frame or a matrix of counts; "
            f"got {type(data).__name__}"
        )
    options.reject_columns(None, "a list of strings has no columns; omit it or pass a data frame")
    return count_texts(_rows(data), options, None, NO_DOCUMENTS)


def _from_corpus(corpus: Corpus, options: Options) -> Corpus:
    options.reject_columns(None, "a Corpus has no named columns to choose from; omit it")
    options.reject_settings(None, "the words of a Corpus are already counted")
    return align_to(corpus, requested_columns(options))


def _from_counts(counts: Any, options: Options) -> Corpus:
    options.reject_columns(None, "each column of a count matrix is a word; omit it")
    options.reject_settings(None, "the words of a count matrix are already counted")
    columns = requested_columns(options)
    return Corpus(counts, None if columns is None else columns.words)


def _from_frame(frame: Any, options: Options) -> Corpus:
    if len(frame) == 0:
        raise ReadError(None, None, NO_DOCUMENTS)
    names = [str(name) for name in frame.columns]
    strings = string_columns(_records(frame.head(SAMPLE), names, names), names)
    columns = choose_columns(names, strings, options, None)
    records = _records(frame, names, columns.used())
    return count_texts(rows_of(records, columns, None), options, None, NO_DOCUMENTS)


def _records(frame: Any, names: list[str], wanted: list[str]) -> Iterator[Record]:
    columns = [_column_values(frame, names.index(name)) for name in wanted]
    for row in zip(*columns, strict=True):
        yield None, dict(zip(wanted, row, strict=True))


def _column_values(frame: Any, position: int) -> list[Any]:
    """Return a column as a list of Python values; missing values become None."""
    if isinstance(frame, pl.DataFrame):
        return frame.to_series(position).to_list()
    column = frame.iloc[:, position].astype(object)
    return column.where(column.notna(), None).tolist()


def _rows(texts: Iterable[Any]) -> Iterator[Row]:
    for position, text in enumerate(texts):
        if isinstance(text, str):
            yield Row(str(text))
        elif is_null(text) or type(text).__name__ == "NAType":
            yield Row("")
        else:
            kind = type(text).__name__
            raise ReadError(
                None,
                None,
                f"document {position} (counted from 0) has type {kind}; pass every document as a "
                "string (str)",
            )


def _package_name(data: Any) -> str:
    """Return the name of the package that defines the type of `data`; import nothing."""
    return type(data).__module__.partition(".")[0]
