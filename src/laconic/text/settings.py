"""Check the parameters of a Vectorizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from stop_words import LANGUAGE_MAPPING

from laconic.corpus.vocabulary import as_strings
from laconic.errors import LaconicError
from laconic.text.counting import ACCENTS, compile_pattern
from laconic.text.defaults import AUTO, NO_SETTINGS
from laconic.text.forms import has_stemmer, stemmer_languages
from laconic.text.segmentation import TOKENIZERS
from laconic.text.stop_words import language_name


def check_settings(params: dict[str, Any]) -> dict[str, Any]:
    """Check the settings that affect the counts; convert all except callables to JSON values."""
    settings = {name: params[name] for name in params if name not in NO_SETTINGS}
    for name in ("min_df", "max_df"):
        settings[name] = _document_limit(name, settings[name])
    settings["ngram_range"] = _ngram_range(settings["ngram_range"])
    limit = settings["max_features"]
    if limit is not None:
        if not isinstance(limit, (int, np.integer)) or limit < 1:
            raise LaconicError(f"max_features must be None or an int of 1 or more; got {limit!r}.")
        settings["max_features"] = int(limit)
    stop = settings["stop_words"]
    if isinstance(stop, str):
        settings["stop_words"] = stop if stop == "auto" else language_name(stop)
    elif stop is not None:
        settings["stop_words"] = _strings(stop, "stop_words")
    accents = settings["strip_accents"]
    if accents is not None and not callable(accents) and accents not in ACCENTS:
        raise LaconicError(
            f"strip_accents must be 'ascii', 'unicode', None or a callable; got {accents!r}."
        )
    settings["lowercase"] = bool(settings["lowercase"])
    settings["lemmatizer"] = _lemmatizer(settings["lemmatizer"])
    settings["phrases"] = bool(settings["phrases"])
    if settings["phrases"] and settings["ngram_range"] != [1, 1]:
        raise LaconicError(
            f"phrases=True cannot be combined with ngram_range={tuple(settings['ngram_range'])}, "
            "which counts all n-grams; set only one of the two."
        )
    if settings["tokenizer"] is None:
        compile_pattern(settings["token_pattern"])
    elif not callable(settings["tokenizer"]) and settings["tokenizer"] not in TOKENIZERS:
        raise LaconicError(
            "tokenizer must be a callable that takes a str and returns its words, or one of "
            f"{', '.join(map(repr, TOKENIZERS))}; got {settings['tokenizer']!r}."
        )
    return settings


def _lemmatizer(value: Any) -> Any:
    if value is None or callable(value) or value == AUTO:
        return value
    if not isinstance(value, str):
        raise LaconicError(
            "lemmatizer must be 'auto', a language, None or a callable that takes a word and "
            f"returns its lemma; got {value!r}."
        )
    name = LANGUAGE_MAPPING.get(value.lower(), value.lower())
    if not has_stemmer(name):
        raise LaconicError(
            f"lemmatizer={value!r} is not a language with a stemmer; use 'auto', a callable, or "
            f"one of {', '.join(stemmer_languages())}."
        )
    return name


def _document_limit(name: str, value: Any) -> int | float | str:
    if isinstance(value, str) and value == AUTO:
        return AUTO
    if isinstance(value, (int, np.integer)) and value >= 1:
        return int(value)
    if isinstance(value, (float, np.floating)) and 0 <= value <= 1:
        return float(value)
    raise LaconicError(
        f"{name} must be an int of 1 or more (number of documents), a float between 0.0 and 1.0 "
        f"(share of the documents) or 'auto'; got {value!r}."
    )


def _ngram_range(value: Any) -> list[int]:
    pair = list(value) if isinstance(value, Sequence) else [value]
    integers = all(isinstance(n, (int, np.integer)) for n in pair)
    if len(pair) != 2 or not integers or not 1 <= pair[0] <= pair[1]:
        raise LaconicError(
            "ngram_range must be two ints, the minimum and maximum length of n-grams, such as "
            f"(1, 2); got {value!r}."
        )
    return [int(n) for n in pair]


def _strings(values: Iterable[Any], name: str) -> list[str]:
    words = sorted(values) if isinstance(values, (set, frozenset)) else list(values)
    for word in words:
        if not isinstance(word, str):
            raise LaconicError(
                f"{name} must contain only words (str); got {word!r} ({type(word).__name__})."
            )
    return [str(word) for word in words]


def fixed_words(vocabulary: Any) -> np.ndarray:
    """Return the words of the parameter `vocabulary` in column order."""
    if isinstance(vocabulary, Mapping):
        columns = sorted(vocabulary.values())
        if columns != list(range(len(columns))):
            raise LaconicError(
                f"vocabulary must map its {len(columns)} words to different columns from 0 to "
                f"{len(columns) - 1}."
            )
        vocabulary = sorted(vocabulary, key=vocabulary.__getitem__)
    words = _strings(vocabulary, "vocabulary")
    if not words:
        raise LaconicError("vocabulary is empty; pass at least one word.")
    if len(set(words)) < len(words):
        duplicate = next(word for i, word in enumerate(words) if word in words[:i])
        raise LaconicError(
            f"vocabulary contains the word {duplicate!r} twice; pass each word once."
        )
    return as_strings(words)
