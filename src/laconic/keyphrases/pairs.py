"""Pairs of words that form phrases, counted in memory that does not grow with the documents.

Most pairs of adjacent words occur once or twice. A first pass adds up the pairs in a table of fixed
size, in which several pairs may share a counter. A counter is never less than the count of one of
its pairs, so the second pass counts only pairs whose counters are large enough, and counts them
exactly.
"""

from __future__ import annotations

import numpy as np

from laconic.kernels import positions
from laconic.keyphrases.evidence import Tokens

# A pair of words is a phrase if its count is at least PHRASE_COUNT, and if at least PHRASE_SHARE of
# the occurrences of the rarer word are in the pair.
PHRASE_COUNT, PHRASE_SHARE = 3, 0.3
MOST_BITS = 25  # the table has at most 2^25 counters (128 MB)
HASH = np.uint64(0x9E3779B97F4A7C15)
PENDING = 1 << 22  # number of pairs after which equal pairs are added up


class PairCounter:
    """Counts pairs of words in two passes over the same tokens.

    Parameters
    ----------
    n_words : int
    n_tokens : float
        Approximate number of tokens, which determines the size of the table.
    """

    def __init__(self, n_words: int, n_tokens: float) -> None:
        self._n_words = n_words
        bits = min(max(int(n_tokens).bit_length(), 8), MOST_BITS)
        self._shift = np.uint64(64 - bits)
        self._counters = np.zeros(1 << bits, dtype=np.uint32)
        self._keys = np.zeros(0, dtype=np.int64)
        self._times = np.zeros(0, dtype=np.int64)
        self._pending: list[np.ndarray] = []

    def add(self, tokens: Tokens) -> None:
        """Add tokens to the table (first pass)."""
        keys = self._pairs(tokens)
        np.add.at(self._counters, self._slots(keys), np.uint32(1))

    def count(self, tokens: Tokens, totals: np.ndarray) -> None:
        """Count pairs that may be phrases (second pass), given the total count of each word."""
        keys = self._pairs(tokens)
        at_most = self._counters[self._slots(keys)]
        self._pending.append(keys[self._are_phrases(keys, at_most, totals)])
        if sum(map(len, self._pending)) > PENDING:
            self._add_up()

    def phrases(self, totals: np.ndarray) -> np.ndarray:
        """Return the sorted keys of the pairs that are phrases.

        The key of a pair is first column * n_words + second column.
        """
        self._add_up()
        return self._keys[self._are_phrases(self._keys, self._times, totals)]

    def _pairs(self, tokens: Tokens) -> np.ndarray:
        keys: np.ndarray = positions.list_pairs(*tokens, self._n_words)
        return keys

    def _slots(self, keys: np.ndarray) -> np.ndarray:
        return (keys.view(np.uint64) * HASH) >> self._shift

    def _are_phrases(self, keys: np.ndarray, times: np.ndarray, totals: np.ndarray) -> np.ndarray:
        first, second = np.divmod(keys, max(self._n_words, 1))
        rarer = np.minimum(totals[first], totals[second])
        often = (times >= PHRASE_COUNT) & (times >= PHRASE_SHARE * rarer)
        return np.asarray(often & (first != second))

    def _add_up(self) -> None:
        new, times = np.unique(np.concatenate([*self._pending, self._keys[:0]]), return_counts=True)
        keys = np.concatenate([self._keys, new])
        self._keys, places = np.unique(keys, return_inverse=True)
        all_times = np.concatenate([self._times, times])
        self._times = np.bincount(places, all_times, minlength=len(self._keys)).astype(np.int64)
        self._pending = []
