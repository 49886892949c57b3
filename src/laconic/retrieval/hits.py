"""Search hits, each with a snippet and keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np

from laconic.retrieval.bm25 import Lexical
from laconic.tables import Column, html_table, text_table
from laconic.text.passages import Snippet, cut_snippet
from laconic.text.words import Words

if TYPE_CHECKING:
    import polars as pl

KEYWORDS = 5
COLUMNS = (Column("rank", "right"), Column("score", "right"), Column("document", wraps=True))
NAMING = re.compile(r"^[^\W\d_]{3}")  # keywords start with three letters; numbers and ids do not


@dataclass(frozen=True)
class Hit:
    """Document found by a search.

    Attributes
    ----------
    id : str or int
        Id of the document in the corpus, or its row if the corpus has no ids.
    score : float
        Sum of `lexical` and `background`.
    lexical : float
        Score of the words.
    background : float
        Score of the topics.
    title : str or None
    snippet : Snippet
        Passage with the words of the query, computed on access; empty without texts.
    keywords : tuple of str
        The few most distinctive words of the document, computed on access.
    row : int
        Row of the document.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.read(["Cats purr", "Dogs bark", "The dog barks"], stop_words="english")
    >>> model = laconic.pipeline("plsa", n_components=2).fit(corpus)
    >>> hit = laconic.search(model, corpus).query("cat")[0]
    >>> hit.id, str(hit.snippet), hit.score == hit.lexical + hit.background
    (0, 'Cats purr', True)
    """

    id: Any
    score: float
    lexical: float
    background: float
    title: str | None
    row: int
    _query: AnsweredQuery = field(repr=False, compare=False)

    @cached_property
    def snippet(self) -> Snippet:
        return self._query.snippet(self.row)

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        return self._query.keywords(self.row)


class Hits(list[Hit]):
    """List of the hits of a query, best first; returned by `SearchIndex.query`.

    In a terminal and in a notebook, `Hits` is shown as a table.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.read(["Cats purr", "Dogs bark", "The dog barks"], stop_words="english")
    >>> model = laconic.pipeline("plsa", n_components=2).fit(corpus)
    >>> hits = laconic.search(model, corpus).query("cat")
    >>> hits.frame.select("id", "snippet").to_dicts()
    [{'id': 0, 'snippet': 'Cats purr'}]
    """

    @overload
    def __getitem__(self, key: SupportsIndex) -> Hit: ...

    @overload
    def __getitem__(self, key: slice) -> Hits: ...

    def __getitem__(self, key: SupportsIndex | slice) -> Hit | Hits:
        found = super().__getitem__(key)
        return Hits(found) if isinstance(found, list) else found

    @property
    def frame(self) -> pl.DataFrame:
        """The hits as a polars DataFrame.

        The columns are ``rank`` (from 1), ``id``, ``title``, ``score``, ``lexical`` and
        ``background`` (see `Hit`), ``keywords`` (list of str), ``snippet`` and ``row`` (row of the
        document).
        """
        import polars as pl

        whole_ids = bool(self) and isinstance(self[0].id, int)
        schema = {
            "rank": pl.Int64,
            "id": pl.Int64 if whole_ids else pl.String,
            "title": pl.String,
            "score": pl.Float64,
            "lexical": pl.Float64,
            "background": pl.Float64,
            "keywords": pl.List(pl.String),
            "snippet": pl.String,
            "row": pl.Int64,
        }
        rows = [
            (
                *(rank, hit.id, hit.title, hit.score, hit.lexical, hit.background),
                *(list(hit.keywords), str(hit.snippet), hit.row),
            )
            for rank, hit in enumerate(self, start=1)
        ]
        return pl.DataFrame(rows, schema, orient="row")

    def __repr__(self) -> str:
        return text_table(COLUMNS, self._rows()) if self else "no hits"

    def _repr_html_(self) -> str:
        return html_table(COLUMNS, self._rows())

    def _rows(self) -> list[list[str]]:
        return [
            [str(rank), f"{hit.score:.1f}", _description(hit)]
            for rank, hit in enumerate(self, start=1)
        ]


def _description(hit: Hit) -> str:
    """Return the title and id of a hit, and its passage or keywords on a new line."""
    is_named = hit.title is not None and hit.title != str(hit.id)
    name = f"{hit.title} ({hit.id})" if is_named else str(hit.id)
    passage = str(hit.snippet) or ", ".join(hit.keywords)
    return "\n".join(" ".join(line.split()) for line in (name, passage) if line)


@dataclass(frozen=True)
class AnsweredQuery:
    """Data shared by the hits of a query, from which snippets and keywords are computed."""

    words: Words
    texts: Any  # a sequence with the text (str or None) of each row, or None
    find_wanted: Callable[[], dict[str, float]]  # returns the idf of each stem of the query
    find_related: Callable[[], Iterable[str]]  # returns the stems of related words
    keywords: Callable[[int], tuple[str, ...]]  # maps a row to the keywords of its document

    @cached_property
    def wanted(self) -> dict[str, float]:
        return self.find_wanted()

    @cached_property
    def related(self) -> frozenset[str]:
        return frozenset(self.find_related()) - self.wanted.keys()

    def snippet(self, row: int) -> Snippet:
        if self.texts is None:
            return Snippet()
        return cut_snippet(self.texts[row] or "", self.words, self.wanted, self.related)


def find_keywords(lexical: Lexical, row: int, texts: Any) -> tuple[str, ...]:
    """Return the most distinctive words of a document: frequent, early and rare elsewhere."""
    if texts is None:
        rows, weights = lexical.document(row)
        forms = lexical.forms[rows]
    else:
        forms, weights = _weigh_words(lexical, texts[row] or "")
    order = np.argsort(-weights, kind="stable").tolist()
    named = (str(forms[i]) for i in order if NAMING.search(forms[i]))
    return tuple(islice(named, KEYWORDS))


def _weigh_words(lexical: Lexical, text: str) -> tuple[list[str], np.ndarray]:
    """Return one word per stem of a text, with the weight (1 + ln tf) · idf / √(first position)."""
    words, rows = lexical.look_up(text)
    stems, first, times = np.unique(rows, return_index=True, return_counts=True)
    first, times = first[stems >= 0], times[stems >= 0]
    weights = (1 + np.log(times)) * lexical.rarity(stems[stems >= 0]) / np.sqrt(1 + first)
    return [words[i] for i in first], weights
