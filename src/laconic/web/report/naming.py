"""What topics are called in the report, and how one leads to them."""

from __future__ import annotations

from typing import Any

from laconic.web.report.html import Html, h

WORDS = 3  # that stand for a topic without a name


def name_of(topic: dict[str, Any], n_words: int = WORDS) -> str:
    """The name that was given to a topic, or its first words.

    Examples
    --------
    >>> name_of({"topic": 4, "name": "sorting", "words": ["sort", "order"]})
    'sorting'
    >>> name_of({"topic": 4, "name": None, "words": [["sort", 0.8], ["order", 0.4]]})
    'sort, order'
    >>> name_of({"topic": 4, "name": None, "words": []})
    'no words'
    """
    if topic["name"]:
        return str(topic["name"])
    return ", ".join(word_of(word) for word in topic["words"][:n_words]) or "no words"


def word_of(word: Any) -> str:
    """The word, with a minus sign where it counts against its topic."""
    if isinstance(word, str):
        return word
    return ("\u2212" if word[1] < 0 else "") + str(word[0])


def link_to(topic: dict[str, Any], *children: Any, **attributes: Any) -> Html:
    """A link to the section of a topic."""
    return h("a", *children, href=f"#topic-{topic['topic']}", **attributes)
