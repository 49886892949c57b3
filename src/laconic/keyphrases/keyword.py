"""Keywords with their evidence, which print as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, SupportsIndex, overload

import polars as pl

from laconic.tables import Cell, Column, html_table, text_table
from laconic.wording import plural

SHOWN = 20  # maximum number of documents that are printed
COLUMNS = (Column("document", wraps=True), Column("keywords", wraps=True))
SCHEMA = {
    "document": pl.Int64,
    "id": pl.String,
    "title": pl.String,
    "word": pl.String,
    "score": pl.Float64,
    "count": pl.Float64,
    "expected": pl.Float64,
    "position": pl.Int64,
    "residual": pl.Float64,
    "documents": pl.Int64,
    "burst": pl.Float64,
    "figures": pl.Float64,
    "linking": pl.Float64,
    "strongest": pl.String,
}


class Keyword(NamedTuple):
    """Keyword or key phrase of a document, with its evidence.

    For a phrase, `count` and `position` refer to the phrase; the other fields refer to its word
    `strongest`.

    Attributes
    ----------
    word : str
        The word, or the words of a phrase separated by spaces.
    score : float
        Score of the keyword; scores can be compared only within a document.
    count : int or float
        Number of occurrences in the document.
    expected : float
        Expected count if the document were like the other documents or, with a model, like its
        topics.
    position : int or None
        Index of the first token in the text, from 0. None if there is no text, or if the text does
        not contain the word in the form in which it was counted.
    residual : float or None
        Part of the count that the background of a `PCP` does not explain.
    documents : int
        Number of other documents with the word.
    burst : float
        Mean count in these other documents, (total + 2) / (documents + 2).
    figures : float or None
        Share of the word's occurrences that are beside a number.
    linking : float or None
        Share of the word's occurrences that are right before a function word.
    strongest : str or None
        Highest-scoring word of a phrase; None for a single word.

    Examples
    --------
    >>> import laconic
    >>> keyword = laconic.keywords(["The cat sleeps", "The dog barks at a cat"], n=1)[1][0]
    >>> keyword.word, keyword.count, keyword.position
    ('dog', 1, 1)
    """

    word: str
    score: float
    count: float  # type: ignore[assignment]  # replaces tuple.count
    expected: float
    position: int | None
    residual: float | None
    documents: int
    burst: float
    figures: float | None
    linking: float | None
    strongest: str | None = None

    def why(self) -> str:
        """Return the evidence for the keyword as one line of text.

        Examples
        --------
        >>> Keyword("cat", 2.0, 3, 0.25, 4, None, 1, 2.0, None, None).why()
        'cat: 3 times, 0.25 expected; first at word 5; in 1 other document'
        >>> Keyword("pet cat", 2.0, 1, 0.25, 4, None, 1, 2.0, None, None, "cat").why()
        'pet cat: once; first at word 5; cat: 0.25 expected, in 1 other document'
        """
        times = "once" if self.count == 1 else f"{self.count:g} times"
        expected = f"{self.expected:.2g} expected"
        others = plural(self.documents, "other document")
        parts = [f"{self.word}: {times}" if self.strongest else f"{self.word}: {times}, {expected}"]
        if self.position is not None:
            parts.append(f"first at word {self.position + 1}")
        spread = f"in {others}" if self.documents else "in no other document"
        parts.append(f"{self.strongest}: {expected}, {spread}" if self.strongest else spread)
        if self.residual is not None:
            parts.append(f"PCP residual {self.residual:.2g}")
        return "; ".join(parts)


class Keywords(list[list[Keyword]]):
    """List of the keywords of each document; returned by `laconic.keywords`.

    In a terminal and in a notebook, `Keywords` is shown as a table of the first documents.

    Parameters
    ----------
    lists : iterable of list of Keyword
        The keywords of each document.
    ids, titles : sequence, optional
        The ids and titles of the documents.

    Examples
    --------
    >>> import laconic
    >>> words = laconic.keywords(["The cat sleeps", "The dog barks at a cat"], n=2)
    >>> words
    document  keywords
    0         sleeps, cat
    1         dog, barks
    >>> words.frame["word"].to_list()
    ['sleeps', 'cat', 'dog', 'barks']
    """

    def __init__(
        self,
        lists: Iterable[list[Keyword]] = (),
        *,
        ids: Sequence[Any] | None = None,
        titles: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(lists)
        self.ids = ids
        self.titles = titles

    @overload
    def __getitem__(self, key: SupportsIndex) -> list[Keyword]: ...

    @overload
    def __getitem__(self, key: slice) -> Keywords: ...

    def __getitem__(self, key: SupportsIndex | slice) -> list[Keyword] | Keywords:
        if not isinstance(key, slice):
            return super().__getitem__(key)
        rows = range(len(self))[key]
        ids = list(rows) if self.ids is None else self.ids[key]
        titles = None if self.titles is None else self.titles[key]
        return Keywords(super().__getitem__(key), ids=ids, titles=titles)

    @property
    def frame(self) -> pl.DataFrame:
        """The keywords as a polars DataFrame with one row for each keyword of each document.

        The columns are ``document`` (position in the list), ``id`` (the position if documents have
        no ids), ``title``, and the fields of `Keyword`.
        """
        rows = [
            (row, self._id(row), self._title(row) or None, *keyword)
            for row, keywords in enumerate(self)
            for keyword in keywords
        ]
        return pl.DataFrame(rows, SCHEMA, orient="row", strict=False)

    def __repr__(self) -> str:
        if not self:
            return "no documents"
        return "\n".join([text_table(COLUMNS, self._rows()), *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(COLUMNS, self._rows(), self._notes())

    def _rows(self) -> list[list[Cell]]:
        return [
            [self._title(row) or self._id(row), [keyword.word for keyword in keywords]]
            for row, keywords in enumerate(self[:SHOWN])
        ]

    def _notes(self) -> list[str]:
        more = len(self) - SHOWN
        return [f"… and {plural(more, 'more document')}"] if more > 0 else []

    def _id(self, row: int) -> str:
        return str(row if self.ids is None else self.ids[row])

    def _title(self, row: int) -> str:
        return str((self.titles[row] if self.titles is not None else None) or "")
