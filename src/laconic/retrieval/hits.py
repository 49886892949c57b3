"""What is found: hits, and the passage and keywords that are shown of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from laconic.retrieval.bm25 import Lexical
from laconic.text.passages import Snippet, cut_snippet
from laconic.text.words import Words

KEYWORDS = 5
NAMING = re.compile(r"^[^\W\d_]{3}")  # what a keyword begins with: no numbers, no ids


@dataclass(frozen=True)
class Hit:
    """A document that was found.

    Attributes
    ----------
    id : str or int
        The corpus's own, or the position.
    score : float
        The sum of its two parts.
    lexical : float
        The part of its words.
    background : float
        The part of its topics.
    title : str or None
    snippet : Snippet
        A passage with the words of the query, made when it is asked for; empty without texts.
    keywords : tuple of str
        The few words that set the document apart, found when they are asked for.
    row : int
        The position of the document.
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


@dataclass(frozen=True)
class AnsweredQuery:
    """What the hits of a query have in common: where their snippets and keywords come from."""

    words: Words
    texts: Any  # a str for each row, or None
    wanted: dict[str, float]  # stems and their worth
    find_related: Callable[[], Iterable[str]]  # stems of related words
    keywords: Callable[[int], tuple[str, ...]]  # of the document of a row

    @cached_property
    def related(self) -> frozenset[str]:
        return frozenset(self.find_related()) - self.wanted.keys()

    def snippet(self, row: int) -> Snippet:
        if self.texts is None:
            return Snippet()
        return cut_snippet(self.texts[row] or "", self.words, self.wanted, self.related)


def find_keywords(lexical: Lexical, row: int, texts: Any) -> tuple[str, ...]:
    """The few words that set a document apart: rare, often in it, and early in its text."""
    if texts is None:
        rows, weights = lexical.document(row)
        forms = lexical.forms[rows]
    else:
        forms, weights = _weigh_words(lexical, texts[row] or "")
    order = np.argsort(-weights, kind="stable").tolist()
    named = (str(forms[i]) for i in order if NAMING.search(forms[i]))
    return tuple(islice(named, KEYWORDS))


def _weigh_words(lexical: Lexical, text: str) -> tuple[list[str], np.ndarray]:
    """The words of a text, one of each stem, and (1 + ln tf) · idf / √(first position)."""
    words, rows = lexical.look_up(text)
    known, first, times = np.unique(rows, return_index=True, return_counts=True)
    first, times = first[known >= 0], times[known >= 0]
    weights = (1 + np.log(times)) * lexical.rarity(known[known >= 0]) / np.sqrt(1 + first)
    return [words[i] for i in first], weights
