"""Metadata of documents, which is collected while their texts are counted.

The metadata is collected in memory, or in files of some thousand documents each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.corpus.stored_columns import as_table
from laconic.files.tables import disk_errors

if TYPE_CHECKING:
    import polars as pl

FILE_ROWS, FILE_CHARACTERS = 1 << 14, 1 << 23
"""Number of documents, and of characters of their texts, from which a file is complete."""

INT64 = np.iinfo(np.int64)


class Row(NamedTuple):
    """One document; its id, title and label are None if they are missing."""

    text: str
    id: str | None = None
    title: str | None = None
    label: Any = None
    counted: str | None = None  # the text to count, if it is not the text to show


def as_labels(labels: Sequence[Any]) -> np.ndarray:
    """Convert labels to an array of numbers or of booleans, if all labels have that type.

    Otherwise, all labels become strings, and a document without a label gets ``""``.

    Examples
    --------
    >>> as_labels([1, 2]).tolist(), as_labels(["a", None, 3]).tolist()
    ([1, 2], ['a', '', '3'])
    """
    kinds = {type(label) for label in labels}
    if kinds == {int} or kinds == {bool}:
        return np.array(labels)
    if kinds <= {int, float}:
        return np.array(labels, dtype=float)
    return np.array(["" if label is None else str(label) for label in labels])


class Metadata:
    """Metadata in memory."""

    def __init__(self, keep_texts: bool) -> None:
        self.keep_texts = keep_texts
        self.n_repaired = 0
        self._clear()

    def _clear(self) -> None:
        self.texts: list[str] = []
        self.ids: list[str | None] = []
        self.titles: list[str | None] = []
        self.labels: list[Any] = []

    def stream(self, rows: Iterable[Row]) -> Iterator[str]:
        """Yield the text to count of each row, and collect the metadata."""
        for row in rows:
            text = self._without_surrogates(row.text)
            if self.keep_texts:
                self.texts.append(text)
            self.ids.append(row.id)
            self.titles.append(row.title)
            self.labels.append(row.label)
            yield text if row.counted is None else row.counted

    def columns(self) -> dict[str, Any]:
        """Return the ids, titles, labels and texts; a column is None if no document has a value.

        A missing id is replaced by the position of the document.
        """
        ids, titles, labels = (
            None if all(value is None for value in column) else column
            for column in (self.ids, self.titles, self.labels)
        )
        if ids is not None:
            ids = [str(row) if id_ is None else id_ for row, id_ in enumerate(ids)]
        return {
            "ids": ids,
            "titles": None if titles is None else [title or "" for title in titles],
            "labels": None if labels is None else as_labels(labels),
            "texts": self.texts if self.keep_texts else None,
        }

    def _without_surrogates(self, text: str) -> str:
        # JSON may contain lone surrogates, which cannot be encoded as UTF-8.
        try:
            text.encode()
        except UnicodeEncodeError:
            self.n_repaired += 1
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text


def _ignore(progress: str) -> None:
    """Report nothing."""


class MetadataOnDisk(Metadata):
    """Metadata in files in an empty folder; only the documents of one file are in memory."""

    def __init__(
        self, keep_texts: bool, folder: Path, report: Callable[[str], None] = _ignore
    ) -> None:
        super().__init__(keep_texts)
        self._report = report
        self.n_documents = 0
        self._folder = folder
        self._files: list[Path] = []
        self._present: set[str] = {"texts"} if keep_texts else set()
        self._kinds: set[type] = set()  # of labels
        self._fit_int64 = True  # whether all labels that are integers fit

    def stream(self, rows: Iterable[Row]) -> Iterator[str]:
        n_characters = 0
        for text in super().stream(rows):
            n_characters += len(text)
            yield text
            if len(self.ids) >= FILE_ROWS or n_characters >= FILE_CHARACTERS:
                self._write()
                n_characters = 0
        self._write()

    def _write(self) -> None:
        """Write the documents since the last call to a new file."""
        import polars as pl

        if not self.ids:
            return
        kinds = set(map(type, self.labels))
        self._kinds |= kinds
        for name in ("ids", "titles", "labels"):
            if any(value is not None for value in getattr(self, name)):
                self._present.add(name)
        if int in kinds:
            numbers = [label for label in self.labels if type(label) is int]
            self._fit_int64 &= INT64.min <= min(numbers) and max(numbers) <= INT64.max
        # The type of the labels is known only after the last document.
        spelled = [None if label is None else str(label) for label in self.labels]
        floats = [label if isinstance(label, float) else None for label in self.labels]
        table = pl.DataFrame(
            {
                "ids": pl.Series(self.ids, dtype=pl.String),
                "titles": pl.Series(self.titles, dtype=pl.String),
                "spelled": pl.Series(spelled, dtype=pl.String),
                "floats": pl.Series(floats, dtype=pl.Float64),
                "texts": pl.Series(self.texts or [None] * len(self.ids), dtype=pl.String),
            }
        )
        self._files.append(self._folder / f"{len(self._files)}.parquet")
        with disk_errors(), self._files[-1].open("wb") as file:
            table.write_parquet(file, compression="uncompressed", statistics=False)
        self.n_documents += len(self.ids)
        self._report(f"{self.n_documents:,} documents read")
        self._clear()

    def join(self, other: MetadataOnDisk) -> None:
        """Append the documents of another object, whose files must not be deleted."""
        self.n_repaired += other.n_repaired
        self.n_documents += other.n_documents
        self._files += other._files
        self._present |= other._present
        self._kinds |= other._kinds
        self._fit_int64 &= other._fit_int64

    def table(self) -> pl.LazyFrame:
        """Return the same columns as `columns` as a lazy table, which reads the files."""
        import polars as pl

        table = pl.scan_parquet(self._files, glob=False, row_index_name="row")
        columns = {
            "ids": pl.col("ids").fill_null(pl.col("row").cast(pl.String)),
            "titles": pl.col("titles").fill_null(""),
            "labels": self._label_column(),
            "texts": pl.col("texts"),
        }
        if "labels" in self._present and self._kinds == {int} and not self._fit_int64:
            numbers = [int(number) for number in table.select("spelled").collect()["spelled"]]
            labels = as_table({"labels": as_labels(numbers)})
            table = pl.concat([table, labels], how="horizontal")
            columns["labels"] = pl.col("labels")
        return table.select(
            column.alias(name) for name, column in columns.items() if name in self._present
        )

    def _label_column(self) -> pl.Expr:
        """Return the column of labels of the type that `as_labels` chooses."""
        import polars as pl

        spelled = pl.col("spelled")
        if self._kinds == {bool}:
            return spelled == "True"
        if self._kinds == {int}:
            return spelled.cast(pl.Int64)
        if self._kinds <= {int, float}:
            return pl.col("floats").fill_null(spelled.cast(pl.Float64))
        return spelled.fill_null("").str.strip_chars_end("\0")  # as arrays of NumPy do
