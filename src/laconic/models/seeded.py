"""Base class of models that accept seeds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

from laconic.corpus.chunks import Chunk
from laconic.corpus.corpus import Corpus
from laconic.corpus.vocabulary import as_strings
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.models.base import TopicModel
from laconic.models.seed_priors import SeedDocuments, Seeding
from laconic.models.seeding import check_number, find_words

SEED_ATTRIBUTES = ("seed_names_", "seed_words_", "seed_totals_", "seed_documents_")


class SeededModel(TopicModel):
    """Base class of models that accept seeds: parameters, words of the seeds, order of topics."""

    _parameter_constraints: dict[str, list[Any]] = {
        **TopicModel._parameter_constraints,
        "seeds": [Mapping, None],
        "seed_strength": [Interval(Real, 0, None, closed="left")],
    }

    seeds: Mapping[str, Any] | None
    seed_strength: float
    seed_names_: np.ndarray
    seed_words_: sp.csr_matrix
    seed_totals_: np.ndarray
    seed_documents_: np.ndarray

    def check_parameters(self) -> None:
        super().check_parameters()
        check_number(self)

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        chunks = super()._chunks(X, reset=reset)
        if reset:
            self._find_seeds(X)
        return chunks

    def _find_seeds(self, X: Any) -> None:
        """Find the columns of the seed words, and forget the seeds of an earlier fit."""
        for name in SEED_ATTRIBUTES:
            self.__dict__.pop(name, None)
        if self.seeds is not None:
            settings = X.vectorizer if isinstance(X, Corpus) else None
            names = getattr(self, "feature_names_in_", None)
            self.seed_words_ = find_words(self.seeds, names, self.n_features_in_, settings)
            self.seed_names_ = as_strings(self.seeds)

    def _inherit_seeds(self, model: SeededModel) -> None:
        """Use the seeds of another model, whose initial topics this model computes."""
        if hasattr(model, "seed_words_"):
            self.seed_words_, self.seed_strength = model.seed_words_, model.seed_strength

    def _seeding(self, n_topics: int | None = None) -> Seeding | None:
        """Return the seeds of the fit, or None if there are none."""
        if not hasattr(self, "seed_words_"):
            return None
        return Seeding(self.seed_words_, self.seed_strength, n_topics or self.n_components)

    def _n_seeds(self) -> int:
        return self.seed_words_.shape[0] if hasattr(self, "seed_words_") else 0

    def _topic_order(self, mass: np.ndarray) -> np.ndarray:
        """Return the order of topics: first topics with seeds, then others by decreasing mass."""
        n_seeds = self._n_seeds()
        others = np.argsort(-mass[n_seeds:], kind="stable")
        return np.concatenate([np.arange(n_seeds), n_seeds + others])

    @abstractmethod
    def _coder(self) -> tuple[Step, tuple[Any, ...]]:
        """Return the step of `transform`, and its parameters, to which `sparse` is to be added."""

    def _count_seed_documents(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Count the documents whose strongest topic is the topic of a seed."""
        if hasattr(self, "seed_names_"):
            step, params = self._coder()
            params = step, (*params, False), self._n_seeds()
            found: SeedDocuments = engine.map_reduce(count_strongest, params, chunks)
            self.seed_documents_ = found.counts + getattr(self, "seed_documents_", 0)


def count_strongest(
    params: tuple[Step, tuple[Any, ...], int], chunk: Chunk, state: None
) -> tuple[SeedDocuments, None]:
    """Engine step: count the documents whose strongest topic is each of the first topics."""
    step, coding, n_seeds = params
    codes = np.abs(np.asarray(step(coding, chunk, None)[0]))
    strongest = codes.argmax(axis=1)[codes.any(axis=1)]
    return SeedDocuments(np.bincount(strongest, minlength=codes.shape[1])[:n_seeds]), None
