"""Initial topics of MedSTC, where each topic belongs to one class or is shared by all classes.

Each class gets the same number of topics; the remaining topics are shared. PLSA then fits each
document with the topics of its class and the shared topics only, because a share of the mixture
that is initially zero remains zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.chunks import Chunk, by_column_too
from laconic.corpus.matrices import columns_of
from laconic.engines import Engine
from laconic.engines.blocks import row_blocks
from laconic.engines.products import multiply_columns
from laconic.engines.stats import Stats
from laconic.models.first_topics import Totals, first_topics, seeded_topics, total_counts
from laconic.models.plsa.mixture import Mixture
from laconic.models.seed_priors import Seeding, SeedPrior

PASSES = 8
SMOOTHING = 0.1


class ClassTopics(NamedTuple):
    """Initial topics and expected counts, both as arrays of words x topics."""

    words: np.ndarray
    counts: np.ndarray


@dataclass
class ClassCounts(Stats):
    """Number of occurrences of each word in each class."""

    words: Any  # words x classes


def count_classes(
    params: tuple[np.ndarray, int, int], chunk: Chunk, state: None
) -> tuple[ClassCounts, None]:
    """Engine step: count the occurrences of each word in each class.

    `params` contains the labels of all documents, the number of the first document, and the number
    of classes.
    """
    labels, first_row, n_classes = params
    X = chunk.load()
    chunk_labels = labels[chunk.start - first_row : chunk.stop - first_row]
    members = (chunk_labels[:, None] == np.arange(n_classes)).astype(np.float64)
    return ClassCounts(multiply_columns(chunk, X, columns_of(chunk, X), members)), None


def init_class_topics(
    engine: Engine,
    chunks: list[Chunk],
    labels: np.ndarray,
    n_classes: int,
    n_topics: int,
    seed: int,
    seeding: Seeding | None = None,
) -> ClassTopics:
    """Fit topics for each class, and shared topics, in a few passes of PLSA.

    If there are fewer topics than classes, all topics are shared. The topics of seeds come first;
    they are shared too.
    """
    totals: Totals = engine.map_reduce(total_counts, None, chunks)
    n_seeds = 0 if seeding is None else seeding.n_seeds
    topics_per_class = (n_topics - n_seeds) // n_classes
    prior = None if seeding is None else seeding.prior(seeding.of_words(totals.words))
    if topics_per_class == 0 or not totals.words.any():
        words = first_topics(engine, chunks, totals, n_topics, seed)
        words = seeded_topics(seeding, engine, chunks, totals, words)
        mixtures = None
    else:
        n_shared = n_topics - n_seeds - topics_per_class * n_classes
        of_classes = np.repeat(np.arange(n_classes), topics_per_class)
        owner = np.concatenate([np.full(n_seeds, -1), of_classes, np.full(n_shared, -1)])
        shape = len(totals.words), n_topics
        draw_noise = engine.begin(lambda: np.random.default_rng([seed, 3]).gamma(2.0, size=shape))
        chunks = engine.run_tasks(by_column_too, chunks)
        words = _initial_topics(engine, chunks, labels, totals, owner, draw_noise)
        if seeding is not None:
            contexts = seeding.contexts(engine, chunks, totals.words)
            words[:, :n_seeds] = contexts
        mixtures = [
            _allowed_mixtures(labels, owner, chunk, chunks[0].start, words.dtype)
            for chunk in chunks
        ]
    return refine_topics(engine, chunks, totals, words, mixtures, prior, passes=PASSES)


def refine_topics(
    engine: Engine,
    chunks: list[Chunk],
    totals: Totals,
    words: np.ndarray,
    mixtures: list[np.ndarray] | None = None,
    prior: SeedPrior | None = None,
    passes: int = 1,
) -> ClassTopics:
    """Fit topics by passes of PLSA, and return the topics and their expected counts.

    The last pass only computes the counts, so the topics do not change if ``passes=1``.
    """
    solver = Mixture(words, SMOOTHING, 0.0, 0.0, len(chunks), mixtures, engine.run_tasks, prior)
    for _ in range(passes - 1):
        solver.update(engine.map_reduce(solver.step, solver.params, chunks, solver.local))
    stats = engine.map_reduce(solver.step, solver.params, chunks, solver.local)
    counts = stats.counts * solver.word_topics
    counts[totals.words > 0] += counts.dtype.type(SMOOTHING)
    return ClassTopics(solver.word_topics, counts)


def _initial_topics(
    engine: Engine,
    chunks: list[Chunk],
    labels: np.ndarray,
    totals: Totals,
    owner: np.ndarray,
    draw_noise: Callable[[], np.ndarray],
) -> np.ndarray:
    """Return initial topics, each computed from the word frequencies of a class.

    If a class has several topics, random noise makes them different; `draw_noise` returns a new
    array of it. Every word of the corpus has a positive share in every topic.
    """
    n_classes = int(owner.max()) + 1
    params = labels, chunks[0].start, n_classes
    counts = engine.map_reduce(count_classes, params, chunks).words
    # Shared topics have owner -1, which selects this last column with the counts of all documents.
    counts = np.hstack([counts, totals.words[:, None]])
    counts /= np.maximum(counts.sum(axis=0), 1e-12)
    background = totals.words / totals.words.sum()
    is_only_topic = np.bincount(owner + 1, minlength=n_classes + 1)[owner + 1] == 1
    words = draw_noise()

    def fill(rows: slice) -> None:
        block = 0.95 * counts[rows][:, owner] + 0.05 * background[rows, None]
        words[rows] = block * np.where(is_only_topic, 1.0, words[rows])

    blocks = row_blocks(*words.shape)
    engine.run_tasks(fill, blocks)
    sums = words.sum(axis=0)
    normalized = np.empty(words.shape, f"f{totals.itemsize}")

    def normalize(rows: slice) -> None:
        normalized[rows] = words[rows] / sums

    engine.run_tasks(normalize, blocks)
    return normalized


def _allowed_mixtures(
    labels: np.ndarray, owner: np.ndarray, chunk: Chunk, first_row: int, dtype: Any
) -> Any:
    """Return the initial topic mixture of each document of a chunk.

    The topics of the document's class and the shared topics get equal shares. Other topics get zero
    shares.
    """
    chunk_labels = labels[chunk.start - first_row : chunk.stop - first_row]
    allowed = ((owner == chunk_labels[:, None]) | (owner == -1)).astype(dtype)
    return allowed / allowed.sum(axis=1, keepdims=True)
