"""A passage of a document around the words that were looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from laconic.text.words import Words

ROOM = 240  # characters of a passage
CORE = 180  # of these at most from the first word looked for to the last
AGAIN = 0.1  # what a word counts that the passage has already
MOST = 2_000  # places of words that are looked at
RELATED = 0.05  # what a related word counts beside the least of those looked for


class Snippet(str):
    """A passage of a text: a str that knows where it has words of the query, and related ones.

    Attributes
    ----------
    words : tuple of (int, int)
        Where words of the query stand, in any of their forms: start and stop.
    related : tuple of (int, int)
        The same for words that the topics of the query have much of.

    Examples
    --------
    >>> snippet = Snippet("a cat purrs", words=((2, 5),), related=((6, 11),))
    >>> print(snippet)
    a cat purrs
    >>> list(snippet.pieces())
    [('a ', ''), ('cat', 'word'), (' ', ''), ('purrs', 'related')]
    """

    words: tuple[tuple[int, int], ...]
    related: tuple[tuple[int, int], ...]

    def __new__(
        cls,
        text: str = "",
        *,
        words: tuple[tuple[int, int], ...] = (),
        related: tuple[tuple[int, int], ...] = (),
    ) -> Snippet:
        snippet = super().__new__(cls, text)
        snippet.words, snippet.related = words, related
        return snippet

    def pieces(self) -> Iterator[tuple[str, str]]:
        """The text in pieces, each with what it is: "word", "related" or ""."""
        marks = dict.fromkeys(self.related, "related") | dict.fromkeys(self.words, "word")
        end = 0
        for (start, stop), kind in sorted(marks.items()):
            if start > end:
                yield str(self[end:start]), ""
            yield str(self[start:stop]), kind
            end = stop
        if end < len(self):
            yield str(self[end:]), ""


class Place(NamedTuple):
    """A word of a text that may be marked."""

    start: int
    stop: int
    stem: str


def cut_snippet(
    text: str, words: Words, wanted: Mapping[str, float], related: Collection[str]
) -> Snippet:
    """The passage with most of what is wanted, of several the first; else the beginning.

    Parameters
    ----------
    text : str
    words : Words
        How the text is read.
    wanted : mapping of str to float
        Stems of the query, and what each is worth.
    related : collection of str
        Other stems to mark.

    Examples
    --------
    >>> snippet = cut_snippet("A cat sleeps. " * 20 + "A Dog barks.", Words("english", {}),
    ...                       {"dog": 1.0}, {"bark"})
    >>> snippet[-12:], [snippet[start:stop] for start, stop in snippet.words + snippet.related]
    ('A Dog barks.', ['Dog', 'barks'])
    """
    text = on_one_line(text)
    places = [Place(*found) for found in words.find(text, {*wanted, *related})]
    return cut_around(text, places, wanted, related)


def on_one_line(text: str) -> str:
    """A text with one blank wherever it had any."""
    return " ".join(text.split())


def cut_around(
    text: str, places: list[Place], wanted: Mapping[str, float], related: Collection[str] = ()
) -> Snippet:
    """The same of a text on one line in which the words were found already."""
    first, last = _densest(places, _worth(wanted, related))
    start, stop = _stretch(text, first, last)
    before = "…" if start > 0 else ""
    after = "…" if stop < len(text) else ""
    shift = len(before) - start
    inside = [place for place in places if start <= place.start and place.stop <= stop]

    def spans(stems: Collection[str]) -> tuple[tuple[int, int], ...]:
        return tuple((p.start + shift, p.stop + shift) for p in inside if p.stem in stems)

    return Snippet(
        before + text[start:stop] + after,
        words=spans(wanted),
        related=spans([stem for stem in related if stem not in wanted]),
    )


def _worth(wanted: Mapping[str, float], related: Collection[str]) -> dict[str, float]:
    least = RELATED * min(wanted.values(), default=1.0)
    return {**dict.fromkeys(related, least), **wanted}


def _densest(places: list[Place], worth: Mapping[str, float]) -> tuple[int, int]:
    """Start and stop of the run of places that is worth most."""
    places = places[:MOST]
    best, run = 0.0, (0, 0)
    for i, first in enumerate(places):
        seen: set[str] = set()
        value = 0.0
        for place in places[i:]:
            if place.stop - first.start > CORE:
                break
            value += worth[place.stem] * (AGAIN if place.stem in seen else 1)
            seen.add(place.stem)
            if value > best:
                best, run = value, (first.start, place.stop)
    return run


def _stretch(text: str, first: int, last: int) -> tuple[int, int]:
    """The room around a run of places, from the start of a sentence or a word to its end."""
    spare = max(ROOM - (last - first), 0)
    earliest = max(0, first - spare // 2)
    start = earliest if earliest == 0 else _start(text, earliest, first)
    stop = max(start + ROOM, last)
    if stop >= len(text):
        return start, len(text)
    blank = text.rfind(" ", max(last, start + 1), stop + 1)
    return start, stop if blank < 0 else blank


def _start(text: str, earliest: int, first: int) -> int:
    sentences = [i + 2 for i, pair in enumerate(pairwise(text[earliest:first])) if _ends(pair)]
    if sentences:
        return earliest + sentences[0]
    return text.find(" ", earliest, first) + 1 or first


def _ends(pair: tuple[str, str]) -> bool:
    return pair[0] in ".?!" and pair[1] == " "
