"""Merge the forms of a word, such as "model" and "models", into one word of the vocabulary.

Two forms are merged if they have the same key: their Snowball stem, or the lemma that a function of
the user returns. A stem such as "studi" is not a word, so merged forms are named after the most
frequent form. A lemma is the name itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import Stemmer

from laconic.errors import LaconicError
from laconic.kernels import tokens as kernels
from laconic.kernels.tokens import Spans

Lemmatizer = str | Callable[[str], str]


def has_stemmer(language: str | None) -> bool:
    """Return whether there is a Snowball stemmer for a language."""
    return language in stemmer_languages()


def stemmer_languages() -> list[str]:
    """Return the languages that have a Snowball stemmer."""
    return [name for name in Stemmer.algorithms() if name not in ("porter", "dutch_porter")]


def lemmatizer_of(settings: Mapping[str, Any]) -> Lemmatizer:
    """Return the lemmatizer of the settings; raise if only the name of its function is known."""
    lemmatizer: Lemmatizer = settings["lemmatizer"]
    if isinstance(lemmatizer, str) and not has_stemmer(lemmatizer):
        raise LaconicError(
            f"This model was fitted with the lemmatizer {lemmatizer!r}, which is not stored with "
            "it; pass the function to laconic.load(path, lemmatizer=…)."
        )
    return lemmatizer


def keys_of(words: Sequence[str], lemmatizer: Lemmatizer) -> list[str]:
    """Return the key of each word; the key of a phrase consists of the keys of its words.

    Examples
    --------
    >>> keys_of(["models", "modelled", "topic models"], "english")
    ['model', 'model', 'topic model']
    """
    parts = [word.split(" ") for word in words]
    distinct = list(dict.fromkeys(part for word in parts for part in word))
    if isinstance(lemmatizer, str):
        found = Stemmer.Stemmer(lemmatizer).stemWords(distinct)
    else:
        found = [_lemma(word, lemmatizer) for word in distinct]
    key_of = dict(zip(distinct, found, strict=True))
    return [" ".join([key_of[part] for part in word]) for word in parts]


def _lemma(word: str, lemmatizer: Callable[[str], str]) -> str:
    lemma = lemmatizer(word)
    if not isinstance(lemma, str) or not lemma:
        raise LaconicError(f"lemmatizer must return a word (str); for {word!r}, got {lemma!r}.")
    return lemma


def merge_forms(
    forms: np.ndarray, totals: np.ndarray, lemmatizer: Lemmatizer
) -> tuple[np.ndarray, np.ndarray]:
    """Return the words after merging, and the position of the word of each form.

    `totals` are the counts of the forms. If several forms are equally frequent, the first one is
    the name.

    Examples
    --------
    >>> forms = np.array(["cat", "cats", "dog"], dtype=object)
    >>> words, positions = merge_forms(forms, np.array([1, 3, 2]), "english")
    >>> words.tolist(), positions.tolist()
    (['cats', 'dog'], [0, 0, 1])
    """
    keys = keys_of(forms.tolist(), lemmatizer)
    numbers: dict[str, int] = {}
    positions = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int32)
    words = np.empty(len(numbers), dtype=object)
    if isinstance(lemmatizer, str):
        # The last assignment to a position wins, so the preferred form is last.
        order = np.lexsort((-np.arange(len(forms)), totals))
        words[positions[order]] = forms[order]
    else:
        words[:] = list(numbers)
    return words, positions


class FormLexicon:
    """Mapping from all forms of the words of a vocabulary to their columns; see `Lexicon`."""

    grows = False

    def __init__(self, words: Iterable[str], lemmatizer: Lemmatizer) -> None:
        self._lemmatizer = lemmatizer
        self._columns: dict[str, int] = {}
        words = list(words)
        if not isinstance(lemmatizer, str):  # the words are lemmas, which may have other lemmas
            self._columns.update((word, column) for column, word in enumerate(words))
        for column, key in enumerate(keys_of(words, lemmatizer)):
            self._columns.setdefault(key, column)
        self.size = len(words)

    def match(self, words: Spans) -> np.ndarray:
        """Return the column of each word, or -1 if no form of it is in the vocabulary."""
        numbers, distinct = kernels.intern(words)
        keys = keys_of(strings_of(distinct), self._lemmatizer)
        columns = np.array([self._columns.get(key, -1) for key in keys], dtype=np.int32)
        return columns[numbers]


def strings_of(spans: Spans) -> list[str]:
    """Return the words at the given positions as str."""
    text = spans.symbols.tobytes()
    starts, stops = spans.starts, spans.starts + spans.lengths
    return [
        text[start:stop].decode("utf-8", "surrogatepass")
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
