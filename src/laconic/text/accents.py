"""Strip accents like scikit-learn, without the import of scikit-learn, which takes a second."""

from __future__ import annotations

import unicodedata


def strip_accents_unicode(text: str) -> str:
    """Decompose all characters, and drop accents and other combining characters.

    Examples
    --------
    >>> strip_accents_unicode("Café, naïve, łódź")
    'Cafe, naive, łodz'
    """
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return "".join([part for part in parts if not unicodedata.combining(part)])


def strip_accents_ascii(text: str) -> str:
    """Decompose all characters, and drop everything that is not ASCII.

    Examples
    --------
    >>> strip_accents_ascii("Café, naïve, łódź")
    'Cafe, naive, odz'
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
