"""The two solvers of PCP, which fit a background with the parameters of a model.

The algorithms are in `laconic.models.pcp.exact` and `laconic.models.pcp.factored`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from laconic.corpus.chunks import Chunk, by_column_too
from laconic.corpus.matrices import dense
from laconic.corpus.sampling import draw_rows, sample_documents
from laconic.engines import Engine
from laconic.engines.base import several_blas_threads
from laconic.errors import warn
from laconic.models.base import draw_seed
from laconic.models.pcp import factored
from laconic.models.pcp.exact import Pursuit, steps_remembered
from laconic.models.pcp.factored import BackgroundSums, Basis
from laconic.models.pcp.rows import occurring
from laconic.models.pcp.size import (
    MAX_ENTRIES,
    SAMPLE,
    Background,
    are_counts,
    choose_size,
    count_nonempty,
    mean_length,
)
from laconic.models.pcp.steps import find_keywords, find_keywords_and_codes
from laconic.models.pcp.varimax import readable_rotation
from laconic.models.penalty_search import find_penalty
from laconic.progress import progress
from laconic.wording import plural

C = 10.0
# default rank and default number of keywords per document if the values are not counts, in which
# case no occurrences can be held out
RANK, KEYWORDS = 50, 5.0
MIN_ALPHA = 1e-6
FIRST_BATCH, LATER_BATCH = 10, 3  # number of passes over the first and over each later batch
# duality gap and maximum number of steps of each trial in the search for λ
TARGET_GAP, TARGET_STEPS = 1e-3, 60

ThresholdFinder = Callable[[Basis], float]


class FitResult(NamedTuple):
    """Result of a solver: the fitted background, and the keywords of the fitted documents."""

    components: np.ndarray  # rank x words
    rotation: np.ndarray  # rotation from the principal directions to `components`
    singular_values: np.ndarray  # one value per principal direction
    shrinkage: np.ndarray  # one factor per principal direction
    alpha: float
    keywords: sp.csr_matrix
    gap: float | None = None  # relative duality gap, set by the exact solver only
    basis: Basis | None = None  # basis of the background, set by the factored solver only


class Solver(ABC):
    """Base class of the solvers of PCP.

    `fit` also sets ``objective_``, ``n_iter_`` and ``converged_`` of the model.
    """

    tol: float

    def __init__(self, model: Any) -> None:
        self.model = model
        if model.tol is not None:
            self.tol = float(model.tol)

    @abstractmethod
    def fit(self, engine: Engine, chunks: list[Chunk]) -> FitResult:
        """Fit the background to all documents."""


class Exact(Solver):
    """Solver for ``solver="exact"``, which solves the convex problem of the paper."""

    tol = 1e-7

    def fit(self, engine: Engine, chunks: list[Chunk]) -> FitResult:
        model = self.model
        # Check the memory limit before any document is loaded.
        steps_remembered(chunks[-1].stop, model.n_features_in_)
        X = sp.vstack([chunk.load() for chunk in chunks], format="csr")
        pursuit = Pursuit(X)
        with progress("PCP", model.max_iter, model.verbose) as shown, several_blas_threads():
            alpha = self._penalty(pursuit, X)
            stage = model._checkpoint and model._checkpoint.next_stage()
            parts = pursuit.solve(alpha, self.tol, model.max_iter, shown.report, stage)
        model.objective_, model.converged_ = parts.objective, parts.converged
        n_steps = model.n_iter_ = len(parts.objective)
        if parts.interrupted:
            if model._checkpoint is not None:
                model._checkpoint.close()
            warn(
                f"PCP was interrupted after {plural(n_steps, 'step')}; the model can be used, but "
                f"has not converged.{model._how_to_continue()}",
                ConvergenceWarning,
            )
        elif not parts.converged:
            warn(
                f"PCP did not converge in {plural(n_steps, 'step')}: the relative duality gap is "
                f"{parts.gap:.1g}, which is above tol={self.tol:g}. Increase max_iter or tol.",
                ConvergenceWarning,
            )
        rotation, values = np.eye(len(parts.basis)), parts.singular_values
        components = rotate(factored.fix_signs(parts.basis.T).astype(X.dtype), rotation)
        gap, keywords = float(parts.gap), parts.sparse.astype(X.dtype)
        shrinkage = np.ones(len(rotation))
        return FitResult(components, rotation, values, shrinkage, alpha, keywords, gap)

    def _penalty(self, pursuit: Pursuit, X: sp.csr_matrix) -> float:
        model = self.model
        scale = 1 / np.sqrt(max(X.shape))
        if model.alpha is not None:
            return float(model.alpha)
        if model.keywords_per_document is None:
            return float(scale * (C if model.c is None else model.c))

        def measure(penalty: float) -> float:
            parts = pursuit.solve(penalty, TARGET_GAP, TARGET_STEPS)
            return occurring(parts.sparse, X).nnz / count_nonempty(X)

        return find_penalty(measure, model.keywords_per_document, C * scale, steps=8)


class Factored(Solver):
    """Solver for ``solver="factored"``, which stores the background as factors.

    Counts that neither the background nor the keywords explain are treated as noise.
    """

    tol = 1e-4

    def fit(self, engine: Engine, chunks: list[Chunk]) -> FitResult:
        start, find_threshold = self._initialise(engine, chunks)
        solver = factored.BackgroundSolver(
            start.basis(), self.tol, find_threshold, engine.run_tasks
        )
        self.model._iterate(solver, engine, engine.run_tasks(by_column_too, chunks))
        words, values = factored.principal(*solver.last_basis, engine.run_tasks)
        threshold = solver.params.threshold
        background = Background(words, values, start.shrinkage, threshold, start.length)
        return self._finish(background, find_threshold, engine, chunks)

    def add_batch(self, engine: Engine, chunks: list[Chunk], past: Background | None) -> FitResult:
        """Fit the background to another batch; `past` is the background of earlier batches."""
        model, find_threshold, n_passes = self.model, None, LATER_BATCH
        if past is None:
            past, find_threshold = self._initialise(engine, chunks)
            n_passes = FIRST_BATCH
            model.n_iter_, model.converged_, model.objective_ = 0, False, np.zeros(0)
        words = past.words
        for _ in range(n_passes):
            basis = past._replace(words=words).basis()
            sums = engine.map_reduce(factored.sum_background, basis, chunks)
            total = with_past(sums, basis, past)
            words = factored.orthonormal(total.products, words)
        model.objective_ = np.append(model.objective_, sums.objective(past.threshold))
        model.n_iter_ += 1
        words, values = factored.principal(basis.words, total.gram)
        background = past._replace(words=words, singular_values=values)
        return self._finish(background, find_threshold, engine, chunks)

    def _initialise(
        self, engine: Engine, chunks: list[Chunk]
    ) -> tuple[Background, ThresholdFinder | None]:
        """Return the initial background, and a function that finds the threshold for a basis.

        The function is None if there is no target for the number of keywords per document.
        """
        model = self.model
        seed, target = draw_seed(model.random_state), model.keywords_per_document
        sample = _draw_sample(engine, chunks, seed)
        n_words = sample.shape[1]
        topics = None if model.init is None else dense(model._init_topics()).T.astype(sample.dtype)
        requested = model.n_components if topics is None else topics.shape[1]
        rank = self._check_rank(requested, chunks[-1].stop - chunks[0].start, n_words)
        if are_counts(sample):
            start = choose_size(sample, rank, model.alpha, seed, engine.run_tasks)
        else:
            rank = rank or min(RANK, max(1, min(sample.shape) // 4))
            words = factored.random_basis(n_words, rank, sample.dtype, seed)
            values, shrinkage = np.zeros(rank), np.ones(rank)
            start = Background(words, values, shrinkage, model.alpha or 1.0, mean_length(sample))
            target = target or (KEYWORDS if model.alpha is None else None)
        if topics is not None:
            start = start._replace(words=factored.orthonormal(topics, start.words))
        if target is None:
            return start, None
        find_threshold = partial(threshold_for, sample, target)
        threshold = find_threshold(start._replace(threshold=1.0).basis())
        return start._replace(threshold=threshold), find_threshold

    def _check_rank(self, rank: int | None, n_documents: int, n_words: int) -> int | None:
        """Return the requested rank, reduced with a warning if the data do not allow it."""
        limit = min(n_documents, n_words)
        if rank is None or rank <= limit:
            return rank
        warn(
            f"A background of rank {rank} was requested, but the rank is at most {limit} for "
            f"{plural(n_documents, 'document')} and {plural(n_words, 'word')}; lower n_components.",
        )
        return max(limit, 1)

    def _finish(
        self,
        background: Background,
        find_threshold: ThresholdFinder | None,
        engine: Engine,
        chunks: list[Chunk],
    ) -> FitResult:
        """Rotate the background to directions with few words, and find the keywords.

        If there is a target, the threshold is adjusted to the rotated background first.
        """
        words, values, shrinkage, alpha, length = background
        rotation = readable_rotation(words, values)
        components, shrinkage = rotate(words, rotation), shrinkage[: len(rotation)]
        components.flags.writeable = False  # because the model copies writeable arrays
        basis = factored.rotated_basis(components, rotation, shrinkage, length, alpha)
        if find_threshold is not None:
            alpha = self._check_target(find_threshold(basis))
            basis = basis._replace(threshold=alpha)
        codes: list[Any] = [None] * len(chunks)
        collects = self.model._collects_codes and self.model.topics_per_document is None
        step = find_keywords_and_codes if collects else find_keywords
        keywords = sp.vstack(list(engine.map(step, basis, chunks, codes)), format="csr")
        if collects:
            self.model._collect_codes(engine, chunks, codes, np.arange(len(rotation)))
        return FitResult(
            components, rotation, values, shrinkage, float(alpha), keywords, basis=basis
        )

    def _check_target(self, alpha: float) -> float:
        target = self.model.keywords_per_document
        if target is not None and alpha < MIN_ALPHA:
            warn(
                f"keywords_per_document={target:g} cannot be reached, because documents have fewer "
                "words that exceed the background; lower keywords_per_document.",
            )
        return alpha


SOLVERS: dict[str, type[Solver]] = {"exact": Exact, "factored": Factored}


def empty_result(n_documents: int, alpha: float) -> FitResult:
    """Return the result of a fit to documents with an empty vocabulary."""
    components, shrinkage, rotation = np.zeros((1, 0), np.float32), np.ones(1), np.eye(1)
    basis = factored.rotated_basis(components, rotation, shrinkage, 1.0, alpha)
    keywords = sp.csr_matrix((n_documents, 0), dtype=np.float32)
    return FitResult(components, rotation, np.zeros(1), shrinkage, alpha, keywords, basis=basis)


def rotate(words: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Rotate directions (words x rank) and return them transposed (rank x words)."""
    return np.ascontiguousarray(rotation.astype(words.dtype) @ words.T, dtype=words.dtype)


def _draw_sample(engine: Engine, chunks: list[Chunk], seed: int) -> sp.csr_matrix:
    """Draw the sample of documents used to choose the rank, threshold and shrinkage."""
    sample = sample_documents(engine, chunks, SAMPLE, seed)
    n_rows = max(1, int(MAX_ENTRIES * sample.shape[0] / max(sample.nnz, MAX_ENTRIES)))
    return sample[draw_rows(seed, sample.shape[0], n_rows)]


def threshold_for(X: sp.csr_matrix, n_keywords: float, basis: Basis) -> float:
    """Find the threshold at which documents have `n_keywords` keywords on average."""

    def measure(threshold: float) -> float:
        rows = factored.split_rows(X, basis._replace(threshold=threshold))
        return int(np.count_nonzero(rows.excess)) / count_nonempty(X)

    return find_penalty(measure, n_keywords, 1.0)


def with_past(sums: BackgroundSums, basis: Basis, past: Background) -> BackgroundSums:
    """Add the sums of past documents, approximated by their background, to `sums` of a batch."""
    words, values = past.words, past.singular_values
    if not values.any():
        return sums
    overlap = words.T.astype(np.float64) @ basis.words * values[:, None] ** 2
    products = sums.products + (words @ overlap).astype(sums.products.dtype)
    gram = sums.gram + (basis.words.T.astype(np.float64) @ words) @ overlap
    return replace(sums, products=products, gram=gram)
