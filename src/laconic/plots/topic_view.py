"""View of a fitted model for charts: the visible topics in order of share, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.fitted.nouns import with_nouns
from laconic.fitted.pipeline_steps import laconic_step
from laconic.wording import plural

MAX_LENGTH, SHORTENED = 50, 40  # a text of over 50 characters is shortened to the first 40
WORD_JOINER = "\u2060"  # an invisible character of zero width
# Properties that every JavaScript object has. Vega stores groups by name in plain objects, so a
# group with one of these names would clash with the property.
OBJECT_PROPERTIES = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf", "__proto__"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    }
)


class ChartView(TopicView):
    """The topics of a model, with words and names that can be drawn in a chart."""

    @cached_property
    def visible(self) -> np.ndarray:
        """The topics that are not hidden, in order of decreasing share."""
        hidden = {topic for topic, note in self.notes.items() if note.hidden}
        return np.array([topic for topic in self.order if topic not in hidden])

    @cached_property
    def given_names(self) -> dict[int, str]:
        return {topic: group_key(name, topic) for topic, name in super().given_names.items()}

    def word(self, column: int) -> str:
        word = super().word(column)
        return word if self.names is None else group_key(word, column)

    def row(self, topic: int) -> np.ndarray:
        """Return the weights of all words in a topic."""
        return np.asarray(self.weights[[topic]].todense(), dtype=np.float64).ravel()

    def labels(self, topics: Sequence[int] | np.ndarray) -> dict[int, str]:
        """Return a unique label for each of the topics."""
        plain = {int(topic): self.label(int(topic)) for topic in topics}
        uses = Counter(plain.values())
        return {
            topic: name if uses[name] == 1 else f"{name} ({topic})" for topic, name in plain.items()
        }

    def chosen(self, topics: Sequence[int] | None, n_default: int) -> np.ndarray:
        """Return the requested topics, including hidden topics.

        If `topics` is None, return the `n_default` largest visible topics.
        """
        if topics is None:
            return self.visible[:n_default]
        for topic in topics:
            if not isinstance(topic, Integral) or not 0 <= int(topic) < self.n_topics:
                raise LaconicError(
                    f"There is no topic {topic!r}; topics are numbered 0 to {self.n_topics - 1}."
                )
        if not len(topics):
            raise LaconicError(
                "The parameter 'topics' is empty; pass at least one topic, or None for the default."
            )
        return np.array(list(dict.fromkeys(int(topic) for topic in topics)))


def chart_view(model: Any, terms: str | None = None, items: str | None = None) -> ChartView:
    """Return the chart view of a fitted model or pipeline, with other nouns if they are set."""
    laconic_step(model)
    view = ChartView(with_nouns(model, terms, items))
    if not np.isfinite(view.weights.data).all():
        raise LaconicError("The model has weights that are NaN or infinite; refit it.")
    if not len(view.visible):
        raise LaconicError("All topics of the model are hidden, so there is nothing to draw.")
    return view


def check_integer(name: str, value: Any, least: int = 1) -> None:
    """Raise `LaconicError` unless `value` is an integer and at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise LaconicError(f"{name} must be an integer; got {value!r}.")
    check_at_least(name, value, least)


def check_width(width: Any) -> None:
    """Raise `LaconicError` unless `width` is None or a positive integer."""
    if width is not None:
        check_integer("width", width)


def check_letters(letters: Any) -> None:
    """Raise `LaconicError` unless `letters` is a positive integer."""
    check_integer("letters", letters)


def shorten(text: str, number: int) -> str:
    """Shorten a long text and append `number`, so that shortened texts remain distinct.

    Vega measures each text many times. A word of 100,000 characters, which can occur in e-mail,
    would take minutes.

    Examples
    --------
    >>> shorten("short", 7), shorten("a" * 100, 7) == "a" * 40 + "… (7)"
    ('short', True)
    """
    return text if len(text) <= MAX_LENGTH else f"{text[:SHORTENED]}… ({number})"


def group_key(text: str, number: int) -> str:
    """Return a short text by which Vega can group marks.

    Vega stores groups by name in a JavaScript object. Every JavaScript object already has a
    property "constructor", so a chart with a group of this name would fail. The names of such
    properties get an invisible character.

    Examples
    --------
    >>> group_key("builder", 7), group_key("constructor", 7)
    ('builder', 'constructor\u2060')
    """
    text = shorten(text, number)
    return text + WORD_JOINER if text in OBJECT_PROPERTIES else text


def rounded(value: float, digits: int = 6) -> float:
    """Round to `digits` significant digits, which is enough for a chart and keeps files small."""
    return float(f"{value:.{digits}g}")


def percent(share: float) -> str:
    """Format a share as a percentage with one decimal.

    Examples
    --------
    >>> percent(0.9966)
    '99.7\xa0%'
    """
    return f"{100 * share:.1f}\xa0%"


def count_label(n: int, n_all: int, noun: str) -> str:
    """Return a phrase that says how many of all items are drawn.

    Examples
    --------
    >>> count_label(12, 1000, "topics"), count_label(4, 4, "topics"), count_label(1, 1, "topics")
    ('the 12 largest of 1,000 topics', '4 topics', '1 topic')
    """
    if n < n_all:
        return f"the {n:,} largest of {n_all:,} {noun}" if n > 1 else f"1 of {n_all:,} {noun}"
    return plural(n, noun.removesuffix("s"), noun)
