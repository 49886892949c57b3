"""Guess the language of texts by their stop words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from stop_words import AVAILABLE_LANGUAGES

from laconic.corpus.corpus import Corpus
from laconic.text.counting import Analyzer, Lexicon, batches, count
from laconic.text.stop_words import stop_words

FEWEST_TOKENS = 1_000
"""A language is guessed from no fewer tokens than this."""

LEAST_SHARE = 0.2
"""A language is guessed when its stop words are at least this share of the tokens."""

FEWEST_STOP_WORDS = 2
"""The language of a corpus, however small, is guessed from no fewer different stop words."""

SAMPLE_CHARACTERS = 1_000_000
"""How much text the language is guessed from."""


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


def guess_from_texts(texts: Iterable[str], settings: Mapping[str, Any]) -> tuple[str | None, int]:
    """The language of texts that a Vectorizer of these settings counts, and the words they have."""
    analyzer = Analyzer({**settings, "stop_words": None, "ngram_range": [1, 1]})
    lexicon = Lexicon(None)
    tally = count(iter(texts), analyzer, lexicon, 1)
    totals = np.bincount(tally.indices, weights=tally.data, minlength=lexicon.size)
    words, numbers = lexicon.sorted_words(np.arange(lexicon.size))
    counts = dict(zip(words, totals[numbers].tolist(), strict=True))
    return guess_language(counts, analyzer.preprocess), tally.n_tokens


def first_texts(texts: Iterable[str]) -> list[str]:
    """As many of the first texts as the language is guessed from."""
    return next(batches(iter(texts), SAMPLE_CHARACTERS), [])


def guess_from_corpus(corpus: Corpus) -> str | None:
    """The language of a corpus by the words it counted; even a few sentences will do."""
    if corpus.vocabulary is None:
        return None
    totals = np.bincount(corpus.counts.indices, corpus.counts.data, corpus.shape[1])
    times = math.ceil(FEWEST_TOKENS / max(totals.sum(), 1))
    counts = dict(zip(corpus.vocabulary, (times * totals).tolist(), strict=True))
    language = guess_language(counts)
    if language is None:
        return None
    known = sum(counts.get(word, 0) > 0 for word in stop_words(language))
    return language if known >= FEWEST_STOP_WORDS else None
