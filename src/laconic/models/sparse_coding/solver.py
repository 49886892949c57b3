"""Alternating minimisation for sparse coding.

    minimise  1/2 Σ_d |x_d - θ_d T|² + ω Σ_d |θ_d|_1

For fixed topics T, the code of each document is the solution of a lasso on the Gram matrix of the
topics, see `laconic.kernels.lasso`. For fixed codes, topics are updated one after the other (HALS:
Cichocki and Phan, 2009) from two sums over documents, C = Σ θ'θ and D = Σ θ'x. Neither of these two
steps raises the objective.

If `support` is set, the codes in C and D are limited to the `support`-th largest code of their
topic, as in a winsorised mean. A few documents with very large codes, such as the posts of one
author with the same signature, then cannot dominate a topic. With this limit, a pass may raise the
objective a little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import columns_of
from laconic.engines.base import Step
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.engines.products import multiply_columns
from laconic.engines.stats import POOLED, Stats
from laconic.kernels.ball import descend_in_ball
from laconic.models.passes import Update
from laconic.models.sctm.dictionary import BLOCK, slopes_of
from laconic.models.sctm.solver import decay
from laconic.models.seed_priors import Pull
from laconic.models.sparse_codes import CodingParams, code, lasso_params

SWEEPS = 2  # number of times that an update goes through all topics
FORMING = 6  # number of first passes after which the search for the penalty is repeated


class SumParams(NamedTuple):
    """Parameters for coding documents and summing their codes."""

    coding: CodingParams
    caps: np.ndarray | None = None  # maximum absolute code of each topic in the sums
    support: int = 0  # number of codes to collect per topic, the largest first


@dataclass
class CodeSums(Stats):
    """Sums over documents and their codes, computed in a pass."""

    products: np.ndarray = field(metadata=POOLED)  # D, words x topics
    moments: np.ndarray  # C, topics x topics
    mass: np.ndarray  # Σ|θ|
    objective: float
    n_documents: int
    n_codes: int  # number of non-zero entries of the codes
    largest: np.ndarray | None = None  # codes x topics: largest absolute codes of each topic

    def merge(self, other: Self) -> Self:
        largest = _merge_largest(self.largest, other.largest)
        self.largest = other.largest = None
        merged = super().merge(other)
        merged.largest = largest
        return merged


def _merge_largest(first: np.ndarray | None, second: np.ndarray | None) -> np.ndarray | None:
    if first is None or second is None:
        return first if second is None else second
    return -np.sort(-np.vstack([first, second]), axis=0)[: max(len(first), len(second))]


def code_sums(params: SumParams, chunk: Chunk, state: None) -> tuple[CodeSums, np.ndarray]:
    """Step: compute sums over the codes of a chunk; also return the codes for `fit_transform`."""
    coding = params.coding
    X, dtype = chunk.load(), coding.word_topics.dtype
    codes, correlations = code(X, coding)
    sizes = np.abs(codes)
    mass = sizes.sum(axis=0)
    explained = float(np.einsum("ij,ij->", codes, correlations))
    quadratic = float(np.einsum("ij,ij->", codes @ coding.gram, codes))
    energy = float(np.sum(X.data.astype(np.float64) ** 2))
    counted = codes if params.caps is None else np.clip(codes, -params.caps, params.caps)
    products = multiply_columns(chunk, X, columns_of(chunk, X), counted.astype(dtype))
    sums = CodeSums(
        products,
        counted.T @ counted,
        mass,
        0.5 * energy - explained + 0.5 * quadratic + coding.alpha * float(mass.sum()),
        X.shape[0],
        int(np.count_nonzero(codes)),
        -np.sort(-sizes, axis=0)[: params.support] if params.support else None,
    )
    return sums, codes.astype(np.result_type(X.dtype, dtype))


def improve_topics(
    topics: np.ndarray,
    moments: np.ndarray,
    products: np.ndarray,
    positive: bool,
    run: RunTasks = run_here,
    pull: Pull | None = None,
) -> np.ndarray:
    """Return updated topics with a lower objective.

    Each topic in turn is replaced by the topic in the unit ball that minimises the objective, with
    the other topics and the codes fixed. Topics that no document uses do not change. The gradients
    of `BLOCK` topics are computed together, and updated when one of these topics changes. `pull` is
    the prior of the topics of seeds; with seeds, the gradient of each topic is computed alone, so
    that words can be excluded from it.
    """
    n_topics, n_words = topics.shape
    if pull is not None:
        moments = pull.curved(moments)
    curvature = np.diag(moments)
    scale = np.divide(1.0, curvature, where=curvature > 0, out=np.zeros(n_topics))
    coupling = moments * scale[:, None]
    pulls, exact = np.empty(topics.shape), np.empty(topics.shape)

    def prepare(words: slice) -> None:
        exact[:, words] = topics[:, words]
        np.multiply(products[words].T, scale[:, None], out=pulls[:, words])

    run(prepare, row_blocks(n_words, n_topics))
    if pull is not None:
        pull.add_forces(pulls, scale)
        pull.exclude(exact)
    size = BLOCK if pull is None else 1
    for _ in range(SWEEPS):
        for start in range(0, n_topics, size):
            block = slice(start, start + size)
            slopes = slopes_of(exact, pulls[block], coupling[block], run)
            if pull is not None:
                pull.exclude(slopes, start)
            among = np.ascontiguousarray(coupling[block, block])
            descend_in_ball(exact[block], slopes, among, positive, False)
    return exact


class DictionaryLearner:
    """Solver that updates the topics after each pass or batch.

    Parameters
    ----------
    topics : ndarray of shape (n_topics, n_words)
        Initial topics.
    alpha : float
        Initial penalty ω.
    tol : float
        The fit has converged when a pass changes the objective by at most this share of its value.
    positive : bool, default=True
    support : int, default=0
        Number of documents that should share a topic; 0 sets no limit on the codes.
    find_alpha : callable, optional
        Function that returns the penalty for given topics (topics x words); called after the
        first passes.
    n_batches : int, default=1
        Number of batches per pass.
    forgetting : float, default=1
        See `laconic.models.sctm.solver.decay`.
    run : callable, optional
        Function that runs the tasks of an update, usually `Engine.run_tasks`.
    pull : Pull, optional
        Prior of the topics of seeds.
    """

    SAVED = (SumParams, CodingParams, CodeSums)

    def __init__(
        self,
        topics: np.ndarray,
        alpha: float,
        tol: float,
        *,
        positive: bool = True,
        support: int = 0,
        find_alpha: Callable[[np.ndarray], float] | None = None,
        n_batches: int = 1,
        forgetting: float = 1.0,
        run: RunTasks = run_here,
        pull: Pull | None = None,
    ) -> None:
        self.run = run
        self.pull = pull
        self.step: Step = code_sums
        self.local: list[Any] | None = None  # no stored codes, because they would save no time
        self.dtype = topics.dtype
        self.topics, self.alpha = topics, alpha
        self.tol, self.positive, self.support = tol, positive, support
        self.find_alpha = find_alpha
        self.n_batches, self.forgetting = n_batches, forgetting
        self.caps: np.ndarray | None = None
        self.sums: CodeSums | None = None  # sums over all documents seen so far
        self.objective, self.objective_of_pass = np.inf, 0.0
        self.n_updates = 0
        self._refresh()

    def _refresh(self) -> None:
        coding = lasso_params(self.topics, self.alpha, self.positive, self.run)
        self.params: Any = SumParams(coding, self.caps, self.support)

    def advance(self, sums: CodeSums) -> None:
        """Update the topics from the given sums over codes."""
        given = sums.moments, sums.products, self.positive
        new = improve_topics(self.topics, *given, self.run, self.pull)
        self.topics = new.astype(self.dtype)

    def objective_of(self, sums: CodeSums) -> float:
        """Return the objective of a pass or batch, with the prior of the seeds."""
        prior = 0.0 if self.pull is None else self.pull.value(self.topics) / self.n_batches
        return sums.objective + prior

    def update(self, sums: CodeSums) -> Update:
        self.n_updates += 1
        self.objective_of_pass += self.objective_of(sums)
        if sums.largest is not None:
            self.caps = find_caps(sums.largest)
        if self.n_batches > 1:
            number = min(self.n_updates, self.n_batches)
            if self.sums is not None:
                past, past.largest = self.sums.scaled(decay(number - 1, 1, self.forgetting)), None
                sums = past.merge(sums)
            self.sums = sums
        self.advance(sums)
        changed = self._find_alpha()
        self._refresh()
        if self.n_updates % self.n_batches:
            return Update(None)
        objective, self.objective_of_pass = self.objective_of_pass, 0.0
        change, self.objective = abs(self.objective - objective), objective
        if changed:
            self.objective = np.inf
            return Update(None, restart=True)
        is_settled = self.n_updates > self.n_batches and change <= self.tol * abs(objective)
        return Update(objective, converged=bool(is_settled))

    def _find_alpha(self) -> bool:
        """In the first passes, search for the penalty again; return whether the penalty changed."""
        if self.find_alpha is None or self.n_updates > FORMING * self.n_batches:
            return False
        before, self.alpha = self.alpha, self.find_alpha(self.topics)
        return self.alpha != before


def find_caps(largest: np.ndarray) -> np.ndarray:
    """Return the maximum code of each topic: the smallest non-zero code among its largest codes.

    The maximum of a topic without codes is infinite.
    """
    filled = np.count_nonzero(largest, axis=0)
    caps = largest[np.maximum(filled - 1, 0), np.arange(largest.shape[1])]
    return np.where(filled > 0, caps, np.inf)
