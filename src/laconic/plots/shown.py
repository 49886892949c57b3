"""What charts show of a model: its topics by share, without the hidden ones, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted.documents import last_step
from laconic.fitted.notes import notes_of
from laconic.fitted.topics import rank_words

NAMING_WORDS = 3
MINUS = "−"
LONGEST, BEGINNING = 50, 40  # letters of a word or a name
UNSEEN = "\u2060"  # the word joiner, which has neither width nor ink
# What every object of JavaScript has: Vega looks groups up by their names in plain objects.
OF_EVERY_OBJECT = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf", "__proto__"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    }
)


@dataclass(frozen=True)
class Shown:
    """The topics of a model as charts see them.

    Attributes
    ----------
    estimator : estimator
    weights : csr_matrix of shape (n_topics, n_words)
    ranked : csr_matrix of shape (n_topics, n_words)
        What orders the words of a topic, as in `laconic.topics`.
    shares : ndarray of shape (n_topics,)
    order : ndarray of int
        The topics that are not hidden, the largest share first.
    given : dict of int to str
        Names that someone gave to topics.
    """

    estimator: Any
    weights: sp.csr_matrix
    ranked: sp.csr_matrix
    shares: np.ndarray
    order: np.ndarray
    given: dict[int, str]

    @property
    def n_topics(self) -> int:
        return int(self.weights.shape[0])

    def word(self, column: int) -> str:
        """A word, or the number of its column where words are not known."""
        names = getattr(self.estimator, "feature_names_in_", None)
        return str(column) if names is None else safe(str(names[column]), column)

    def columns(self, topic: int, n_words: int) -> np.ndarray:
        """Columns of the strongest words of a topic, whatever their sign, strongest first."""
        row = slice(self.ranked.indptr[topic], self.ranked.indptr[topic + 1])
        return np.asarray(self.ranked.indices[row][largest(np.abs(self.ranked.data[row]), n_words)])

    def row(self, topic: int) -> np.ndarray:
        """The weights of all words in a topic."""
        return np.asarray(self.weights[[topic]].todense(), dtype=np.float64).ravel()

    def naming_words(self, topic: int) -> list[str]:
        """The strongest words that speak for a topic; those against it where there are none."""
        row = slice(self.ranked.indptr[topic], self.ranked.indptr[topic + 1])
        values, columns = self.ranked.data[row], self.ranked.indices[row]
        sign = 1 if np.any(values > 0) else -1
        speaking = np.flatnonzero(sign * values > 0)
        best = speaking[largest(np.abs(values[speaking]), NAMING_WORDS)]
        return [("" if sign > 0 else MINUS) + self.word(column) for column in columns[best]]

    def names(self, topics: Sequence[int] | np.ndarray) -> dict[int, str]:
        """A name for each of some topics, no two alike: as it was given, or its first words."""
        plain = {
            int(topic): self.given.get(int(topic))
            or ", ".join(self.naming_words(topic))
            or f"topic {topic}"
            for topic in topics
        }
        taken = Counter(plain.values())
        return {
            topic: name if taken[name] == 1 else f"{name} ({topic})"
            for topic, name in plain.items()
        }

    def chosen(self, topics: Sequence[int] | None, most: int) -> np.ndarray:
        """The topics that were asked for, hidden or not; else so many of the largest."""
        if topics is None:
            return self.order[:most]
        for topic in topics:
            if not isinstance(topic, Integral) or not 0 <= int(topic) < self.n_topics:
                raise LaconicError(
                    f"There is no topic {topic!r}; topics go from 0 to {self.n_topics - 1}."
                )
        if not len(topics):
            raise LaconicError("No topic is named; name one, or none at all for the largest.")
        return np.array(list(dict.fromkeys(int(topic) for topic in topics)))


def look_at(model: Any) -> Shown:
    """What there is to show of a fitted model or pipeline."""
    estimator = last_step(model)
    weights = _without_zeros(sp.csr_matrix(estimator.components_))
    if not np.isfinite(weights.data).all():
        raise LaconicError("The model has weights that are no numbers; fit it again.")
    notes = notes_of(model)
    shares = np.nan_to_num(np.asarray(estimator.topic_shares_, dtype=np.float64))
    order = np.argsort(-shares, kind="stable")
    order = np.array([topic for topic in order if topic not in notes or not notes[topic].hidden])
    if not len(order):
        raise LaconicError("All topics of the model are hidden, so there is nothing to draw.")
    given = {topic: safe(note.name, topic) for topic, note in notes.items() if note.name}
    ranked = _without_zeros(rank_words(estimator))
    return Shown(estimator, weights, ranked, shares, order, given)


def check_whole(name: str, value: Any, least: int = 1) -> None:
    """Refuse what is no whole number, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise LaconicError(f"{name} must be a whole number; got {value!r}.")
    if value < least:
        raise LaconicError(f"{name} must be at least {least}; got {value}.")


def check_width(width: Any) -> None:
    """Refuse what is no width of a chart."""
    if width is not None:
        check_whole("width", width)


def check_letters(letters: Any) -> None:
    """Refuse what is no width of letters."""
    check_whole("letters", letters)


def largest(sizes: np.ndarray, n: int) -> np.ndarray:
    """Places of the largest sizes in their order, of equal ones the first.

    Examples
    --------
    >>> largest(np.array([1.0, 3, 2, 3, 0]), 3).tolist()
    [1, 3, 2]
    """
    places = np.arange(len(sizes))
    if len(sizes) > n:  # a dense topic has all words: only those that can be among them are sorted
        least = np.partition(sizes, len(sizes) - n)[len(sizes) - n]
        places = np.flatnonzero(sizes >= least)
    return np.asarray(places[np.argsort(-sizes[places], kind="stable")[:n]])


def _without_zeros(weights: sp.csr_matrix) -> sp.csr_matrix:
    """Only what has weight; the arrays of a model are its own and may be read-only."""
    if np.all(weights.data):
        return weights
    weights = weights.copy()
    weights.eliminate_zeros()
    return weights


def cut(text: str, number: int) -> str:
    """A text that can be drawn: of a long one its beginning, told from others by its number.

    Vega measures long texts again and again; one of 100,000 characters, as mail has them, would
    take minutes.

    Examples
    --------
    >>> cut("short", 7), cut("a" * 100, 7) == "a" * 40 + "… (7)"
    ('short', True)
    """
    return text if len(text) <= LONGEST else f"{text[:BEGINNING]}… ({number})"


def safe(text: str, number: int) -> str:
    """A text by which a chart may group its marks: cut, and told from what all objects have.

    A bar of the word "constructor" would else be looked for in JavaScript's own constructor, and
    the whole chart fails.

    Examples
    --------
    >>> safe("builder", 7), safe("constructor", 7)
    ('builder', 'constructor\u2060')
    """
    text = cut(text, number)
    return text + UNSEEN if text in OF_EVERY_OBJECT else text


def rounded(value: float, digits: int = 6) -> float:
    """A number as a chart needs it: few digits, which keeps a file of many small."""
    return float(f"{value:.{digits}g}")


def percent(share: float) -> str:
    """A share as charts write it.

    Examples
    --------
    >>> percent(0.9966)
    '99.7\xa0%'
    """
    return f"{100 * share:.1f}\xa0%"


def of_all(n: int, n_all: int, noun: str) -> str:
    """How many of all are shown, in words.

    Examples
    --------
    >>> of_all(12, 1000, "topics"), of_all(4, 4, "topics"), of_all(1, 1, "topics")
    ('the 12 largest of 1,000 topics', '4 topics', '1 topic')
    """
    if n < n_all:
        return f"the {n:,} largest of {n_all:,} {noun}" if n > 1 else f"1 of {n_all:,} {noun}"
    return f"{n:,} {noun if n != 1 else noun.removesuffix('s')}"
