"""Select the words of the vocabulary from the counts of all words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import ColumnMap
from laconic.errors import LaconicError
from laconic.text.counting import Lexicon, Tally
from laconic.text.defaults import document_limits, without_auto
from laconic.text.forms import Lemmatizer, lemmatizer_of, merge_forms
from laconic.text.phrases import choose_phrases, subtract_phrases


class Selection(NamedTuple):
    """Counts of the selected words, the words, and `min_df` and `max_df` as numbers."""

    counts: sp.csr_matrix
    words: np.ndarray  # sorted by code points
    limits: dict[str, int | float]


def select_words(tally: Tally, lexicon: Lexicon, settings: dict[str, Any]) -> Selection:
    """Merge forms, find phrases, and apply `min_df`, `max_df` and `max_features`."""
    if lexicon.size == 0:
        raise LaconicError(_no_words_message(tally, settings))
    if settings["lemmatizer"] is not None or settings["phrases"]:
        return _select_merged(*_all_counts(tally, lexicon), settings)
    frequency = np.bincount(tally.indices, minlength=lexicon.size)
    in_range, limits = _in_range(frequency, tally.n_documents, settings)
    words, numbers = lexicon.sorted_words(in_range)
    totals = np.bincount(tally.indices, weights=tally.data, minlength=lexicon.size)
    frequent = _most_frequent(totals[numbers], settings["max_features"])
    words, numbers = words[frequent], numbers[frequent]
    return Selection(_pick(tally, numbers, lexicon.size), words, limits)


def _all_counts(tally: Tally, lexicon: Lexicon) -> tuple[sp.csr_matrix, np.ndarray]:
    words, numbers = lexicon.sorted_words(np.arange(lexicon.size))
    return _pick(tally, numbers, lexicon.size), words


def _pick(tally: Tally, numbers: np.ndarray, size: int) -> sp.csr_matrix:
    """Return the counts of the words with the given numbers, in this order."""
    columns = np.full(size, -1, dtype=np.int32)
    columns[numbers] = np.arange(len(numbers), dtype=np.int32)
    return tally.renumber(columns).csr(len(numbers))


def _select_merged(counts: sp.csr_matrix, words: np.ndarray, settings: dict[str, Any]) -> Selection:
    """Select from counts of all forms, which include all pairs of words if phrases are wanted."""
    if settings["lemmatizer"] is not None:
        counts, words = _merge(counts, words, lemmatizer_of(settings))
    if settings["phrases"]:
        low, _ = _in_documents(document_limits(settings, counts.shape[0]), counts.shape[0])
        wanted = np.fromiter((" " not in word for word in words), bool, len(words))
        wanted[choose_phrases(words, counts, low)] = True
        counts, words = counts[:, np.flatnonzero(wanted)], words[wanted]
    exclusive = without_phrase_parts(counts, words, settings)
    frequency = np.bincount(exclusive.indices, minlength=len(words))
    columns, limits = _in_range(frequency, counts.shape[0], settings)
    totals = np.asarray(exclusive.sum(axis=0)).ravel()[columns]
    columns = columns[_most_frequent(totals, settings["max_features"])]
    counts, words = counts[:, columns], words[columns]
    return Selection(without_phrase_parts(counts, words, settings), words, limits)


def _merge(
    counts: sp.csr_matrix, forms: np.ndarray, lemmatizer: Lemmatizer
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Add the columns of the forms of a word; the new columns are sorted by word."""
    totals = np.asarray(counts.sum(axis=0)).ravel()
    words, positions = merge_forms(forms, totals, lemmatizer)
    order = np.argsort(words, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    merged = ColumnMap(rank[positions], len(words)).move(counts).tocsc().tocsr()
    merged.sum_duplicates()
    return merged, words[order]


def without_phrase_parts(
    counts: sp.csr_matrix, words: np.ndarray, settings: dict[str, Any]
) -> sp.csr_matrix:
    """If the vocabulary has phrases, do not count the words inside the phrases as well."""
    return subtract_phrases(words, counts) if settings["phrases"] else counts


def _in_documents(limits: dict[str, int | float], n_documents: int) -> list[float]:
    """Return `min_df` and `max_df` as numbers of documents."""
    return [
        limit if isinstance(limit, int) else limit * n_documents
        for limit in (limits["min_df"], limits["max_df"])
    ]


def _in_range(
    frequency: np.ndarray, n_documents: int, settings: dict[str, Any]
) -> tuple[np.ndarray, dict[str, int | float]]:
    """Return the words whose number of documents is within `min_df` and `max_df`, and the limits.

    If no word is within the limits, limits that are "auto" are switched off.
    """
    limits = document_limits(settings, n_documents)
    in_range = _between(frequency, *_in_documents(limits, n_documents))
    if not len(in_range):
        limits = {name: without_auto(settings)[name] for name in limits}
        in_range = _between(frequency, *_in_documents(limits, n_documents))
    if len(in_range):
        return in_range, limits
    low, high = _in_documents(limits, n_documents)
    if high < low <= n_documents:
        raise LaconicError(
            f"max_df={limits['max_df']} keeps only words in at most {high:g} documents, but "
            f"min_df={limits['min_df']} requires at least {low:g} documents; raise max_df or "
            "lower min_df."
        )
    raise LaconicError(_all_pruned_message(frequency, low, high, limits))


def _between(frequency: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.flatnonzero((low <= frequency) & (frequency <= high))


def _most_frequent(totals: np.ndarray, limit: int | None) -> np.ndarray:
    """Return the positions of the `limit` largest totals in increasing order."""
    if limit is None or len(totals) <= limit:
        return np.arange(len(totals))
    # Sort like scikit-learn, so that equally frequent words are in the same order.
    return np.sort((-totals.astype(np.int64)).argsort()[:limit])


# --- messages ------------------------------------------------------------------------------------


def _no_words_message(tally: Tally, settings: dict[str, Any]) -> str:
    n_documents = tally.n_documents
    if n_documents == 0:
        return "There are no documents; pass at least one text."
    if tally.n_tokens == 0:
        pattern = settings["token_pattern"]
        cause = "the tokenizer" if settings["tokenizer"] else f"token_pattern={pattern!r}"
        return (
            f"No words in the {n_documents:,} documents: they are empty, or {cause} finds no words "
            "in them."
        )
    if tally.n_kept == 0:
        stop = settings["stop_words"]
        which = repr(stop) if isinstance(stop, str) else f"a list of {len(stop)}"
        return (
            f"No words remain: stop_words ({which}) removed all {tally.n_tokens:,} words of the "
            f"{n_documents:,} documents; use fewer stop words."
        )
    return (
        f"No words remain: no document has {settings['ngram_range'][0]} words in a row, as "
        f"ngram_range={tuple(settings['ngram_range'])} requires; lower the minimum length."
    )


def _all_pruned_message(
    frequency: np.ndarray, low: float, high: float, settings: dict[str, Any]
) -> str:
    removed = {
        f"min_df={settings['min_df']}": int(np.count_nonzero(frequency < low)),
        f"max_df={settings['max_df']}": int(np.count_nonzero(frequency > high)),
    }
    causes = " and ".join(f"{name} removed {n:,}" for name, n in removed.items() if n)
    return f"No words remain: {causes} of {len(frequency):,} words; lower min_df or raise max_df."
