"""Base classes of models whose topics are probability distributions over words.

During a fit, the topics are stored transposed, as an array of words x topics, so that the weights
of a word in all topics are contiguous in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import chunk_divisor
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.errors import warn
from laconic.models.coding import words_topics
from laconic.models.seed_priors import SeedPrior
from laconic.models.seeded import SeededModel
from laconic.wording import plural


class DistributionModel(SeededModel):
    """Base class of models that are fitted to counts and whose topics are word distributions."""

    TOPICS_ARE_DISTRIBUTIONS = True
    COUNTS_ONLY = True

    n_components: int
    random_state: Any
    components_: np.ndarray
    topic_shares_: np.ndarray

    def _chunk_divisor(self, n_words: int) -> float:
        return chunk_divisor(n_words, self._n_topics(), much_work=True)

    def _check_size(self, n_words: int) -> None:
        if self.n_components > n_words:
            warn(
                f"{self.n_components} topics were requested for a vocabulary of only "
                f"{plural(n_words, 'word')}, so some topics will be nearly identical; lower "
                "n_components.",
            )

    def _store_topics(
        self, word_topics: np.ndarray, mass: np.ndarray, *, tidy: bool, run: RunTasks = run_here
    ) -> np.ndarray:
        """Store the topics and their shares, and return the order in which topics are stored.

        If `tidy` is true, the topics of seeds come first, and other topics are sorted by decreasing
        share. `run` runs the tasks.
        """
        order = self._topic_order(mass) if tidy else np.arange(len(mass))
        by_word = np.empty_like(word_topics, order="C")
        components = np.empty(by_word.shape[::-1], by_word.dtype)

        def copy(rows: slice) -> None:
            np.take(word_topics[rows], order, axis=1, out=by_word[rows], mode="clip")
            components[:, rows] = by_word[rows].T

        run(copy, row_blocks(*by_word.shape))
        components.flags.writeable = False  # because __setattr__ copies writeable arrays
        self.components_ = components
        self._derived("by_word", lambda: by_word)
        self.topic_shares_ = mass[order] / (mass.sum() or 1.0)
        return order

    def _seed_prior(self, word_totals: np.ndarray, decay: float = 0.0) -> SeedPrior | None:
        """Return the prior of the seeds, given the number of occurrences of each word.

        `decay` is the weight of earlier batches.
        """
        seeding = self._seeding()
        if seeding is None:
            return None
        past = decay * self.seed_totals_ if decay else 0.0
        self.seed_totals_ = seeding.of_words(word_totals) + past
        return seeding.prior(self.seed_totals_)

    def _words_topics(self, dtype: Any = None) -> np.ndarray:
        """Return the topics as an array of words x topics; see `words_topics`."""
        by_word = words_topics(self)
        return by_word if dtype is None else by_word.astype(dtype, copy=False)


class LikelihoodMixin(ABC):
    """Mixin for models that assign probabilities to words."""

    def score(self, X: Any, y: Any = None) -> float:
        """Return the log-likelihood (natural logarithm), summed over all words of `X`."""
        check_is_fitted(self, "components_")
        return self._likelihood(X)[0]

    def perplexity(self, X: Any) -> float:
        """Return the perplexity of `X`, which is exp(-log-likelihood per word).

        The topic mixture of each document is inferred from the words that are then scored, so the
        perplexity measures how well the model describes documents, not how well it predicts
        held-out words.
        """
        check_is_fitted(self, "components_")
        likelihood, n_words = self._likelihood(X)
        return float(np.exp(-likelihood / n_words)) if n_words else float("nan")

    @abstractmethod
    def _likelihood(self, X: Any) -> tuple[float, float]:
        """Return the log-likelihood of `X` and the number of words in `X`."""
