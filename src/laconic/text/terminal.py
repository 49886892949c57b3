"""A word where it stands: a few words of the text on both sides."""

from __future__ import annotations

import re

from laconic.text.words import strip_accents_in_place

ROOM = 40  # characters on each side


def snippet(text: str, word: str) -> str:
    """The first place of `word` in `text`, or the beginning if it stands there in another form.

    Capitals and accents do not matter, nor what stands between the words of an n-gram.

    Examples
    --------
    >>> snippet("Moored in the Harbour,\\n she waited for wind and for a tide to come", "harbour")
    'Moored in the Harbour, she waited for wind and for a tide to…'
    """
    text = " ".join(text.split())
    words = r"\W+".join(re.escape(strip_accents_in_place(part)) for part in word.split())
    found = re.search(rf"(?<!\w){words}(?!\w)", strip_accents_in_place(text), re.IGNORECASE)
    start, stop = found.span() if found else (0, 0)
    first, last = max(0, start - ROOM), min(len(text), stop + ROOM)
    if first > 0:  # at the end of a word, if one ends there
        first = text.find(" ", first, start) + 1 or start
    if last < len(text):
        last = max(stop, text.rfind(" ", stop + 1, last)) or last
    return ("…" if first > 0 else "") + text[first:last] + ("…" if last < len(text) else "")
