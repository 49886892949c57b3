"""The two solvers of PCP: from the parameters of a model and documents to what is learned of them.

The mathematics is in `laconic.models.pcp.exact` and `laconic.models.pcp.factored`.
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
from laconic.engines.base import single_blas_thread
from laconic.errors import warn
from laconic.models.base import draw_seed
from laconic.models.pcp import factored
from laconic.models.pcp.exact import Pursuit, occurring, steps_remembered
from laconic.models.pcp.factored import BackgroundSums, Basis
from laconic.models.pcp.size import (
    ENTRIES,
    SAMPLE,
    Background,
    are_counts,
    choose_size,
    count_filled,
    mean_length,
)
from laconic.models.pcp.steps import keywords_and_codes, keywords_in
from laconic.models.pcp.varimax import readable
from laconic.models.penalty_search import find_penalty
from laconic.progress import progress

C = 10.0
RANK, KEYWORDS = 50, 5.0  # where values are no counts, so that nothing can be held out
LEAST_ALPHA = 1e-6
FIRST_BATCH, LATER_BATCH = 10, 3  # passes over a batch of a stream
TARGET_GAP, TARGET_STEPS = 1e-3, 60  # how closely λ is solved for while it is looked for

Finder = Callable[[Basis], float]


class Learned(NamedTuple):
    """A background as it is shown, and the keywords of the documents that it was learned from."""

    components: np.ndarray  # rank x words
    rotation: np.ndarray  # from the principal directions to `components`
    singular_values: np.ndarray  # of the principal directions, as is `shrinkage`
    shrinkage: np.ndarray
    alpha: float
    keywords: sp.csr_matrix
    gap: float | None = None  # of the exact solver
    basis: Basis | None = None  # of the factored one


class Solver(ABC):
    """Learns a background with the parameters of a model, on which it notes how the fit went."""

    tol: float

    def __init__(self, model: Any) -> None:
        self.model = model
        if model.tol is not None:
            self.tol = float(model.tol)

    @abstractmethod
    def fit(self, engine: Engine, chunks: list[Chunk]) -> Learned:
        """From all documents."""


class Exact(Solver):
    """The convex problem of the paper."""

    tol = 1e-7

    def fit(self, engine: Engine, chunks: list[Chunk]) -> Learned:
        model = self.model
        steps_remembered(chunks[-1].stop, model.n_features_in_)  # refuse before anything is loaded
        X = sp.vstack([chunk.load() for chunk in chunks], format="csr")
        pursuit = Pursuit(X)
        with progress("PCP", model.max_iter, model.verbose) as report:
            alpha = self._penalty(pursuit, X)
            parts = pursuit.solve(alpha, self.tol, model.max_iter, report)
        model.objective_, model.converged_ = parts.objective, parts.converged
        n_steps = model.n_iter_ = len(parts.objective)
        if parts.interrupted:
            warn(
                f"PCP was stopped after {n_steps} steps; it is usable as far as it got.",
                ConvergenceWarning,
            )
        elif not parts.converged:
            warn(
                f"PCP came to a relative duality gap of {parts.gap:.1g} in {n_steps} steps, "
                f"not {self.tol:g}; raise max_iter or tol.",
                ConvergenceWarning,
            )
        turn, values = np.eye(len(parts.basis)), parts.singular_values
        components = turned(factored.upright(parts.basis.T).astype(X.dtype), turn)
        gap, keywords = float(parts.gap), parts.sparse.astype(X.dtype)
        return Learned(components, turn, values, np.ones(len(turn)), alpha, keywords, gap)

    def _penalty(self, pursuit: Pursuit, X: sp.csr_matrix) -> float:
        model = self.model
        scale = 1 / np.sqrt(max(X.shape))
        if model.alpha is not None:
            return float(model.alpha)
        if model.keywords_per_document is None:
            return float(scale * (C if model.c is None else model.c))

        def measure(penalty: float) -> float:
            parts = pursuit.solve(penalty, TARGET_GAP, TARGET_STEPS)
            return occurring(parts.sparse, X).nnz / count_filled(X)

        return find_penalty(measure, model.keywords_per_document, C * scale, steps=8)


class Factored(Solver):
    """A background of few factors, with room for noise."""

    tol = 1e-4

    def fit(self, engine: Engine, chunks: list[Chunk]) -> Learned:
        start, find = self._start(engine, chunks)
        solver = factored.BackgroundSolver(start.basis(), self.tol, find)
        self.model._iterate(solver, engine, by_column_too(chunks))
        words, values = factored.principal(*solver.measured)
        found = Background(words, values, start.shrinkage, solver.params.threshold, start.length)
        return self._finish(found, find, engine, chunks)

    def add_batch(self, engine: Engine, chunks: list[Chunk], known: Background | None) -> Learned:
        """From some more documents, and what is `known` of those before."""
        model, find, n_passes = self.model, None, LATER_BATCH
        if known is None:
            known, find = self._start(engine, chunks)
            n_passes = FIRST_BATCH
            model.n_iter_, model.converged_, model.objective_ = 0, False, np.zeros(0)
        words = known.words
        for _ in range(n_passes):
            basis = known._replace(words=words).basis()
            sums = engine.map_reduce(factored.sum_background, basis, chunks)
            total = with_past(sums, basis, known)
            words = factored.orthonormal(total.products, words)
        model.objective_ = np.append(model.objective_, sums.objective(known.threshold))
        model.n_iter_ += 1
        words, values = factored.principal(basis.words, total.gram)
        found = known._replace(words=words, singular_values=values)
        return self._finish(found, find, engine, chunks)

    def _start(self, engine: Engine, chunks: list[Chunk]) -> tuple[Background, Finder | None]:
        """A first background, and what finds the threshold of a target."""
        model = self.model
        seed, target = draw_seed(model.random_state), model.keywords_per_document
        sample = _draw_sample(engine, chunks, seed)
        n_words = sample.shape[1]
        topics = None if model.init is None else dense(model._init_topics()).T.astype(sample.dtype)
        wanted = model.n_components if topics is None else topics.shape[1]
        rank = self._rank(wanted, chunks[-1].stop - chunks[0].start, n_words)
        if are_counts(sample):
            start = choose_size(sample, rank, model.alpha, seed)
        else:
            rank = rank or min(RANK, max(1, min(sample.shape) // 4))
            words = factored.random_basis(n_words, rank, sample.dtype, seed)
            none, all_of_it = np.zeros(rank), np.ones(rank)
            start = Background(words, none, all_of_it, model.alpha or 1.0, mean_length(sample))
            target = target or (KEYWORDS if model.alpha is None else None)
        if topics is not None:
            start = start._replace(words=factored.orthonormal(topics, start.words))
        if target is None:
            return start, None
        find = partial(threshold_for, sample, target)
        return start._replace(threshold=find(start._replace(threshold=1.0).basis())), find

    def _rank(self, rank: int | None, n_documents: int, n_words: int) -> int | None:
        most = min(n_documents, n_words)
        if rank is None or rank <= most:
            return rank
        warn(
            f"A background of rank {rank} was asked for, but {n_documents} documents of {n_words} "
            f"words have at most {most}; lower n_components.",
        )
        return max(most, 1)

    def _finish(
        self, found: Background, find: Finder | None, engine: Engine, chunks: list[Chunk]
    ) -> Learned:
        """Directions of few words, the threshold that they need for a target, and keywords."""
        words, values, shrinkage, alpha, length = found
        with single_blas_thread():
            turn = readable(words, values)
        components, shrinkage = turned(words, turn), shrinkage[: len(turn)]
        components.flags.writeable = False  # so that the model takes it without a copy
        basis = factored.shown_basis(components, turn, shrinkage, length, alpha)
        if find is not None:
            alpha = self._check_target(find(basis))
            basis = basis._replace(threshold=alpha)
        codes: list[Any] = [None] * len(chunks)
        step = keywords_and_codes if self.model._collects_codes else keywords_in
        keywords = sp.vstack(list(engine.map(step, basis, chunks, codes)), format="csr")
        self.model._collect_codes(engine, chunks, codes, np.arange(len(turn)))
        return Learned(components, turn, values, shrinkage, float(alpha), keywords, basis=basis)

    def _check_target(self, alpha: float) -> float:
        target = self.model.keywords_per_document
        if target is not None and alpha < LEAST_ALPHA:
            warn(
                f"keywords_per_document={target:g} is more than documents have words beyond the "
                "background; ask for fewer.",
            )
        return alpha


SOLVERS: dict[str, type[Solver]] = {"exact": Exact, "factored": Factored}


def learn_nothing(n_documents: int, alpha: float) -> Learned:
    """Of documents without any word."""
    components, one, turn = np.zeros((1, 0), np.float32), np.ones(1), np.eye(1)
    basis = factored.shown_basis(components, turn, one, 1.0, alpha)
    keywords = sp.csr_matrix((n_documents, 0), dtype=np.float32)
    return Learned(components, turn, np.zeros(1), one, alpha, keywords, basis=basis)


def turned(words: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Directions by word, turned; rank x words."""
    return np.ascontiguousarray(rotation.astype(words.dtype) @ words.T, dtype=words.dtype)


def _draw_sample(engine: Engine, chunks: list[Chunk], seed: int) -> sp.csr_matrix:
    """Documents on which size, threshold and shrinkage are found."""
    sample = sample_documents(engine, chunks, SAMPLE, seed)
    kept = max(1, int(ENTRIES * sample.shape[0] / max(sample.nnz, ENTRIES)))
    return sample[draw_rows(seed, sample.shape[0], kept)]


def threshold_for(X: sp.csr_matrix, n_keywords: float, basis: Basis) -> float:
    """The threshold with which documents have so many keywords on average."""

    def measure(threshold: float) -> float:
        rows = factored.split_rows(X, basis._replace(threshold=threshold))
        return int(np.count_nonzero(rows.excess)) / count_filled(X)

    return find_penalty(measure, n_keywords, 1.0)


def with_past(sums: BackgroundSums, basis: Basis, known: Background) -> BackgroundSums:
    """Sums of a batch and of the documents before it, as far as what is known of them says."""
    words, values = known.words, known.singular_values
    if not values.any():
        return sums
    overlap = words.T.astype(np.float64) @ basis.words * values[:, None] ** 2
    products = sums.products + (words @ overlap).astype(sums.products.dtype)
    gram = sums.gram + (basis.words.T.astype(np.float64) @ words) @ overlap
    return replace(sums, products=products, gram=gram)
