"""Snippets and passages of texts, and splitting of texts for highlighting."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from laconic.text.words import Words, strip_accents_in_place

ROOM = 240  # maximum number of characters of a passage
CORE = 180  # maximum number of characters from the first to the last query word
REPEATED = 0.1  # a repeated word counts for this share of its value
MAX_TOKENS = 2_000  # maximum number of word occurrences considered per text
RELATED = 0.05  # value of a related word, relative to the lowest value of a query word
EXAMPLE_ROOM = 40  # maximum number of characters before and after a word in an example
SENTENCE_END = re.compile("[.?!] ")

T = TypeVar("T")
K = TypeVar("K")
Described = list[dict[str, Any]]
Pieces = list[tuple[str, int | None]]


class Snippet(str):
    """Passage of a text: a str with the positions of query words and related words.

    Attributes
    ----------
    words : tuple of (int, int)
        Start and stop of each word that is a query word or another form of a query word.
    related : tuple of (int, int)
        Start and stop of each word that has a high weight in the topics of the query.

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
        """Yield the pieces of the text and their kinds: "word", "related" or ""."""
        marks = dict.fromkeys(self.related, "related") | dict.fromkeys(self.words, "word")
        spans = sorted((start, stop, kind) for (start, stop), kind in marks.items())
        return split_at(str(self), spans, "")


class Token(NamedTuple):
    """Occurrence of a word in a text."""

    start: int
    stop: int
    word: str  # the counted form of the word, or its stem


def cut_snippet(
    text: str, words: Words, wanted: Mapping[str, float], related: Collection[str]
) -> Snippet:
    """Return the passage with the most valuable query words.

    If several passages are equally good, return the first; if there are no query words, return the
    beginning of the text.

    Parameters
    ----------
    text : str
    words : Words
        Tokeniser and stemmer for the text.
    wanted : mapping of str to float
        Stems of the query and their values.
    related : collection of str
        Other stems to highlight.

    Examples
    --------
    >>> snippet = cut_snippet("A cat sleeps. " * 20 + "A Dog barks.", Words("english", {}),
    ...                       {"dog": 1.0}, {"bark"})
    >>> snippet[-12:], [snippet[start:stop] for start, stop in snippet.words + snippet.related]
    ('A Dog barks.', ['Dog', 'barks'])
    """
    text = on_one_line(text)
    tokens = [Token(*match) for match in words.find(text, {*wanted, *related})]
    return cut_around(text, tokens, wanted, related)


def on_one_line(text: str) -> str:
    """Replace each run of whitespace by one space."""
    return " ".join(text.split())


def cut_around(
    text: str, tokens: list[Token], wanted: Mapping[str, float], related: Collection[str] = ()
) -> Snippet:
    """Do the same as `cut_snippet` for a text on one line with known tokens."""
    values = _values(wanted, related)
    run = densest_run([(*token, values[token.word]) for token in tokens[:MAX_TOKENS]], CORE)
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


def _values(wanted: Mapping[str, float], related: Collection[str]) -> dict[str, float]:
    related_value = RELATED * min(wanted.values(), default=1.0)
    return {**dict.fromkeys(related, related_value), **wanted}


def densest_run(
    marks: Sequence[tuple[int, int, Hashable, float]], room: int
) -> tuple[int, int] | None:
    """Return the first and last mark of the most valuable run of marks; in a tie, of the first run.

    Parameters
    ----------
    marks : sequence of (int, int, hashable, float)
        Start, stop, key and value of each mark. If a run contains a key several times, each
        repeated mark counts for a tenth of its value.
    room : int
        Maximum number of characters from the start of the first mark to the stop of the last mark.

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
        for j, (_, stop, key, mark_value) in enumerate(marks[i:], start=i):
            if stop - start > room:
                break
            value += mark_value * (REPEATED if key in seen else 1)
            seen.add(key)
            if value > best:
                best, run = value, (i, j)
    return run


def _stretch(text: str, first: int, last: int) -> tuple[int, int]:
    """Extend a run to a passage that starts and ends at a sentence or word boundary."""
    extra = max(ROOM - (last - first), 0)
    earliest = max(0, first - extra // 2)
    start = earliest if earliest == 0 else _start(text, earliest, first)
    stop = max(start + ROOM, last)
    if stop >= len(text):
        return start, len(text)
    space = text.rfind(" ", max(last, start + 1), stop + 1)
    return start, stop if space < 0 else space


def _start(text: str, earliest: int, first: int) -> int:
    sentence = SENTENCE_END.search(text, earliest, first)
    return sentence.end() if sentence else _word_start(text, earliest, first)


def _word_start(text: str, earliest: int, first: int) -> int:
    """Return the first start of a word from `earliest` to `first`, or `first` if there is none."""
    return text.find(" ", earliest, first) + 1 or first


# --- a word in context ----------------------------------------------------------------------------


def cut_example(text: str, word: str) -> str:
    """Return the context of the first occurrence of `word` in `text`, or the beginning of `text`.

    Case, accents and the characters between the words of an n-gram are ignored. If the text
    contains only other forms of the word, the beginning of the text is returned.

    Examples
    --------
    >>> text = "Moored in the Harbour,\\n she waited for wind and for a tide to come"
    >>> cut_example(text, "harbour")
    'Moored in the Harbour, she waited for wind and for a tide to…'
    """
    text = on_one_line(text)
    words = r"\W+".join(re.escape(strip_accents_in_place(part)) for part in word.split())
    match = re.search(rf"(?<!\w){words}(?!\w)", strip_accents_in_place(text), re.IGNORECASE)
    start, stop = match.span() if match else (0, 0)
    first, last = max(0, start - EXAMPLE_ROOM), min(len(text), stop + EXAMPLE_ROOM)
    if first > 0:  # start at the beginning of a word if possible
        first = _word_start(text, first, start)
    if last < len(text):
        last = max(stop, text.rfind(" ", stop + 1, last)) or last
    return ("…" if first > 0 else "") + text[first:last] + ("…" if last < len(text) else "")


# --- texts split for highlighting -----------------------------------------------------------------


def in_pieces(
    text: str,
    marked: Iterable[tuple[Token, float | None, T]],
    describe: Callable[[str, float | None, T], dict[str, Any]],
) -> tuple[Pieces, Described]:
    """Split a text into pieces; return the pieces and the descriptions of the marked words.

    A piece is a pair of a string and the index of its description; the index is None if the piece
    is not marked.

    Parameters
    ----------
    text : str
    marked : iterable of (Token, float or None, anything)
        Each marked word: its position, its strength as a keyword, and data for `describe`.
    describe : callable
        Returns the description of a word from its spelling, its strength and its data.

    Examples
    --------
    >>> marked = [(Token(2, 5, "cat"), None, 1), (Token(11, 14, "cat"), None, 1)]
    >>> in_pieces("A cat is a cat.", marked, lambda word, strength, data: {"word": word})
    ([('A ', None), ('cat', 0), (' is a ', None), ('cat', 0), ('.', None)], [{'word': 'cat'}])
    """
    words: Described = []
    # The key includes the strength, because some words are keywords only in a phrase.
    numbers: dict[tuple[str, float | None], int] = {}
    spans = []
    for token, strength, data in marked:
        number = numbers.setdefault((token.word, strength), len(words))
        if number == len(words):
            words.append(describe(token.word, strength, data))
        spans.append((token.start, token.stop, number))
    return list(split_at(text, spans, None)), words


def split_at(text: str, spans: Iterable[tuple[int, int, K]], plain: K) -> Iterator[tuple[str, K]]:
    """Yield (piece, mark) pairs of a text; pieces between the spans have the mark `plain`."""
    end = 0
    for start, stop, mark in spans:
        if start > end:
            yield text[end:start], plain
        yield text[start:stop], mark
        end = stop
    if end < len(text):
        yield text[end:], plain
