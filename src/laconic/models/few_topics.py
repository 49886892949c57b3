"""Give documents few topics: drop the topics with the smallest shares in each document.

The share of a topic in a document is its absolute code divided by the sum of all absolute codes of
the document. Topics whose share is below a threshold are dropped, except the strongest topic of
each document. The threshold is the same for all documents. It is chosen on a sample, so that
documents have the target number of topics on average.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.corpus.sampling import sample_documents
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.errors import LaconicError

SAMPLE = 2_000  # maximum number of sampled documents on which the threshold is chosen
AUTO = 5.5  # maximum average number of topics per document if the target is "auto"


def shares_in(codes: np.ndarray) -> np.ndarray:
    """Return the share of each topic in each document."""
    sizes = np.abs(codes)
    totals = sizes.sum(axis=1, keepdims=True)
    return np.divide(sizes, totals, where=totals > 0, out=np.zeros(sizes.shape))


def find_threshold(codes: np.ndarray, target: float) -> float:
    """Return the threshold at which non-empty documents have `target` topics on average.

    Examples
    --------
    >>> find_threshold(np.array([[6.0, 3, 1], [5, 5, 0]]), 2)
    0.2
    """
    shares = shares_in(codes)
    n_kept = int(target * np.count_nonzero(shares.any(axis=1)))
    positive = shares[shares > 0]
    n_dropped = len(positive) - n_kept
    if n_dropped <= 0:
        return 0.0
    # The threshold is halfway between two shares, so that rounding errors have no effect.
    return float(np.partition(positive, (n_dropped - 1, n_dropped))[n_dropped - 1 :][:2].mean())


def drop_weak(codes: np.ndarray, threshold: float) -> None:
    """Set the codes whose share is below the threshold to zero, in place.

    The largest code of each document is kept, even if its share is below the threshold.

    Examples
    --------
    >>> codes = np.array([[6.0, 3, 1], [4, 3, 3]])
    >>> drop_weak(codes, 0.3)
    >>> codes.tolist()
    [[6.0, 3.0, 0.0], [4.0, 3.0, 3.0]]
    """
    if threshold > 0:
        shares = shares_in(codes)
        limits = np.minimum(threshold, shares.max(axis=1, keepdims=True, initial=0))
        codes[shares < limits] = 0


def target_of(topics_per_document: float | str | None) -> float | None:
    """Return `topics_per_document` as a float, or None if it is "auto" or None."""
    if topics_per_document is None or isinstance(topics_per_document, str):
        return None
    return float(topics_per_document)


def check_target(model: Any) -> None:
    """Raise an error if ``topics_per_document`` exceeds the number of topics."""
    target = model.topics_per_document
    if isinstance(target, Real) and target > model.n_components:
        raise LaconicError(
            f"topics_per_document={float(target):g} of {type(model).__name__} is larger than the "
            f"number of topics ({model.n_components}); lower topics_per_document or increase "
            "n_components."
        )


def model_threshold(
    model: Any, engine: Engine, chunks: list[Chunk], seed: int, step: Step, params: Any
) -> float:
    """Return the threshold for the ``topics_per_document`` of a model; 0 if it is None."""
    target = model.topics_per_document
    if target is None:
        return 0.0
    wanted = AUTO if target == "auto" else float(target)
    return choose_threshold(engine, chunks, seed, step, params, wanted)


def choose_threshold(
    engine: Engine,
    chunks: list[Chunk],
    seed: int,
    step: Step,
    params: Any,
    target: float,
) -> float:
    """Return the threshold at which documents have `target` topics on average.

    `step` computes the codes of a sample of the documents, as a dense array.
    """
    sample = sample_documents(engine, chunks, SAMPLE, seed)
    codes, _ = step(params, MemoryChunk(sample, 0, sample.shape[0]), None)
    return find_threshold(np.asarray(codes), target)
