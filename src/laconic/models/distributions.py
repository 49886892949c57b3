"""What models share whose topics are distributions over words: counts in, rows of the simplex out.

While a model is fitted the topics are held by word: one row for each word, one column for each
topic, so that what a document reads of them lies together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import chunk_divisor
from laconic.errors import warn
from laconic.models.base import TopicModel


class DistributionModel(TopicModel):
    """Base of models with topics on the simplex."""

    TOPICS_ARE_DISTRIBUTIONS = True
    COUNTS_ONLY = True

    n_components: int
    random_state: Any
    components_: np.ndarray
    topic_shares_: np.ndarray

    def _chunk_divisor(self, n_words: int) -> int:
        return chunk_divisor(n_words)

    def _check_size(self, n_words: int) -> None:
        if self.n_components > n_words:
            warn(
                f"{self.n_components} topics were asked for, but there are only {n_words} words; "
                "topics will be alike. Lower n_components.",
            )

    def _store_topics(self, words: np.ndarray, mass: np.ndarray, *, tidy: bool) -> np.ndarray:
        """Keep topics (given by word) and shares; with `tidy` by falling share.

        Returns the order of the topics.
        """
        order = np.argsort(-mass, kind="stable") if tidy else np.arange(len(mass))
        by_word = np.ascontiguousarray(words[:, order])
        components = np.array(by_word.T, order="C")
        components.flags.writeable = False  # so that it is not copied
        self.components_ = components
        self._derived("by_word", lambda: by_word)
        self.topic_shares_ = mass[order] / (mass.sum() or 1.0)
        return order

    def _words_topics(self, dtype: Any = None) -> np.ndarray:
        """The topics by word; made by the fit, or on first use of a loaded model."""
        # A copy even of a single topic: kernels are not compiled for read-only arrays too.
        by_word = self._derived("by_word", lambda: np.array(self.components_.T, order="C"))
        return by_word if dtype is None else by_word.astype(dtype, copy=False)


class LikelihoodMixin(ABC):
    """Models that give words a probability."""

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood of documents, natural logarithm, all words."""
        check_is_fitted(self, "components_")
        return self._likelihood(X)[0]

    def perplexity(self, X: Any) -> float:
        """exp of minus the log-likelihood for each word.

        The mixture of a document is found from the same words, so this says how well documents are
        described, not how well unseen words are predicted.
        """
        check_is_fitted(self, "components_")
        likelihood, n_words = self._likelihood(X)
        return float(np.exp(-likelihood / n_words)) if n_words else float("nan")

    @abstractmethod
    def _likelihood(self, X: Any) -> tuple[float, float]:
        """Log-likelihood of all documents, and how many words they have."""
