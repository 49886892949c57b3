"""Split texts into words if their language is written without spaces, such as Chinese or Thai.

The words of these languages cannot be found by a regular expression: a whole sentence would become
one word. The package ``icu4py`` finds them with the dictionaries of ICU.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from laconic.errors import LaconicError, warn

TOKEN_PATTERN = r"(?u)\b\w\w+\b"
"""Default pattern of a token: two or more letters, digits or underscores."""

# Han, Hiragana and Katakana; Thai, Lao, Myanmar and Khmer
WITHOUT_SPACES = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17d3]"
)
LETTER = re.compile(r"[^\W\d_]")
LETTER_OR_DIGIT = re.compile(r"\w")
ICU = "icu"
MIN_SHARE = 0.3  # minimum share of letters that belong to a script without spaces
SAMPLE_CHARACTERS = 100_000
MIN_LETTERS = 20  # fewer letters do not show the script


def choose_tokenizer(texts: Iterable[str], settings: Mapping[str, Any]) -> Any:
    """Return the tokenizer for texts; warn if sentences would be counted as single words.

    A tokenizer or a pattern that the user chose is not replaced.
    """
    if settings["tokenizer"] is not None or settings["token_pattern"] != TOKEN_PATTERN:
        return settings["tokenizer"]
    if not lacks_spaces(texts):
        return None
    if find_spec("icu4py") is not None:
        return ICU
    warn(
        "The texts are written without spaces between words, so whole sentences are counted as "
        "single words; to find the words, install icu4py (pip install 'laconic[languages]') or "
        "pass a function that splits a text into words as tokenizer=."
    )
    return None


def lacks_spaces(texts: Iterable[str]) -> bool:
    """Return whether many letters of the texts belong to a script without spaces.

    Examples
    --------
    >>> lacks_spaces(["自然语言处理是计算机科学的一个领域,也是人工智能的一个领域。"])
    True
    >>> lacks_spaces(["The word 猫 means cat in Chinese and in Japanese."])
    False
    """
    n_letters = n_without = n_characters = 0
    for text in texts:
        part = text[: SAMPLE_CHARACTERS - n_characters]
        n_characters += len(part)
        if not part.isascii():
            n_without += len(WITHOUT_SPACES.findall(part))
        n_letters += len(LETTER.findall(part))
        if n_characters >= SAMPLE_CHARACTERS:
            break
    return n_letters >= MIN_LETTERS and n_without >= MIN_SHARE * n_letters


def icu_words(text: str) -> list[str]:
    """Split a text into words with ICU; punctuation is left out.

    One character is a word only in scripts without spaces, where it often has a meaning of its own.
    """
    from icu4py.breakers import WordBreaker

    return [
        word
        for word in WordBreaker(text, "en")
        if (len(word) > 1 and LETTER_OR_DIGIT.search(word)) or WITHOUT_SPACES.match(word)
    ]


TOKENIZERS: dict[str, Callable[[str], Sequence[str]]] = {ICU: icu_words}
"""Tokenizers that can be chosen by name, and so be saved with a model."""


def tokenizer_of(settings: Mapping[str, Any]) -> Callable[[str], Iterable[str]] | None:
    """Return the tokenizer function of the settings, or None if a pattern finds the words."""
    tokenizer = settings["tokenizer"]
    if not isinstance(tokenizer, str):
        return tokenizer
    if tokenizer not in TOKENIZERS:
        raise LaconicError(
            f"This model was fitted with the tokenizer {tokenizer!r}, which is not stored with "
            "it; pass the function to laconic.load(path, tokenizer=…)."
        )
    if tokenizer == ICU and find_spec("icu4py") is None:
        raise LaconicError(
            "The tokenizer 'icu' needs the package icu4py; install it with "
            "pip install 'laconic[languages]'."
        )
    return TOKENIZERS[tokenizer]
