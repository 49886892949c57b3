"""Codes of Sparse LSA: projections A q, or sparse codes of a few topics per document."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import csr, effective_number, unit_rows
from laconic.engines import Engine
from laconic.errors import LaconicError
from laconic.kernels.projection import project_dense, project_sparse
from laconic.models.base import TopicModel, draw_seed
from laconic.models.few_topics import check_target
from laconic.models.sparse_codes import (
    CodeTotals,
    CodingParams,
    check_sparse,
    codes_of,
    ridge_params,
    sparse_threshold,
    total_codes,
)
from laconic.models.sparse_lsa.word_target import shorten


class CodesMixin(TopicModel):
    """Part of `SparseLSA` that codes documents, and that stores the topics used for this."""

    words_per_topic: int | None
    topics_per_document: float | str | None
    codes: str
    positive: bool
    random_state: Any
    alpha_: np.ndarray
    code_threshold_: float

    def _set_topics(self, topics: sp.csr_matrix) -> None:
        """Set ``components_`` and, if it differs, ``coding_components_``."""
        if self.words_per_topic is None or self._fits_short_topics:
            self.components_ = topics
        else:
            self.components_ = shorten(topics, self.words_per_topic)
            self.coding_components_ = topics
        self._words_topics()  # Fill the cache now, so that using the model does not change it.

    def _set_threshold(self, engine: Engine, chunks: list[Chunk]) -> None:
        topics, target = self._coding_topics(), self.topics_per_document
        self.code_threshold_ = sparse_threshold(
            engine, chunks, draw_seed(self.random_state), topics, self.positive, target
        )

    def _sort_by_codes(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Code all documents, and sort the topics by their share in these codes."""
        codes = [None] * len(chunks) if self._collects_codes else None
        totals: CodeTotals = engine.map_reduce(total_codes, self._coding(), chunks, codes)
        order = np.argsort(-totals.mass, kind="stable")
        copies = getattr(self, "group_components_", None)
        self._set_topics(self._coding_topics()[order])
        if copies is not None:
            self.group_components_ = copies[order]
        mass, self.alpha_ = totals.mass[order], self.alpha_[order]
        self.topic_shares_ = mass / (mass.sum() or 1.0)
        self.topic_support_ = effective_number(mass, totals.squares[order])
        self._coding()  # Fill the cache now, so that using the model does not change it.
        self._collect_codes(engine, chunks, codes, order)

    def transform(self, X: Any) -> Any:
        """Return the codes of documents as CSR, or as an array with ``sparse_output=False``."""
        check_is_fitted(self, "components_")
        if self._codes_are_sparse:
            return self._encode(X, codes_of, (self._coding(), self._sparse_codes()))
        return self._encode(X, encode, (self._words_topics(), self._sparse_codes()))

    def _words_topics(self) -> sp.csr_matrix:
        """Return the topics as a cached CSR matrix of words x topics.

        A model loaded from a file computes this matrix on first use.
        """
        return self._derived("by_word", lambda: self.components_.T.tocsr())

    @property
    def _codes_are_sparse(self) -> bool:
        has_target = self.topics_per_document is not None
        return self.codes == "sparse" or (self.codes == "auto" and has_target)

    @property
    def _fits_short_topics(self) -> bool:
        """Whether the fit limits topics to `words_per_topic` words; false for sparse codes."""
        return self.words_per_topic is not None and not self._codes_are_sparse

    def _coding(self) -> CodingParams:
        """Return the parameters of sparse codes; the topics are scaled to unit length."""
        check_sparse(self)
        topics, threshold = self._coding_topics(), self.code_threshold_
        return self._derived(
            "coding",
            lambda: ridge_params(unit_rows(topics), self.positive, threshold),
            topics,
            threshold,
        )

    def _reconstruction_topics(self) -> Any:
        return unit_rows(self._coding_topics())

    @property
    def inverse_transform(self) -> Any:
        """Reconstruct documents from sparse codes; projections cannot be inverted."""
        if self._codes_are_sparse:
            return partial(_reconstruct, self)
        raise AttributeError(
            "SparseLSA has no inverse_transform with codes='projection': documents cannot be "
            "reconstructed from the projections A q. Set codes='sparse'."
        )

    def _check_codes(self) -> None:
        """Check the parameters of sparse codes."""
        target = self.topics_per_document
        if target is not None and self.codes == "projection":
            raise LaconicError(
                "'topics_per_document' of SparseLSA requires sparse codes; leave out "
                "codes='projection'."
            )
        check_target(self)


def encode(params: tuple[sp.csr_matrix, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Engine step: compute the codes of the documents of a chunk."""
    W, sparse = params
    X = chunk.load()
    dtype = np.result_type(X.dtype, W.dtype)
    n_topics = W.shape[1]
    arrays = X.data.astype(dtype, copy=False), X.indices, X.indptr
    if not sparse:
        out = np.empty((X.shape[0], n_topics), dtype)
        project_dense(*arrays, W.data, W.indices, W.indptr, out)
        return out, None
    data, indices, indptr = project_sparse(*arrays, W.data, W.indices, W.indptr, n_topics)
    return csr(data, indices, indptr.astype(np.int32), (X.shape[0], n_topics)), None


def _reconstruct(model: CodesMixin, X: Any) -> Any:
    """Reconstruct documents from sparse codes."""
    return TopicModel.inverse_transform(model, X)
