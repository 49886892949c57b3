"""Tables of numbers as bags of words: each column is a word, such as a gene.

The column of ids names the rows. With ``transpose=True``, each row is a word, and each column is a
document.
"""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import ReadError
from laconic.io.column_names import align_to, requested_columns
from laconic.io.columns import TableInfo, listed, missing_column, quoted
from laconic.io.endings import EXCEL_ENDINGS
from laconic.io.excel import excel_frame
from laconic.io.frames import Frame, polars_frame
from laconic.io.metadata import as_labels
from laconic.io.options import Options
from laconic.io.parquet import DAMAGED, damaged, scan_parquet
from laconic.io.separated import separated_lines
from laconic.io.source import Source
from laconic.io.table import is_null
from laconic.wording import plural

logger = logging.getLogger(__name__)

MISSING = ["", "NA", "NaN", "nan", "null", "None"]


def read_matrix(source: Source, options: Options) -> Corpus:
    """Read a table of numbers from a CSV, Parquet or Excel file."""
    if source.bare_name.endswith(EXCEL_ENDINGS):
        frame = excel_frame(source, options)
    elif source.head()[:4] == b"PAR1":
        try:
            frame = polars_frame(scan_parquet(source).collect())
        except DAMAGED as error:
            raise damaged(error, source) from error
    else:
        frame = _separated_frame(source, options)
    return corpus_of_numbers(frame, options, source.name)


def corpus_of_numbers(frame: Frame, options: Options, where: str | None) -> Corpus:
    """Build a Corpus from the columns of numbers of a table."""
    options.reject_columns(where, "each column of a matrix is a word; omit it", ["text"])
    options.reject_settings(where, "the words of a matrix are already counted")
    if frame.n_rows == 0:
        raise ReadError(where, None, "contains no rows, and so no documents")
    info = TableInfo(frame.names, [], [], [], where)
    for name in (options.label, options.title, options.id):
        if name is not None and name not in frame.names:
            raise ReadError(where, None, missing_column(name, info))
    id_ = options.id
    if id_ is None and frame.ids is None:
        id_ = _id_column(frame, {options.label, options.title})
    named = {name for name in (options.label, options.title, id_) if name is not None}
    places = [
        place
        for place, (name, numeric) in enumerate(zip(frame.names, frame.numeric, strict=True))
        if numeric and name not in named
    ]
    _check_other_columns(frame, named, where)
    if not places:
        raise ReadError(where, None, "no column contains numbers, so this is not a matrix")
    counts = frame.matrix(places)
    words = [frame.names[place] for place in places]
    ids = frame.ids if id_ is None else _names(frame.column(id_), id_, where)
    _check_values(counts, words, ids, where)
    if options.transpose:
        return _transposed(counts, words, ids, options, where)
    corpus = Corpus(
        counts,
        unique_words(words),
        ids=ids,
        titles=_titles(frame, options.title),
        labels=None if options.label is None else as_labels(frame.column(options.label)),
    )
    return align_to(corpus, requested_columns(options))


def unique_words(names: Sequence[str]) -> list[str]:
    """Append a number to names that occur more than once.

    Examples
    --------
    >>> unique_words(["TP53", "MYC", "TP53", "TP53"])
    ['TP53', 'MYC', 'TP53-1', 'TP53-2']
    """
    taken, numbers = set(names), dict[str, int]()
    seen: set[str] = set()
    unique: list[str] = []
    for name in names:
        new = name
        while new in seen or (new != name and new in taken):
            numbers[name] = numbers.get(name, 0) + 1
            new = f"{name}-{numbers[name]}"
        seen.add(new)
        unique.append(new)
    repeated = sum(new != name for new, name in zip(unique, names, strict=True))
    if repeated:
        logger.info("%d names of words occur more than once and got a number", repeated)
    return unique


def _transposed(
    counts: sp.csr_matrix,
    columns: list[str],
    rows: list[str] | None,
    options: Options,
    where: str | None,
) -> Corpus:
    for name in ("label", "title"):
        if getattr(options, name) is not None:
            raise ReadError(
                where,
                None,
                f"{name}= names a column, but with transpose=True (--transpose) each column is a "
                f"document; omit {name}=",
            )
    if rows is None:
        raise ReadError(
            where,
            None,
            "no column names the rows, which are the words with transpose=True (--transpose); name "
            "the column with id=",
        )
    corpus = Corpus(counts.T.tocsr(), unique_words(rows), ids=columns)
    return align_to(corpus, requested_columns(options))


def _id_column(frame: Frame, taken: set[str | None]) -> str | None:
    """Return the column that names the rows.

    It is called ``id``, has no name, as R and pandas write it, or is the first column of different
    strings.
    """
    for name, numeric in zip(frame.names, frame.numeric, strict=True):
        if name in ("id", ""):
            return name
        if numeric or name in taken:
            continue
        values = frame.column(name)
        different = len(set(map(str, values))) == len(values) and None not in values
        if different and not any(_is_number(str(value)) for value in values):
            return name
    return None


def _check_other_columns(frame: Frame, named: set[str], where: str | None) -> None:
    """Raise if a column of numbers contains something else; log the columns that are not read."""
    others = [
        name
        for name, numeric in zip(frame.names, frame.numeric, strict=True)
        if not numeric and name not in named
    ]
    for name in others:
        values = [str(value) for value in frame.column(name) if not is_null(value)]
        wrong = [value for value in values if not _is_number(value)]
        if wrong and 2 * len(wrong) < len(values):
            raise ReadError(
                where,
                None,
                f"expected only numbers in column {quoted(name)}, found {quoted(wrong[0])}; "
                "correct the value, or leave it blank and fill it in",
            )
    if others:
        logger.info("%s: not read, because they are not numbers: %s", where, listed(others))


def _check_values(
    counts: sp.csr_matrix, words: list[str], ids: list[str] | None, where: str | None
) -> None:
    bad = ~np.isfinite(counts.data) | (counts.data < 0)
    if not bad.any():
        return
    first = int(np.argmax(bad))
    row = int(np.searchsorted(counts.indptr, first, "right")) - 1
    value, column = counts.data[first], words[counts.indices[first]]
    place = f"row {row + 1 if ids is None else quoted(ids[row])}, column {quoted(column)}"
    if np.isnan(value):
        n_missing = int(np.isnan(counts.data).sum())
        problem = (
            f"{plural(n_missing, 'value is', 'values are')} missing, the first in {place}; fill in "
            "missing values first, for example with sklearn.impute.SimpleImputer"
        )
    elif value < 0:
        problem = (
            f"the value in {place} is {value:g}, but counts must not be negative; pass values of "
            "both signs, such as log ratios, as an array to laconic.SparseLSA(...).fit"
        )
    else:
        problem = f"the value in {place} is infinite; counts must be finite"
    raise ReadError(where, None, problem)


def _names(values: Sequence[Any], column: str, where: str | None) -> list[str]:
    for row, value in enumerate(values, 1):
        if is_null(value) or value == "":
            raise ReadError(
                where, None, f"row {row} has no name in column {quoted(column)}; set id= to "
                "a column that names all rows"
            )  # fmt: skip
    return [str(value) for value in values]


def _titles(frame: Frame, name: str | None) -> list[str] | None:
    if name is None:
        return None
    return ["" if is_null(value) else str(value) for value in frame.column(name)]


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _separated_frame(source: Source, options: Options) -> Frame:
    """Read a CSV file with polars; R writes no name for the column that names the rows."""
    preferred = "\t" if source.bare_name.endswith((".tsv", ".tab")) else ","
    lines, separator = separated_lines(source, options, preferred)
    header = _fields(next(lines), separator, 1, source)
    body = "".join(lines)
    if not body.strip():
        raise source.error(None, "contains a header but no rows, and so no documents")
    width = len(_fields(body[: body.find("\n") + 1] or body, separator, 2, source))
    header = ["", *header] if width == len(header) + 1 else header
    if width != len(header):
        raise source.error(2, f"expected {len(header)} fields as in the header, found {width}")
    try:
        table = pl.read_csv(
            io.BytesIO(body.encode()),
            has_header=False,
            separator=separator,
            null_values=MISSING,
            infer_schema_length=None,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise source.error(None, f"invalid CSV: {str(error).splitlines()[0]}") from error
    if table.width != len(header):
        raise source.error(
            2, f"expected {len(header)} fields as in the header, found up to {table.width}"
        )
    return polars_frame(table, header)


def _fields(line: str, separator: str, number: int, source: Source) -> list[str]:
    """Return the fields of a line."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise source.error(number, f"invalid CSV: {error}") from error
