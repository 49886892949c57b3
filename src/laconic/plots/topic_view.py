"""What charts show of a model: its topics by share, without the hidden ones, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import encoding_step
from laconic.wording import plural

LONGEST, BEGINNING = 50, 40  # letters of a word or a name
UNSEEN = "\u2060"  # the word joiner, which has neither width nor ink
# What every object of JavaScript has: Vega looks groups up by their names in plain objects.
OBJECT_PROPERTIES = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf", "__proto__"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    }
)


class ChartView(TopicView):
    """The topics of a model as charts see them: with words and names that can be drawn."""

    @cached_property
    def visible(self) -> np.ndarray:
        """The topics that are not hidden, the largest share first."""
        hidden = {topic for topic, note in self.notes.items() if note.hidden}
        return np.array([topic for topic in self.order if topic not in hidden])

    @cached_property
    def given_names(self) -> dict[int, str]:
        return {topic: group_key(name, topic) for topic, name in super().given_names.items()}

    def word(self, column: int) -> str:
        word = super().word(column)
        return word if self.names is None else group_key(word, column)

    def row(self, topic: int) -> np.ndarray:
        """The weights of all words in a topic."""
        return np.asarray(self.weights[[topic]].todense(), dtype=np.float64).ravel()

    def labels(self, topics: Sequence[int] | np.ndarray) -> dict[int, str]:
        """A label for each of some topics, no two alike."""
        plain = {int(topic): self.label(int(topic)) for topic in topics}
        taken = Counter(plain.values())
        return {
            topic: name if taken[name] == 1 else f"{name} ({topic})"
            for topic, name in plain.items()
        }

    def chosen(self, topics: Sequence[int] | None, most: int) -> np.ndarray:
        """The topics that were asked for, hidden or not; else so many of the largest."""
        if topics is None:
            return self.visible[:most]
        for topic in topics:
            if not isinstance(topic, Integral) or not 0 <= int(topic) < self.n_topics:
                raise LaconicError(
                    f"There is no topic {topic!r}; topics go from 0 to {self.n_topics - 1}."
                )
        if not len(topics):
            raise LaconicError("No topic is named; name one, or none at all for the largest.")
        return np.array(list(dict.fromkeys(int(topic) for topic in topics)))


def chart_view(model: Any) -> ChartView:
    """What there is to show of a fitted model or pipeline."""
    encoding_step(model)
    view = ChartView(model)
    if not np.isfinite(view.weights.data).all():
        raise LaconicError("The model has weights that are no numbers; fit it again.")
    if not len(view.visible):
        raise LaconicError("All topics of the model are hidden, so there is nothing to draw.")
    return view


def check_integer(name: str, value: Any, least: int = 1) -> None:
    """Refuse what is no whole number, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise LaconicError(f"{name} must be a whole number; got {value!r}.")
    check_at_least(name, value, least)


def check_width(width: Any) -> None:
    """Refuse what is no width of a chart."""
    if width is not None:
        check_integer("width", width)


def check_letters(letters: Any) -> None:
    """Refuse what is no width of letters."""
    check_integer("letters", letters)


def shorten(text: str, number: int) -> str:
    """A text that can be drawn: of a long one its beginning, told from others by its number.

    Vega measures long texts again and again; one of 100,000 characters, as mail has them, would
    take minutes.

    Examples
    --------
    >>> shorten("short", 7), shorten("a" * 100, 7) == "a" * 40 + "… (7)"
    ('short', True)
    """
    return text if len(text) <= LONGEST else f"{text[:BEGINNING]}… ({number})"


def group_key(text: str, number: int) -> str:
    """A text by which a chart may group its marks: shorten, and told from what all objects have.

    A bar of the word "constructor" would else be looked for in JavaScript's own constructor, and
    the whole chart fails.

    Examples
    --------
    >>> group_key("builder", 7), group_key("constructor", 7)
    ('builder', 'constructor\u2060')
    """
    text = shorten(text, number)
    return text + UNSEEN if text in OBJECT_PROPERTIES else text


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


def count_label(n: int, n_all: int, noun: str) -> str:
    """How many of all are view, in words.

    Examples
    --------
    >>> count_label(12, 1000, "topics"), count_label(4, 4, "topics"), count_label(1, 1, "topics")
    ('the 12 largest of 1,000 topics', '4 topics', '1 topic')
    """
    if n < n_all:
        return f"the {n:,} largest of {n_all:,} {noun}" if n > 1 else f"1 of {n_all:,} {noun}"
    return plural(n, noun.removesuffix("s"), noun)
