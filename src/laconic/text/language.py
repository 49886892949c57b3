"""Words too common to mean anything, by language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from stop_words import AVAILABLE_LANGUAGES, LANGUAGE_MAPPING, get_stop_words

from laconic.errors import LaconicError

FEWEST_TOKENS = 1_000
"""A language is guessed from no fewer tokens than this."""

LEAST_SHARE = 0.2
"""A language is guessed when its stop words are at least this share of the tokens."""


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


def guess_language(
    counts: Mapping[str, int], preprocess: Callable[[str], str] | None = None
) -> str | None:
    """The language whose stop words make up most of the counted tokens; None when unsure.

    Examples
    --------
    >>> guess_language({"the": 300, "and": 200, "und": 10, "cat": 490})
    'english'
    >>> guess_language({"the": 300, "and": 200}) is None
    True
    """
    n_tokens = sum(counts.values())
    if n_tokens < FEWEST_TOKENS:
        return None
    covered = {
        name: sum(counts.get(word, 0) for word in stop_words(name, preprocess))
        for name in sorted(AVAILABLE_LANGUAGES)
    }
    best = max(covered, key=covered.__getitem__)
    return best if covered[best] >= LEAST_SHARE * n_tokens else None
