"""Default settings for counting words, which are the same in Python and on the command line.

If ``stop_words``, ``min_df`` or ``max_df`` is "auto", the Vectorizer chooses the value: the stop
words of the detected language, and limits that depend on the number of documents.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from laconic.text.segmentation import TOKEN_PATTERN

AUTO = "auto"

SETTINGS: dict[str, Any] = {
    "lowercase": True,
    "strip_accents": None,
    "token_pattern": TOKEN_PATTERN,
    "tokenizer": None,
    "stop_words": AUTO,
    "lemmatizer": None,
    "phrases": False,
    "ngram_range": (1, 1),
    "min_df": AUTO,
    "max_df": AUTO,
    "max_features": None,
}
"""The default of each setting of a Vectorizer."""

NO_SETTINGS: dict[str, Any] = {"vocabulary": None, "output": "corpus", "n_jobs": None}
"""The other parameters of a Vectorizer, which do not affect how a text is tokenised and counted."""

EVERY_WORD: dict[str, Any] = {"stop_words": None, "min_df": 1, "max_df": 1.0}
"""Settings that keep every word."""

MIN_DF = {1: 1, 20: 2, 1_000: 3, 4_000: 5}
"""``min_df`` for at least this number of documents."""

MAX_DF = {1: 1.0, 100: 0.5}
"""``max_df`` for at least this number of documents."""


def document_limits(settings: Mapping[str, Any], n_documents: int) -> dict[str, int | float]:
    """Return `min_df` and `max_df`; "auto" is replaced by the default for `n_documents`.

    Examples
    --------
    >>> document_limits({"min_df": "auto", "max_df": "auto"}, 4)
    {'min_df': 1, 'max_df': 1.0}
    >>> document_limits({"min_df": "auto", "max_df": 0.9}, 10_000)
    {'min_df': 5, 'max_df': 0.9}
    """
    return {
        name: _by_size(defaults, n_documents) if settings[name] == AUTO else settings[name]
        for name, defaults in (("min_df", MIN_DF), ("max_df", MAX_DF))
    }


def without_auto(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Replace "auto" by the value that keeps every word and every form of a word."""
    return {
        name: EVERY_WORD.get(name) if isinstance(value, str) and value == AUTO else value
        for name, value in settings.items()
    }


def complete_settings(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Complete the settings of a corpus or model; a setting that is not known keeps all words."""
    defaults = without_auto({**SETTINGS, **NO_SETTINGS})
    # The names are sorted as in `Vectorizer.get_params`, so that equal settings are saved equally.
    return {name: (settings or {}).get(name, defaults[name]) for name in sorted(defaults)}


def _by_size(values: dict[int, Any], n_documents: int) -> Any:
    sizes = list(values)
    return values[sizes[max(bisect_right(sizes, n_documents) - 1, 0)]]
