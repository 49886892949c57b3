"""Documents of few topics: drop the topics with the smallest shares of each document.

The share of a topic in a document is its absolute code divided by the sum of all absolute codes of
the document. One threshold for all documents is chosen on a sample, so that documents have the
target number of topics on average. A document keeps at least its strongest topic.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.corpus.sampling import sample_documents
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.errors import LaconicError

TOPICS_PER_DOCUMENT = [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), None]
SAMPLE = 2_000  # number of documents on which a threshold is chosen
AUTO = 5.5  # maximum average number of topics per document if no target is set


def shares_in(codes: np.ndarray) -> np.ndarray:
    """Return the share of each topic in each document."""
    sizes = np.abs(codes)
    totals = sizes.sum(axis=1, keepdims=True)
    return np.divide(sizes, totals, where=totals > 0, out=np.zeros(sizes.shape))


def find_threshold(codes: np.ndarray, target: float) -> float:
    """Return the minimum share for an average of `target` topics per non-empty document.

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
    # between two shares, so that rounding errors do not matter
    return float(np.partition(positive, (n_dropped - 1, n_dropped))[n_dropped - 1 :][:2].mean())


def drop_weak(codes: np.ndarray, threshold: float) -> None:
    """Set codes to zero, in place, whose share is below the threshold.

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
    """Return the number of topics per document that a user set, or None for "auto" and None."""
    if topics_per_document is None or isinstance(topics_per_document, str):
        return None
    return float(topics_per_document)


def check_target(model: Any) -> None:
    """Raise an error if more topics per document are requested than there are topics."""
    target = model.topics_per_document
    if isinstance(target, Real) and target > model.n_components:
        raise LaconicError(
            f"topics_per_document={float(target):g} of {type(model).__name__} is more than its "
            f"{model.n_components} topics; increase n_components."
        )


def model_threshold(
    model: Any, engine: Engine, chunks: list[Chunk], seed: int, step: Step, params: Any
) -> float:
    """Return the threshold for the ``topics_per_document`` of a model; 0 without a target."""
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
    """Return the threshold for an average of `target` topics in the dense codes of `step`."""
    sample = sample_documents(engine, chunks, SAMPLE, seed)
    codes, _ = step(params, MemoryChunk(sample, 0, sample.shape[0]), None)
    return find_threshold(np.asarray(codes), target)
