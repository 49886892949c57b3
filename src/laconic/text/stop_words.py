"""Stop words by language."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache

from stop_words import AVAILABLE_LANGUAGES, LANGUAGE_MAPPING, get_stop_words

from laconic.errors import LaconicError
from laconic.text.english import ENGLISH_STOP_WORDS


def language_name(language: str) -> str:
    """Return the full name of a language from its name or its ISO 639-1 code.

    Examples
    --------
    >>> language_name("DE")
    'german'
    """
    name = language.lower()
    name = LANGUAGE_MAPPING.get(name, name)
    if name not in AVAILABLE_LANGUAGES:
        problem = f"stop_words={language!r} is not a known language"
        similar = get_close_matches(name, AVAILABLE_LANGUAGES, n=1)
        if similar:
            raise LaconicError(f"{problem}; did you mean {similar[0]}?")
        languages = ", ".join(f"{name} ({code})" for code, name in sorted(LANGUAGE_MAPPING.items()))
        raise LaconicError(f"{problem}; use a list of words, 'auto', or one of {languages}.")
    return name


@cache
def _words(name: str) -> frozenset[str]:
    return ENGLISH_STOP_WORDS if name == "english" else frozenset(get_stop_words(name))


def stop_words(language: str, preprocess: Callable[[str], str] | None = None) -> frozenset[str]:
    """Return the stop words of a language.

    For English, the list of scikit-learn is used unchanged. For other languages, the list of the
    package ``stop-words`` is used, and `preprocess` is applied to each word.

    Examples
    --------
    >>> "und" in stop_words("de"), "und" in stop_words("english")
    (True, False)
    """
    name = language_name(language)
    if preprocess is None or name == "english":
        return _words(name)
    return frozenset(map(preprocess, _words(name)))
