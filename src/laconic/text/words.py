"""Tokeniser, stop words and stemmer for search and snippets, with positions in the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import Stemmer

from laconic.text.accents import strip_accents_unicode
from laconic.text.counting import Analyzer, compile_pattern
from laconic.text.defaults import SETTINGS
from laconic.text.segmentation import tokenizer_of
from laconic.text.stop_words import stop_words

MAX_CACHED_STEMS = 50_000  # maximum number of stems cached for queries and passages
# names of the settings that define words
READING = ("strip_accents", "token_pattern", "tokenizer")


class Words:
    """Tokeniser and stemmer of a search index.

    Parameters
    ----------
    language : str or None
        Language of the stop words and the stemmer; None means no stop words and no stemming.
    settings : dict
        ``strip_accents``, ``token_pattern`` and ``tokenizer`` of a `Vectorizer`, and
        ``ngram_range`` if the index was built from counts.

    Examples
    --------
    >>> words = Words("english", {})
    >>> words.split("The Cafés of PARIS")
    ['the', 'cafés', 'of', 'paris']
    >>> words.stems(["cafés", "paris"]), words.is_stop("the")
    (['cafe', 'pari'], True)
    """

    def __init__(self, language: str | None, settings: dict[str, Any]) -> None:
        self.language = language
        self.settings = {**_defaults(), **settings}
        self._stemmer_language = language if language in Stemmer.algorithms() else None
        self.stem_cache: dict[str, str] = {}

    def split(self, text: str) -> list[str]:
        """Return the words of a text in order, or the n-grams if n-grams were counted."""
        tokenize = tokenizer_of(self.settings) or self._pattern.findall
        words = list(tokenize(self._analyzer.preprocess(text)))
        min_n, max_n = self.settings["ngram_range"]
        if max_n == 1:
            return words
        sizes = range(min_n, max_n + 1)
        words = [word for word in words if word not in self._stop]
        return [" ".join(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1)]

    def places(self, text: str) -> list[tuple[int, int]]:
        r"""Return start and stop of each word, or of each ``\w+`` if a tokenizer is set."""
        pattern = self._position_pattern
        group = pattern.groups
        return [match.span(group) for match in pattern.finditer(self._lowercase(text))]

    def find(self, text: str, stems: Collection[str]) -> list[tuple[int, int, str]]:
        """Return start, stop and stem of each word whose stem is in `stems`.

        Examples
        --------
        >>> Words("english", {}).find("A cat, two Cats", {"cat"})
        [(2, 5, 'cat'), (11, 15, 'cat')]
        """
        pattern, lower = self._position_pattern, self._lowercase(text)
        forms = list(set(pattern.findall(lower)))
        pairs = zip(forms, self.stems(forms), strict=True)
        wanted = {form: stem for form, stem in pairs if stem in stems}
        group = pattern.groups
        return [
            (*match.span(group), wanted[form])
            for match in pattern.finditer(lower)
            if (form := match[group]) in wanted
        ]

    def _lowercase(self, text: str) -> str:
        """Lower-case the text, and strip accents if set in `settings`; offsets stay the same."""
        lower = lowercase_in_place(text)
        return lower if self.settings["strip_accents"] is None else strip_accents_in_place(lower)

    def is_stop(self, word: str) -> bool:
        return word in self._stop

    # These properties are computed on first use, so that a model that was loaded without its
    # tokenizer fails only when a property is used.

    @cached_property
    def _analyzer(self) -> Analyzer:
        return Analyzer({**self.settings, "ngram_range": [1, 1], "phrases": False})

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return compile_pattern(self.settings["token_pattern"] or r"\w+")

    @cached_property
    def _position_pattern(self) -> re.Pattern[str]:
        return self._pattern if self.settings["tokenizer"] is None else compile_pattern(r"\w+")

    @cached_property
    def _stop(self) -> frozenset[str]:
        if self.language is None:
            return frozenset()
        return stop_words(self.language, self._analyzer.preprocess)

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return the stem of each word, without accents."""
        if len(words) > MAX_CACHED_STEMS:
            return self._compute_stems(words)
        cache = self.stem_cache
        new = [word for word in dict.fromkeys(words) if word not in cache]
        if len(cache) + len(new) > MAX_CACHED_STEMS:
            # Replace the cache instead of clearing it, because another thread may be reading it.
            cache, new = {}, list(dict.fromkeys(words))
            self.stem_cache = cache
        cache.update(zip(new, self._compute_stems(new), strict=True))
        return [cache[word] for word in words]

    def _compute_stems(self, words: Sequence[str]) -> list[str]:
        return [strip_accents_unicode(stem) for stem in self._stem(list(words))]

    def _stem(self, words: list[str]) -> list[str]:
        if self._stemmer_language is None:
            return words
        stemmer = Stemmer.Stemmer(
            self._stemmer_language
        )  # not shared, because a stemmer is not thread-safe
        if self.settings["ngram_range"][1] == 1:
            return list(stemmer.stemWords(words))
        return [" ".join(stemmer.stemWords(word.split(" "))) for word in words]


def _defaults() -> dict[str, Any]:
    return {
        **{name: SETTINGS[name] for name in READING},
        "lowercase": True,
        "stop_words": None,
        "ngram_range": [1, 1],
        "phrases": False,
    }


def lowercase_in_place(text: str) -> str:
    """Lower-case each character, unless its lower case has several characters.

    Examples
    --------
    >>> lowercase_in_place("İÉ")
    'İé'
    """
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def strip_accents_in_place(text: str) -> str:
    """Strip accents from each character without changing character offsets.

    Examples
    --------
    >>> strip_accents_in_place("Café")
    'Cafe'
    """
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFKD", letter)[0] for letter in text)
