"""What every model shares: what it accepts, and the only fit loop.

A fit is three words: *step* (statistics of a chunk, given the parameters), *sum* (the engine), and
*update* (parameters from the sums). A model brings a `Solver` with these; the loop counts passes,
reports progress, calls callbacks, and ends on convergence, on ``max_iter`` or on Ctrl-C.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning

from laconic.chunks import Chunk, MappedChunk, memory_chunks
from laconic.corpus import Corpus
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.inputs import check_corpus, check_matrix
from laconic.models.progress import progress

CALLER = 5  # frames up from `_iterate`: _fit_chunks, fit, with_callbacks, who called fit


class Update(NamedTuple):
    """What came of a pass."""

    objective: float | None  # None where the value cannot be compared with the one before
    converged: bool = False
    restart: bool = False  # the values so far cannot be compared with the next ones


class Solver(Protocol):
    """Parameters of a model while it is being fitted."""

    step: Step
    params: Any
    local: list[Any] | None

    def update(self, stats: Any) -> Update: ...


class TopicModel(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupportMixin, BaseEstimator
):
    """Base of the models: input in any accepted form, and the fit loop."""

    components_: Any
    max_iter: int
    verbose: int

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        """Chunks of floats from a Corpus, a sparse matrix or an array; names and width checked."""
        if isinstance(X, Corpus):
            return _float_chunks(check_corpus(self, X, reset=reset))
        return memory_chunks(check_matrix(self, X, reset=reset))

    def _iterate(self, solver: Solver, engine: Engine, chunks: Sequence[Chunk]) -> None:
        """Pass after pass; sets ``objective_``, ``n_iter_`` and ``converged_``."""
        objective: list[float] = []
        self.n_iter_, self.converged_ = 0, False
        context = getattr(self, "_callback_fit_ctx", None)
        interrupted = False
        name = type(self).__name__
        try:
            with progress(name, self.max_iter, self.verbose) as report:
                for n_iter in range(1, self.max_iter + 1):
                    task = None if context is None else context.subcontext(task_name="pass")
                    if task is not None:
                        task.call_on_fit_task_begin(estimator=self)
                    stats = engine.map_reduce(solver.step, solver.params, chunks, solver.local)
                    update = solver.update(stats)
                    self.n_iter_, self.converged_ = n_iter, update.converged
                    if update.restart:
                        objective.clear()
                    if update.objective is not None:
                        objective.append(update.objective)
                    report(n_iter, None if update.restart else update.objective)
                    stop = task is not None and task.call_on_fit_task_end(estimator=self)
                    if update.converged or stop:
                        break
        except KeyboardInterrupt:
            interrupted = True
        self.objective_ = np.array(objective)
        if interrupted:
            warnings.warn(
                f"{name} was stopped after {self.n_iter_} passes; it is usable as far as it got.",
                ConvergenceWarning,
                stacklevel=CALLER,
            )
        elif not self.converged_ and self.n_iter_ == self.max_iter:
            warnings.warn(
                f"{name} did not converge in {self.max_iter} passes; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=CALLER,
            )


def _float_chunks(corpus: Corpus) -> list[Chunk]:
    """Chunks whose values are floats, converted once when they are in memory."""
    if corpus.path is None:
        return memory_chunks(as_float(corpus.matrix), corpus.bounds())
    if corpus.weighting is not None:
        return corpus.chunks()
    return [MappedChunk(chunk, (as_float,)) for chunk in corpus.chunks()]


def as_float(X: sp.csr_matrix) -> sp.csr_matrix:
    """The same matrix in a floating type."""
    return X if X.dtype.kind == "f" else X.astype(np.float32)
