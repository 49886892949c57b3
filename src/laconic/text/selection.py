"""Select the words of the vocabulary from the counts of all words.

The counts of all words are in memory or in files (`laconic.text.parts`); the selected words are the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.text.counting import Lexicon, Tally
from laconic.text.defaults import document_limits, without_auto
from laconic.text.forms import lemmatizer_of, merge_forms
from laconic.text.phrases import PhraseSubtraction, choose_phrases, fewest_documents


class Candidates(NamedTuple):
    """Words that may be selected, and the counts of other words that are not candidates."""

    words: np.ndarray  # sorted by code points
    frequency: np.ndarray  # number of documents that contain each word
    totals: np.ndarray  # int64, count of each word in all documents
    n_rare: int  # number of words that are in too few documents
    n_common: int  # number of words that are in too many documents
    n_words: int  # number of all distinct words
    matrices: Callable[[np.ndarray, int], Iterator[sp.csr_matrix]]
    """Takes the column of each word (-1 for none) and the number of columns; yields the counts of
    consecutive documents. Words with equal columns are added."""


class WordCounts(Protocol):
    """Counts of all words of all documents."""

    @property
    def n_documents(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_kept(self) -> int: ...
    @property
    def n_words(self) -> int: ...

    def candidates(self, low: float, high: float, low_of_pairs: float = 0) -> Candidates:
        """Return the words in `low` to `high` documents; rare pairs of words may be left out."""
        ...


class Selection(NamedTuple):
    """The selected words, `min_df` and `max_df` as numbers, and the counts of the words."""

    words: np.ndarray  # sorted by code points
    limits: dict[str, int | float]
    matrices: Iterator[sp.csr_matrix]  # counts of consecutive documents


@dataclass(frozen=True)
class CountsInMemory:
    """Counts of all words as one Tally, whose columns are the words of a Lexicon."""

    tally: Tally
    lexicon: Lexicon

    @property
    def n_documents(self) -> int:
        return self.tally.n_documents

    @property
    def n_tokens(self) -> int:
        return self.tally.n_tokens

    @property
    def n_kept(self) -> int:
        return self.tally.n_kept

    @property
    def n_words(self) -> int:
        return self.lexicon.size

    def candidates(self, low: float, high: float, low_of_pairs: float = 0) -> Candidates:
        tally, size = self.tally, self.lexicon.size
        frequency = np.bincount(tally.indices, minlength=size)
        numbers = np.flatnonzero((low <= frequency) & (frequency <= high))
        words, numbers = self.lexicon.sorted_words(numbers)
        totals = np.bincount(tally.indices, weights=tally.data, minlength=size).astype(np.int64)
        n_rare, n_common = (frequency < low).sum(), (frequency > high).sum()

        def matrices(columns: np.ndarray, n_columns: int) -> Iterator[sp.csr_matrix]:
            target = np.full(size, -1, dtype=np.int32)
            target[numbers] = columns
            yield tally.renumber(target).csr(n_columns)

        return Candidates(
            words, frequency[numbers], totals[numbers], int(n_rare), int(n_common), size, matrices
        )


def select_words(counts: WordCounts, settings: dict[str, Any]) -> Selection:
    """Merge forms, find phrases, and apply `min_df`, `max_df` and `max_features`."""
    if counts.n_words == 0:
        raise LaconicError(_no_words_message(counts, settings))
    if settings["lemmatizer"] is not None or settings["phrases"]:
        return _select_merged(counts, settings)
    for limits in _possible_limits(settings, counts.n_documents):
        found = counts.candidates(*_in_documents(limits, counts.n_documents))
        if len(found.words):
            break
    else:
        raise LaconicError(
            _nothing_left_message(limits, counts, found.n_rare, found.n_common, found.n_words)
        )
    frequent = _most_frequent(found.totals, settings["max_features"])
    columns = _renumbered(np.arange(len(found.words)), frequent, len(found.words))
    return Selection(found.words[frequent], limits, found.matrices(columns, len(frequent)))


def _select_merged(counts: WordCounts, settings: dict[str, Any]) -> Selection:
    """Select from the counts of all forms and, if phrases are wanted, of all pairs of words."""
    n_documents, has_phrases = counts.n_documents, settings["phrases"]
    low, _ = _in_documents(document_limits(settings, n_documents), n_documents)
    # Forms of a rare pair may together be a frequent pair, so all pairs are needed to merge forms.
    are_merged = settings["lemmatizer"] is not None
    low_of_pairs = fewest_documents(low) if has_phrases and not are_merged else 0
    words, frequency, totals, *_, matrices = counts.candidates(0, np.inf, low_of_pairs)
    columns = np.arange(len(words))
    if are_merged:
        words, columns = _merge(words, totals, settings)
        frequency, totals = _statistics(matrices(columns, len(words)), len(words))
    if has_phrases:
        wanted = np.fromiter((" " not in word for word in words), bool, len(words))
        wanted[choose_phrases(words, frequency, totals, low)] = True
        columns = _renumbered(columns, np.flatnonzero(wanted), len(words))
        words = words[wanted]
        exclusive = map(PhraseSubtraction(words), matrices(columns, len(words)))
        frequency, totals = _statistics(exclusive, len(words))
    selected, limits = _in_range(frequency, counts, settings)
    selected = selected[_most_frequent(totals[selected], settings["max_features"])]
    columns = _renumbered(columns, selected, len(words))
    words = words[selected]
    final = matrices(columns, len(words))
    return Selection(words, limits, map(PhraseSubtraction(words), final) if has_phrases else final)


def _merge(
    forms: np.ndarray, totals: np.ndarray, settings: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted words after merging forms, and the position of the word of each form."""
    words, positions = merge_forms(forms, totals, lemmatizer_of(settings))
    order = np.argsort(words, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return words[order], rank[positions]


def _renumbered(columns: np.ndarray, selected: np.ndarray, size: int) -> np.ndarray:
    """Number the `selected` of `size` columns by their positions; other columns become -1."""
    target = np.full(size + 1, -1, dtype=np.int32)
    target[selected] = np.arange(len(selected), dtype=np.int32)
    return target[columns]  # A column of -1 stays -1, which is the last entry.


def _statistics(matrices: Iterable[sp.csr_matrix], n_words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of documents that contain each word, and the total count of each word."""
    frequency, totals = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for counts in matrices:
        frequency += np.bincount(counts.indices, minlength=n_words)
        totals += np.asarray(counts.sum(axis=0)).ravel()
    return frequency, totals


def without_phrase_parts(
    counts: sp.csr_matrix, words: np.ndarray, settings: dict[str, Any]
) -> sp.csr_matrix:
    """If the vocabulary has phrases, do not count the words inside the phrases as well."""
    return PhraseSubtraction(words)(counts) if settings["phrases"] else counts


def _in_documents(limits: dict[str, int | float], n_documents: int) -> list[float]:
    """Return `min_df` and `max_df` as numbers of documents."""
    return [
        limit if isinstance(limit, int) else limit * n_documents
        for limit in (limits["min_df"], limits["max_df"])
    ]


def _in_range(
    frequency: np.ndarray, counts: WordCounts, settings: dict[str, Any]
) -> tuple[np.ndarray, dict[str, int | float]]:
    """Return the words whose number of documents is within `min_df` and `max_df`, and the limits.

    If no word is within the limits, limits that are "auto" are switched off.
    """
    for limits in _possible_limits(settings, counts.n_documents):
        low, high = _in_documents(limits, counts.n_documents)
        selected = np.flatnonzero((low <= frequency) & (frequency <= high))
        if len(selected):
            return selected, limits
    n_rare = int(np.count_nonzero(frequency < low))
    n_common = int(np.count_nonzero(frequency > high))
    raise LaconicError(_nothing_left_message(limits, counts, n_rare, n_common, len(frequency)))


def _possible_limits(
    settings: dict[str, Any], n_documents: int
) -> Iterator[dict[str, int | float]]:
    """Yield `min_df` and `max_df`; the second values apply if no word is within the first ones."""
    limits = document_limits(settings, n_documents)
    yield limits
    yield {name: without_auto(settings)[name] for name in limits}


def _most_frequent(totals: np.ndarray, limit: int | None) -> np.ndarray:
    """Return the positions of the `limit` largest totals in increasing order."""
    if limit is None or len(totals) <= limit:
        return np.arange(len(totals))
    # Sort like scikit-learn, so that equally frequent words are in the same order.
    return np.sort((-totals.astype(np.int64)).argsort()[:limit])


# --- messages ------------------------------------------------------------------------------------


def _no_words_message(counts: WordCounts, settings: dict[str, Any]) -> str:
    n_documents = counts.n_documents
    if n_documents == 0:
        return "There are no documents; pass at least one text."
    if counts.n_tokens == 0:
        pattern = settings["token_pattern"]
        cause = "the tokenizer" if settings["tokenizer"] else f"token_pattern={pattern!r}"
        return (
            f"No words in the {n_documents:,} documents: they are empty, or {cause} finds no words "
            "in them."
        )
    if counts.n_kept == 0:
        stop = settings["stop_words"]
        which = repr(stop) if isinstance(stop, str) else f"a list of {len(stop)}"
        return (
            f"No words remain: stop_words ({which}) removed all {counts.n_tokens:,} words of the "
            f"{n_documents:,} documents; use fewer stop words."
        )
    return (
        f"No words remain: no document has {settings['ngram_range'][0]} words in a row, as "
        f"ngram_range={tuple(settings['ngram_range'])} requires; lower the minimum length."
    )


def _nothing_left_message(
    limits: dict[str, int | float], counts: WordCounts, n_rare: int, n_common: int, n_words: int
) -> str:
    """Return the message if no word is within `min_df` and `max_df`."""
    n_documents = counts.n_documents
    low, high = _in_documents(limits, n_documents)
    if high < low <= n_documents:
        return (
            f"max_df={limits['max_df']} keeps only words in at most {high:g} documents, but "
            f"min_df={limits['min_df']} requires at least {low:g} documents; raise max_df or "
            "lower min_df."
        )
    removed = {f"min_df={limits['min_df']}": n_rare, f"max_df={limits['max_df']}": n_common}
    causes = " and ".join(f"{name} removed {n:,}" for name, n in removed.items() if n)
    return f"No words remain: {causes} of {n_words:,} words; lower min_df or raise max_df."
