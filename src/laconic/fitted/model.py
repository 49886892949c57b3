"""View of a fitted model: its topics, with their words, shares and notes."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import as_csr, dense
from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.errors import LaconicError
from laconic.fitted.automatic import AutomaticFacts, facts_of
from laconic.fitted.column_words import words_of
from laconic.fitted.documents import Documents, kept_documents
from laconic.fitted.notes import TopicNote, names_of, notes_of, seed_names
from laconic.fitted.nouns import nouns_of
from laconic.fitted.pipeline_steps import fitted_step, last_step, steps_of, transform_before
from laconic.fitted.ranking import RELEVANCE, largest, relevance_divisors
from laconic.fitted.support import support_of, weak_topics_of
from laconic.wording import Nouns

NAMING_WORDS = 3
MINUS = "−"


class TopicView:
    """View of the topics of a fitted model.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model; `TopicView.of` checks that it is fitted.
    relevance : float, default=0.6
        Parameter that orders words if topics are distributions; see `laconic.topics`.
    vocabulary : optional
        Words of the columns, instead of those of the model; see `laconic.topics`.

    Attributes
    ----------
    model : estimator or Pipeline
    estimator : estimator
        The last step of the pipeline.
    relevance : float
        Always 1 if topics are not distributions, because their words are ordered by weight.

    Examples
    --------
    >>> from laconic import SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> view = TopicView.of(SparseLSA(2, alpha=0.1).fit(corpus))
    >>> view.order, view.label(0), view.strongest_words(1)
    ([0, 1], 'cat, purr', [['cat'], ['dog']])
    """

    def __init__(self, model: Any, relevance: float = RELEVANCE, *, vocabulary: Any = None) -> None:
        self.model = model
        self.estimator = last_step(model)
        self.is_pipeline = self.estimator is not model
        self._vocabulary = vocabulary
        self.are_distributions = bool(getattr(self.estimator, "TOPICS_ARE_DISTRIBUTIONS", False))
        self.relevance = relevance if self.are_distributions else 1.0

    @classmethod
    def of(cls, model: Any, relevance: float = RELEVANCE, *, vocabulary: Any = None) -> Self:
        """Return a view of the topics; raise an error if `model` is not a fitted model."""
        fitted_step(model)
        return cls(model, relevance, vocabulary=vocabulary)

    # --- words -----------------------------------------------------------------------------------

    @cached_property
    def names(self) -> np.ndarray | None:
        """The word of each column, or None if the words are not known."""
        return words_of(self.model, self._vocabulary)

    @cached_property
    def nouns(self) -> Nouns:
        """Nouns for the columns and rows of the data, see `laconic.with_nouns`."""
        return nouns_of(self.model)

    @cached_property
    def words(self) -> np.ndarray:
        """The word of each column, or the column number if the words are not known."""
        return as_strings(range(self.n_columns) if self.names is None else self.names)

    @property
    def n_columns(self) -> int:
        return int(self.estimator.components_.shape[1])

    def word(self, column: int) -> str:
        """Return the word of one column, without building `words`."""
        return str(column if self.names is None else self.names[column])

    def column_of(self, word: str | int) -> int:
        """Return the column of a word; the error for an unknown word suggests similar words."""
        if self.names is None:
            n_words = self.n_columns
            if not str(word).isdecimal() or int(word) >= n_words:
                raise LaconicError(
                    f"The model was fitted without words; instead of {word!r}, pass a column "
                    f"number from 0 to {n_words - 1}."
                )
            return int(word)
        columns = np.flatnonzero(self.names == word)
        if len(columns):
            return int(columns[0])
        similar = get_close_matches(str(word).lower(), [str(name) for name in self.names], n=3)
        hint = f"; did you mean {', '.join(similar)}?" if similar else "."
        raise LaconicError(f"The word {word!r} is not in the vocabulary of the model{hint}")

    # --- topics ----------------------------------------------------------------------------------

    @property
    def n_topics(self) -> int:
        return int(self.estimator.components_.shape[0])

    @cached_property
    def weights(self) -> sp.csr_matrix:
        """Weights of words in topics, without zeros."""
        components = self.estimator.components_
        if not sp.issparse(components):
            return as_csr(np.asarray(components))
        weights = sp.csr_matrix(components)
        if not np.all(weights.data):
            weights = weights.copy()  # the arrays of a model may be read-only
            weights.eliminate_zeros()
        return weights

    @cached_property
    def probabilities(self) -> np.ndarray | None:
        """Word distributions of the topics, or None if the topics are not distributions.

        If the model has smoothed distributions (``probabilities_``), these are returned.
        """
        smoothed = getattr(self.estimator, "probabilities_", None)
        if smoothed is not None:
            return np.asarray(smoothed)
        return dense(self.estimator.components_) if self.are_distributions else None

    @cached_property
    def _divisors(self) -> np.ndarray | None:
        """By what the weights of each word are divided to rank words; None for weights as such."""
        if not self.are_distributions:
            return None
        estimator = self.estimator
        return relevance_divisors(estimator.components_, estimator.topic_shares_, self.relevance)

    def ranked(self, topic: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the columns and weights of a topic's words, and values whose sizes rank them."""
        columns, weights = self._words(topic)
        if self._divisors is None:
            return columns, weights, weights
        return columns, weights, np.divide(weights, self._divisors[columns], dtype=np.float64)

    def _words(self, topic: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns and the weights of a topic's words, without `weights` if possible."""
        components = self.estimator.components_
        if sp.issparse(components):
            row = self._row(topic)
            return self.weights.indices[row], self.weights.data[row]
        weights = np.asarray(components[topic])
        columns = np.flatnonzero(weights)
        return columns, weights[columns]

    @cached_property
    def n_words_of(self) -> np.ndarray:
        """Number of words with non-zero weight in each topic."""
        return np.diff(self.weights.indptr)

    @cached_property
    def shares(self) -> np.ndarray:
        """Share of each topic in the training documents; 0 if the shares are not known."""
        if not self.has_shares:
            return np.zeros(self.n_topics)
        return np.nan_to_num(np.asarray(self.estimator.topic_shares_, dtype=np.float64))

    @property
    def has_shares(self) -> bool:
        """Whether the model knows the shares of its topics; models of scikit-learn do not."""
        return hasattr(self.estimator, "topic_shares_")

    @cached_property
    def order(self) -> list[int]:
        """Topics by decreasing share; ``components_`` may be unsorted after `partial_fit`."""
        return np.argsort(-self.shares, kind="stable").tolist()

    @cached_property
    def support(self) -> np.ndarray | None:
        """Effective number of documents of each topic, if it is known."""
        return support_of(self.estimator, self.documents)

    @cached_property
    def weak(self) -> np.ndarray:
        """Whether each topic has few documents; topics of seeds, which users want, never count."""
        weak = weak_topics_of(self.support, self.estimator, self.documents)
        return weak & ~np.isin(np.arange(len(weak)), list(seed_names(self.model)))

    # --- words of topics -------------------------------------------------------------------------

    def columns(self, topic: int, n_words: int) -> np.ndarray:
        """Return the columns of the strongest words (positive or negative), strongest first."""
        columns, _, values = self.ranked(topic)
        return np.asarray(columns[largest(np.abs(values), n_words)])

    def top(self, topic: int, n_words: int) -> list[tuple[str, float]]:
        """Return the strongest words of a topic and their weights."""
        columns, weights, values = self.ranked(topic)
        best = largest(np.abs(values), n_words)
        return list(zip(map(self.word, columns[best]), weights[best].tolist(), strict=True))

    def signed_words(self, topic: int, n_words: int) -> list[str]:
        """Return the strongest words of a topic; negative words have the prefix ``-``."""
        return [("-" if weight < 0 else "") + word for word, weight in self.top(topic, n_words)]

    def strongest_words(self, n_words: int) -> list[list[str]]:
        """Return the strongest words of each topic, ordered as in `laconic.topics`."""
        return [[word for word, _ in self.top(topic, n_words)] for topic in range(self.n_topics)]

    def naming_words(self, topic: int, n_words: int = NAMING_WORDS) -> list[str]:
        """Return the strongest positive words of a topic, or negative words if none is positive."""
        columns, _, values = self.ranked(topic)
        sign = 1 if np.any(values > 0) else -1
        candidates = np.flatnonzero(sign * values > 0)
        best = candidates[largest(np.abs(values[candidates]), n_words)]
        return [("" if sign > 0 else MINUS) + self.word(column) for column in columns[best]]

    def _row(self, topic: int) -> slice:
        return slice(self.weights.indptr[topic], self.weights.indptr[topic + 1])

    # --- notes and names -------------------------------------------------------------------------

    @cached_property
    def notes(self) -> Mapping[int, TopicNote]:
        """User notes on topics."""
        return notes_of(self.model)

    @cached_property
    def facts(self) -> Mapping[int, AutomaticFacts]:
        """Automatic names and stability of topics."""
        return facts_of(self.model)

    @property
    def given_names(self) -> dict[int, str]:
        """Names of topics: given by users, else the names of seeds, else automatic names."""
        automatic = {topic: fact.name for topic, fact in self.facts.items() if fact.name}
        return automatic | names_of(self.model)

    def label(self, topic: int) -> str:
        """Return the name of a topic, or its first words if it has no name."""
        name = self.given_names.get(topic) or ", ".join(self.naming_words(topic))
        return name or f"topic {topic}"

    # --- documents -------------------------------------------------------------------------------

    @cached_property
    def documents(self) -> Documents | None:
        """Documents saved with the model."""
        return kept_documents(self.model)

    def align(self, corpus: Corpus) -> Corpus:
        """Align a corpus to the vocabulary of the model, if both have a vocabulary."""
        if self.names is None or corpus.vocabulary is None:
            return corpus
        from laconic.text.vectorizer import Vectorizer

        first = steps_of(self.model)[0]
        words = first.vocabulary_ if isinstance(first, Vectorizer) else None
        if words is not None and np.array_equal(words, self.names):
            return first.align(corpus)  # counts texts again if words of the model were left out
        return corpus.align(self.names)

    def align_topics(self, topics: Any, names: Any) -> sp.csr_matrix:
        """Reorder the columns of `topics`, whose words are `names`, to the words of this model."""
        columns = Vocabulary(self.words).columns(as_strings(names))
        common = np.flatnonzero(columns >= 0)
        move = sp.csr_matrix(
            (np.ones(len(common)), (common, columns[common])), (len(names), self.n_columns)
        )
        return sp.csr_matrix(topics) @ move

    def preprocess(self, X: Any) -> Any:
        """Apply all pipeline steps before the estimator, such as counting and weighting."""
        return transform_before(self.model, X)

    def weigh(self, counts: Any) -> Any:
        """Weight counts with the pipeline steps between counting and the estimator."""
        from laconic.text.vectorizer import Vectorizer

        for step in steps_of(self.model)[:-1]:
            counts_words = isinstance(step, Vectorizer) or hasattr(step, "vocabulary_")
            if not counts_words and step not in (None, "passthrough"):
                counts = step.transform(counts)
        return counts
