"""Where a supervised model starts: topics that belong to classes.

Each class owns the same number of topics, and what is left over is shared by all. PLSA then mixes a
document of a class from the topics of that class and the shared ones only: a share that starts at
zero stays at zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.engines.stats import Stats
from laconic.models.first_topics import Totals, first_topics, total_counts
from laconic.models.plsa.mixture import Mixture

PASSES = 8
SMOOTHING = 0.1


class ClassTopics(NamedTuple):
    """The start: topics by word, and the expected counts that made them."""

    words: np.ndarray
    counts: np.ndarray


@dataclass
class ClassCounts(Stats):
    """How often each word occurs in each class."""

    words: np.ndarray  # words x classes


def count_classes(
    params: tuple[np.ndarray, int, int], chunk: Chunk, state: None
) -> tuple[ClassCounts, None]:
    """Step: words by class; `params` are the class numbers, the first row, and how many classes."""
    labels, first, n_classes = params
    X = chunk.load()
    of_entry = np.repeat(labels[chunk.start - first : chunk.stop - first], np.diff(X.indptr))
    cells = X.indices.astype(np.int64) * n_classes + of_entry
    counts = np.bincount(cells, X.data, minlength=X.shape[1] * n_classes)
    return ClassCounts(counts.reshape(X.shape[1], n_classes)), None


def start_classes(
    engine: Engine,
    chunks: list[Chunk],
    labels: np.ndarray,
    n_classes: int,
    n_topics: int,
    seed: int,
) -> ClassTopics:
    """Topics by class after a few passes; with fewer topics than classes all are shared."""
    totals: Totals = engine.map_reduce(total_counts, None, chunks)
    each = n_topics // n_classes
    if each == 0 or not totals.words.any():
        words = first_topics(engine, chunks, totals, n_topics, seed)
        mixtures = None
    else:
        shared = np.full(n_topics % n_classes, -1)
        owner = np.append(np.repeat(np.arange(n_classes), each), shared)
        words = _first_words(engine, chunks, labels, totals, owner, seed)
        mixtures = [
            _allowed(labels, owner, chunk, chunks[0].start, words.dtype) for chunk in chunks
        ]
    return start_topics(engine, chunks, totals, words, mixtures, passes=PASSES)


def start_topics(
    engine: Engine,
    chunks: list[Chunk],
    totals: Totals,
    words: np.ndarray,
    mixtures: list[np.ndarray] | None = None,
    passes: int = 1,
) -> ClassTopics:
    """Topics by word after some passes of PLSA, and their counts; one pass keeps the topics."""
    solver = Mixture(words, SMOOTHING, 0.0, 0.0, len(chunks), mixtures)
    for _ in range(passes - 1):
        solver.update(engine.map_reduce(solver.step, solver.params, chunks, solver.local))
    stats = engine.map_reduce(solver.step, solver.params, chunks, solver.local)
    counts = stats.counts * solver.word_topics
    counts[totals.words > 0] += counts.dtype.type(SMOOTHING)
    return ClassTopics(solver.word_topics, counts)


def _first_words(
    engine: Engine,
    chunks: list[Chunk],
    labels: np.ndarray,
    totals: Totals,
    owner: np.ndarray,
    seed: int,
) -> np.ndarray:
    """The words of the class, disturbed where a class has several topics; none at zero."""
    n_classes = int(owner.max()) + 1
    params = labels, chunks[0].start, n_classes
    counts = engine.map_reduce(count_classes, params, chunks).words
    counts = np.hstack([counts, totals.words[:, None]])  # the last one for owner -1
    counts /= np.maximum(counts.sum(axis=0), 1e-12)
    background = totals.words / totals.words.sum()
    words = 0.95 * counts[:, owner] + 0.05 * background[:, None]
    random = np.random.default_rng([seed, 3])
    noise = random.gamma(2.0, size=words.shape)
    alone = np.bincount(owner + 1, minlength=n_classes + 1)[owner + 1] == 1
    words *= np.where(alone, 1.0, noise)
    return np.ascontiguousarray(words / words.sum(axis=0), f"f{totals.itemsize}")


def _allowed(labels: np.ndarray, owner: np.ndarray, chunk: Chunk, first: int, dtype: Any) -> Any:
    """Equal shares of the topics that each document of a chunk may have."""
    own = labels[chunk.start - first : chunk.stop - first]
    allowed = ((owner == own[:, None]) | (owner == -1)).astype(dtype)
    return allowed / allowed.sum(axis=1, keepdims=True)
