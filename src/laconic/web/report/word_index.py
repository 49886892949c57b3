"""The index at the end: each word of the topics' strongest, and the topics that it is in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from sklearn.feature_extraction.text import strip_accents_unicode

from laconic.web.report.html import Html, between, h
from laconic.web.report.overview import link_to, name_of

OTHER = "0–9"


def word_index(topics: list[dict[str, Any]], n_words: int) -> Html | None:
    """Words in the order of the alphabet, with links to their topics.

    Parameters
    ----------
    topics : list of dict
        Each with ``topic``, ``name`` and ``words``, the strongest first.
    n_words : int
        Words of each topic that are taken up.
    """
    places = places_of(topics, n_words)
    if not places:
        return None
    by_number = {topic["topic"]: topic for topic in topics}
    letters = [
        h(
            "section",
            h("h3", letter),
            h("ul", [_entry(word, places[word], by_number) for word in words]),
        )
        for letter, words in groupby(sorted(places, key=alphabetical), key=letter_of)
    ]
    return h("div", letters, class_="index")


def places_of(topics: Iterable[Mapping[str, Any]], n_words: int) -> dict[str, list[int]]:
    """The topics that have a word among their strongest, the smallest number first.

    Examples
    --------
    >>> places_of([{"topic": 1, "words": [["cat", 0.8], ["purr", 0.1]]},
    ...            {"topic": 0, "words": [["cat", 0.5]]}], 1)
    {'cat': [0, 1]}
    """
    places: dict[str, list[int]] = {}
    for topic in topics:
        for word in topic["words"][:n_words]:
            places.setdefault(str(word[0]), []).append(int(topic["topic"]))
    return {word: sorted(numbers) for word, numbers in places.items()}


def alphabetical(word: str) -> tuple[bool, str, str]:
    """Order of words: letters before figures, without regard to accents and capitals."""
    plain = _plain(word)
    return (letter_of(word) != OTHER, plain, word)


def letter_of(word: str) -> str:
    """The heading under which a word stands.

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
