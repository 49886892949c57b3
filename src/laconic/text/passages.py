"""Passages of texts: where they are cut, and their words in pieces that can be marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from laconic.text.words import Words, strip_accents_in_place

ROOM = 240  # characters of a passage
CORE = 180  # of these at most from the first word looked for to the last
AGAIN = 0.1  # what a word counts that the passage has already
MOST = 2_000  # places of words that are looked at
RELATED = 0.05  # what a related word counts beside the least of those looked for
EXAMPLE_ROOM = 40  # characters on each side of a word
SENTENCE_END = re.compile("[.?!] ")

T = TypeVar("T")
K = TypeVar("K")
Described = list[dict[str, Any]]
Pieces = list[tuple[str, int | None]]


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
        spans = sorted((start, stop, kind) for (start, stop), kind in marks.items())
        return split_at(str(self), spans, "")


class Token(NamedTuple):
    """A word where it stands in a text."""

    start: int
    stop: int
    word: str  # as it is counted, or its stem


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
    tokens = [Token(*found) for found in words.find(text, {*wanted, *related})]
    return cut_around(text, tokens, wanted, related)


def on_one_line(text: str) -> str:
    """A text with one blank wherever it had any."""
    return " ".join(text.split())


def cut_around(
    text: str, tokens: list[Token], wanted: Mapping[str, float], related: Collection[str] = ()
) -> Snippet:
    """The same of a text on one line in which the words were found already."""
    worth = _worth(wanted, related)
    run = densest_run([(*token, worth[token.word]) for token in tokens[:MOST]], CORE)
    first, last = (tokens[run[0]].start, tokens[run[1]].stop) if run else (0, 0)
    start, stop = _stretch(text, first, last)
    before = "…" if start > 0 else ""
    after = "…" if stop < len(text) else ""
    shift = len(before) - start
    inside = [token for token in tokens if start <= token.start and token.stop <= stop]

    def spans(stems: Collection[str]) -> tuple[tuple[int, int], ...]:
        return tuple((t.start + shift, t.stop + shift) for t in inside if t.word in stems)

    return Snippet(
        before + text[start:stop] + after,
        words=spans(wanted),
        related=spans([stem for stem in related if stem not in wanted]),
    )


def _worth(wanted: Mapping[str, float], related: Collection[str]) -> dict[str, float]:
    least = RELATED * min(wanted.values(), default=1.0)
    return {**dict.fromkeys(related, least), **wanted}


def densest_run(
    marks: Sequence[tuple[int, int, Hashable, float]], room: int
) -> tuple[int, int] | None:
    """Numbers of the first and the last mark of the run that is worth most, of several the first.

    Parameters
    ----------
    marks : sequence of (int, int, hashable, float)
        Start and stop of each mark in the text, what it marks, and what that is worth; again in the
        same run it is worth a tenth.
    room : int
        Most characters from the start of the first mark to the stop of the last.

    Examples
    --------
    >>> densest_run([(0, 3, "cat", 1.0), (50, 53, "cat", 1.0), (54, 57, "dog", 1.0)], 20)
    (1, 2)
    """
    best = 0.0
    run: tuple[int, int] | None = None
    for i, (start, *_) in enumerate(marks):
        seen: set[Hashable] = set()
        value = 0.0
        for j, (_, stop, what, worth) in enumerate(marks[i:], start=i):
            if stop - start > room:
                break
            value += worth * (AGAIN if what in seen else 1)
            seen.add(what)
            if value > best:
                best, run = value, (i, j)
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
    sentence = SENTENCE_END.search(text, earliest, first)
    return sentence.end() if sentence else _word_start(text, earliest, first)


def _word_start(text: str, earliest: int, first: int) -> int:
    """Where a word begins from `earliest` on; `first` if none does before it."""
    return text.find(" ", earliest, first) + 1 or first


# --- a word where it stands -----------------------------------------------------------------------


def cut_example(text: str, word: str) -> str:
    """The first place of `word` in `text`, or the beginning if it stands there in another form.

    Capitals and accents do not matter, nor what stands between the words of an n-gram.

    Examples
    --------
    >>> text = "Moored in the Harbour,\\n she waited for wind and for a tide to come"
    >>> cut_example(text, "harbour")
    'Moored in the Harbour, she waited for wind and for a tide to…'
    """
    text = on_one_line(text)
    words = r"\W+".join(re.escape(strip_accents_in_place(part)) for part in word.split())
    found = re.search(rf"(?<!\w){words}(?!\w)", strip_accents_in_place(text), re.IGNORECASE)
    start, stop = found.span() if found else (0, 0)
    first, last = max(0, start - EXAMPLE_ROOM), min(len(text), stop + EXAMPLE_ROOM)
    if first > 0:  # at the end of a word, if one ends there
        first = _word_start(text, first, start)
    if last < len(text):
        last = max(stop, text.rfind(" ", stop + 1, last)) or last
    return ("…" if first > 0 else "") + text[first:last] + ("…" if last < len(text) else "")


# --- texts in pieces ------------------------------------------------------------------------------


def in_pieces(
    text: str,
    marked: Iterable[tuple[Token, float | None, T]],
    describe: Callable[[str, float | None, T], dict[str, Any]],
) -> tuple[Pieces, Described]:
    """The text in pieces, each with the number of its word if it is marked, and these words.

    Parameters
    ----------
    text : str
    marked : iterable of (Token, float or None, anything)
        Where marked words stand, how strong a keyword each is there, and what is known of it.
    describe : callable
        What to say of a word, from its spelling, its strength and what is known.

    Examples
    --------
    >>> marked = [(Token(2, 5, "cat"), None, 1), (Token(11, 14, "cat"), None, 1)]
    >>> in_pieces("A cat is a cat.", marked, lambda word, strength, known: {"word": word})
    ([('A ', None), ('cat', 0), (' is a ', None), ('cat', 0), ('.', None)], [{'word': 'cat'}])
    """
    words: Described = []
    numbers: dict[tuple[str, float | None], int] = {}  # in a phrase a word may be a keyword
    spans = []
    for token, strength, known in marked:
        number = numbers.setdefault((token.word, strength), len(words))
        if number == len(words):
            words.append(describe(token.word, strength, known))
        spans.append((token.start, token.stop, number))
    return list(split_at(text, spans, None)), words


def split_at(text: str, spans: Iterable[tuple[int, int, K]], plain: K) -> Iterator[tuple[str, K]]:
    """The text in pieces, each with the mark of its span, or with `plain` between spans."""
    end = 0
    for start, stop, mark in spans:
        if start > end:
            yield text[end:start], plain
        yield text[start:stop], mark
        end = stop
    if end < len(text):
        yield text[end:], plain
