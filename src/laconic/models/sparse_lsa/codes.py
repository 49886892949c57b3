"""Codes of Sparse LSA: projections A q, or sparse codes of a few topics per document."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import effective_number, unit_rows
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.errors import LaconicError
from laconic.models.base import TopicModel, draw_seed
from laconic.models.few_topics import check_target
from laconic.models.seeded import SeededModel
from laconic.models.sparse_codes import (
    CodeTotals,
    sparse_threshold,
    total_codes,
)
from laconic.models.sparse_lsa.coding import (
    codes_are_sparse,
    coding_params,
    coding_step,
    words_topics,
)
from laconic.models.sparse_lsa.word_target import shorten


class CodesMixin(SeededModel):
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
        if not self._nested:
            words_topics(self)  # Fill the cache now, so that using the model does not change it.

    def _set_threshold(self, engine: Engine, chunks: list[Chunk]) -> None:
        topics, target = self._coding_topics(), self.topics_per_document
        self.code_threshold_ = sparse_threshold(
            engine, chunks, draw_seed(self.random_state), topics, self.positive, target
        )

    def _sort_by_codes(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Code all documents, and sort the topics without seeds by their share in these codes."""
        codes = [None] * len(chunks) if self._collects_codes else None
        totals: CodeTotals = engine.map_reduce(total_codes, coding_params(self), chunks, codes)
        order = self._topic_order(totals.mass)
        copies = getattr(self, "group_components_", None)
        self._set_topics(self._coding_topics()[order])
        if copies is not None:
            self.group_components_ = copies[order]
        mass, self.alpha_ = totals.mass[order], self.alpha_[order]
        self.topic_shares_ = mass / (mass.sum() or 1.0)
        self.topic_support_ = effective_number(mass, totals.squares[order])
        coding_params(self)  # Fill the cache now, so that using the model does not change it.
        self._collect_codes(engine, chunks, codes, order)

    def transform(self, X: Any) -> Any:
        """Return the codes of documents as CSR, or as an array with ``sparse_output=False``."""
        check_is_fitted(self, "components_")
        step, params = self._coder()
        return self._encode(X, step, (*params, self._sparse_codes()))

    def _coder(self) -> tuple[Step, tuple[Any, ...]]:
        return coding_step(self._unedited())

    @property
    def _codes_are_sparse(self) -> bool:
        return codes_are_sparse(self)

    @property
    def _fits_short_topics(self) -> bool:
        """Whether the fit limits topics to `words_per_topic` words; false for sparse codes."""
        return self.words_per_topic is not None and not self._codes_are_sparse

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

    def pseudo_probabilities(self) -> sp.csr_matrix:
        """Return the paper's pseudo-probabilities P(word | topic), with ``positive=True``.

        Each topic is divided by its sum. The result shows which share of a topic a word has, but it
        is not fitted to predict words; for that, use `PLSA`.

        Returns
        -------
        csr_matrix of shape (n_components, n_words)
        """
        check_is_fitted(self, "components_")
        if not self.positive:
            raise LaconicError(
                "pseudo_probabilities of SparseLSA requires non-negative topics; fit the model "
                "with positive=True."
            )
        topics = self.components_.astype(np.float64)
        totals = np.asarray(topics.sum(axis=1)).ravel()
        return (sp.diags(1 / np.where(totals > 0, totals, 1)) @ topics).tocsr()

    def _check_codes(self) -> None:
        """Check the parameters of sparse codes."""
        target = self.topics_per_document
        if target is not None and self.codes == "projection":
            raise LaconicError(
                "'topics_per_document' of SparseLSA requires sparse codes; leave out "
                "codes='projection'."
            )
        check_target(self)


def _reconstruct(model: CodesMixin, X: Any) -> Any:
    """Reconstruct documents from sparse codes."""
    return TopicModel.inverse_transform(model, X)
