"""Words too common to mean anything, by language."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from stop_words import AVAILABLE_LANGUAGES, LANGUAGE_MAPPING, get_stop_words

from laconic.errors import LaconicError


def language_name(language: str) -> str:
    """Full name of a language given by name or ISO 639-1 code.

    Examples
    --------
    >>> language_name("DE")
    'german'
    """
    name = language.lower()
    name = LANGUAGE_MAPPING.get(name, name)
    if name not in AVAILABLE_LANGUAGES:
        known = ", ".join(f"{name} ({code})" for code, name in sorted(LANGUAGE_MAPPING.items()))
        raise LaconicError(
            f"stop_words={language!r} is not a known language; "
            f"give a list of words, 'auto', or one of {known}."
        )
    return name


@cache
def _words(name: str) -> frozenset[str]:
    return ENGLISH_STOP_WORDS if name == "english" else frozenset(get_stop_words(name))


def stop_words(language: str, preprocess: Callable[[str], str] | None = None) -> frozenset[str]:
    """The stop words of a language.

    English has the list of scikit-learn as it stands; the others have that of the package
    ``stop-words``, each word as `preprocess` leaves it.

    Examples
    --------
    >>> "und" in stop_words("de"), "und" in stop_words("english")
    (True, False)
    """
    name = language_name(language)
    if preprocess is None or name == "english":
        return _words(name)
    return frozenset(map(preprocess, _words(name)))
