"""The words of a text: where they stand, which of them are stop words, and their stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import Stemmer
from sklearn.feature_extraction.text import strip_accents_unicode

from laconic.text.counting import Analyzer, compile_pattern
from laconic.text.stop_words import stop_words
from laconic.text.vectorizer import Vectorizer

MOST_STEMS = 50_000  # words whose stems are kept, for queries and passages
READING = ("strip_accents", "token_pattern", "tokenizer")  # settings that say what a word is


class Words:
    """How a text becomes the words that are looked up.

    Parameters
    ----------
    language : str or None
        Whose stop words are left out and whose endings are taken off; None leaves words alone.
    settings : dict
        What a word is: ``strip_accents``, ``token_pattern`` and ``tokenizer`` of a `Vectorizer`,
        and ``ngram_range`` where the index was made of counts.

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
        self._stems = language if language in Stemmer.algorithms() else None
        self.known: dict[str, str] = {}  # stems of words that were asked for

    def split(self, text: str) -> list[str]:
        """The words of a text in their order, runs of words too where they were counted."""
        tokenize = self.settings["tokenizer"] or self._pattern.findall
        words = list(tokenize(self._analyzer.preprocess(text)))
        fewest, most = self.settings["ngram_range"]
        if most == 1:
            return words
        runs = range(fewest, most + 1)
        kept = [word for word in words if word not in self._stop]
        return [" ".join(kept[i : i + n]) for n in runs for i in range(len(kept) - n + 1)]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where words stand in a text; of a tokenizer only runs of letters are known."""
        pattern = self._runs
        group = pattern.groups
        return [found.span(group) for found in pattern.finditer(self._lowercase(text))]

    def find(self, text: str, stems: Collection[str]) -> list[tuple[int, int, str]]:
        """Where words with one of these stems stand, and the stem of each.

        Examples
        --------
        >>> Words("english", {}).find("A cat, two Cats", {"cat"})
        [(2, 5, 'cat'), (11, 15, 'cat')]
        """
        pattern, lower = self._runs, self._lowercase(text)
        forms = list(set(pattern.findall(lower)))
        pairs = zip(forms, self.stems(forms), strict=True)
        wanted = {form: stem for form, stem in pairs if stem in stems}
        group = pattern.groups
        return [
            (*found.span(group), wanted[form])
            for found in pattern.finditer(lower)
            if (form := found[group]) in wanted
        ]

    def _lowercase(self, text: str) -> str:
        """The text in lower case, and without accents if they are stripped; offsets stay."""
        lower = lowercase_in_place(text)
        return lower if self.settings["strip_accents"] is None else strip_accents_in_place(lower)

    def is_stop(self, word: str) -> bool:
        return word in self._stop

    # Made when they are first needed: a loaded model may lack its tokenizer and never need it.

    @cached_property
    def _analyzer(self) -> Analyzer:
        return Analyzer({**self.settings, "ngram_range": [1, 1]})

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return compile_pattern(self.settings["token_pattern"] or r"\w+")

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        return self._pattern if self.settings["tokenizer"] is None else compile_pattern(r"\w+")

    @cached_property
    def _stop(self) -> frozenset[str]:
        if self.language is None:
            return frozenset()
        return stop_words(self.language, self._analyzer.preprocess)

    def stems(self, words: Sequence[str]) -> list[str]:
        """What is left of each word once its ending and its accents are gone."""
        if len(words) > MOST_STEMS:
            return self._stemmed(words)
        known = self.known
        new = [word for word in dict.fromkeys(words) if word not in known]
        if len(known) + len(new) > MOST_STEMS:  # another thread may still read the old ones
            known, new = {}, list(dict.fromkeys(words))
            self.known = known
        known.update(zip(new, self._stemmed(new), strict=True))
        return [known[word] for word in words]

    def _stemmed(self, words: Sequence[str]) -> list[str]:
        return [strip_accents_unicode(stem) for stem in self._without_endings(list(words))]

    def _without_endings(self, words: list[str]) -> list[str]:
        if self._stems is None:
            return words
        stemmer = Stemmer.Stemmer(self._stems)  # made anew: it must not be shared by threads
        if self.settings["ngram_range"][1] == 1:
            return list(stemmer.stemWords(words))
        return [" ".join(stemmer.stemWords(word.split(" "))) for word in words]


def _defaults() -> dict[str, Any]:
    settings = Vectorizer().get_params()
    return {
        **{name: settings[name] for name in READING},
        "lowercase": True,
        "stop_words": None,
        "ngram_range": [1, 1],
    }


def lowercase_in_place(text: str) -> str:
    """Lower case, letter by letter; a letter whose lower case is longer stays as it is.

    Examples
    --------
    >>> lowercase_in_place("İÉ")
    'İé'
    """
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def strip_accents_in_place(text: str) -> str:
    """Letters without their accents, each at its place.

    Examples
    --------
    >>> strip_accents_in_place("Café")
    'Cafe'
    """
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFKD", letter)[0] for letter in text)
