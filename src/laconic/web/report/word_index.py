"""Word index of the report: the top words of all topics, with links to the topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from laconic.text.accents import strip_accents_unicode
from laconic.web.report.html import Html, between, h
from laconic.web.report.overview import link_to, name_of

OTHER = "0–9"


def word_index(topics: list[dict[str, Any]], n_words: int) -> Html | None:
    """Return an alphabetical index of the top words, with links to their topics.

    Parameters
    ----------
    topics : list of dict
        The topics; each has the keys ``topic``, ``name`` and ``words`` (strongest word first).
    n_words : int
        Number of words per topic to index.
    """
    topics_of = topics_by_word(topics, n_words)
    if not topics_of:
        return None
    by_number = {topic["topic"]: topic for topic in topics}
    letters = [
        h(
            "section",
            h("h3", letter),
            h("ul", [_entry(word, topics_of[word], by_number) for word in words]),
        )
        for letter, words in groupby(sorted(topics_of, key=alphabetical), key=letter_of)
    ]
    return h("div", letters, class_="index")


def topics_by_word(topics: Iterable[Mapping[str, Any]], n_words: int) -> dict[str, list[int]]:
    """Map each top word to the numbers of its topics in increasing order.

    Examples
    --------
    >>> topics_by_word([{"topic": 1, "words": [["cat", 0.8], ["purr", 0.1]]},
    ...            {"topic": 0, "words": [["cat", 0.5]]}], 1)
    {'cat': [0, 1]}
    """
    numbers_of: dict[str, list[int]] = {}
    for topic in topics:
        for word in topic["words"][:n_words]:
            numbers_of.setdefault(str(word[0]), []).append(int(topic["topic"]))
    return {word: sorted(numbers) for word, numbers in numbers_of.items()}


def alphabetical(word: str) -> tuple[bool, str, str]:
    """Return a sort key that puts digits and symbols first and ignores accents and case."""
    plain = _plain(word)
    return (letter_of(word) != OTHER, plain, word)


def letter_of(word: str) -> str:
    """Return the heading of a word in the index.

    Examples
    --------
    >>> letter_of("école"), letter_of("3d")
    ('E', '0–9')
    """
    plain = _plain(word).lstrip("_")
    return plain[0].upper() if plain and plain[0].isalpha() else OTHER


def _plain(word: str) -> str:
    return strip_accents_unicode(word).casefold()


def _entry(word: str, numbers: list[int], topics: Mapping[int, Any]) -> Html:
    links = [link_to(topics[number], number, title=name_of(topics[number])) for number in numbers]
    return h("li", word, " ", between(links, ", "))
