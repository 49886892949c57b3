"""Topics that have a word, by a few of its letters."""

from __future__ import annotations

from typing import Any

from laconic.errors import LaconicError
from laconic.web.material import SHOWN_WORDS, Material
from laconic.web.views.common import rounded


def topics_having(material: Material, having: str) -> dict[str, Any]:
    """Topics with some letters in one of their strongest words, with that word and its weight.

    All words of a dense topic would have any letters; only the strongest `SHOWN_WORDS` are asked.
    """
    letters = " ".join(having.split()).lower()
    if not letters:
        raise LaconicError("having is empty; give a word or a part of one.")
    found = []
    for topic in range(material.n_topics):
        words = material.top_words(topic, SHOWN_WORDS)
        place = next((i for i, (word, _) in enumerate(words) if letters in word.lower()), None)
        if place is not None:
            word, weight = words[place]
            found.append((place, topic, [word, rounded(weight)]))
    found.sort(key=lambda entry: entry[:2])
    return {"having": having, "topics": [[topic, best] for _, topic, best in found]}
