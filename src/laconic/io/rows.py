"""The common end of every text reader: rows of text go in, a counted Corpus comes out.

Rows stream through the Vectorizer one by one. What belongs to a document beside its words (id,
title, label, and the text itself unless it is not wanted) is noted on the way.
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
    """One document as a reader found it; an absent id, title or label is None."""

    text: str
    id: str | None = None
    title: str | None = None
    label: Any = None


def count_texts(
    rows: Iterable[Row], options: Options, where: str | None, nothing: str = "holds no documents"
) -> Corpus:
    """Count the words of `rows`, in one pass; `nothing` is the complaint when there are none."""
    notes = _Notes(options.keep_texts)
    texts = notes.stream(rows)
    first = next(texts, None)
    if first is None:
        raise ReadError(where, None, nothing)
    corpus: Corpus = vectorizer_for(options).fit_transform(chain([first], texts))
    if notes.repaired:
        logger.info(
            "%s: half characters (lone surrogates) replaced in %d documents",
            where or "documents",
            notes.repaired,
        )
    return corpus.replace(
        ids=notes.known_ids(),
        titles=None if _all_absent(notes.titles) else [title or "" for title in notes.titles],
        labels=None if _all_absent(notes.labels) else as_labels(notes.labels),
        texts=notes.texts if options.keep_texts else None,
    )


def as_labels(labels: Sequence[Any]) -> np.ndarray:
    """Labels as an array: integers, truth values and numbers stay what they are, if all are.

    Anything else becomes text; a document without a label then has the label ``""``.

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


class _Notes:
    """What is remembered of the rows while their texts stream by."""

    def __init__(self, keep_texts: bool) -> None:
        self.keep_texts = keep_texts
        self.texts: list[str] = []
        self.ids: list[str | None] = []
        self.titles: list[str | None] = []
        self.labels: list[Any] = []
        self.repaired = 0

    def stream(self, rows: Iterable[Row]) -> Iterator[str]:
        for row in rows:
            text = self._whole(row.text)
            if self.keep_texts:
                self.texts.append(text)
            self.ids.append(row.id)
            self.titles.append(row.title)
            self.labels.append(row.label)
            yield text

    def known_ids(self) -> list[str] | None:
        """Ids of the documents; one that has none is known by its position."""
        if _all_absent(self.ids):
            return None
        return [str(place) if id_ is None else id_ for place, id_ in enumerate(self.ids)]

    def _whole(self, text: str) -> str:
        # JSON can spell half of a surrogate pair, which no encoder downstream would take.
        try:
            text.encode()
        except UnicodeEncodeError:
            self.repaired += 1
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text


def _all_absent(values: list[Any]) -> bool:
    return all(value is None for value in values)
