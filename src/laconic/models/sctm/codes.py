"""Codes of SCTM: the penalty and its target, the parameters for coding, and `transform`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk
from laconic.corpus.sampling import sample_documents
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.models.base import as_codes, draw_seed
from laconic.models.distributions import DistributionModel
from laconic.models.few_topics import AUTO, choose_threshold, drop_weak, target_of
from laconic.models.first_topics import Totals
from laconic.models.penalty_search import SAMPLE, find_penalty
from laconic.models.sctm.graph_prior import GraphPrior
from laconic.models.sctm.noise import to_simplex, to_unit, word_weights
from laconic.models.sctm.solver import (
    CodeParams,
    Energy,
    Prior,
    SparseCoder,
    code,
    on_scale_of_frequencies,
    total_energy,
    weighted,
)

ALPHA = 0.01  # default alpha, relative to the mean squared norm of a document
SHORT_TARGET = 5.0  # default topics per document with noise="counts", for short documents
SHORT = 100.0  # maximum average number of words of short documents
LEARNED_PRIOR: tuple[str, ...] = (
    "topic_precision_",
    "topic_means_",
    "topic_scales_",
    "residual_variance_",
)


class CodesMixin(DistributionModel):
    """Part of `SCTM` that codes documents."""

    alpha: float | None
    topics_per_document: float | str | None
    noise: str | None
    graph_alpha: float
    alpha_: float
    word_weights_: np.ndarray
    code_threshold_: float
    residual_variance_: float
    topic_scales_: np.ndarray
    topic_means_: np.ndarray
    topic_precision_: np.ndarray

    def transform(self, X: Any) -> Any:
        """Return the codes θ of documents as CSR, or as an array with ``sparse_output=False``.

        Documents without any word of the vocabulary get zeros.
        """
        check_is_fitted(self, "components_")
        step, params = self._coder()
        return self._encode(X, step, (*params, self._sparse_codes()))

    def _coder(self) -> tuple[Step, tuple[Any, ...]]:
        threshold = float(getattr(self, "code_threshold_", 0.0))
        return codes_of, (self._unedited()._coding(), threshold)

    def _coding(self) -> CodeParams:
        """Return the parameters for coding, cached; a loaded model computes them on first use."""
        names = ("alpha_", "word_weights_", *LEARNED_PRIOR)
        learned = [getattr(self, name, None) for name in names]
        return self._derived("coding", lambda: self._params(self._words_topics()), *learned)

    def _params(self, word_topics: np.ndarray, prior: Prior | None = None) -> CodeParams:
        """Return the parameters for coding with topics on the simplex (words x topics)."""
        weights = self._weights()
        topics = word_topics if weights is None else to_unit(word_topics.T, weights).T
        params = (prior or self._prior()).params(np.ascontiguousarray(topics))
        return weighted(params, weights)

    def _final_params(self, solver: SparseCoder) -> tuple[np.ndarray, CodeParams]:
        """Return the topics of a solver on the simplex, and the parameters for coding."""
        word_topics = np.ascontiguousarray(to_simplex(solver.topics, solver.weights).T)
        return word_topics, self._params(word_topics, solver.prior)

    def _weigh_words(self, totals: Totals) -> None:
        if self.noise is not None:
            self.word_weights_ = word_weights(totals.words)

    def _weights(self) -> np.ndarray | None:
        """Return the weights of the words, or None if the fit had none."""
        return getattr(self, "word_weights_", None)

    def _prior(self) -> Prior:
        """Return the fitted prior on codes, including the graph if a graph was learned."""
        if not hasattr(self, "topic_precision_"):
            return Prior(self.alpha_)
        return GraphPrior(
            self.alpha_,
            self.graph_alpha,
            self.residual_variance_,
            np.asarray(self.topic_scales_),
            np.asarray(self.topic_means_),
            np.asarray(self.topic_precision_),
        )

    def _set_threshold(self, engine: Engine, chunks: list[Chunk], params: CodeParams) -> None:
        """If `topics_per_document` sets no target, limit the codes of long documents."""
        has_target = target_of(self.topics_per_document) is not None
        if self.noise is not None and self.alpha is None and not has_target:
            seed = draw_seed(self.random_state)
            self.code_threshold_ = choose_threshold(
                engine, chunks, seed, codes_of, (params, 0.0, False), AUTO
            )

    def _alpha(self, engine: Engine, chunks: list[Chunk]) -> float:
        if self.alpha is not None:
            return float(self.alpha)
        energy: Energy = engine.map_reduce(total_energy, None, chunks)
        return ALPHA * energy.total / max(energy.n_documents, 1)

    def _alpha_search(self, engine: Engine, chunks: list[Chunk], totals: Totals) -> Any:
        """Return a function of the topics that finds the penalty for `topics_per_document`."""
        target = target_of(self.topics_per_document)
        if target is None and (self.noise is None or self.alpha is not None):
            return None
        if target is None:
            target = default_topics(totals, self.n_components)
        sample = sample_documents(engine, chunks, SAMPLE, draw_seed(self.random_state))
        return partial(penalty_for, sample, float(target), weights=self._weights())


def default_topics(totals: Totals, n_components: int) -> float:
    """Return the default number of topics per document with ``noise="counts"``.

    It grows with the fourth root of the average length of the documents.
    """
    length = float(totals.words.sum()) / max(totals.n_documents, 1)
    topics = SHORT_TARGET * max(length / SHORT, 1.0) ** 0.25
    return max(min(topics, n_components / 2), 1.0)


def penalty_for(
    X: sp.csr_matrix, n_topics: float, word_topics: np.ndarray, weights: np.ndarray | None = None
) -> float:
    """Return the penalty for which documents have `n_topics` topics on average."""
    n_documents = max(int(np.count_nonzero(np.diff(X.indptr))), 1)
    params = weighted(Prior(0.0).params(word_topics), weights)

    def measure(alpha: float) -> float:
        codes = code(X, params._replace(penalty=np.full(word_topics.shape[1], alpha)))[0]
        return int(np.count_nonzero(codes)) / n_documents

    return find_penalty(measure, n_topics, 1e-3)


def codes_of(params: tuple[CodeParams, float, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Engine step: compute the codes of the documents of a chunk, and drop the weakest topics."""
    coding, threshold, sparse = params
    X = chunk.load()
    codes, _, shares = code(X, coding)
    codes = on_scale_of_frequencies(codes, X, coding, shares)
    drop_weak(codes, threshold)
    return as_codes(codes.astype(np.result_type(X.dtype, coding.word_topics.dtype)), sparse), None
