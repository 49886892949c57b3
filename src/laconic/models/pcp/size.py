"""How large the background is, what counts as a keyword, and how far each direction is believed.

The occurrences of words are divided at random: of each count, four fifths on average are there to
learn from, the rest to be predicted. Thinned this way, Poisson counts are independent, so what
predicts the rest is not noise. One fit for each threshold gives the squared error for all ranks at
once: adding the k-th principal direction with codes w_k changes it by |q w_k|^2 - 2 q w_k (T - q S)
b_k. The same agreement says which share of a code is signal; codes are shrunk to that share, so
that noise of a document is not taken for its background.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.isotonic import isotonic_regression

from laconic.corpus.chunks import MemoryChunk
from laconic.engines.base import single_blas_thread
from laconic.models.pcp.factored import (
    BackgroundSolver,
    Basis,
    Rows,
    principal,
    random_basis,
    split_rows,
    sum_background,
)
from laconic.models.projection import project

SAMPLE = 2_000  # documents, fewer if they have more entries than:
ENTRIES = 1_000_000
LEARNED = 0.8  # share of the occurrences that is learned from
THRESHOLDS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0)
MOST = 200  # rank that is looked at
PASSES = 8  # from a random start
AGAIN = 4  # from a background that was fitted
FEWEST = 50  # documents by which codes are shrunk
BELIEVED = 0.01, 0.999  # least and most of a direction


class Background(NamedTuple):
    """Principal directions to start from or to go on from."""

    words: np.ndarray  # words x rank
    singular_values: np.ndarray  # zero before any document was seen
    shrinkage: np.ndarray  # share of each direction's codes that is signal
    threshold: float
    length: float  # mean length of the documents that the threshold is for

    def basis(self) -> Basis:
        return Basis.of(self.words, self.threshold, self.length)


class Trial(NamedTuple):
    """A fit to some of the occurrences, in principal directions, and how it did on the others."""

    threshold: float
    words: np.ndarray
    errors: np.ndarray  # squared error for each rank from 0
    signal: np.ndarray  # share of each direction's codes that came again


def are_counts(X: sp.csr_matrix) -> bool:
    """Whether all values are whole and exact, so that they can be divided."""
    return bool((X.data == np.rint(X.data)).all()) and X.data.max(initial=0) < 2**53


def choose_size(
    X: sp.csr_matrix, rank: int | None, threshold: float | None, seed: int
) -> Background:
    """Rank and threshold with the lowest error on held-out occurrences; what is given stays."""
    with single_blas_thread():  # many small products
        return _choose(X, rank, threshold, seed)


def _choose(X: sp.csr_matrix, rank: int | None, threshold: float | None, seed: int) -> Background:
    parts = thin(X, seed)
    thresholds = THRESHOLDS if threshold is None else (threshold,)
    limit = min(MOST, max(1, X.shape[0] // 2), X.shape[1]) if rank is None else rank
    start = random_basis(X.shape[1], limit, X.dtype, seed)
    if rank is None:
        trial = _best(_tries(*parts, start, thresholds, PASSES), whole=False)
        start = trial.words[:, : max(int(np.argmin(trial.errors)), 1)]
    # a threshold is judged by what a background of that rank leaves
    passes = PASSES if rank is not None else AGAIN
    trial = _best(_tries(*parts, start, thresholds, passes), whole=True)
    shrinkage = of_all_occurrences(trial.signal)
    if X.shape[0] < FEWEST:  # the agreement of so few says nothing
        shrinkage = np.ones(len(shrinkage))
    none = np.zeros(len(shrinkage))
    return Background(trial.words, none, shrinkage, trial.threshold, mean_length(X))


def _tries(
    learned: sp.csr_matrix,
    held_out: sp.csr_matrix,
    start: np.ndarray,
    thresholds: Iterable[float],
    passes: int,
) -> Iterator[Trial]:
    """One trial for each threshold, from the background of the one before."""
    for threshold in thresholds:
        trial = try_size(learned, held_out, start, threshold, passes)
        start, passes = trial.words, AGAIN
        yield trial


def _best(trials: Iterable[Trial], *, whole: bool) -> Trial:
    """The trial before the error rises: of the best rank, or of the whole background."""
    best: Trial | None = None
    lowest = np.inf
    for trial in trials:
        error = trial.errors[-1] if whole else trial.errors.min()
        if best is not None and error >= lowest:
            break
        best, lowest = trial, error
    assert best is not None
    return best


def thin(X: sp.csr_matrix, seed: int) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Occurrences to learn from, and the others."""
    random = np.random.default_rng([seed, 2])
    learned = random.binomial(X.data.astype(np.int64), LEARNED).astype(X.dtype)
    return _like(X, learned), _like(X, X.data - learned)


def try_size(
    learned: sp.csr_matrix,
    held_out: sp.csr_matrix,
    start: np.ndarray,
    threshold: float,
    passes: int = PASSES,
) -> Trial:
    """Fit to what is learned from, and compare with what was held out."""
    basis = fit_basis(learned, start, threshold * LEARNED, passes)
    rows = split_rows(learned, basis)
    errors, signal = _compare(held_out, rows, rows.keywords(learned), basis.words)
    return Trial(threshold, basis.words, errors, signal)


def _compare(
    held_out: sp.csr_matrix, rows: Rows, keywords: sp.csr_matrix, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Errors of all ranks, and the share of each direction that came again."""
    ratio = (1 - LEARNED) / LEARNED
    rest = sp.csr_matrix(held_out - ratio * keywords, dtype=keywords.dtype)
    rest.data *= np.repeat(rows.scales, np.diff(rest.indptr))
    came_again = np.einsum("ik,ik->k", rows.codes, project(rest, words), dtype=np.float64)
    squares = np.einsum("ik,ik->k", rows.codes, rows.codes, dtype=np.float64)
    base = float(rest.data.astype(np.float64) @ rest.data)
    changes = ratio**2 * squares - 2 * ratio * came_again
    signal = came_again / np.maximum(ratio * squares, np.finfo(float).tiny)
    return base + np.concatenate([[0], np.cumsum(changes)]), signal


def fit_basis(X: sp.csr_matrix, start: np.ndarray, threshold: float, passes: int) -> Basis:
    """A few passes over documents in memory, in principal directions."""
    chunk = MemoryChunk(X, 0, X.shape[0], X.tocsc())
    first = Basis.of(start, threshold, mean_length(X))
    solver = BackgroundSolver(first, 0.0)
    for _ in range(passes):
        solver.update(sum_background(solver.params, chunk, None)[0])
    return Basis.of(principal(*solver.measured)[0], threshold, first.length)


def mean_length(X: sp.csr_matrix) -> float:
    """Of the documents that are not empty."""
    return float(X.data.sum(dtype=np.float64)) / count_filled(X) or 1.0


def count_filled(X: sp.csr_matrix) -> int:
    """How many documents are not empty; at least 1, to divide by."""
    return max(int(np.count_nonzero(np.diff(X.indptr))), 1)


def of_all_occurrences(signal: np.ndarray) -> np.ndarray:
    """The share that would be signal had nothing been held out; it falls from one to the next.

    Signal grows with the square of the number of occurrences, noise with the number.
    """
    falling = isotonic_regression(np.clip(signal, *BELIEVED), increasing=False)
    odds = falling / (1 - falling) / LEARNED
    return odds / (1 + odds)


def _like(X: sp.csr_matrix, data: np.ndarray) -> sp.csr_matrix:
    matrix = sp.csr_matrix((data, X.indices, X.indptr), X.shape, copy=True)
    matrix.eliminate_zeros()  # in place
    return matrix
