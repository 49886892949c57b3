"""Choose the rank, keyword threshold and shrinkage of PCP with held-out occurrences of words.

The occurrences of words are split at random: on average, four fifths of each count are used for
training, and the remaining counts T are held out. If a Poisson count is split in this way, the two
parts are independent, so noise in the training part cannot predict the held-out part. One fit for
each threshold gives the squared error of all ranks: adding the k-th principal direction with codes
w_k changes the error by |q w_k|^2 - 2 q w_k (T - q S) b_k, where q is the ratio of held-out to
training occurrences. How well the two parts agree also shows which share of a code is signal. Codes
are multiplied by that share, so that noise is not mistaken for background.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.isotonic import isotonic_regression

from laconic.corpus.matrices import share_rows
from laconic.engines.blocks import RunTasks, gram, row_blocks, run_here
from laconic.kernels.projection import gather_rows
from laconic.models.pcp.factored import (
    BackgroundSolver,
    BackgroundSums,
    Basis,
    Rows,
    principal,
    random_basis,
    split_rows,
)
from laconic.models.projection import project

SAMPLE = 2_000  # maximum number of documents in the sample
MAX_ENTRIES = 1_000_000  # maximum number of non-zero entries in the sample
TRAIN_SHARE = 0.8  # share of the word occurrences used for training
THRESHOLDS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0)
MAX_RANK = 200
BLOCK_ROWS = 64  # number of documents of the sample that are coded by one task
PASSES = 8  # number of passes in a fit that starts from a random basis
REFIT_PASSES = 4  # number of passes in a fit that starts from a fitted background
MIN_DOCUMENTS = 50  # minimum number of documents needed to estimate the shrinkage of codes
SIGNAL_RANGE = 0.01, 0.999  # range to which the estimated share of signal is clipped


class Background(NamedTuple):
    """Principal directions and parameters of an initial or fitted background."""

    words: np.ndarray  # principal directions (words x rank)
    singular_values: np.ndarray  # all zero in an initial background
    shrinkage: np.ndarray  # for each direction, the share of its codes that is signal
    threshold: float
    length: float  # mean document length; a document of this length has the scaling factor 1

    def basis(self) -> Basis:
        return Basis.of(self.words, self.threshold, self.length)


class Trial(NamedTuple):
    """A background fitted to training occurrences, and its errors on held-out occurrences."""

    threshold: float
    words: np.ndarray  # principal directions (words x rank)
    errors: np.ndarray  # squared error for rank 0, 1, 2 and so on
    signal: np.ndarray  # for each direction, the estimated share of its codes that is signal


def are_counts(X: sp.csr_matrix) -> bool:
    """Return whether all values are integers below 2**53, which float64 represents exactly."""
    return bool((X.data == np.rint(X.data)).all()) and X.data.max(initial=0) < 2**53


class Sample:
    """Documents in memory. Blocks of documents, and then blocks of words, are tasks.

    The statistics of a chunk (words x rank) would be larger than these few documents, so the
    documents are not divided into chunks.
    """

    def __init__(self, X: sp.csr_matrix, run: RunTasks) -> None:
        self.X = X
        self.run = run
        bounds = [*range(0, max(X.shape[0], 1), BLOCK_ROWS), X.shape[0]]
        self.blocks = [share_rows(X, *pair) for pair in pairwise(bounds)]
        # the columns of X, with the positions of the entries in X instead of their values
        self.columns = sp.csr_matrix((np.arange(X.nnz), X.indices, X.indptr), X.shape).tocsc()

    def split(self, basis: Basis) -> Rows:
        """Compute the codes and the excess counts of all documents."""
        parts = self.run(lambda X: split_rows(X, basis), self.blocks)
        return Rows(*map(np.concatenate, zip(*parts, strict=True)))

    def sums(self, basis: Basis) -> BackgroundSums:
        """Compute the same sums as `laconic.models.pcp.factored.sum_background`."""
        codes, excess, scales = self.split(basis)
        difference = self.X.data * np.repeat(scales, np.diff(self.X.indptr)) - excess
        by_column, columns = difference[self.columns.data], self.columns
        products = np.empty((self.X.shape[1], codes.shape[1]), codes.dtype)

        def gather(words: slice) -> None:
            starts = columns.indptr[words.start : words.stop + 1]
            gather_rows(by_column, columns.indices, starts, codes, products[words])

        self.run(gather, row_blocks(*products.shape))
        square = float(np.einsum("i,i->", difference, difference, dtype=np.float64))
        return BackgroundSums(
            products, gram(codes, self.run), square, float(excess.sum(dtype=np.float64))
        )


def choose_size(
    X: sp.csr_matrix,
    rank: int | None,
    threshold: float | None,
    seed: int,
    run: RunTasks = run_here,
) -> Background:
    """Choose the shrinkage by the held-out error; also choose rank and threshold if None."""
    # Words that do not occur in the sample have no part in any direction, so they are left out.
    occurring = np.unique(X.indices)
    if len(occurring) < (rank or 1):
        occurring = np.arange(X.shape[1])
    chosen = _choose(sp.csr_matrix(X[:, occurring]), rank, threshold, seed, run)
    words = np.zeros((X.shape[1], chosen.words.shape[1]), chosen.words.dtype)
    words[occurring] = chosen.words
    return chosen._replace(words=words)


def _choose(
    X: sp.csr_matrix, rank: int | None, threshold: float | None, seed: int, run: RunTasks
) -> Background:
    train, held_out = thin(X, seed)
    parts = Sample(train, run), held_out
    thresholds = THRESHOLDS if threshold is None else (threshold,)
    limit = min(MAX_RANK, max(1, X.shape[0] // 2), X.shape[1]) if rank is None else rank
    start = random_basis(X.shape[1], limit, X.dtype, seed, run)
    if rank is None:
        trial = _best(_run_trials(*parts, start, thresholds, PASSES), full_rank=False)
        start = trial.words[:, : max(int(np.argmin(trial.errors)), 1)]
    # Compare the thresholds again, for a background of the chosen rank.
    passes = PASSES if rank is not None else REFIT_PASSES
    trial = _best(_run_trials(*parts, start, thresholds, passes), full_rank=True)
    shrinkage = full_data_shrinkage(trial.signal)
    if X.shape[0] < MIN_DOCUMENTS:  # too few documents to estimate the share of signal
        shrinkage = np.ones(len(shrinkage))
    zeros = np.zeros(len(shrinkage))
    return Background(trial.words, zeros, shrinkage, trial.threshold, mean_length(X))


def _run_trials(
    train: Sample,
    held_out: sp.csr_matrix,
    start: np.ndarray,
    thresholds: Iterable[float],
    passes: int,
) -> Iterator[Trial]:
    """Yield one trial per threshold; each fit starts from the background of the last trial."""
    for threshold in thresholds:
        trial = run_trial(train, held_out, start, threshold, passes)
        start, passes = trial.words, REFIT_PASSES
        yield trial


def _best(trials: Iterable[Trial], *, full_rank: bool) -> Trial:
    """Return the last trial before the held-out error stops falling.

    With `full_rank`, the errors of backgrounds of full rank are compared; otherwise the error of
    the best rank of each trial.
    """
    best: Trial | None = None
    lowest = np.inf
    for trial in trials:
        error = trial.errors[-1] if full_rank else trial.errors.min()
        if best is not None and error >= lowest:
            break
        best, lowest = trial, error
    assert best is not None
    return best


def thin(X: sp.csr_matrix, seed: int) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Split the word occurrences in `X` at random into training and held-out counts."""
    random = np.random.default_rng([seed, 2])
    train = random.binomial(X.data.astype(np.int64), TRAIN_SHARE).astype(X.dtype)
    return _with_data(X, train), _with_data(X, X.data - train)


def run_trial(
    train: Sample,
    held_out: sp.csr_matrix,
    start: np.ndarray,
    threshold: float,
    passes: int = PASSES,
) -> Trial:
    """Fit a background to the training counts and evaluate it on the held-out counts."""
    basis = fit_basis(train, start, threshold * TRAIN_SHARE, passes)
    rows = train.split(basis)
    errors, signal = _evaluate(held_out, rows, rows.keywords(train.X), basis.words)
    return Trial(threshold, basis.words, errors, signal)


def _evaluate(
    held_out: sp.csr_matrix, rows: Rows, keywords: sp.csr_matrix, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the held-out error of each rank, and the share of signal in each direction."""
    ratio = (1 - TRAIN_SHARE) / TRAIN_SHARE
    residual = sp.csr_matrix(held_out - ratio * keywords, dtype=keywords.dtype)
    residual.data *= np.repeat(rows.scales, np.diff(residual.indptr))
    agreement = np.einsum("ik,ik->k", rows.codes, project(residual, words), dtype=np.float64)
    squares = np.einsum("ik,ik->k", rows.codes, rows.codes, dtype=np.float64)
    base = float(residual.data.astype(np.float64) @ residual.data)
    changes = ratio**2 * squares - 2 * ratio * agreement
    signal = agreement / np.maximum(ratio * squares, np.finfo(float).tiny)
    return base + np.concatenate([[0], np.cumsum(changes)]), signal


def fit_basis(sample: Sample, start: np.ndarray, threshold: float, passes: int) -> Basis:
    """Fit a basis in a few passes over documents in memory; return its principal directions."""
    initial = Basis.of(start, threshold, mean_length(sample.X))
    solver = BackgroundSolver(initial, 0.0, run=sample.run)
    for _ in range(passes):
        solver.update(sample.sums(solver.params))
    words, _ = principal(*solver.last_basis, sample.run)
    return Basis.of(words, threshold, initial.length)


def mean_length(X: sp.csr_matrix) -> float:
    """Return the mean length of non-empty documents, or 1 if all documents are empty."""
    return float(X.data.sum(dtype=np.float64)) / count_nonempty(X) or 1.0


def count_nonempty(X: sp.csr_matrix) -> int:
    """Return the number of non-empty documents, or 1 if all documents are empty."""
    return max(int(np.count_nonzero(np.diff(X.indptr))), 1)


def full_data_shrinkage(signal: np.ndarray) -> np.ndarray:
    """Return the share of signal in the codes of complete documents.

    `signal` is the share of signal in the codes of the training part, which has fewer occurrences
    of words than the complete documents. In the square of a code, the signal grows with the square
    of the number of occurrences, but the noise grows only in proportion to this number. Therefore,
    the share of signal is larger in the codes of complete documents. The returned shares are
    smoothed so that they never increase from one direction to the next.
    """
    falling = isotonic_regression(np.clip(signal, *SIGNAL_RANGE), increasing=False)
    odds = falling / (1 - falling) / TRAIN_SHARE
    return odds / (1 + odds)


def _with_data(X: sp.csr_matrix, data: np.ndarray) -> sp.csr_matrix:
    """Return a copy of `X` with the values `data`, without storing zeros."""
    matrix = sp.csr_matrix((data, X.indices, X.indptr), X.shape, copy=True)
    matrix.eliminate_zeros()  # in place
    return matrix
