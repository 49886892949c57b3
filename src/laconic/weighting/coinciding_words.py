"""Count words that occur in the same documents, so that they can be weighted like one word.

For example, the twenty words of a signature, a disclaimer or a quoted header may all occur in the
same fifty documents. Together, these words have twenty times the weight of a single word, so models
find a topic that consists of them. `count_coinciding` counts, for each word i, the words j that
occur in the same documents. Each word j counts as a power of the Jaccard similarity J:

    n_i = Σ_j J(i, j)^POWER,  J = |documents of i and j| / |documents of i or j|

The count n_i is estimated by min-hashing (Broder, 1997). Each hash function gives each document a
hash. The smallest hash of the documents of two words is the same with probability J, and POWER
independent smallest hashes are all the same with probability J^POWER. A band consists of POWER hash
functions, and words whose smallest hashes in the band are all the same form a bucket. The estimate
of n_i is the mean size, over all bands, of the bucket that contains word i. The smallest hashes of
several chunks are merged by taking the minimum, so the result does not depend on chunks or workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import columns_of
from laconic.engines import Engine

POWER = 3
BANDS = 32  # number of bands; more bands make the estimate more precise
TYPICAL = 2 / 3  # share of word occurrences whose counts are usual for the corpus
NONE = np.uint64(2**64 - 1)  # smallest hash of a word that occurs in no document


@dataclass
class SmallestHashes:
    """For each hash function, the smallest hash of the documents of each word."""

    values: np.ndarray  # hash functions x words

    def merge(self, other: Self) -> Self:
        np.minimum(self.values, other.values, out=self.values)
        return self

    def copy(self) -> Self:
        return type(self)(self.values.copy())


def smallest_hashes(params: None, chunk: Chunk, state: None) -> tuple[SmallestHashes, None]:
    """Step: compute the smallest hashes of all words in a chunk."""
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
    """Return the hashes of the first `stop` documents, by the hash function `number`."""
    return _mix(np.arange(stop, dtype=np.uint64) + _mix(np.uint64(number + 1)))


def count_coinciding(engine: Engine, chunks: list[Chunk], frequencies: np.ndarray) -> np.ndarray:
    """Return, for each word, the number of words in the same documents, including the word itself.

    `frequencies` are the document frequencies of the words. A count that is usual for the corpus is
    not a sign of a signature: if documents have few topics, and topics have few words, most words
    coincide with the other words of their topic. Counts are therefore raised to at least a usual
    count, the weighted quantile `TYPICAL` of all counts. The usual count is 1 to 1.5 in news, posts
    and documentation.
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
    """Return the weighted quantile of values for the given share of the weights."""
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
