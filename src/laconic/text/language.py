"""Detect the language of texts by their stop words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from stop_words import AVAILABLE_LANGUAGES

from laconic.corpus.corpus import Corpus
from laconic.text.counting import Analyzer, Lexicon, batches, count
from laconic.text.stop_words import stop_words

MIN_TOKENS = 1_000
"""Minimum number of tokens for language detection."""

MIN_SHARE = 0.2
"""Minimum share of tokens that are stop words of the detected language."""

MIN_STOP_WORDS = 2
"""Minimum number of distinct stop words that a corpus must contain to detect its language."""

SAMPLE_CHARACTERS = 1_000_000
"""Language detection uses the first texts, up to this number of characters."""


def guess_language(
    counts: Mapping[str, int], preprocess: Callable[[str], str] | None = None
) -> str | None:
    """Return the language whose stop words cover the most tokens, or None if the share is too low.

    Examples
    --------
    >>> guess_language({"the": 300, "and": 200, "und": 10, "cat": 490})
    'english'
    >>> guess_language({"the": 300, "and": 200}) is None
    True
    """
    n_tokens = sum(counts.values())
    if n_tokens < MIN_TOKENS:
        return None
    covered = {
        name: sum(counts.get(word, 0) for word in stop_words(name, preprocess))
        for name in sorted(AVAILABLE_LANGUAGES)
    }
    best = max(covered, key=covered.__getitem__)
    return best if covered[best] >= MIN_SHARE * n_tokens else None


def guess_from_texts(texts: Iterable[str], settings: Mapping[str, Any]) -> tuple[str | None, int]:
    """Tokenise texts with `settings`; return the detected language and the number of tokens."""
    analyzer = Analyzer({**settings, "stop_words": None, "ngram_range": [1, 1]})
    lexicon = Lexicon(None)
    tally = count(iter(texts), analyzer, lexicon, 1)
    totals = np.bincount(tally.indices, weights=tally.data, minlength=lexicon.size)
    words, numbers = lexicon.sorted_words(np.arange(lexicon.size))
    counts = dict(zip(words, totals[numbers].tolist(), strict=True))
    return guess_language(counts, analyzer.preprocess), tally.n_tokens


def first_texts(texts: Iterable[str]) -> list[str]:
    """Return the first texts, up to the number of characters used for language detection."""
    return next(batches(iter(texts), SAMPLE_CHARACTERS), [])


def guess_from_corpus(corpus: Corpus) -> str | None:
    """Detect the language of a corpus from its word counts; a few sentences are enough."""
    if corpus.vocabulary is None:
        return None
    totals = np.bincount(corpus.counts.indices, corpus.counts.data, corpus.shape[1])
    # Multiply the counts, so that a small corpus reaches the minimum number of tokens.
    factor = math.ceil(MIN_TOKENS / max(totals.sum(), 1))
    counts = dict(zip(corpus.vocabulary, (factor * totals).tolist(), strict=True))
    language = guess_language(counts)
    if language is None:
        return None
    n_distinct = sum(counts.get(word, 0) > 0 for word in stop_words(language))
    return language if n_distinct >= MIN_STOP_WORDS else None
