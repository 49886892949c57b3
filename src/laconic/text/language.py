"""Detect the language of texts by their stop words."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
from stop_words import AVAILABLE_LANGUAGES

from laconic.corpus.corpus import Corpus
from laconic.text.counting import Analyzer, Lexicon, batches, count
from laconic.text.defaults import AUTO
from laconic.text.forms import has_stemmer
from laconic.text.segmentation import choose_tokenizer
from laconic.text.stop_words import stop_words

logger = logging.getLogger(__name__)

MIN_TOKENS = 100
"""Minimum number of tokens for language detection."""

MIN_SHARE = 0.2
"""Minimum share of tokens that are stop words of the detected language."""

TERSE_TOKENS, TERSE_SHARE, TERSE_RATIO = 1_000, 0.1, 1.5
"""With many tokens, a smaller share is enough if no other language comes close, as in headlines."""

MIN_STOP_WORDS = 2
"""Minimum number of distinct stop words that texts must contain to detect their language."""

SAMPLE_CHARACTERS = 1_000_000
"""Language detection uses the first texts, up to this number of characters."""


def guess_language(
    counts: Mapping[str, int], preprocess: Callable[[str], str] | None = None
) -> str | None:
    """Return the language whose stop words cover the most tokens, or None if the share is too low.

    Examples
    --------
    >>> guess_language({"the": 30, "and": 20, "of": 10, "und": 1, "cat": 39})
    'english'
    >>> guess_language({"the": 30, "and": 20}) is None
    True
    """
    n_tokens = sum(counts.values())
    if n_tokens < MIN_TOKENS:
        return None
    covered = {
        name: sum(counts.get(word, 0) for word in stop_words(name, preprocess))
        for name in sorted(AVAILABLE_LANGUAGES)
    }
    best, second = sorted(covered, key=covered.__getitem__, reverse=True)[:2]
    if sum(counts.get(word, 0) > 0 for word in stop_words(best, preprocess)) < MIN_STOP_WORDS:
        return None
    if covered[best] >= MIN_SHARE * n_tokens:
        return best
    is_terse = n_tokens >= TERSE_TOKENS and covered[best] >= TERSE_RATIO * covered[second]
    return best if is_terse and covered[best] >= TERSE_SHARE * n_tokens else None


def guess_from_texts(texts: Iterable[str], settings: Mapping[str, Any]) -> tuple[str | None, int]:
    """Tokenise texts with `settings`; return the detected language and the number of tokens."""
    plain = {"stop_words": None, "ngram_range": [1, 1], "phrases": False}
    analyzer = Analyzer({**settings, **plain})
    lexicon = Lexicon(None)
    tally = count(iter(texts), analyzer, lexicon, 1)
    totals = np.bincount(tally.indices, weights=tally.data, minlength=lexicon.size)
    words, numbers = lexicon.sorted_words(np.arange(lexicon.size))
    counts = dict(zip(words, totals[numbers].tolist(), strict=True))
    return guess_language(counts, analyzer.preprocess), tally.n_tokens


def first_texts(texts: Iterable[str]) -> list[str]:
    """Return the first texts, up to the number of characters used for language detection."""
    return next(batches(iter(texts), SAMPLE_CHARACTERS), [])


def adapt_to_language(
    texts: Iterator[str], settings: dict[str, Any], keep_all: bool
) -> tuple[dict[str, Any], Iterator[str]]:
    """Replace each "auto" that depends on the language; return settings and all texts.

    The tokenizer depends on the script, and stop words and lemmatizer on the language of the first
    texts. If `keep_all` is true, "auto" means no stop words.
    """
    sample = first_texts(texts)
    settings = {**settings, "tokenizer": choose_tokenizer(sample, settings)}
    if keep_all and settings["stop_words"] == AUTO:
        settings["stop_words"] = None
    if AUTO in (settings["stop_words"], settings["lemmatizer"]):
        language, n_tokens = guess_from_texts(sample, settings)
        if settings["stop_words"] == AUTO:
            settings["stop_words"] = language
            _log_stop_words(language, n_tokens)
        elif isinstance(settings["stop_words"], str):
            language = settings["stop_words"]
        if settings["lemmatizer"] == AUTO:
            settings["lemmatizer"] = _lemmatizer_of(language)
    return settings, chain(sample, texts)


def _log_stop_words(language: str | None, n_tokens: int) -> None:
    if language is not None:
        logger.info("stop words: %s (detected from %d words)", language, n_tokens)
    elif n_tokens < MIN_TOKENS:
        logger.warning(
            "No stop words are removed, because %d words are too few to detect the language; set "
            "stop_words= to a language, or to None to keep all words.",
            n_tokens,
        )
    else:
        logger.warning(
            "No stop words are removed, because the texts contain few stop words of any known "
            "language; set stop_words= to a language or a list of words, or to None to keep all "
            "words."
        )


def _lemmatizer_of(language: str | None) -> str | None:
    if has_stemmer(language):
        return language
    logger.warning(
        "Forms of a word are not merged, because %s; set lemmatizer= to a language or a function.",
        "the language was not detected" if language is None else f"{language} has no stemmer",
    )
    return None


def guess_from_corpus(corpus: Corpus) -> str | None:
    """Detect the language of a corpus from its word counts; a few sentences are enough."""
    if corpus.vocabulary is None:
        return None
    totals = np.bincount(corpus.counts.indices, corpus.counts.data, corpus.shape[1])
    # Multiply the counts, so that a small corpus reaches the minimum number of tokens.
    factor = math.ceil(MIN_TOKENS / max(totals.sum(), 1))
    counts = dict(zip(corpus.vocabulary, (factor * totals).tolist(), strict=True))
    return guess_language(counts)
