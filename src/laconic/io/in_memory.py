"""Documents that are in memory already: strings, data frames, matrices of counts, a Corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, ReadError
from laconic.io.column_names import aligned, columns_from
from laconic.io.columns import SAMPLE, Record, choose_columns, is_null, rows_of, string_columns
from laconic.io.options import Options
from laconic.io.rows import Row, count_texts

NO_DOCUMENTS = "there are no documents to read"


def read_memory(data: Any, options: Options) -> Corpus:
    """A Corpus from strings, a data frame, a matrix of counts, or another Corpus."""
    if isinstance(data, Corpus):
        return _from_corpus(data, options)
    if sp.issparse(data) or (isinstance(data, np.ndarray) and data.ndim == 2):
        return _from_counts(data, options)
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if hasattr(data, "columns") and _library(data) in ("pandas", "polars"):
        return _from_frame(data, options)
    if isinstance(data, (bytes, Mapping)) or not isinstance(data, Iterable):
        raise LaconicError(
            "laconic.read takes a path, a list of strings, a data frame or a matrix of counts; "
            f"got {type(data).__name__}"
        )
    options.refuse_columns(None, "a list of strings has none")
    return count_texts(_rows(data), options, None, NO_DOCUMENTS)


def _from_corpus(corpus: Corpus, options: Options) -> Corpus:
    options.refuse_columns(None, "a Corpus has none")
    options.refuse_settings(None, "the words of a Corpus are counted already")
    return aligned(corpus, columns_from(options))


def _from_counts(counts: Any, options: Options) -> Corpus:
    options.refuse_columns(None, "a matrix of counts has none")
    options.refuse_settings(None, "a matrix holds counts already")
    known = columns_from(options)
    return Corpus(counts, None if known is None else known.words)


def _from_frame(frame: Any, options: Options) -> Corpus:
    if len(frame) == 0:
        raise ReadError(None, None, NO_DOCUMENTS)
    names = [str(name) for name in frame.columns]
    strings = string_columns(_records(frame.head(SAMPLE), names, names), names)
    columns = choose_columns(names, strings, options, None)
    records = _records(frame, names, columns.used())
    return count_texts(rows_of(records, columns, None), options, None, NO_DOCUMENTS)


def _records(frame: Any, names: list[str], wanted: list[str]) -> Iterator[Record]:
    columns = [_plain(frame, names.index(name)) for name in wanted]
    for row in zip(*columns, strict=True):
        yield None, dict(zip(wanted, row, strict=True))


def _plain(frame: Any, place: int) -> list[Any]:
    """A column as a list of Python values, nulls as None."""
    if isinstance(frame, pl.DataFrame):
        return frame.to_series(place).to_list()
    column = frame.iloc[:, place].astype(object)
    return column.where(column.notna(), None).tolist()


def _rows(texts: Iterable[Any]) -> Iterator[Row]:
    for place, text in enumerate(texts):
        if isinstance(text, str):
            yield Row(str(text))
        elif is_null(text) or type(text).__name__ == "NAType":
            yield Row("")
        else:
            kind = type(text).__name__
            raise ReadError(None, None, f"document {place} is of type {kind}; give strings")


def _library(data: Any) -> str:
    """Where the type of an object comes from, asked without importing it."""
    return type(data).__module__.partition(".")[0]
