"""Words that occur in the same documents, and so should count as one word.

A signature, a disclaimer or a quoted header brings twenty words that occur in the same fifty
documents. Twenty words that always occur together weigh twenty times as much as one of them, and
models find a topic in them. `count_coinciding` counts, for each word, the words that occur in the
same documents, each by the power of how nearly the same they are:

    n_i = Σ_j J(i, j)^POWER,  J = |documents of i and j| / |documents of i or j|

It is estimated by min-hashing (Broder, 1997): the smallest hash of the documents of two words is
the same with probability J, so POWER smallest hashes are with J^POWER. Each band of them puts words
that share all of them into one bucket, and the mean size of a word's buckets is n_i. Smallest
hashes of chunks merge by the minimum, so the result does not depend on chunks or workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import columns_of
from laconic.engines import Engine

POWER = 3
BANDS = 32  # number of bands; more give a more precise mean
TYPICAL = 2 / 3  # quantile of the counts up to which they are usual for the corpus
NONE = np.uint64(2**64 - 1)  # the smallest hash of no documents


@dataclass
class SmallestHashes:
    """For each hash function the smallest hash of the documents of each word."""

    values: np.ndarray  # hash functions x words

    def merge(self, other: Self) -> Self:
        np.minimum(self.values, other.values, out=self.values)
        return self

    def copy(self) -> Self:
        return type(self)(self.values.copy())


def smallest_hashes(params: None, chunk: Chunk, state: None) -> tuple[SmallestHashes, None]:
    """Step: the smallest hashes of the words of a chunk."""
    X = chunk.load()
    columns = columns_of(chunk, X)
    filled = np.flatnonzero(np.diff(columns.indptr))
    values = np.full((BANDS * POWER, X.shape[1]), NONE)
    for number in range(len(values)):
        hashes = document_hashes(number, chunk.stop)[chunk.start :]
        if len(filled):
            lowest = np.minimum.reduceat(hashes[columns.indices], columns.indptr[filled])
            values[number, filled] = lowest
    return SmallestHashes(values), None


def document_hashes(number: int, stop: int) -> np.ndarray:
    """Return the hashes of the documents before `stop` by one of the hash functions."""
    return _mix(np.arange(stop, dtype=np.uint64) + _mix(np.uint64(number + 1)))


def count_coinciding(engine: Engine, chunks: list[Chunk], frequencies: np.ndarray) -> np.ndarray:
    """Return the number of words, itself included, in the same documents as each word.

    `frequencies` are the document frequencies of the words. A count that is usual for the corpus is
    not a sign of a signature: if documents have few topics of few words, most words coincide with
    the other words of their topic. So no count is below that of two thirds of all occurrences
    of words (1 to 1.5 in news, posts and documentation).
    """
    hashes = engine.map_reduce(smallest_hashes, None, chunks).values
    total = np.zeros(hashes.shape[1])
    for band in hashes.reshape(BANDS, POWER, -1):
        keys = band[0]
        for values in band[1:]:
            keys = _mix(keys) ^ values
        _, bucket, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        total += sizes[bucket]
    occurring = hashes[0] != NONE
    counts = np.where(occurring, total / BANDS, 1.0)
    return np.maximum(counts, _quantile(counts, frequencies, TYPICAL))


def _quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Return the weighted quantile of values."""
    if not weights.any():
        return 1.0
    order = np.argsort(values, kind="stable")
    position = np.searchsorted(np.cumsum(weights[order]), share * weights.sum())
    return float(values[order][min(int(position), len(values) - 1)])


def _mix(values: np.ndarray | np.uint64) -> np.ndarray:
    """Scramble 64-bit numbers (splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = np.asarray(values, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
