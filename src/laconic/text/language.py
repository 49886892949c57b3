"""Detect the language of texts by their stop words."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from stop_words import AVAILABLE_LANGUAGES

from laconic.corpus.corpus import Corpus
from laconic.text.counting import Analyzer, Lexicon, batches, count
from laconic.text.defaults import AUTO
from laconic.text.forms import has_stemmer
from laconic.text.segmentation import choose_tokenizer
from laconic.text.stop_words import stop_words

logger = logging.getLogger(__name__)

RULES = (
    (20, 0.25, 1.5),
    (100, 0.2, 1.0),
    (1_000, 0.1, 1.5),
)
"""When a language is detected: from this number of tokens, if its stop words cover this share of
the tokens, and this number of times as many as the stop words of any other language. Headlines have
few stop words, so with many tokens, a smaller share is enough."""

MIN_STOP_WORDS = 2
"""Minimum number of distinct stop words that texts must contain to detect their language."""

DOUBTFUL_SHARE, MANY_TOKENS = 0.1, 1_000
"""Texts with fewer tokens and a smaller share of stop words are taken to have no stop words."""

SAMPLE_CHARACTERS = 1_000_000
"""Language detection uses the first texts, up to this number of characters."""


class Guess(NamedTuple):
    """Detected language, or None; number of tokens, and share of its stop words among them."""

    language: str | None
    n_tokens: int
    share: float


def guess_language(
    counts: Mapping[str, int], preprocess: Callable[[str], str] | None = None
) -> Guess:
    """Detect the language whose stop words cover the most tokens; see `RULES`.

    Examples
    --------
    >>> guess_language({"the": 30, "and": 20, "of": 10, "und": 1, "cat": 39}).language
    'english'
    >>> guess_language({"the": 3, "and": 2}).language is None
    True
    """
    n_tokens = max(sum(counts.values()), 1)
    shares = {
        name: sum(counts.get(word, 0) for word in stop_words(name, preprocess)) / n_tokens
        for name in sorted(AVAILABLE_LANGUAGES)
    }
    best, second = sorted(shares, key=shares.__getitem__, reverse=True)[:2]
    n_distinct = sum(counts.get(word, 0) > 0 for word in stop_words(best, preprocess))
    is_clear = n_distinct >= MIN_STOP_WORDS and any(
        n_tokens >= tokens and shares[best] >= share and shares[best] >= ratio * shares[second]
        for tokens, share, ratio in RULES
    )
    share = shares[best] if n_distinct >= MIN_STOP_WORDS else 0.0
    return Guess(best if is_clear else None, n_tokens, share)


def guess_from_texts(texts: Iterable[str], settings: Mapping[str, Any]) -> Guess:
    """Tokenise texts with `settings`, and detect their language."""
    plain = {"stop_words": None, "ngram_range": [1, 1], "phrases": False}
    analyzer = Analyzer({**settings, **plain})
    lexicon = Lexicon(None)
    tally = count(iter(texts), analyzer, lexicon, 1)
    totals = np.bincount(tally.indices, weights=tally.data, minlength=lexicon.size)
    words, numbers = lexicon.sorted_words(np.arange(lexicon.size))
    counts = dict(zip(words, totals[numbers].astype(int).tolist(), strict=True))
    return guess_language(counts, analyzer.preprocess)


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
        guess = guess_from_texts(sample, settings)
        language = guess.language
        if settings["stop_words"] == AUTO:
            settings["stop_words"] = language
            _log_stop_words(guess)
        elif isinstance(settings["stop_words"], str):
            language = settings["stop_words"]
        if settings["lemmatizer"] == AUTO:
            settings["lemmatizer"] = _lemmatizer_of(language)
    return settings, chain(sample, texts)


def _log_stop_words(guess: Guess) -> None:
    """Say which stop words are removed; warn if texts may contain stop words of a language."""
    if guess.language is not None:
        logger.info("stop words: %s (detected from %d words)", guess.language, guess.n_tokens)
    elif guess.share < DOUBTFUL_SHARE and guess.n_tokens < MANY_TOKENS:
        logger.info("stop words: none (detected from %d words)", guess.n_tokens)
    else:
        reason = "the texts contain few stop words of any known language"
        if guess.n_tokens < MANY_TOKENS:
            reason = f"{guess.n_tokens} words are too few to detect the language"
        logger.warning(
            "No stop words are removed, because %s; set stop_words= to a language or a list of "
            "words, or to None to keep all words.",
            reason,
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
    return guess_from_totals(corpus.vocabulary, totals)


def guess_from_totals(words: np.ndarray, totals: np.ndarray) -> str | None:
    """Detect the language of a corpus from the total count of each word."""
    # Multiply the counts, so that a small corpus reaches the number of tokens of the second rule.
    factor = math.ceil(RULES[1][0] / max(totals.sum(), 1))
    counts = dict(zip(words, (factor * totals).tolist(), strict=True))
    return guess_language(counts).language
