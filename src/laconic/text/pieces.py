"""A text in pieces, some of which are words that there is more to say of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
Words = list[dict[str, Any]]
Pieces = list[tuple[str, int | None]]


class Token(NamedTuple):
    """A word where it stands in a text."""

    start: int
    stop: int
    word: str  # as it is counted


def in_pieces(
    text: str,
    marked: Iterable[tuple[Token, float | None, T]],
    describe: Callable[[str, float | None, T], dict[str, Any]],
) -> tuple[Pieces, Words]:
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
    words: Words = []
    numbers: dict[tuple[str, float | None], int] = {}  # in a phrase a word may be a keyword
    pieces: Pieces = []
    end = 0
    for token, strength, known in marked:
        number = numbers.setdefault((token.word, strength), len(words))
        if number == len(words):
            words.append(describe(token.word, strength, known))
        if token.start > end:
            pieces.append((text[end : token.start], None))
        pieces.append((text[token.start : token.stop], number))
        end = token.stop
    if end < len(text):
        pieces.append((text[end:], None))
    return pieces, words
