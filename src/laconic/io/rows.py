"""Last step of every text reader: build a Corpus from rows of text.

Rows are streamed through the Vectorizer one by one. At the same time, the metadata of each document
is collected: its id, title and label and, unless ``keep_texts=False``, its text.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import ReadError
from laconic.io.column_names import vectorizer_for
from laconic.io.options import Options

logger = logging.getLogger(__name__)


class Row(NamedTuple):
    """One document; its id, title and label are None if they are missing."""

    text: str
    id: str | None = None
    title: str | None = None
    label: Any = None
    counted: str | None = None  # the text to count, if it is not the text to show


def count_texts(
    rows: Iterable[Row],
    options: Options,
    where: str | None,
    if_empty: str = "contains no documents",
) -> Corpus:
    """Count the words of `rows` in one pass; if there are no rows, raise an error (`if_empty`)."""
    metadata = _Metadata(options.keep_texts)
    texts = metadata.stream(rows)
    first = next(texts, None)
    if first is None:
        raise ReadError(where, None, if_empty)
    corpus: Corpus = vectorizer_for(options).fit_transform(chain([first], texts))
    if metadata.n_repaired:
        logger.info(
            "%s: replaced invalid characters (lone surrogates) in %d documents",
            where or "documents",
            metadata.n_repaired,
        )
    return corpus.replace(
        ids=metadata.document_ids(),
        titles=None if _all_none(metadata.titles) else [title or "" for title in metadata.titles],
        labels=None if _all_none(metadata.labels) else as_labels(metadata.labels),
        texts=metadata.texts if options.keep_texts else None,
    )


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


class _Metadata:
    """Metadata of the documents, collected while the texts are streamed."""

    def __init__(self, keep_texts: bool) -> None:
        self.keep_texts = keep_texts
        self.texts: list[str] = []
        self.ids: list[str | None] = []
        self.titles: list[str | None] = []
        self.labels: list[Any] = []
        self.n_repaired = 0

    def stream(self, rows: Iterable[Row]) -> Iterator[str]:
        for row in rows:
            text = self._without_surrogates(row.text)
            if self.keep_texts:
                self.texts.append(text)
            self.ids.append(row.id)
            self.titles.append(row.title)
            self.labels.append(row.label)
            yield text if row.counted is None else row.counted

    def document_ids(self) -> list[str] | None:
        """Return the ids, or None if there are no ids; a missing id is replaced by the position."""
        if _all_none(self.ids):
            return None
        return [str(position) if id_ is None else id_ for position, id_ in enumerate(self.ids)]

    def _without_surrogates(self, text: str) -> str:
        # JSON may contain lone surrogates, which cannot be encoded as UTF-8.
        try:
            text.encode()
        except UnicodeEncodeError:
            self.n_repaired += 1
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text


def _all_none(values: list[Any]) -> bool:
    return all(value is None for value in values)
