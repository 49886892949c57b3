"""Input of the metrics: a fitted model and documents, with cached quantities derived from them.

A `Subject` does not depend on laconic's models, because the documents are encoded by functions that
are passed to it. Therefore, the same metrics can evaluate models of other libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.sampling import deal
from laconic.errors import LaconicError


class NotApplicableError(LaconicError):
    """Raised if a metric does not apply to the model or documents; the message says why."""


@dataclass
class Subject:
    """A fitted model and documents to evaluate it on.

    Parameters
    ----------
    corpus : Corpus
        The documents, with the vocabulary of the model.
    words : list of list of str
        The top words of each topic, strongest first.
    components : sparse matrix or ndarray of shape (n_topics, n_words)
        Weights of words in topics.
    encode : callable
        Corpus -> codes of shape (n_documents, n_topics).
    weigh : callable, optional
        Corpus -> the weighted documents that the model approximates, as a CSR matrix.
    probabilities : ndarray of shape (n_topics, n_words), optional
        Topics as distributions over words, if the model has them.
    mix : callable, optional
        (probabilities, counts) -> the topic shares of each document.
    encode_words : callable, optional
        Corpus -> the codes of all words of all documents, as a CSR matrix.
    refits : callable, optional
        (n_refits, bootstrap) -> the top words of the topics of each refit. Each refit uses a
        different seed and, if `bootstrap` is true, a bootstrap sample of the documents.
    reference : sparse matrix or ndarray, optional
        Topics of another model, with the same vocabulary.
    random_state : int, default=0
        Seed of the held-out words, folds and samples.
    source : sequence of length n_documents, optional
        The source of each document, such as its author; see `laconic.metrics.lone_topics`.
    """

    corpus: Corpus
    words: Sequence[Sequence[str]]
    components: Any
    encode: Callable[[Corpus], Any]
    weigh: Callable[[Corpus], sp.csr_matrix] | None = None
    probabilities: np.ndarray | None = None
    mix: Callable[[np.ndarray, sp.csr_matrix], np.ndarray] | None = None
    encode_words: Callable[[Corpus], sp.csr_matrix] | None = None
    refits: Callable[[int, bool], Sequence[Sequence[Sequence[str]]]] | None = None
    reference: Any = None
    random_state: int = 0
    source: Any = None

    @cached_property
    def codes(self) -> sp.csr_matrix:
        """Codes of the documents."""
        return sp.csr_matrix(self.encode(self.corpus))

    @cached_property
    def word_codes(self) -> sp.csr_matrix:
        """Codes of the words of the documents."""
        if self.encode_words is None:
            raise NotApplicableError("the model does not compute codes of words")
        return sp.csr_matrix(self.encode_words(self.corpus))

    @cached_property
    def weights(self) -> sp.csr_matrix:
        """The documents with the weighting of the model."""
        if self.weigh is None:
            raise NotApplicableError("the weighting of the model's documents is unknown")
        return sp.csr_matrix(self.weigh(self.corpus))

    @cached_property
    def labelled(self) -> tuple[sp.csr_matrix, np.ndarray]:
        """Codes and classes of the documents that have a label and words."""
        labels = self.corpus.labels
        if labels is None:
            raise NotApplicableError("the documents have no labels")
        usable = np.array(
            [not (label is None or label == "" or label != label) for label in labels]
        )
        usable &= np.diff(self.corpus.counts.indptr) > 0
        classes = np.asarray(labels)[usable].astype(str)
        if len(np.unique(classes)) < 2:
            raise NotApplicableError("the documents have fewer than two classes")
        return self.codes[np.flatnonzero(usable)], classes

    @cached_property
    def completion(self) -> tuple[np.ndarray, sp.csr_matrix]:
        """Topic shares inferred from half of the words of each document, and the held-out half."""
        if self.probabilities is None or self.mix is None:
            raise NotApplicableError("the topics of this model are not distributions over words")
        counts = self.corpus.counts
        if not np.array_equal(counts.data, np.round(counts.data)):
            raise NotApplicableError("the documents are not counts of words")
        observed, held_out = deal(counts, random_state=self.random_state)
        return self.mix(self.probabilities, observed), held_out
