"""Synthetic corpora of any size: documents about a few topics, with Zipf-distributed words.

A document mixes 1 to 4 of 200 topics with a background distribution, from which 30 % of its words
are drawn. The background follows Zipf's law over all words; a topic follows Zipf's law over 5,000
words of its own. The words of a document depend only on the seed and on its row number, so a corpus
can be written part by part, and a larger corpus starts with the documents of a smaller one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit

from laconic.corpus.store import StoreWriter
from laconic.corpus.stored_columns import as_table
from laconic.files.atomic_folder import write_folder

N_WORDS, N_TOPICS, WORDS_OF_TOPIC = 100_000, 200, 5000
MOST_TOPICS = 4  # of a document
BACKGROUND = 0.3  # share of words that are drawn from the background
N_CLASSES = 20  # the class of a document is its first topic modulo this number
PART = 20_000  # documents per part
# Wikipedia of 2014, as prepared by gensim: 3.93 million documents with 192 different words each.
WIKIPEDIA, WIKIPEDIA_LENGTH = 3_900_000, 192
SPREAD = 0.8  # standard deviation of the logarithm of the number of different words
CONSONANTS, VOWELS = "bcdfghklmnprstvz", "aeiou"


class Mixture(NamedTuple):
    """Distributions of words as tables: a uniformly drawn entry of a table is a word or a rank.

    The sizes of the tables are powers of two.
    """

    background: np.ndarray  # words
    ranks: np.ndarray  # ranks of words in a topic
    topics: np.ndarray  # words of each topic by rank


def mixture(n_words: int = N_WORDS, seed: int = 0) -> Mixture:
    """Draw the words of each topic, and tabulate the distributions."""
    rng = np.random.default_rng(seed)
    of_topic = min(WORDS_OF_TOPIC, n_words)
    zipf = 1 / np.arange(2, n_words + 2)
    roots = np.sqrt(zipf)
    topics = [
        rng.choice(n_words, of_topic, replace=False, p=roots / roots.sum()) for _ in range(N_TOPICS)
    ]
    return Mixture(
        _tabulated(zipf, 1 << 22),
        _tabulated(1 / np.arange(3, of_topic + 3), 1 << 18),
        np.array(topics, dtype=np.int32),
    )


def _tabulated(weights: np.ndarray, size: int) -> np.ndarray:
    """Return the quantiles of a distribution at `size` equally spaced levels."""
    levels = (np.arange(size) + 0.5) / size
    return np.searchsorted(np.cumsum(weights) / weights.sum(), levels).astype(np.int32)


def vocabulary(n_words: int = N_WORDS) -> list[str]:
    """Return pronounceable words, such as "bozaj"."""
    syllables = [consonant + vowel for consonant in CONSONANTS for vowel in VOWELS]
    words = []
    for number in range(n_words):
        word, rest = "", number
        while not word or rest:
            word += syllables[rest % len(syllables)]
            rest //= len(syllables)
        words.append(word + "xqjw"[number % 4])
    return words


# --- texts ---------------------------------------------------------------------------------------


def write_texts(path: Path, n_documents: int, seed: int = 0) -> None:
    """Write JSON lines with the fields id, title, label and text; texts have 80 to 100 words."""
    tables, words = mixture(seed=seed), np.array(vocabulary(), dtype=object)
    with path.open("w", encoding="ascii") as file:
        for start in range(0, n_documents, PART):
            n_rows = min(PART, n_documents - start)
            lengths = _rng(seed, start).integers(80, 101, n_rows)
            tokens, topics = draw_tokens(seed, start, lengths, *tables)
            texts = words[tokens].tolist()
            begin = 0
            for row, length, topic in zip(range(n_rows), lengths.tolist(), topics, strict=True):
                line = {
                    "id": f"d{start + row}",
                    "title": f"Title {start + row}",
                    "label": f"class{topic % N_CLASSES}",
                    "text": " ".join(texts[begin : begin + length]),
                }
                file.write(json.dumps(line) + "\n")
                begin += length


def _rng(seed: int, start: int) -> np.random.Generator:
    return np.random.default_rng([seed, start])


# --- stores --------------------------------------------------------------------------------------


def write_wikipedia(path: Path, n_documents: int = WIKIPEDIA, seed: int = 0) -> None:
    """Write a store with the shape of Wikipedia: about 192 different words a document."""
    write_store(path, _wikipedia_parts(n_documents, seed), N_WORDS)


def _wikipedia_parts(n_documents: int, seed: int) -> Iterator[sp.csr_matrix]:
    tables = mixture(seed=seed)
    for start in range(0, n_documents, PART):
        n_rows = min(PART, n_documents - start)
        mean = np.log(WIKIPEDIA_LENGTH) - SPREAD**2 / 2
        drawn = _rng(seed, start).lognormal(mean, SPREAD, n_rows)
        lengths = np.clip(np.rint(drawn), 10, WORDS_OF_TOPIC // 2).astype(np.int64)
        yield draw_part(seed, start, lengths, tables, N_WORDS)


def write_nonzeros(path: Path, nonzeros: int, n_words: int = N_WORDS, seed: int = 0) -> None:
    """Write a store with at least so many non-zeros, by repeating a part; it is quick to write."""
    lengths = np.full(PART, 80)
    part = draw_part(seed, 0, lengths, mixture(n_words, seed), n_words)
    write_store(path, repeat(part, -(-nonzeros // part.nnz)), n_words)


def draw_part(
    seed: int, start: int, lengths: np.ndarray, tables: Mixture, n_words: int
) -> sp.csr_matrix:
    """Draw documents with the given numbers of different words."""
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices, counts = draw_counts(seed, start, indptr, n_words, *tables)
    return sp.csr_matrix((counts, indices, indptr), (len(lengths), n_words))


def write_store(path: Path, parts: Iterator[sp.csr_matrix], n_words: int) -> None:
    """Write a corpus store part by part; memory does not grow with the number of documents."""

    def write(folder: Path) -> None:
        with StoreWriter(folder) as writer:
            for part in parts:
                writer.append(part)
            writer.finish(n_words, vocabulary(n_words), as_table({}), None)

    write_folder(path, False, write)


# --- compiled loops ------------------------------------------------------------------------------


@njit(cache=True)
def _scrambled(key):
    """Hash a 64-bit number with the mixing function of SplitMix64."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@njit(cache=True)
def _next(state):
    """Return the next random 64-bit number; `state` is an array of one number."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return _scrambled(state[0])


@njit(cache=True)
def _begin(state, seed, row, n_topics, chosen):
    """Set the random state of a document, draw its topics, and return their number."""
    state[0] = _scrambled(np.uint64(row) + _scrambled(np.uint64(seed + 1)))
    for place in range(chosen.size):
        chosen[place] = _next(state) % np.uint64(n_topics)
    return 1 + _next(state) % np.uint64(chosen.size)


@njit(cache=True)
def _draw(state, background, ranks, topics, chosen, n_chosen):
    """Draw one word."""
    bits = _next(state)
    entry = bits >> np.uint64(32)
    if (bits & np.uint64(0xFFFF)) < np.uint64(BACKGROUND * 0x10000):
        return background[entry & np.uint64(background.size - 1)]
    topic = chosen[((bits >> np.uint64(16)) & np.uint64(0xFFFF)) * n_chosen >> np.uint64(16)]
    return topics[topic, ranks[entry & np.uint64(ranks.size - 1)]]


@njit(cache=True)
def draw_tokens(seed, start, lengths, background, ranks, topics):
    """Return the words of all documents, one after the other, and the first topic of each."""
    state = np.zeros(1, np.uint64)
    chosen = np.zeros(MOST_TOPICS, np.int64)
    tokens = np.empty(lengths.sum(), np.int32)
    firsts = np.empty(lengths.size, np.int64)
    place = 0
    for row in range(lengths.size):
        n_chosen = _begin(state, seed, start + row, topics.shape[0], chosen)
        firsts[row] = chosen[0]
        for _ in range(lengths[row]):
            tokens[place] = _draw(state, background, ranks, topics, chosen, n_chosen)
            place += 1
    return tokens, firsts


@njit(cache=True)
def draw_counts(seed, start, indptr, n_words, background, ranks, topics):
    """Return the indices and counts of documents with ``diff(indptr)`` different words each.

    The words of a document are drawn until it has so many different words.
    """
    state = np.zeros(1, np.uint64)
    chosen = np.zeros(MOST_TOPICS, np.int64)
    count = np.zeros(n_words, np.int32)
    indices = np.empty(indptr[-1], np.int32)
    counts = np.empty(indptr[-1], np.int32)
    for row in range(indptr.size - 1):
        n_chosen = _begin(state, seed, start + row, topics.shape[0], chosen)
        place = indptr[row]
        while place < indptr[row + 1]:
            word = _draw(state, background, ranks, topics, chosen, n_chosen)
            if count[word] == 0:
                indices[place] = word
                place += 1
            count[word] += 1
        indices[indptr[row] : place].sort()
        for entry in range(indptr[row], place):
            counts[entry] = count[indices[entry]]
            count[indices[entry]] = 0
    return indices, counts
